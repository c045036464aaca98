// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import Synchronization

/// A bounded, concurrent cache in memory, with expiry and single-flight loading.
///
/// ```swift
/// let users = Cache<User.ID, User>(maximumCount: 10_000, expiration: .afterWrite(.seconds(300)))
/// users.insert(user, forKey: user.id)
/// users.value(forKey: user.id)
/// let other = try await users.value(forKey: id) { id in try await database.user(id) }
/// ```
///
/// Everything but the methods that load is synchronous, never suspends and may be called from any thread.
/// A cache holds its limits at every moment, and an expired value is gone from every read at once.
///
/// The cache decides which entries stay by how recently and how often they were used, in a proportion that the cache
/// finds by itself (W-TinyLFU with an adaptive window; `docs/decisions.md` has the parts and the measurements). A value
/// that was just written can be read: a new value is never evicted to make room for itself. A use is
/// ``value(forKey:)``, the subscript or a load; ``peek(_:)`` and ``contains(_:)`` are not uses.
///
/// A cache for 1,024 entries or more is divided into up to 64 shards by the keys' hashes, each with a lock of its own. A cache limited by count is
/// divided from the beginning. One limited by weight is divided once it holds 1,024 entries, by their weight. The shards share the limits so that
/// they are used up and never exceeded; after that each shard evicts by itself. An entry may weigh as much as the whole limit: if it weighs more than
/// a quarter of a shard's part, all shards make room for it.
///
/// Entries of weight 0 are pinned: they are never evicted, count against ``Configuration/maximumCount`` only,
/// and leave by removal, replacement or expiration.
public final class Cache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// The limits and rules with which the cache was created.
    public let configuration: Configuration

    @usableFromInline let hasher: KeyHasher
    @usableFromInline let cells: ShardCells<Key, Value>
    @usableFromInline let clock: CacheClock
    /// How far the coarse clock may be behind, in nanoseconds.
    @usableFromInline let lag: Int64
    /// Whether reads decide when entries expire, by a function of the user's.
    @usableFromInline let computesLifetimesOnRead: Bool
    /// Whether an entry has ever been able to expire. If not, reads need not know the time.
    @usableFromInline let usesTimes: Atomic<Bool>
    /// The limit by count, as it is now.
    @usableFromInline let countLimit: Atomic<Int>
    /// The limit by weight, as it is now.
    @usableFromInline let weightLimit: Atomic<Int>
    /// The part of the limit by weight that no shard has.
    @usableFromInline let weightPool = LimitPool(0)
    /// Held while a heavy entry is written.
    @usableFromInline let heavyWrites = Mutex(())
    /// The number of walks over all entries that are under way, during which the cache is not divided.
    let walks = Atomic<Int>(0)
    @usableFromInline let tuner = WindowTuner()
    /// The recorder that is told of accesses.
    @usableFromInline let recordingState = Mutex(RecordingState())
    @usableFromInline let observers: RemovalObservers<Key, Value>
    @usableFromInline let flights = SingleFlight<Key, LoadOutcome<Value>>()

    /// Creates a cache.
    ///
    /// - Parameters:
    ///   - configuration: Limits and rules.
    ///   - ticker: The clock that ages entries.
    @inlinable public convenience init(configuration: Configuration, ticker: any Ticker = MonotonicTicker()) {
        self.init(configuration: configuration, ticker: ticker, hasher: .random())
    }

    @inlinable init(configuration: Configuration, ticker: any Ticker, hasher: KeyHasher) {
        configuration.checkLimits()
        self.configuration = configuration
        self.hasher = hasher
        let clock = CacheClock(ticker)
        self.clock = clock
        lag = clock.lag
        computesLifetimesOnRead = configuration.variableExpiration?.afterRead != nil
        usesTimes = Atomic(configuration.usesTimes)
        countLimit = Atomic(configuration.maximumCount ?? .max)
        weightLimit = Atomic(configuration.maximumWeight ?? .max)
        observers = RemovalObservers(listener: configuration.removalListener)
        let shardCount = configuration.shardCount
        let pool = Configuration.pool(for: configuration.maximumCount, shardCount: shardCount)
        let weightPool = configuration.maximumWeight == nil ? nil : weightPool
        cells = ShardCells(count: shardCount, capacity: configuration.maximumShardCount) { number in
            Shard(rules: configuration.rules(ofShard: number, of: shardCount, pool: pool, weightPool: weightPool))
        }
        if configuration.trimsOnMemoryPressure { trim(by: .shared) }
    }

    deinit {
        // A recorder may outlive the caches that it records.
        if let source = recordingState.withLock({ $0.source }) { source.recorder.removeSource(source.number) }
    }

    /// Creates a cache that does the same in every run: keys are hashed with a seed that is no secret. For
    /// simulations only.
    @inlinable package convenience init(maximumCount: Int, hashSeed: UInt64) {
        self.init(configuration: Configuration(maximumCount: maximumCount), ticker: MonotonicTicker(), hasher: .fixed(hashSeed))
    }

    /// Creates a cache of any configuration that does the same in every run. For simulations only.
    @inlinable package convenience init(configuration: Configuration, hashSeed: UInt64) {
        self.init(configuration: configuration, ticker: MonotonicTicker(), hasher: .fixed(hashSeed))
    }

    /// Creates a cache limited by the number of its entries.
    @inlinable public convenience init(maximumCount: Int, expiration: Expiration = .never, ticker: any Ticker = MonotonicTicker()) {
        self.init(configuration: Configuration(maximumCount: maximumCount, expiration: expiration), ticker: ticker)
    }

    /// Creates a cache limited by the total weight of its entries, and by their number if `maximumCount` is given too.
    ///
    /// - Parameter weigher: Computes an entry's weight when it is written. Runs outside all locks. Negative results count as 0.
    @inlinable public convenience init(
        maximumWeight: Int,
        maximumCount: Int? = nil,
        expiration: Expiration = .never,
        ticker: any Ticker = MonotonicTicker(),
        weigher: @escaping @Sendable (Key, Value) -> Int
    ) {
        self.init(
            configuration: Configuration(maximumCount: maximumCount, maximumWeight: maximumWeight, expiration: expiration, weigher: weigher),
            ticker: ticker
        )
    }

}
