// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import CoreMetrics
internal import Hoard

/// The metrics of one cache name.
final class CacheHandlers: Sendable {
    private struct Request: Equatable, Sendable {
        let tier: CacheTier?
        let result: CacheRequestResult
    }

    let name: String
    private let factory: any MetricsFactory
    /// Room for all results, for as many stores as a program puts below one cache.
    private let requests = HandlerList<Request, Counter>(maximumCount: 64)
    private let loads = HandlerList<CacheLoadOutcome, Counter>(maximumCount: 16)
    private let loadDurations = HandlerList<CacheLoadOutcome, Timer>(maximumCount: 16)
    private let evictions = HandlerList<RemovalCause, Counter>(maximumCount: 16)

    init(name: String, factory: any MetricsFactory) {
        self.name = name
        self.factory = factory
    }

    func countRequests(_ result: CacheRequestResult, tier: CacheTier?, by count: Int = 1) {
        let counter =
            requests.handlers(for: Request(tier: tier, result: result)) { requestCounter(result, tier: tier?.description ?? CacheMetrics.noTier) }
            ?? requestCounter(result, tier: CacheMetrics.other)
        counter.increment(by: count)
    }

    func countLoads(_ outcome: CacheLoadOutcome, by count: Int = 1) {
        let counter = loads.handlers(for: outcome) { loadCounter(outcome) } ?? loadCounter(outcome)
        counter.increment(by: count)
    }

    func recordLoad(_ outcome: CacheLoadOutcome, duration: Duration) {
        let timer = loadDurations.handlers(for: outcome) { loadTimer(outcome) } ?? loadTimer(outcome)
        timer.recordNanoseconds(duration.saturatingNanoseconds)
    }

    func countEvictions(_ cause: RemovalCause, by count: Int) {
        let counter = evictions.handlers(for: cause) { evictionCounter(cause) } ?? evictionCounter(cause)
        counter.increment(by: count)
    }

    private func requestCounter(_ result: CacheRequestResult, tier: String) -> Counter {
        Counter(
            label: "cache.requests",
            dimensions: [("cache", name), ("tier", tier), ("result", result.description)],
            factory: factory
        )
    }

    private func loadCounter(_ outcome: CacheLoadOutcome) -> Counter {
        Counter(label: "cache.loads", dimensions: [("cache", name), ("outcome", outcome.description)], factory: factory)
    }

    private func loadTimer(_ outcome: CacheLoadOutcome) -> Timer {
        Timer(label: "cache.load.duration", dimensions: [("cache", name), ("outcome", outcome.description)], factory: factory)
    }

    private func evictionCounter(_ cause: RemovalCause) -> Counter {
        Counter(label: "cache.evictions", dimensions: [("cache", name), ("cause", cause.description)], factory: factory)
    }
}
