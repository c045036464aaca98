// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Decides which entries stay: lazy W-TinyLFU.
///
/// New entries enter a ``Window``. An entry that the window pushes out competes with the entry at the hand of the main ``ClockRing``. It stays only
/// if it has been seen more often, by the ``FrequencySketch`` plus the uses in its counter. A hit does nothing but count one use in its entry; the
/// sketch learns of uses when the hand passes, and of keys when they are inserted.
///
/// Sources: W-TinyLFU from Einziger, Friedman and Manes (2017). The lazy promotion from Yang et al., "FIFO queues are all you need for cache
/// eviction" (SOSP 2023). Weighing a candidate against all the victims it displaces from Einziger, Eytan, Friedman and Manes, "Lightweight Robust
/// Size Aware Cache Management" (ACM Transactions on Storage 18(3), 2022).
///
/// The newest entry never competes, so that a value that was just written can be read. Entries of weight 0 are in neither list.
@usableFromInline struct EvictionPolicy {
    /// The settings that the ``WindowTuner`` may change while a cache runs.
    @usableFromInline struct Tuning: Sendable, Equatable {
        /// The window's share of the capacity.
        var windowShare: Double
        var placement = ClockRing.Placement.behindHand
        var secondChance = SecondChance.none
        /// Whether the window keeps the order of uses: see ``Window/Generations``.
        var keepsOrder = false
    }

    /// The rule by which entries go round in the window once more when their turn to leave it has come.
    enum SecondChance: Sendable {
        /// None do: the window is a plain queue.
        case none
        /// An entry goes round once for each use.
        case forEachUse
        /// An entry goes round once, however often it was used. A wide window is then nearest to LRU: an entry that is
        /// not used any more leaves soon.
        case once
        /// An entry that was used twice or more goes round. Keys that come twice and never again leave when they have hit.
        case forSecondUse

        /// The uses an entry has left when it has gone round; `nil` if it must leave.
        func usesLeft(of uses: UInt8) -> UInt8? {
            switch self {
            case .none: nil
            case .forEachUse: uses > 0 ? uses - 1 : nil
            case .once: uses > 0 ? 0 : nil
            case .forSecondUse: uses > 1 ? uses - 1 : nil
            }
        }
    }

    var window = Window()
    var main = ClockRing()
    var sketch: FrequencySketch
    private(set) var tuning: Tuning

    /// The most entries; grows when the shard takes from the pool.
    var maximumCount: Int
    /// The equal part of the cache's limit for which sketch and window are made.
    var nominalCount: Int
    var pool: LimitPool? {
        didSet { poolReference = pool.map { Unmanaged.passUnretained($0) } }
    }
    /// The same, for insertions, which take more time to retain it than to ask it.
    private var poolReference: Unmanaged<LimitPool>?
    /// `nil` if entries have no weights. Grows when the shard takes from the pool, and shrinks when it gives back.
    var maximumWeight: UInt?
    /// The equal part of the cache's limit for which the window is made.
    var nominalWeight: UInt?
    let weightPool: LimitPool?
    /// Whether a heavy entry is being written, for which other shards have made room. That must not go back before.
    var keepsRoom = false
    let favouring: HitGoal
    private(set) var pinnedCount = 0
    var windowLimit: UInt = 1
    var shardCount: Int

    /// - Parameters:
    ///   - maximumWeight: `nil` if there is no such limit; all entries weigh 1 then, or 0 if they are pinned.
    ///   - shardCount: Into how many tables of this size the cache is divided.
    ///   - pool: A quarter of all the tables' entries, if the cache is divided.
    ///   - weightPool: The part of the limit by weight that no table has.
    init(
        maximumCount: Int,
        maximumWeight: Int?,
        shardCount: Int = 1,
        pool: LimitPool? = nil,
        weightPool: LimitPool? = nil,
        favouring: HitGoal = .objects,
        tuning: Tuning
    ) {
        nominalCount = maximumCount
        self.maximumCount = pool == nil ? maximumCount : Self.ownPart(of: maximumCount)
        self.pool = pool
        poolReference = pool.map { Unmanaged.passUnretained($0) }
        self.maximumWeight = maximumWeight.map { UInt($0) }
        nominalWeight = self.maximumWeight
        self.weightPool = weightPool
        self.favouring = favouring
        self.shardCount = shardCount
        self.tuning = tuning
        sketch = FrequencySketch(capacity: 0, ofTotal: 0)
        tune(tuning)
    }

    /// The weight of all entries. Unpinned entries of a cache without weights weigh 1.
    var totalWeight: UInt { window.weight &+ main.weight }
    /// The number of entries that are not pinned.
    var evictableCount: Int { window.count + main.count }
    var count: Int { evictableCount + pinnedCount }

    var isOverLimit: Bool {
        count > maximumCount || maximumWeight.map { totalWeight > $0 } ?? false
    }

    /// A shard's equal part of the limit, as far as a table can hold so many.
    static func nominalCount(_ count: Int) -> Int { min(count, SlotTable.maximumCapacity - 1) }

    /// The part of a shard's equal part that is not in the pool.
    static func ownPart(of count: Int) -> Int { count - count / 4 }

    mutating func tune(_ tuning: Tuning) {
        self.tuning = tuning
        window.keepOrder(tuning.keepsOrder)
        windowLimit = windowLimit(of: nominalWeight ?? UInt(nominalCount))
    }

    /// A window that keeps the order of uses is the whole cache: the entries that main still has leave first.
    private func windowLimit(of limit: UInt) -> UInt { tuning.keepsOrder ? .max : max(1, UInt(Double(limit) * tuning.windowShare + 0.5)) }

    /// The limit by count that another equal part of the cache's limit leads to. It is lower than ``maximumCount`` if the shard has to shrink.
    ///
    /// - Parameter givesBack: Whether the shard gives back its surplus beyond its part, as far as the pool is overdrawn.
    func maximumCount(ofPart count: Int, givesBack: Bool) -> Int {
        let nominal = Self.nominalCount(count)
        guard let pool else { return nominal }
        let lost = givesBack ? min(maximumCount - nominal, -pool.rest) : nominalCount - nominal
        return max(Self.ownPart(of: nominal), maximumCount - max(0, lost))
    }

    /// Changes the equal part of the limit by count.
    ///
    /// The limits of all shards and the rest in the pool always add up to the sum of the equal parts.
    ///
    /// - Parameter new: The result of ``maximumCount(ofPart:givesBack:)``. The entries must be within it, but for pinned ones.
    mutating func setMaximumCount(_ new: Int, ofPart count: Int) {
        let nominal = Self.nominalCount(count)
        pool?.add((nominal - new) - (nominalCount - maximumCount))
        (nominalCount, maximumCount) = (nominal, new)
        tune(tuning)
    }

    /// Makes the window as small as it will be with another limit, so that the entries that leave for that limit leave
    /// in the proportion that will hold.
    mutating func shrinkWindow(forLimit limit: Int) {
        windowLimit = min(windowLimit, windowLimit(of: UInt(limit)))
    }

    // MARK: Entries come and go

    /// A new entry is there. The limits are not enforced yet.
    @usableFromInline mutating func didInsert(_ slot: Slot, in table: SlotLinks, weight: Int = 1) {
        table.setWeight(weight, of: slot)
        sketch.add(table.hash(of: slot))
        if count >= maximumCount, maximumCount < SlotTable.maximumCapacity - 1, let poolReference {
            maximumCount += poolReference._withUnsafeGuaranteedRef { $0.take(upTo: 1) }
        }
        if weight == 0 {
            pin(slot, in: table)
        } else {
            window.append(slot, in: table)
        }
        takeWeight()
    }

    /// Begins another generation of a window that keeps the order of uses, when an eighth of its entries have been used in the present one.
    ///
    /// - Parameter isNew: Whether the entry just written is new. Its use has not been counted then.
    @usableFromInline mutating func age(_ table: inout SlotTable, isNew: Bool) {
        if isNew { table.usesInGeneration &+= 1 }
        guard Int(table.usesInGeneration) >= max(1, window.count / Window.Generations.count) else { return }
        guard window.advanceGeneration(in: table.links) else { return }
        table.usesInGeneration = 0
        showGeneration(in: &table)
    }

    /// Tells the table whether a use notes the window's present generation or is counted.
    mutating func showGeneration(in table: inout SlotTable) {
        table.generation = window.generations?.present ?? SlotTable.countsUses
    }

    /// An entry has a new value and is about to weigh `weight`. Counts as a use.
    @usableFromInline mutating func willReplace(_ slot: Slot, weight: Int, in slots: inout SlotTable) {
        let table = slots.links
        let oldWeight = table.weight(of: slot)
        let flags = table.flags(of: slot)
        let wasPinned = flags.segment == .pinned
        if wasPinned != (weight == 0) {
            willRemove(slot, in: table)
            table.setWeight(weight, of: slot)
            if weight == 0 { pin(slot, in: table) } else { window.append(slot, in: table) }
            takeWeight()
            return
        }
        switch flags.segment {
        case .window: window.changeWeight(from: oldWeight, to: weight)
        case .main: main.changeWeight(from: oldWeight, to: weight)
        case .pinned, .free: break
        }
        table.setWeight(weight, of: slot)
        slots.countUse(of: slot, flags)
        if weight > oldWeight, flags.segment != .pinned, maximumWeight != nil {
            // The others make room for it, as for a new entry.
            willRemove(slot, in: table)
            window.append(slot, in: table)
        }
        takeWeight()
    }

    /// An entry is about to leave the table.
    @usableFromInline mutating func willRemove(_ slot: Slot, in table: SlotLinks) {
        switch table.flags(of: slot).segment {
        case .window: window.remove(slot, in: table)
        case .main: main.remove(slot, in: table)
        case .pinned: pinnedCount -= 1
        case .free: assertionFailure("a free slot cannot leave")
        }
    }

    mutating func pin(_ slot: Slot, in table: SlotLinks) {
        var flags = table.flags(of: slot)
        flags.segment = .pinned
        table.setFlags(flags, of: slot)
        pinnedCount += 1
    }

    /// Forgets all entries, but not how often keys were seen.
    mutating func removeAll() {
        window = Window()
        window.keepOrder(tuning.keepsOrder)
        main = ClockRing()
        pinnedCount = 0
    }

    /// The sketch grows with the table. Until a cache has been filled, frequencies decide nothing; the larger sketch
    /// takes over the frequencies of the entries that are there, and of the newcomer for which the table grew.
    @usableFromInline mutating func tableDidGrow(_ table: SlotTable, newcomer: UInt32? = nil) {
        let capacity = min(table.capacity, nominalCount)
        guard capacity > sketch.capacity else { return }
        var larger = FrequencySketch(capacity: capacity, ofTotal: capacity.multipliedReportingOverflow(by: shardCount).partialValue)
        for slot in table.usedSlots where table.flags(of: slot).segment != .free {
            larger.add(table.hash(of: slot), times: sketch.estimate(table.hash(of: slot)))
        }
        if let newcomer { larger.add(newcomer, times: sketch.estimate(newcomer)) }
        sketch = larger
    }

    /// The number of times that an entry has been seen, by all that is known.
    func rating(_ slot: Slot, in table: SlotLinks) -> Int {
        sketch.estimate(table.hash(of: slot)) + Int(table.flags(of: slot).uses)
    }

    /// Tells the sketch that a key was seen `times` times, as a restored snapshot says.
    mutating func noteUses(_ times: Int, hash: UInt32) {
        sketch.add(hash, times: times)
    }

    /// Checks lists and totals. For tests.
    func checkInvariants(in table: SlotTable) {
        window.checkInvariants(in: table.links)
        main.checkInvariants(in: table.links)
        precondition(count == table.count, "an entry is in no list")
        precondition(!isOverLimit || evictableCount == 0, "over a limit")
    }
}
