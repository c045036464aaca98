// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting

@testable import Hoard

/// The way in which the hashes of a test's keys are spread.
enum HashPattern: CaseIterable, Sendable {
    case spread
    case allEqual
    /// At the end of the index, where probing goes on at the start.
    case wrappingAround
    /// The low byte is that of the empty word.
    case lowByteOfOnes
    case sequential

    func hash(_ key: Int) -> UInt32 {
        var generator = SeededGenerator(seed: UInt64(truncatingIfNeeded: key))
        let mixed = UInt32(truncatingIfNeeded: generator.next())
        return switch self {
        case .spread: mixed
        case .allEqual: 0x1234_56FF
        case .wrappingAround: .max - UInt32(truncatingIfNeeded: key % 3)
        case .lowByteOfOnes: mixed | 0xFF
        case .sequential: UInt32(truncatingIfNeeded: key)
        }
    }
}

/// A policy and its table, used in the way in which a shard uses them. Entries have numbers for keys.
struct PolicyFixture {
    private(set) var table: SlotTable
    var policy: EvictionPolicy
    private(set) var slots: [Int: Slot] = [:]
    private var keys: [Slot: Int] = [:]
    let maximumCount: Int

    init(maximumCount: Int, maximumWeight: Int? = nil, tuning: EvictionPolicy.Tuning = .init(windowShare: 0.1)) {
        self.maximumCount = min(maximumCount, 1 << 20)
        table = SlotTable(capacity: min(16, self.maximumCount + 1), hasWeights: maximumWeight != nil)
        policy = EvictionPolicy(maximumCount: self.maximumCount, maximumWeight: maximumWeight, tuning: tuning)
        policy.tableDidGrow(table)
        policy.showGeneration(in: &table)
    }

    mutating func tune(_ tuning: EvictionPolicy.Tuning) {
        policy.tune(tuning)
        policy.showGeneration(in: &table)
    }

    func deallocate() { table.deallocate() }

    static func hash(_ key: Int) -> UInt32 { HashPattern.spread.hash(key) }

    func contains(_ key: Int) -> Bool { slots[key] != nil }

    func segment(_ key: Int) -> SlotFlags.Segment? { slots[key].map { table.flags(of: $0).segment } }

    func rating(_ key: Int) -> Int? { slots[key].map { policy.rating($0, in: table.links) } }

    /// Writes an entry, and makes room for it. Returns the evicted keys in the order in which they left.
    @discardableResult
    mutating func insert(_ key: Int, weight: Int = 1) -> [Int] {
        if let slot = slots[key] {
            policy.willReplace(slot, weight: weight, in: &table)
            return makeRoom(for: slot)
        }
        if table.isFull {
            table.grow(to: max(table.capacity + 1, min(table.capacity * 2, maximumCount + 1)))
            policy.tableDidGrow(table, newcomer: Self.hash(key))
        }
        let slot = table.allocate(Self.hash(key))
        policy.didInsert(slot, in: table.links, weight: weight)
        if table.generation != SlotTable.countsUses { policy.age(&table, isNew: true) }
        slots[key] = slot
        keys[slot] = key
        return makeRoom(for: slot)
    }

    private mutating func makeRoom(for newcomer: Slot) -> [Int] {
        var evicted: [Int] = []
        while true {
            let slot = policy.nextEvicted(in: table.links, sparing: newcomer)
            guard slot != .none, let key = takeOut(slot) else { return evicted }
            evicted.append(key)
        }
    }

    private mutating func takeOut(_ slot: Slot) -> Int? {
        table.free(slot)
        let key = keys.removeValue(forKey: slot)
        if let key { slots[key] = nil }
        return key
    }

    /// The work of a hit.
    mutating func use(_ key: Int, times: Int = 1) {
        guard let slot = slots[key] else { return }
        for _ in 0..<times { table.countUse(of: slot, table.flags(of: slot)) }
    }

    /// Reads a key, and writes it if it is not there. Returns whether it was there.
    mutating func access(_ key: Int) -> Bool {
        guard !contains(key) else {
            use(key)
            return true
        }
        insert(key)
        return false
    }

    mutating func remove(_ key: Int) {
        guard let slot = slots[key] else { return }
        policy.willRemove(slot, in: table.links)
        _ = takeOut(slot)
    }

    mutating func evictColdest() -> Int? {
        let slot = policy.evictColdest(in: table.links)
        return slot == .none ? nil : takeOut(slot)
    }

    /// Removes everything, as a shard does.
    mutating func removeAll() {
        table.deallocate()
        table = SlotTable(capacity: min(16, maximumCount + 1), hasWeights: policy.maximumWeight != nil)
        policy.removeAll()
        policy.showGeneration(in: &table)
        slots = [:]
        keys = [:]
    }

    /// Tells the policy that a key was seen before.
    mutating func note(_ key: Int, times: Int) { policy.noteUses(times, hash: Self.hash(key)) }

    func coldestFirst() -> [Int] { policy.coldestFirst(in: table).compactMap { keys[$0] } }

    func checkInvariants() {
        table.checkInvariants()
        policy.checkInvariants(in: table)
    }
}

extension SlotTable {
    /// The columns for times. The table must have them.
    var timing: SlotTimers {
        guard let columns = timerColumns else { preconditionFailure("the table has no times") }
        return columns
    }
}
