// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension Cache {
    /// The limits and rules with which a cache is created. The limits can be changed later: ``Cache/resize(maximumCount:)``, ``Cache/resize(maximumWeight:)``.
    public struct Configuration: Sendable {
        /// The most entries held at once. `nil`: no limit by count. 0: nothing is kept. Default: `nil`.
        public let maximumCount: Int?

        /// The greatest total weight held at once. `nil`: no limit by weight, and all entries weigh 1 or 0. Default: `nil`.
        ///
        /// A cache with this limit holds 16,777,213 entries at most, whatever they weigh.
        public let maximumWeight: Int?

        /// When entries expire that bring no time of their own. Default: `.never`.
        public let expiration: Expiration

        /// How long after it was written a value is to be loaded again, while readers still get it. `nil`: never. Default: `nil`.
        ///
        /// The first call of ``Cache/value(forKey:load:)`` past that age gets the old value and starts the load in the background.
        /// If that load fails, the old value stays and the next call tries again.
        public let refreshAfterWrite: Duration?

        /// Computes the weight of an entry that brings none of its own. Default: every entry weighs 1.
        public let weigher: (@Sendable (Key, Value) -> Int)?

        /// Told of every value that left, and why. Default: nobody is told.
        ///
        /// Runs on the thread whose call made the value leave, before that call returns and outside all locks; it may use the cache.
        /// With several threads, what it is told of different calls may come in another order than the calls.
        public let removalListener: (@Sendable (Key, Value, RemovalCause) -> Void)?

        /// Whether the cache trims itself when the system runs short of memory, to three quarters of its entries or to one quarter, as
        /// ``Cache/trimOnMemoryPressure(_:warningFraction:criticalFraction:)`` does by default. Default: `true` in apps (on iOS, tvOS, watchOS and visionOS, and in a bundle on macOS), `false`
        /// in servers and other programs.
        public let trimsOnMemoryPressure: Bool

        /// - Parameter trimsOnMemoryPressure: `nil`: in apps.
        /// - Precondition: There is at least one limit, no limit is negative, and `refreshAfterWrite` is greater than zero.
        public init(
            maximumCount: Int? = nil,
            maximumWeight: Int? = nil,
            expiration: Expiration = .never,
            refreshAfterWrite: Duration? = nil,
            weigher: (@Sendable (Key, Value) -> Int)? = nil,
            removalListener: (@Sendable (Key, Value, RemovalCause) -> Void)? = nil,
            trimsOnMemoryPressure: Bool? = nil
        ) {
            precondition(
                maximumCount != nil || maximumWeight != nil,
                "A cache needs a limit: give maximumCount, maximumWeight or both."
            )
            precondition((maximumCount ?? 0) >= 0, "maximumCount must not be negative.")
            precondition((maximumWeight ?? 0) >= 0, "maximumWeight must not be negative.")
            precondition(refreshAfterWrite.map { $0 > .zero } ?? true, "refreshAfterWrite must be greater than zero.")
            self.maximumCount = maximumCount
            self.maximumWeight = maximumWeight
            self.expiration = expiration
            self.refreshAfterWrite = refreshAfterWrite
            self.weigher = weigher
            self.removalListener = removalListener
            self.trimsOnMemoryPressure = trimsOnMemoryPressure ?? MemoryPressureTrimming.isOnByDefault
        }
    }
}

extension Cache.Configuration {
    /// Whether reads of the cache need to know the time from the start.
    @usableFromInline var usesTimes: Bool { expiration.base != .never || refreshAfterWrite != nil }

    /// The fewest entries worth a shard. Measured: shards of 512 entries and more cost no hit ratio (docs/decisions.md).
    private static var countPerShard: Int { 512 }

    /// The number of shards: a power of two. With a limit by weight one, because an entry may weigh as much as the whole limit.
    @usableFromInline var shardCount: Int {
        guard let maximumCount, maximumWeight == nil else { return 1 }
        var shards = 1
        while shards < 64, maximumCount / (shards * 2) >= Self.countPerShard { shards *= 2 }
        return shards
    }

    /// What the shards share of the limit by count: what is left of it when each has its own part. `nil` for one shard.
    @usableFromInline func pool(for shardCount: Int) -> CountPool? {
        guard shardCount > 1, let maximumCount else { return nil }
        return CountPool(
            (0..<shardCount).reduce(0) { sum, number in
                let part = EvictionPolicy.nominalCount(Self.equalPart(maximumCount, number, of: shardCount))
                return sum + part - EvictionPolicy.ownPart(of: part)
            }
        )
    }

    static func equalPart(_ count: Int, _ number: Int, of shardCount: Int) -> Int {
        count / shardCount + (number < count % shardCount ? 1 : 0)
    }

    /// A shard's part of the limits. The parts add up to the whole.
    @usableFromInline func rules(ofShard number: Int, of shardCount: Int, pool: CountPool?) -> Shard<Key, Value>.Rules {
        let count = maximumCount.map { Self.equalPart($0, number, of: shardCount) }
        return .init(
            maximumCount: count ?? .max,
            maximumWeight: maximumWeight,
            shardCount: shardCount,
            pool: pool,
            accessLifetime: expiration.accessLifetime,
            keepsWriteTimes: usesTimes
        )
    }
}
