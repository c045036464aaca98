// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// A memory cache in front of any number of stores, nearest first, with the caller's loader last.
///
/// ```swift
/// let users = TieredCache<String, User>(
///     configuration: .init(maximumCount: 10_000, freshFor: .seconds(300)),
///     stores: [disk],
///     codec: .json
/// )
/// let user = try await users.value(forKey: "42") { id in try await database.user(id) }
/// ```
///
/// - A read asks memory, then the stores in order, then the loader. What a lower tier has is copied upwards with
///   the lifetime it has left. One read and one load run for a key at a time, whoever waits for them.
/// - A write or removal holds in every tier when it returns. A load, a read or a write that began before it never
///   puts its older value back, in memory or in a store.
/// - What another process changes in a store that tells of it leaves memory soon after.
/// - A store that fails is passed by: the failure is counted and reported as an event, removals it has missed are made good before it is read
///   again, and no caller sees an error that the loader could have avoided.
public final class TieredCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// The limits and rules the cache was created with.
    public let configuration: Configuration

    let memory: Cache<Key, MemoryEntry>
    let tiers: [StoreTier]
    let codec: Codec<Value>
    let recordKey: @Sendable (Key) -> RecordKey
    let clock: any WallClock
    let ticker: any Ticker
    let report: @Sendable (TieredCacheEvent) -> Void

    /// Guards every publication to memory. Never held while a store or user code runs.
    let fences = Mutex(FenceTable<Key>())
    let counters = Mutex(TieredCacheStatistics())
    let storeReads = SingleFlight<Key, Lookup<Value>?>()
    let loads = SingleFlight<Key, Lookup<Value>>()
    let storeWrites = BackgroundWork(maximumCount: 64)
    /// The tasks that listen to the stores.
    let watchers = Mutex<[Task<Void, Never>]>([])

    struct MemoryEntry: Sendable {
        let cached: CachedValue<Value>
        /// The tick at which the value stops being fresh.
        let freshDeadline: Int64
    }

    /// Creates a cache.
    ///
    /// - Parameters:
    ///   - configuration: Limits of the memory tier, and how long values are fresh.
    ///   - stores: The tiers below memory, nearest first. The cache does not own them; ``close()`` closes them.
    ///   - codec: Turns values into payloads and back.
    ///   - recordKey: The name of a key's record. Must give the same name to equal keys and different names to different keys,
    ///     in every process.
    ///   - keyOfRecord: The other way round, for stores that tell what other processes have changed (``RecordStore/invalidations()``). Without
    ///     it, or where it gives `nil`, such a change empties the memory tier.
    ///   - clock: Dates values.
    ///   - ticker: Ages values in memory.
    ///   - onEvent: Told what is worth logging. Called outside all locks, on whatever thread noticed.
    public init(
        configuration: Configuration,
        stores: [any RecordStore],
        codec: Codec<Value>,
        recordKey: @escaping @Sendable (Key) -> RecordKey,
        keyOfRecord: (@Sendable (RecordKey) -> Key?)? = nil,
        clock: any WallClock = SystemWallClock(),
        ticker: any Ticker = MonotonicTicker(),
        onEvent: @escaping @Sendable (TieredCacheEvent) -> Void = { _ in }
    ) {
        self.configuration = configuration
        self.memory = Cache(
            configuration: .init(maximumCount: configuration.maximumCount, maximumWeight: configuration.maximumWeight),
            ticker: ticker
        )
        self.tiers = stores.map { StoreTier(store: $0, report: onEvent) }
        self.codec = codec
        self.recordKey = recordKey
        self.clock = clock
        self.ticker = ticker
        self.report = onEvent
        watchStores(keyOfRecord: keyOfRecord)
    }

    deinit {
        for watcher in watchers.withLock({ $0 }) { watcher.cancel() }
    }

    /// Creates a cache whose keys have a lossless text form (`String`, the integers, …), which names their records.
    ///
    /// Swift holds two strings to be equal that spell the same characters in different bytes, such as "é" in one scalar or in two; stores
    /// do not. If keys come from users, bring them to one spelling first, or a removal under one spelling leaves the record of the other.
    public convenience init(
        configuration: Configuration,
        stores: [any RecordStore],
        codec: Codec<Value>,
        clock: any WallClock = SystemWallClock(),
        ticker: any Ticker = MonotonicTicker(),
        onEvent: @escaping @Sendable (TieredCacheEvent) -> Void = { _ in }
    ) where Key: LosslessStringConvertible {
        self.init(
            configuration: configuration,
            stores: stores,
            codec: codec,
            recordKey: { RecordKey($0.description) },
            keyOfRecord: { Key($0.description) },
            clock: clock,
            ticker: ticker,
            onEvent: onEvent
        )
    }

    /// The counters as they stand now.
    public var statistics: TieredCacheStatistics {
        var statistics = counters.withLock { $0 }
        statistics.storeFailures = tiers.reduce(0) { $0 + $1.failureCount }
        return statistics
    }

    /// The counters of the memory tier.
    public var memoryStatistics: CacheStatistics { memory.statistics }

    /// Waits until the stores have every value that was accepted to be written behind.
    package func flush() async {
        await storeWrites.waitUntilIdle()
    }

    /// Finishes the writes under way, drops the memory tier and closes the stores. Reads find nothing afterwards, loads still work.
    public func close() async {
        await flush()
        await changeEverything { _ in
            for tier in tiers { await tier.store.close() }
        }
    }
}
