// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// A part of a cache: the entries whose keys' hashes fall to it, with limits, policy, timers and counters of its own.
///
/// Not thread-safe: its cell's lock guards it. It runs no user code but the keys' `==`, and releases nothing: entries
/// that leave are handed out as ``Departures``.
@usableFromInline struct Shard<Key: Hashable & Sendable, Value: Sendable>: ~Copyable {
    /// The rules that all shards of a cache have in common.
    @usableFromInline struct Rules: Sendable {
        /// The shard's equal part of the limit by count.
        @usableFromInline var maximumCount: Int
        /// The whole limit by weight, because an entry may weigh as much; `nil` if there is no such limit.
        @usableFromInline var maximumWeight: Int?
        @usableFromInline var shardCount: Int
        /// The part of the limit by count that the shards share; `nil` if there is only one shard.
        @usableFromInline var pool: LimitPool?
        /// The part of the limit by weight that no shard has; `nil` if there is no such limit.
        @usableFromInline var weightPool: LimitPool?
        @usableFromInline var favouring = HitGoal.objects
        /// Nanoseconds since the last use after which entries expire; 0 if they do not.
        @usableFromInline var accessLifetime: Int64
        @usableFromInline var keepsWriteTimes: Bool
    }

    // First the fields that a hit needs: with the cell's lock it fills one cache line.
    @usableFromInline var hits = 0
    /// Accesses to a key are noted if the lowest 16 bits of its hash are below this; 0 unless the tuner watches this shard, or a recorder does.
    @usableFromInline private(set) var noteThreshold: UInt32 = 0
    @usableFromInline var table: EntryTable<Key, Value>

    @usableFromInline var rules: Rules
    /// All counters but the hits.
    @usableFromInline var otherStatistics = CacheStatistics()

    @usableFromInline var samples = SampleBuffer()
    /// A key is in the tuner's sample if the lowest 16 bits of its hash are below this; 0 unless the tuner watches this shard.
    @usableFromInline var sampleThreshold: UInt16 = 0 {
        didSet { updateNoteThreshold() }
    }
    /// Where accesses are recorded; `nil` unless a recorder wants them. ``beginRecording(into:)`` sets it. It has no
    /// observer, which would run for each access.
    @usableFromInline var recording: AccessBuffer?

    /// Whether a load has a fence open here. Every write looks at this.
    @usableFromInline private(set) var hasFences = false
    var fences = FenceTable<Key>() {
        didSet { hasFences = !fences.isEmpty }
    }

    /// Whether an update is under way here. Every write and every departure looks at this.
    @inlinable var hasUpdates: Bool { !updates.isEmpty }
    @usableFromInline var updates = UpdateTable<Key>()

    /// The cache should be divided: this is its only shard, and has become large.
    @usableFromInline var isDueForDivision = false

    /// The number of entries when the tuner was last told of them; 0 until the shard evicts for the first time.
    @usableFromInline var tunedCapacity = 0
    /// Whether the tuner has to be told of the number of entries. How many fit depends on their weights, and the limits may be changed.
    @inlinable var hasOutgrownTuner: Bool { tunedCapacity == 0 || count > tunedCapacity &* 2 || count &* 4 < tunedCapacity }

    /// The number of the policy's tuning among the tuner's candidates.
    @usableFromInline var adoptedChoice = WindowTuner.initialChoice

    @usableFromInline var policy: EvictionPolicy
    /// There is none until an entry expires.
    var wheel: TimerWheel?
    @usableFromInline var details = EntryDetailsTable()
    @usableFromInline var departureLog = DepartureLog()

    /// - Parameter rules: With this shard's part of the limits.
    @inlinable init(rules: Rules) {
        self.rules = rules
        table = EntryTable(capacity: min(16, Self.greatestCapacity(rules)), hasWeights: rules.maximumWeight != nil)
        policy = EvictionPolicy(rules)
        policy.tableDidGrow(table.slots)
    }

    /// Lets go of all entries. The shard must not be used any more.
    @inlinable func deallocate() {
        table.deallocate()
    }

    /// One slot more than entries: a new entry comes before another one leaves. A shard that has taken from the pool may need more.
    @inlinable static func greatestCapacity(_ rules: Rules) -> Int {
        min(rules.maximumCount, SlotTable.maximumCapacity &- 1) &+ 1
    }

    /// The size to which a full table grows: twice as large, but no larger than it has to be.
    @inlinable var nextCapacity: Int {
        let capacity = table.slots.capacity
        let greatest = Self.greatestCapacity(rules)
        return capacity < greatest ? min(capacity &* 2, greatest) : min(capacity &+ capacity / 16 &+ 1, SlotTable.maximumCapacity)
    }

    private mutating func updateNoteThreshold() { noteThreshold = max(UInt32(sampleThreshold), recording?.threshold ?? 0) }

    /// Records accesses in this buffer from now on; `nil` ends the recording, and hands over what the last buffer has.
    mutating func beginRecording(into buffer: consuming AccessBuffer?) {
        recording = buffer
        updateNoteThreshold()
    }

    var statistics: CacheStatistics {
        var statistics = otherStatistics
        statistics.hits = hits
        return statistics
    }

    /// The number of entries, expired ones that have not been reclaimed among them.
    @inlinable var count: Int { table.slots.count }

    /// Whether an entry has ever been able to expire.
    @inlinable var hasTimes: Bool { table.slots.deadlines != nil }
}

extension EvictionPolicy {
    /// With the tuning that caches begin with.
    @usableFromInline init<Key, Value>(_ rules: Shard<Key, Value>.Rules) {
        self.init(
            maximumCount: Self.nominalCount(rules.maximumCount),
            maximumWeight: rules.maximumWeight,
            shardCount: rules.shardCount,
            pool: rules.pool,
            weightPool: rules.weightPool,
            favouring: rules.favouring,
            tuning: WindowTuner.candidates[WindowTuner.initialChoice]
        )
    }
}

/// The last sampled accesses of a shard, until the ``WindowTuner`` takes them in.
@usableFromInline struct SampleBuffer: Sendable {
    @usableFromInline private(set) var samples = SIMD32<UInt32>()
    @usableFromInline private(set) var count = 0

    @inlinable init() {}

    @usableFromInline var isFull: Bool { count == samples.scalarCount }

    /// Notes an access, unless the buffer is full.
    @usableFromInline mutating func append(_ hash: UInt32, wasHit: Bool) {
        guard !isFull else { return }
        samples[count] = hash & ~1 | (wasHit ? 1 : 0)
        count += 1
    }

    /// Empties the buffer and returns its content.
    @usableFromInline mutating func take() -> SampleBuffer {
        defer { count = 0 }
        return self
    }
}
