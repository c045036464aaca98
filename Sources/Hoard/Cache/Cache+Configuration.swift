// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension Cache {
    /// The limits and rules with which a cache is created. The limits can be changed later: ``Cache/resize(maximumCount:)``, ``Cache/resize(maximumWeight:)``.
    public struct Configuration: Sendable {
        /// The most entries in the cache. `nil`: no limit by count. 0: nothing is kept. Default: `nil`.
        public var maximumCount: Int?

        /// The greatest total weight of the entries. `nil`: no limit by weight, and all entries weigh 1 or 0. Default: `nil`.
        ///
        /// A cache with this limit holds 16,777,213 entries at most, whatever they weigh.
        public var maximumWeight: Int?

        /// The rule by which entries without a time of their own expire. Default: `.never`.
        public var expiration: Expiration

        /// The functions that compute the lifetime of an entry without a time of its own, when it is written or read. `nil`: ``expiration`` decides.
        /// Default: `nil`.
        public var variableExpiration: VariableExpiration?

        /// The age at which a value is loaded again in the background, while readers still get it. `nil`: never. Default: `nil`.
        ///
        /// The first call of ``Cache/value(forKey:load:)`` past that age gets the old value and starts the load in the background.
        /// If that load fails, the old value stays and the next call tries again.
        public var refreshAfterWrite: Duration?

        /// The function that computes the weight of an entry without a weight of its own. Default: every entry weighs 1.
        public var weigher: (@Sendable (Key, Value) -> Int)?

        /// The goal of the policy in a cache with weights: as many hits as possible, or as great a total weight of hits. Default: `.objects`.
        public var favouring: HitGoal

        /// The function that is told of every value that left, and of the cause. Default: none.
        ///
        /// Runs on the thread whose call made the value leave, before that call returns and outside all locks; it may use the cache.
        /// With several threads, it may hear of different calls in another order than that of the calls.
        public var removalListener: (@Sendable (Key, Value, RemovalCause) -> Void)?

        /// Whether the cache trims itself when the system runs short of memory, to three quarters of its entries or to one quarter, as
        /// ``Cache/trimOnMemoryPressure(_:warningFraction:criticalFraction:)`` does by default. Default: `true` in apps (on iOS, tvOS, watchOS and visionOS, and in a bundle on macOS), `false`
        /// in servers and other programs.
        public var trimsOnMemoryPressure: Bool

        /// Creates a configuration.
        ///
        /// - Parameter trimsOnMemoryPressure: `nil`: in apps only.
        /// - Precondition: There is at least one limit, no limit is negative, and `refreshAfterWrite` is greater than zero.
        public init(
            maximumCount: Int? = nil,
            maximumWeight: Int? = nil,
            expiration: Expiration = .never,
            variableExpiration: VariableExpiration? = nil,
            refreshAfterWrite: Duration? = nil,
            weigher: (@Sendable (Key, Value) -> Int)? = nil,
            favouring: HitGoal = .objects,
            removalListener: (@Sendable (Key, Value, RemovalCause) -> Void)? = nil,
            trimsOnMemoryPressure: Bool? = nil
        ) {
            self.maximumCount = maximumCount
            self.maximumWeight = maximumWeight
            self.expiration = expiration
            self.variableExpiration = variableExpiration
            self.refreshAfterWrite = refreshAfterWrite
            self.weigher = weigher
            self.favouring = favouring
            self.removalListener = removalListener
            self.trimsOnMemoryPressure = trimsOnMemoryPressure ?? MemoryPressureTrimming.isOnByDefault
            checkLimits()
        }

        /// Stops the program if no cache can have this configuration. A cache checks again, as properties can change after `init`.
        @usableFromInline func checkLimits() {
            precondition(
                maximumCount != nil || maximumWeight != nil,
                "A cache needs a limit: give maximumCount, maximumWeight or both."
            )
            precondition((maximumCount ?? 0) >= 0, "maximumCount must not be negative.")
            precondition((maximumWeight ?? 0) >= 0, "maximumWeight must not be negative.")
            precondition(refreshAfterWrite.map { $0 > .zero } ?? true, "refreshAfterWrite must be greater than zero.")
        }
    }
}

extension Cache.Configuration {
    /// Whether reads of the cache need to know the time from the start.
    @usableFromInline var usesTimes: Bool { expiration.base != .never || variableExpiration != nil || refreshAfterWrite != nil }

    /// The fewest entries worth a shard. Measured: shards of 512 entries and more cost no hit ratio (docs/decisions.md).
    private static var countPerShard: Int { 512 }

    /// The number of shards that so many entries are worth: a power of two.
    static func shardCount(for count: Int) -> Int {
        var shards = 1
        while shards < 64, count / (shards * 2) >= countPerShard { shards *= 2 }
        return shards
    }

    /// The number of shards to begin with. With a limit by weight one: how many entries that means turns out later.
    @usableFromInline var shardCount: Int { maximumWeight == nil ? maximumShardCount : 1 }

    /// The number of shards once it is known how many entries there are: at most this.
    @usableFromInline var maximumShardCount: Int { Self.shardCount(for: min(maximumCount ?? .max, maximumWeight ?? .max)) }

    /// The part of a limit by count that the shards share: the rest when each has its own part. `nil` for one shard.
    @usableFromInline static func pool(for maximumCount: Int?, shardCount: Int) -> LimitPool? {
        guard shardCount > 1, let maximumCount else { return nil }
        return LimitPool(
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
    @usableFromInline func rules(ofShard number: Int, of shardCount: Int, pool: LimitPool?, weightPool: LimitPool? = nil) -> Shard<Key, Value>.Rules {
        let count = maximumCount.map { Self.equalPart($0, number, of: shardCount) }
        return .init(
            maximumCount: count ?? .max,
            maximumWeight: maximumWeight,
            shardCount: shardCount,
            pool: pool,
            weightPool: weightPool,
            favouring: favouring,
            accessLifetime: expiration.accessLifetime,
            keepsWriteTimes: usesTimes
        )
    }
}
