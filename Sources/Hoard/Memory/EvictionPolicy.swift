// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Decides which entries stay: lazy W-TinyLFU.
///
/// New entries enter a ``Window``. What the window pushes out competes with what the hand of the main ``ClockRing`` finds, and stays only
/// if it has been seen more often: by the ``FrequencySketch``, plus the uses in its counter. A hit does nothing but count one
/// use in its entry; the sketch learns of uses when the hand passes, and of keys when they are inserted.
///
/// Sources: W-TinyLFU from Einziger, Friedman and Manes (2017); the lazy promotion from Yang et al., "FIFO queues are all you
/// need for cache eviction" (SOSP 2023); weighing a candidate against all the victims it displaces from Einziger, Eytan, Friedman and Manes,
/// "Lightweight Robust Size Aware Cache Management" (ACM Transactions on Storage 18(3), 2022).
///
/// The newest entry never competes, so that what was just written can be read. Entries of weight 0 are in neither list.
@usableFromInline struct EvictionPolicy {
    /// What the ``WindowTuner`` may change while a cache runs.
    @usableFromInline struct Tuning: Sendable, Equatable {
        /// The window's share of the capacity.
        var windowShare: Double
        var placement = ClockRing.Placement.behindHand
        var secondChance = SecondChance.none
    }

    /// Which entries go round in the window once more when their turn to leave it has come.
    enum SecondChance: Sendable {
        /// None do: the window is a plain queue.
        case none
        /// An entry goes round once for each use.
        case forEachUse
        /// An entry goes round once, however often it was used. A wide window is nearest to LRU so: what is not used any more leaves soon.
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
    private(set) var sketch: FrequencySketch
    private(set) var tuning: Tuning

    /// The most entries; grows when the shard takes from the pool.
    var maximumCount: Int
    /// The equal part of the cache's limit for which sketch and window are made.
    var nominalCount: Int
    var pool: LimitPool?
    /// `nil` if entries have no weights. Grows when the shard takes from the pool, and shrinks when it gives back.
    var maximumWeight: UInt?
    /// The equal part of the cache's limit for which the window is made.
    var nominalWeight: UInt?
    let weightPool: LimitPool?
    private let favouring: HitGoal
    private(set) var pinnedCount = 0
    private var windowLimit: UInt = 1
    var shardCount: Int

    /// When the window is to shrink, so many entries at most move to main for each insertion.
    private static let movesPerInsertion = 8
    /// So many entries at most are compared by their weight before one leaves.
    private static let comparedVictims = 8

    /// - Parameters:
    ///   - maximumWeight: `nil` if there is no such limit; all entries weigh 1 then, or 0 if they are pinned.
    ///   - shardCount: Into how many tables of this size the cache is divided.
    ///   - pool: A quarter of all the tables' entries, if the cache is divided.
    ///   - weightPool: What no table has of the limit by weight.
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

    private var isOverLimit: Bool {
        count > maximumCount || maximumWeight.map { totalWeight > $0 } ?? false
    }

    /// A shard's equal part of the limit, as far as a table can hold so many.
    static func nominalCount(_ count: Int) -> Int { min(count, SlotTable.maximumCapacity - 1) }

    /// The part of a shard's equal part that is not in the pool.
    static func ownPart(of count: Int) -> Int { count - count / 4 }

    mutating func tune(_ tuning: Tuning) {
        self.tuning = tuning
        windowLimit = windowLimit(of: nominalWeight ?? UInt(nominalCount))
    }

    private func windowLimit(of limit: UInt) -> UInt { max(1, UInt(Double(limit) * tuning.windowShare + 0.5)) }

    /// The limit by count that another equal part of the cache's limit leads to. It is lower than ``maximumCount`` if the shard has to shrink.
    ///
    /// - Parameter givesBack: Whether the shard gives back what it has beyond its part, as far as the pool is overdrawn.
    func maximumCount(ofPart count: Int, givesBack: Bool) -> Int {
        let nominal = Self.nominalCount(count)
        guard let pool else { return nominal }
        let lost = givesBack ? min(maximumCount - nominal, -pool.rest) : nominalCount - nominal
        return max(Self.ownPart(of: nominal), maximumCount - max(0, lost))
    }

    /// Changes the equal part of the limit by count.
    ///
    /// The limits of all shards and what is left in the pool always add up to the sum of the equal parts.
    ///
    /// - Parameter new: The result of ``maximumCount(ofPart:givesBack:)``. The entries must be within it, but for pinned ones.
    mutating func setMaximumCount(_ new: Int, ofPart count: Int) {
        let nominal = Self.nominalCount(count)
        pool?.add((nominal - new) - (nominalCount - maximumCount))
        (nominalCount, maximumCount) = (nominal, new)
        tune(tuning)
    }

    /// Makes the window as small as it will be with another limit, so that what leaves for that leaves in the proportion that will hold.
    mutating func shrinkWindow(forLimit limit: Int) {
        windowLimit = min(windowLimit, windowLimit(of: UInt(limit)))
    }

    // MARK: Entries come and go

    /// A new entry is there. The limits are not enforced yet.
    @usableFromInline mutating func didInsert(_ slot: Slot, in table: SlotLinks, weight: Int = 1) {
        table.setWeight(weight, of: slot)
        sketch.add(table.hash(of: slot))
        if count >= maximumCount, maximumCount < SlotTable.maximumCapacity - 1, let pool, pool.take(upTo: 1) == 1 {
            maximumCount += 1
        }
        if weight == 0 {
            pin(slot, in: table)
        } else {
            window.append(slot, in: table)
        }
        takeWeight()
    }

    /// An entry has a new value and is about to weigh `weight`. Counts as a use.
    @usableFromInline mutating func willReplace(_ slot: Slot, weight: Int, in table: SlotLinks) {
        let oldWeight = table.weight(of: slot)
        var flags = table.flags(of: slot)
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
        if flags.uses < SlotFlags.maximumUses { flags.uses += 1 }
        table.setFlags(flags, of: slot)
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
        main = ClockRing()
        pinnedCount = 0
    }

    /// The sketch grows with the table. Until a cache has been filled, frequencies decide nothing; the larger sketch takes over
    /// what is known of the entries that are there, and of the newcomer for which the table grew.
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

    // MARK: Eviction

    /// An entry to evict, if a limit is exceeded. It is in no list any more; the caller takes it out of the table and asks again.
    ///
    /// - Parameter newcomer: The entry just written, which does not compete.
    /// - Returns: `none` when the limits hold.
    @usableFromInline mutating func nextEvicted(in table: SlotLinks, sparing newcomer: Slot) -> Slot {
        var moves = 0
        while true {
            let isOverLimit = isOverLimit
            guard window.weight > windowLimit, window.count > 1 else {
                return isOverLimit ? evictFromMain(in: table, orElse: newcomer) : .none
            }
            if !isOverLimit, moves == Self.movesPerInsertion { return .none }
            let candidate = window.removeOldest(in: table)
            var flags = table.flags(of: candidate)
            let usesLeft = candidate == newcomer ? flags.uses : tuning.secondChance.usesLeft(of: flags.uses)
            if let usesLeft {
                flags.uses = usesLeft
                table.setFlags(flags, of: candidate)
                window.append(candidate, in: table)
                continue
            }
            moves += 1
            guard isOverLimit else {
                main.insert(candidate, tuning.placement, in: table)
                continue
            }
            guard wins(candidate, in: table) else { return candidate }
            // The hand stands at the first of its victims; the others are found when the caller asks again.
            let victim = main.hand
            main.remove(victim, in: table)
            flags.uses = 0
            table.setFlags(flags, of: candidate)
            main.insert(candidate, tuning.placement, in: table)
            return victim
        }
    }

    /// Whether a candidate has been seen more often than all the entries together that would have to leave main in its stead.
    private mutating func wins(_ candidate: Slot, in table: SlotLinks) -> Bool {
        guard main.count > 0 else { return false }
        let rating = rating(candidate, in: table)
        // The candidate is in no list at this moment.
        let weight = totalWeight &+ UInt(table.weight(of: candidate))
        var missing = max(1, maximumWeight.map { weight > $0 ? weight &- $0 : 0 } ?? 0)
        var victim = nextVictim(from: main.hand, in: table)
        main.moveHand(to: victim)
        var victims = self.rating(victim, in: table)
        while rating > victims {
            let freed = UInt(table.weight(of: victim))
            if freed >= missing { return true }
            missing &-= freed
            victim = nextVictim(from: table.next(of: victim), in: table)
            // Not even all of main would make room for it.
            if victim == main.hand { return false }
            victims += self.rating(victim, in: table)
        }
        return false
    }

    private mutating func nextVictim(from start: Slot, in table: SlotLinks) -> Slot {
        let first = main.passOver(from: start, in: table) { sketch.add(table.hash(of: $0)) }
        return maximumWeight == nil || favouring == .bytes ? first : leastDense(from: first, in: table)
    }

    /// Of some entries that may leave, the one that has been seen least often for its weight.
    private func leastDense(from first: Slot, in table: SlotLinks) -> Slot {
        var (slot, best) = (first, (slot: first, density: Double.infinity))
        for _ in 0..<Self.comparedVictims {
            if table.flags(of: slot).uses == 0 {
                let density = Double(rating(slot, in: table) + 1) / Double(max(1, table.weight(of: slot)))
                if density < best.density { best = (slot, density) }
            }
            slot = table.next(of: slot)
            if slot == first { break }
        }
        return best.slot
    }

    /// Evicts what the hand finds in main or, if main is empty, the oldest entry of the window. If all others are pinned, a newcomer leaves, be
    /// it pinned itself.
    private mutating func evictFromMain(in table: SlotLinks, orElse newcomer: Slot) -> Slot {
        if main.count > 0 {
            let victim = nextVictim(from: main.hand, in: table)
            main.moveHand(to: victim)
            main.remove(victim, in: table)
            return victim
        }
        guard window.count > 0 else {
            if newcomer != .none { willRemove(newcomer, in: table) }
            return newcomer
        }
        return window.removeOldest(in: table)
    }

    /// The coldest entry by the policy's present opinion, whether the limits hold or not; `none` if only pinned entries are left.
    @usableFromInline mutating func evictColdest(in table: SlotLinks) -> Slot {
        if main.count == 0 || (window.count > 0 && window.weight > windowLimit) { return window.removeOldest(in: table) }
        return evictFromMain(in: table, orElse: .none)
    }

    /// All entries: main from the hand on, then the window from its oldest, then the pinned ones.
    func coldestFirst(in whole: SlotTable) -> [Slot] {
        let table = whole.links
        var slots: [Slot] = []
        slots.reserveCapacity(whole.count)
        forEach(in: table) { slots.append($0) }
        return slots + whole.usedSlots.filter { table.flags(of: $0).segment == .pinned }
    }

    /// The entries that would leave first if nobody used any: those of main in the order in which the hand finds them without uses, then the window from its oldest.
    ///
    /// - Complexity: O(*n*).
    func nextToLeave(in table: SlotLinks, atMost maximumCount: Int, where isWanted: (Slot) -> Bool) -> [Slot] {
        var slots: [Slot] = []
        for round in 0...SlotFlags.maximumUses where slots.count < maximumCount {
            forEach(in: table, window: false) { slot in
                if slots.count < maximumCount, table.flags(of: slot).uses == round, isWanted(slot) { slots.append(slot) }
            }
        }
        forEach(in: table, main: false) { if slots.count < maximumCount, isWanted($0) { slots.append($0) } }
        return slots
    }

    private func forEach(in table: SlotLinks, main isInMain: Bool = true, window isInWindow: Bool = true, _ body: (Slot) -> Void) {
        var slot = main.hand
        for _ in 0..<(isInMain ? main.count : 0) {
            body(slot)
            slot = table.next(of: slot)
        }
        slot = isInWindow ? window.oldest : .none
        while slot != .none {
            body(slot)
            slot = table.next(of: slot)
        }
    }

    /// How often an entry has been seen, by all that is known.
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
