// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import CoreMetrics
public import Hoard

/// Counts and times the operations of caches, with swift-metrics.
///
/// ```swift
/// let metrics = CacheMetrics()
/// let users = TieredCache<String, User>(
///     configuration: .init(maximumCount: 10_000, policy: CachePolicy(freshFor: .seconds(60))),
///     stores: [disk],
///     codec: .json,
///     observer: metrics
/// )
/// ```
///
/// | Metric | Kind | Labels |
/// | --- | --- | --- |
/// | `cache.requests` | counter | `cache`, `tier`, `result` |
/// | `cache.loads` | counter | `cache`, `outcome` |
/// | `cache.load.duration` | timer | `cache`, `outcome` |
/// | `cache.evictions` | counter | `cache`, `cause` |
/// | `cache.store.calls` | counter | `store`, `operation`, `outcome` |
/// | `cache.store.duration` | timer | `store`, `operation` |
/// | `cache.circuit` | gauge, 1 while open | `store` |
/// | `cache.entries`, `cache.bytes` | gauges, by a ``Reporter`` | `cache` |
/// | `cache.store.entries`, `cache.store.bytes` | gauges, by a ``Reporter`` | `store` |
///
/// Labels are names of caches and stores, and words of a fixed set; never keys, tags or URLs. Names beyond ``maximumNameCount`` share the
/// label `other`. One instance may observe any number of caches. Telling it something takes no lock and, once a combination of labels has
/// occurred, no allocation.
public final class CacheMetrics: CacheObserver {
    /// The most names of caches that have metrics of their own, and the most names of stores.
    public let maximumNameCount: Int

    /// The tier of requests for which there was no value.
    static let noTier = "none"
    /// The name of all that is beyond a limit.
    static let other = "other"

    let factory: any MetricsFactory
    private let caches: HandlerList<String, CacheHandlers>
    private let otherCaches: CacheHandlers
    private let stores: HandlerList<String, StoreHandlers>
    private let otherStores: StoreHandlers

    /// Creates an observer.
    ///
    /// - Parameters:
    ///   - factory: Makes the metrics. By default the factory of `withMetricsFactory(_:_:)`, or the one that the process was bootstrapped with, as it
    ///     is now.
    ///   - maximumNameCount: See ``maximumNameCount``.
    public init(factory: any MetricsFactory = MetricsSystem.factory, maximumNameCount: Int = 64) {
        precondition(maximumNameCount >= 0, "maximumNameCount must not be negative.")
        self.factory = factory
        self.maximumNameCount = maximumNameCount
        caches = HandlerList(maximumCount: maximumNameCount)
        otherCaches = CacheHandlers(name: Self.other, factory: factory)
        stores = HandlerList(maximumCount: maximumNameCount)
        otherStores = StoreHandlers(name: Self.other, factory: factory)
    }

    public func requestAnswered(_ result: CacheRequestResult, tier: CacheTier?, cache: String) {
        handlers(ofCache: cache).countRequests(result, tier: tier)
    }

    public func loadEnded(_ outcome: CacheLoadOutcome, duration: Duration, cache: String) {
        let handlers = handlers(ofCache: cache)
        handlers.countLoads(outcome)
        handlers.recordLoad(outcome, duration: duration)
    }

    public func entriesRemoved(_ cause: RemovalCause, count: Int, cache: String) {
        handlers(ofCache: cache).countEvictions(cause, by: count)
    }

    public func storeCallEnded(_ call: CacheStoreCall, outcome: CacheStoreOutcome, error: StoreError?, duration: Duration) {
        handlers(ofStore: call.store).countCall(call.operation, outcome: outcome, duration: duration)
    }

    public func eventOccurred(_ event: TieredCacheEvent) {
        if event.kind == .circuitOpened {
            handlers(ofStore: event.store).setCircuit(isOpen: true)
        } else if event.kind == .circuitClosed {
            handlers(ofStore: event.store).setCircuit(isOpen: false)
        }
    }

    func handlers(ofCache name: String) -> CacheHandlers {
        caches.handlers(for: name) { CacheHandlers(name: name, factory: factory) } ?? otherCaches
    }

    private func handlers(ofStore name: String) -> StoreHandlers {
        stores.handlers(for: name) { StoreHandlers(name: name, factory: factory) } ?? otherStores
    }

    /// Returns the label of the cache's gauges.
    func label(ofCache name: String) -> String { handlers(ofCache: name).name }

    /// Returns the label of the store's gauges.
    func label(ofStore name: String) -> String { handlers(ofStore: name).name }
}
