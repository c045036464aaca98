// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import Hoard

/// Several observers in one, such as one for metrics and one for logs.
///
/// ```swift
/// let observer = CacheObservers(CacheMetrics(), CacheLogger(logger), CacheTracer(tracer))
/// ```
///
/// Each is told everything, in the order in which they are given. The scopes that they put around loads and calls of
/// stores are nested: the first is the outermost.
public struct CacheObservers: CacheObserver {
    private let observers: [any CacheObserver]

    /// Combines observers.
    public init(_ observers: any CacheObserver...) {
        self.observers = observers
    }

    /// Combines observers; none at all is fine.
    public init(_ observers: [any CacheObserver]) {
        self.observers = observers
    }

    public func requestAnswered(_ result: CacheRequestResult, tier: CacheTier?, cache: String) {
        for observer in observers { observer.requestAnswered(result, tier: tier, cache: cache) }
    }

    public func loadEnded(_ outcome: CacheLoadOutcome, duration: Duration, cache: String) {
        for observer in observers { observer.loadEnded(outcome, duration: duration, cache: cache) }
    }

    public func storeCallEnded(_ call: CacheStoreCall, outcome: CacheStoreOutcome, error: StoreError?, duration: Duration) {
        for observer in observers { observer.storeCallEnded(call, outcome: outcome, error: error, duration: duration) }
    }

    public func entriesRemoved(_ cause: RemovalCause, count: Int, cache: String) {
        for observer in observers { observer.entriesRemoved(cause, count: count, cache: cache) }
    }

    public func eventOccurred(_ event: TieredCacheEvent) {
        for observer in observers { observer.eventOccurred(event) }
    }

    public func withLoad<Result: Sendable>(cache: String, _ operation: @Sendable () async throws -> Result) async throws -> Result {
        try await withLoad(cache: cache, insideOf: observers[...], operation)
    }

    public func withStoreCall<Result: Sendable>(_ call: CacheStoreCall, _ operation: @Sendable () async -> Result) async -> Result {
        await withStoreCall(call, insideOf: observers[...], operation)
    }

    private func withLoad<Result: Sendable>(
        cache: String,
        insideOf observers: ArraySlice<any CacheObserver>,
        _ operation: @Sendable () async throws -> Result
    ) async throws -> Result {
        guard let outermost = observers.first else { return try await operation() }
        return try await outermost.withLoad(cache: cache) {
            try await withLoad(cache: cache, insideOf: observers.dropFirst(), operation)
        }
    }

    private func withStoreCall<Result: Sendable>(
        _ call: CacheStoreCall,
        insideOf observers: ArraySlice<any CacheObserver>,
        _ operation: @Sendable () async -> Result
    ) async -> Result {
        guard let outermost = observers.first else { return await operation() }
        return await outermost.withStoreCall(call) {
            await withStoreCall(call, insideOf: observers.dropFirst(), operation)
        }
    }
}
