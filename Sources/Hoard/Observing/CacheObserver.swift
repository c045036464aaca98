// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// An observer of caches, for metrics, logs and tracing. The module `HoardObservability` has observers for swift-metrics, swift-log and
/// swift-distributed-tracing.
///
/// Every method is called outside all locks, on the thread that did the work, and must be quick. None is told a key, a tag or a value. The
/// methods have default implementations that do nothing.
public protocol CacheObserver: Sendable {
    /// Called when a request for a value has been answered. A bulk read is one request for each key.
    ///
    /// - Parameters:
    ///   - tier: Where the value came from; `nil` when there is none.
    ///   - cache: The name of the cache.
    func requestAnswered(_ result: CacheRequestResult, tier: CacheTier?, cache: String)

    /// Called when a load has ended. Callers that wait for one load are one load.
    func loadEnded(_ outcome: CacheLoadOutcome, duration: Duration, cache: String)

    /// Called when a store has been called, or was passed by. Calls under way at their deadline are reported at the deadline.
    ///
    /// - Parameter error: The error that it threw, if any.
    func storeCallEnded(_ call: CacheStoreCall, outcome: CacheStoreOutcome, error: StoreError?, duration: Duration)

    /// Called when entries have left the memory tier.
    func entriesRemoved(_ cause: RemovalCause, count: Int, cache: String)

    /// Called for an event that is worth logging.
    func eventOccurred(_ event: TieredCacheEvent)

    /// Runs a load inside a span or the like. Must call `operation` once, and return its result or throw its error.
    func withLoad<Result: Sendable>(cache: String, _ operation: @Sendable () async throws -> Result) async throws -> Result

    /// Runs a call of a store inside a span or the like. Must call `operation` once, and return its result.
    func withStoreCall<Result: Sendable>(_ call: CacheStoreCall, _ operation: @Sendable () async -> Result) async -> Result
}

extension CacheObserver {
    public func requestAnswered(_ result: CacheRequestResult, tier: CacheTier?, cache: String) {}
    public func loadEnded(_ outcome: CacheLoadOutcome, duration: Duration, cache: String) {}
    public func storeCallEnded(_ call: CacheStoreCall, outcome: CacheStoreOutcome, error: StoreError?, duration: Duration) {}
    public func entriesRemoved(_ cause: RemovalCause, count: Int, cache: String) {}
    public func eventOccurred(_ event: TieredCacheEvent) {}

    public func withLoad<Result: Sendable>(cache: String, _ operation: @Sendable () async throws -> Result) async throws -> Result {
        try await operation()
    }

    public func withStoreCall<Result: Sendable>(_ call: CacheStoreCall, _ operation: @Sendable () async -> Result) async -> Result {
        await operation()
    }
}

/// The result of a call that asked for a value. Safe as a metric label.
public struct CacheRequestResult: Hashable, Sendable, CustomStringConvertible {
    private enum Base: String, Hashable, Sendable { case hit, stale, negative, miss, loaded, failed }
    private let base: Base
    private init(_ base: Base) { self.base = base }

    /// Answered with a fresh value from memory or a store.
    public static var hit: Self { .init(.hit) }
    /// Answered with a stale value.
    public static var stale: Self { .init(.stale) }
    /// Answered by a negative entry, which knows that there is no value.
    public static var negative: Self { .init(.negative) }
    /// Nothing was found, and there was no loader; or the loader has found nothing.
    public static var miss: Self { .init(.miss) }
    /// Answered with a value that was loaded for it.
    public static var loaded: Self { .init(.loaded) }
    /// The call threw.
    public static var failed: Self { .init(.failed) }

    /// All results.
    public static var all: [Self] { [.hit, .stale, .negative, .miss, .loaded, .failed] }

    public var description: String { base.rawValue }
}

/// The outcome of a load. Safe as a metric label.
public struct CacheLoadOutcome: Hashable, Sendable, CustomStringConvertible {
    private enum Base: String, Hashable, Sendable { case value, notModified, absent, failed, cancelled }
    private let base: Base
    private init(_ base: Base) { self.base = base }

    /// The load brought a value.
    public static var value: Self { .init(.value) }
    /// The source says that the stale value is still right.
    public static var notModified: Self { .init(.notModified) }
    /// The source has no value.
    public static var absent: Self { .init(.absent) }
    /// The load threw an error.
    public static var failed: Self { .init(.failed) }
    /// The load was cancelled, because all its callers had left.
    public static var cancelled: Self { .init(.cancelled) }

    public var description: String { base.rawValue }
}

/// A call of a store.
public struct CacheStoreCall: Hashable, Sendable {
    /// The operation of a call. Safe as a metric label.
    public struct Operation: Hashable, Sendable, CustomStringConvertible {
        private enum Base: String, Hashable, Sendable { case read, write, remove, lease }
        private let base: Base
        private init(_ base: Base) { self.base = base }

        /// One record or several are read.
        public static var read: Self { .init(.read) }
        /// One record or several are written.
        public static var write: Self { .init(.write) }
        /// Records are removed or marked stale.
        public static var remove: Self { .init(.remove) }
        /// A lease is asked for, renewed or given back.
        public static var lease: Self { .init(.lease) }

        public var description: String { base.rawValue }
    }

    /// The store's name.
    public let store: String
    /// The operation of the store.
    public let operation: Operation
    /// The number of records concerned; 1 for removals by tag or of everything.
    public let recordCount: Int

    /// Creates a description of a call, for tests of observers.
    public init(store: String, operation: Operation, recordCount: Int = 1) {
        self.store = store
        self.operation = operation
        self.recordCount = recordCount
    }
}

/// The outcome of a call of a store. Safe as a metric label.
public struct CacheStoreOutcome: Hashable, Sendable, CustomStringConvertible {
    private enum Base: String, Hashable, Sendable { case found, notFound, done, failed, timedOut, skipped }
    private let base: Base
    private init(_ base: Base) { self.base = base }

    /// A read found its record; of a bulk read, at least one.
    public static var found: Self { .init(.found) }
    /// A read found nothing.
    public static var notFound: Self { .init(.notFound) }
    /// A write or removal was done.
    public static var done: Self { .init(.done) }
    /// The store threw.
    public static var failed: Self { .init(.failed) }
    /// The store did not answer before the deadline.
    public static var timedOut: Self { .init(.timedOut) }
    /// The store was not called, because its circuit is open or an invalidation has to reach it first.
    public static var skipped: Self { .init(.skipped) }

    public var description: String { base.rawValue }
}
