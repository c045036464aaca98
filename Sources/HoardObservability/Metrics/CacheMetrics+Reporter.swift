// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import CoreMetrics
public import Hoard
internal import Synchronization

#if Lifecycle
    public import ServiceLifecycle

    extension CacheMetrics.Reporter: Service {}
#endif

extension CacheMetrics {
    /// Reports, from time to time, figures that have to be asked for: the sizes of caches and stores, and the counters
    /// of a `Cache`, which takes no observer.
    ///
    /// ```swift
    /// let reporter = CacheMetrics.Reporter(metrics)
    /// reporter.register(sessions, as: "sessions")
    /// reporter.register(disk)
    /// await reporter.run(every: .seconds(10))
    /// ```
    ///
    /// Caches are not kept alive: one that has gone is reported as empty once, and then no more. Stores are kept.
    public final class Reporter: Sendable {
        private let metrics: CacheMetrics
        private let ticker: any Ticker
        private let sources = Mutex<[Source]>([])

        /// Creates a reporter without anything to report.
        ///
        /// - Parameters:
        ///   - metrics: Whose metrics are reported to.
        ///   - ticker: Says when it is time.
        public init(_ metrics: CacheMetrics, ticker: any Ticker = MonotonicTicker()) {
            self.metrics = metrics
            self.ticker = ticker
        }

        /// Reports a cache's size, requests, loads and evictions from now on, including those counted before.
        ///
        /// - Parameter name: The label `cache`. Register one cache under a name.
        public func register<Key, Value>(_ cache: Cache<Key, Value>, as name: String) {
            let gauges = SizeGauges(
                cache: metrics.label(ofCache: name),
                hasWeight: cache.configuration.maximumWeight != nil,
                factory: metrics.factory
            )
            let handlers = metrics.handlers(ofCache: name)
            let counters = CounterDeltas()
            add { [weak cache] in
                guard let cache else { return gauges.recordEnd() }
                gauges.record(count: cache.count, weight: cache.totalWeight)
                counters.report(cache, to: handlers)
                return true
            }
        }

        /// Reports the size of a cache's memory tier from now on. Everything else its observer is told.
        ///
        /// - Parameter name: The label `cache`: the cache's name, so that the size is found beside the observer's counters.
        public func register<Key, Value>(_ cache: TieredCache<Key, Value>, as name: String) {
            let gauges = SizeGauges(
                cache: metrics.label(ofCache: name),
                hasWeight: cache.configuration.maximumWeight != nil,
                factory: metrics.factory
            )
            add { [weak cache] in
                guard let cache else { return gauges.recordEnd() }
                gauges.record(count: cache.memoryCount, weight: cache.memoryWeight)
                return true
            }
        }

        /// Reports the size of a store, under its name, from now on. While it fails to say so, the last figures stay.
        public func register(_ store: any RecordStore) {
            let gauges = SizeGauges(store: metrics.label(ofStore: store.name), factory: metrics.factory)
            add {
                if let statistics = try? await store.statistics() { gauges.record(count: statistics.count, weight: statistics.bytes) }
                return true
            }
        }

        /// Reports everything now, one after the other. May suspend: stores are asked.
        public func report() async {
            var gone: Set<Source.ID> = []
            for source in sources.withLock({ $0 }) where await !source.report() { gone.insert(source.id) }
            if !gone.isEmpty { sources.withLock { $0.removeAll { gone.contains($0.id) } } }
        }

        /// Reports everything now and after each `interval`, until the task is cancelled; then once more.
        ///
        /// - Precondition: `interval` is positive.
        public func run(every interval: Duration) async {
            precondition(interval > .zero, "The interval between reports must be positive.")
            while !Task.isCancelled {
                await report()
                let (next, overflowed) = ticker.nanoseconds().addingReportingOverflow(interval.saturatingNanoseconds)
                do { try await ticker.sleep(until: overflowed ? .max : next) } catch { break }
            }
            // In a task that is not cancelled: a store may refuse to answer one that is.
            await startTask { [self] in await report() }.value
        }

        /// Reports everything now and every ten seconds, until the task is cancelled, or the service group shuts down that it is part of; then once more.
        public func run() async {
            #if Lifecycle
                await cancelWhenGracefulShutdown { await self.run(every: .seconds(10)) }
            #else
                await run(every: .seconds(10))
            #endif
        }

        private func add(_ report: @escaping @Sendable () async -> Bool) {
            sources.withLock { $0.append(Source(report: report)) }
        }
    }
}

extension CacheMetrics.Reporter {
    /// Something to be reported.
    private final class Source: Sendable {
        /// Returns whether there will be something to report the next time.
        let report: @Sendable () async -> Bool

        init(report: @escaping @Sendable () async -> Bool) {
            self.report = report
        }

        typealias ID = ObjectIdentifier
        var id: ID { ObjectIdentifier(self) }
    }

    /// How much a cache or a store holds.
    private struct SizeGauges: Sendable {
        let entries: Gauge
        let bytes: Gauge?

        /// Creates the gauges of a cache. Without a limit by weight every entry weighs 1, so the weight gets no gauge.
        init(cache: String, hasWeight: Bool, factory: any MetricsFactory) {
            entries = Gauge(label: "cache.entries", dimensions: [("cache", cache)], factory: factory)
            bytes = hasWeight ? Gauge(label: "cache.bytes", dimensions: [("cache", cache)], factory: factory) : nil
        }

        init(store: String, factory: any MetricsFactory) {
            entries = Gauge(label: "cache.store.entries", dimensions: [("store", store)], factory: factory)
            bytes = Gauge(label: "cache.store.bytes", dimensions: [("store", store)], factory: factory)
        }

        func record(count: Int, weight: Int) {
            entries.record(count)
            bytes?.record(weight)
        }

        /// The cache has gone.
        ///
        /// - Returns: That there will be nothing to report the next time.
        func recordEnd() -> Bool {
            record(count: 0, weight: 0)
            return false
        }
    }

    /// Reports the counts of a cache since the last report.
    private final class CounterDeltas: Sendable {
        private let reported = Mutex(CacheStatistics())

        func report<Key, Value>(_ cache: Cache<Key, Value>, to handlers: CacheHandlers) {
            let (old, new) = reported.withLock { reported in
                // Inside, so that of two reports at once the later one has the later counters.
                let statistics = cache.statistics
                defer { reported = statistics }
                return (reported, statistics)
            }
            func delta(_ counter: KeyPath<CacheStatistics, Int>) -> Int? {
                let delta = new[keyPath: counter] - old[keyPath: counter]
                return delta > 0 ? delta : nil
            }
            if let hits = delta(\.hits) { handlers.countRequests(.hit, tier: .memory, by: hits) }
            if let negativeHits = delta(\.negativeHits) { handlers.countRequests(.negative, tier: nil, by: negativeHits) }
            if let misses = delta(\.misses) { handlers.countRequests(.miss, tier: nil, by: misses) }
            if let loads = delta(\.loads) { handlers.countLoads(.value, by: loads) }
            if let failures = delta(\.loadFailures) { handlers.countLoads(.failed, by: failures) }
            if let evictions = delta(\.evictions) { handlers.countEvictions(.size, by: evictions) }
            if let expirations = delta(\.expirations) { handlers.countEvictions(.expired, by: expirations) }
        }
    }
}
