// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import Synchronization

/// A memory cache in front of any number of stores, nearest first, with the caller's loader last.
///
/// ```swift
/// var policy = CachePolicy(freshFor: .seconds(300))
/// policy.staleIfError = .seconds(3_600)
/// let users = TieredCache<String, User>(
///     configuration: .init(maximumCount: 10_000, policy: policy),
///     stores: [disk],
///     codec: .json
/// )
/// let user = try await users.value(forKey: "42") { id in try await database.user(id) }
/// ```
///
/// - A read asks memory, then the stores in order, then the loader. A value of a lower tier is copied upwards with the lifetime it has left. One load
///   of a key runs at a time, however many callers wait for it. So does one read of a store, unless the store can answer at once
///   (``ImmediateRecordStore``), or two reads of a `RedisStore`.
/// - A write or removal, also one by tag, holds in every tier when it returns. A load, a read or a write that began before it never puts its older
///   value back, in memory or in a store.
/// - A ``CachePolicy`` decides how callers fare when a source is slow or fails. The cache, a call or a loader's result can set it.
/// - A value that another process changes in a shared store leaves memory soon after, if the store reports changes.
/// - A store that fails or is slow is passed by (``StoreStack``). The failure is counted and reported as an event, invalidations it has missed
///   are made good before it is read again, and no caller sees an error that the loader could have avoided.
public final class TieredCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// The limits and rules with which the cache was created.
    public let configuration: Configuration

    @usableFromInline let memory: Cache<Key, TieredEntry<Value>>
    /// The eras of ``TagMarks`` in which entries with and without tags must have been checked. Changed under the lock of `fences`, read without it.
    @usableFromInline let era = Atomic<UInt64>(1)
    @usableFromInline let untaggedEra = Atomic<UInt64>(1)
    @usableFromInline let observer: (any CacheObserver)?
    /// Whether there is an observer or a recorder to tell of requests.
    @usableFromInline let observation: Atomic<Bool>
    @inlinable var isObserved: Bool { observation.load(ordering: .relaxed) }
    /// The recorder that is told of accesses.
    let recording = Mutex<Recording?>(nil)
    /// Whether calls without a policy of their own ask memory.
    @usableFromInline let readsMemory: Bool

    @usableFromInline let stack: StoreStack
    let ownsStack: Bool
    @usableFromInline let codec: Codec<Value>
    @usableFromInline let naming: RecordNaming<Key>
    @usableFromInline let clock: any WallClock
    @usableFromInline let ticker: any Ticker
    let report: @Sendable (TieredCacheEvent) -> Void
    /// From 0 to 1, for jitter and refreshes at random.
    let random: @Sendable () -> Double

    /// Guards every publication to memory. Never held while a store or user code runs. `marks` may be locked inside.
    @usableFromInline let fences = Mutex(FenceTable<Key>())
    let marks = Mutex(TagMarks())
    @usableFromInline let counters = Mutex(TieredCacheStatistics())
    /// Entries found in memory whose requests are counted in `counters`.
    @usableFromInline let closerLooks = Atomic<Int>(0)
    /// The keys that callers read from the stores in their own tasks.
    @usableFromInline let ownReads = Mutex<Set<Key>>([])
    let storeReads = SingleFlight<Key, StoreReading>()
    let coldStarts = SingleFlight<Key, ColdStart>()
    let loads = SingleFlight<Key, TieredLoad<Value>>()
    let throttle = Mutex(RetryThrottle<Key>())
    let deadlines: DeadlineQueue
    let storeWrites = BackgroundWork(maximumCount: 64)
    let writesBehind: WriteBehindQueue<Publication>
    /// The writes and removals whose callers wait for the stores.
    let storeChanges = BackgroundWork(maximumCount: 0)
    /// The tasks that listen to the stores, and the watches of those that are shared.
    let watchers = Mutex<[Task<Void, Never>]>([])
    let watches = Mutex<[StoreWatch]>([])
    @usableFromInline let observers = KeyObservers<Key>()
    let foreignChangeHandler = Mutex<(@Sendable (ForeignChange) -> Void)?>(nil)

    @inlinable var tiers: [StoreTier] { stack.tiers }

    /// The policy of the cache, unless a call or a loader's result has its own.
    public var policy: CachePolicy { configuration.policy }

    /// The name under which the cache keeps its records in stores that it shares.
    public var name: String? { naming.name }

    /// The cache's name for observers.
    @usableFromInline var label: String { name ?? "default" }

    init(
        name: String?,
        configuration: Configuration,
        stack: StoreStack,
        ownsStack: Bool,
        codec: Codec<Value>,
        recordKey: @escaping @Sendable (Key) -> RecordKey?,
        keyOfRecord: (@Sendable (RecordKey) -> Key?)?,
        clock: any WallClock,
        ticker: any Ticker,
        observer: (any CacheObserver)?,
        random: @escaping @Sendable () -> Double = RandomNumbers.fraction,
        onEvent: @escaping @Sendable (TieredCacheEvent) -> Void
    ) {
        configuration.checkLimits()
        self.configuration = configuration
        self.stack = stack
        self.ownsStack = ownsStack
        self.codec = codec
        self.clock = clock
        self.ticker = ticker
        self.random = random
        self.observer = observer
        observation = Atomic(observer != nil)
        readsMemory = !configuration.policy.skipping.contains(.memoryReads)
        naming = RecordNaming(name: name, recordKey: recordKey, keyOfRecord: keyOfRecord)
        deadlines = DeadlineQueue(ticker: ticker)
        writesBehind = WriteBehindQueue(gathers: configuration.writeGathering > .zero)
        report = { event in
            onEvent(event)
            observer?.eventOccurred(event)
        }
        let label = name ?? "default"
        var removalListener: (@Sendable (Key, TieredEntry<Value>, RemovalCause) -> Void)?
        if let observer { removalListener = { _, _, cause in observer.entriesRemoved(cause, count: 1, cache: label) } }
        memory = Cache<Key, TieredEntry<Value>>(
            configuration: .init(
                maximumCount: configuration.maximumCount,
                maximumWeight: configuration.maximumWeight,
                removalListener: removalListener
            ),
            ticker: ticker
        )
        watchStores()
    }

    deinit {
        for watcher in watchers.withLock({ $0 }) { watcher.cancel() }
        for watch in watches.withLock({ $0 }) { watch.cancel() }
    }

    /// The present values of the counters.
    public var statistics: TieredCacheStatistics {
        var statistics = counters.withLock { $0 }
        // A hit that needs no closer look is counted by memory alone.
        statistics.memoryHits += max(0, memory.statistics.hits - statistics.closerLooks - closerLooks.load(ordering: .relaxed))
        statistics.closerLooks = 0
        statistics.storeFailures = tiers.reduce(0) { $0 + $1.failureCount }
        return statistics
    }

    /// The counters of the memory tier.
    public var memoryStatistics: CacheStatistics { memory.statistics }

    /// The number of entries in memory. Includes expired entries, and entries removed by tag, whose memory has not been reclaimed yet. O(1).
    public var memoryCount: Int { memory.count }

    /// The total weight of the entries in memory. O(1).
    public var memoryWeight: Int { memory.totalWeight }

    /// The health of the stores, nearest first.
    public var storeHealth: [StoreHealth] { stack.health }

    /// The number of callers waiting for a load of a key, directly or through the cold start that leads to it. For tests that hold up a load.
    func waiterCount(for key: Key) -> Int {
        let direct = loads.waiterCount(for: key)
        // A cold start that has reached its load waits for it on behalf of its callers.
        return coldStarts.waiterCount(for: key) + (coldStarts.isLoading(key) ? max(0, direct - 1) : direct)
    }

    /// Waits until the stores have every value that was left to be written behind, or to be copied from a farther store, before the call. Suspends.
    public func flush() async {
        await writesBehind.waitUntilWritten(start: startWriter)
        await storeWrites.waitForPresentWork()
    }

    /// Closes the cache. Suspends.
    ///
    /// It ends all observers (``updates(forKey:policy:)``), finishes the writes under way, drops the memory tier and closes the stores, unless the
    /// cache was created with a ``StoreStack``.
    ///
    /// Reads find nothing afterwards if the stores were closed; loads still work.
    public func close() async {
        observers.close()
        await flush()
        await storeChanges.waitForPresentWork()
        await changeEverything { _ in
            if ownsStack { await stack.close() }
        }
    }
}
