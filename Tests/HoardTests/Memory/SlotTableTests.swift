// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import Testing

@testable import Hoard

@Suite struct SlotTableTests {
    /// Puts a new slot into a list, as the owner of the table does.
    private static func add(_ hash: UInt32, to table: inout SlotTable) -> Slot {
        let slot = table.allocate(hash)
        var flags = table.flags(of: slot)
        flags.segment = .window
        table.setFlags(flags, of: slot)
        return slot
    }

    /// - Parameter isLarge: Whether the words of the index are like those of a table of more than a million slots,
    ///   which do not store how far they are from home.
    @Test(arguments: HashPattern.allCases, [false, true])
    func findsWhatADictionaryFinds(_ pattern: HashPattern, isLarge: Bool) {
        for seed in UInt64(0)..<8 {
            var generator = SeededGenerator(seed: seed)
            var table = SlotTable(capacity: isLarge ? 40 : Int.random(in: 1...4, using: &generator), hasWeights: false)
            defer { table.deallocate() }
            if isLarge { table.layout = .init(capacity: 1 << 20) }
            var slots: [Int: Slot] = [:]
            var keys: [Slot: Int] = [:]
            for step in 0..<250 {
                let key = Int.random(in: 0..<40, using: &generator)
                let found = table.find(pattern.hash(key)) { keys[$0] == key }
                guard found == slots[key] ?? Slot.none else {
                    Issue.record("\(pattern), seed \(seed), step \(step): \(found) for key \(key), not \(slots[key] ?? Slot.none)")
                    return
                }
                if found != .none {
                    table.free(found)
                    slots[key] = nil
                    keys[found] = nil
                } else {
                    if table.isFull { table.grow(to: table.capacity + Int.random(in: 1...8, using: &generator)) }
                    let slot = Self.add(pattern.hash(key), to: &table)
                    slots[key] = slot
                    keys[slot] = key
                }
                #expect(table.count == slots.count)
                table.checkInvariants()
            }
            for key in 0..<40 {
                #expect(table.find(pattern.hash(key)) { keys[$0] == key } == slots[key] ?? Slot.none, "\(pattern), seed \(seed), key \(key)")
            }
        }
    }

    /// Every order of removal from a run of neighbouring words, at every place of the index.
    @Test func removalClosesEveryHole() {
        let removals = [[0, 1, 2, 3, 4], [4, 3, 2, 1, 0], [2, 0, 4, 1, 3], [1, 3, 0, 2, 4], [3, 4, 0, 1, 2]]
        for home in UInt32(0)..<8 {
            for pattern in 0..<32 {
                for removal in removals {
                    // Five entries fill an index of eight words from `home` on, or from the next word on.
                    var table = SlotTable(capacity: 5, hasWeights: false)
                    defer { table.deallocate() }
                    let slots = (0..<5).map { number in
                        Self.add(((home + UInt32(pattern >> number & 1)) % 8) << 29 | UInt32(number), to: &table)
                    }
                    for number in removal {
                        table.free(slots[number])
                        table.checkInvariants()
                    }
                    #expect(table.count == 0)
                }
            }
        }
    }

    @Test func hashesAtTheEndOfTheirRangeAreAtHomeInTheIndex() {
        for capacity in [1, 2, 5, 6, 7, 12, 100, 1_023] {
            let table = SlotTable(capacity: capacity, hasWeights: false)
            defer { table.deallocate() }
            #expect(table.home(of: 0) == 0)
            #expect(table.home(of: .max) == table.indexSize - 1)
            #expect(table.position(after: table.indexSize - 1) == 0)
            #expect(Int(table.indexSize) > capacity, "lookups of absent keys end at an empty word")
            #expect(table.find(.max) { _ in true } == .none)
        }
    }

    @Test func slotsAndColumnsSurviveGrowth() {
        var table = SlotTable(capacity: 3, hasWeights: true)
        defer { table.deallocate() }
        let slots = (0..<3).map { Self.add(UInt32($0) << 30, to: &table) }
        table.addTimes(hasWriteTimes: true)
        for (number, slot) in slots.enumerated() {
            #expect(table.deadline(of: slot) == .max)
            #expect(table.writeTime(of: slot) == 0)
            table.links.setWeight(10 + number, of: slot)
            table.setDeadline(Int64(20 + number), of: slot)
            table.setWriteTime(Int64(30 + number), of: slot)
            table.links.setPrevious(Slot(40 + number), of: slot)
            table.links.setNext(Slot(50 + number), of: slot)
            table.timing.setTimer(.init(previous: Slot(60 + number), next: Slot(70 + number)), of: slot)
            var flags = table.flags(of: slot)
            flags.uses = UInt8(number)
            table.setFlags(flags, of: slot)
        }
        #expect(table.isFull)
        table.grow(to: 100)
        table.checkInvariants()
        #expect(!table.isFull)
        for (number, slot) in slots.enumerated() {
            #expect(table.hash(of: slot) == UInt32(number) << 30)
            #expect(table.weight(of: slot) == 10 + number)
            #expect(table.deadline(of: slot) == Int64(20 + number))
            #expect(table.writeTime(of: slot) == Int64(30 + number))
            #expect(table.links.previous(of: slot) == Slot(40 + number))
            #expect(table.links.next(of: slot) == Slot(50 + number))
            #expect(table.timing.timer(of: slot).previous == Slot(60 + number))
            #expect(table.timing.timer(of: slot).next == Slot(70 + number))
            #expect(table.flags(of: slot).uses == UInt8(number))
        }
    }

    @Test func aSlotThatIsUsedAgainRemembersNothing() {
        var table = SlotTable(capacity: 2, hasWeights: true)
        defer { table.deallocate() }
        table.addTimes(hasWriteTimes: true)
        let first = Self.add(7, to: &table)
        table.links.setWeight(5, of: first)
        table.setDeadline(6, of: first)
        table.setWriteTime(7, of: first)
        table.timing.setTimer(.init(previous: 8, next: 9), of: first)
        table.setFlags(SlotFlags(bits: 0xFF), of: first)
        table.free(first)
        table.checkInvariants()
        let second = Self.add(9, to: &table)
        #expect(second == first)
        #expect(table.weight(of: second) == 1)
        #expect(table.deadline(of: second) == .max)
        #expect(table.writeTime(of: second) == 0)
        #expect(table.timing.timer(of: second).next == .none)
        #expect(table.flags(of: second) == SlotFlags(bits: SlotFlags.Segment.window.rawValue << 2))
    }

    @Test func columnsThatATableDoesNotHaveReadAsTheirDefaults() {
        var table = SlotTable(capacity: 2, hasWeights: false)
        defer { table.deallocate() }
        let slot = Self.add(7, to: &table)
        table.links.setWeight(5, of: slot)
        table.setDeadline(5, of: slot)
        table.setWriteTime(5, of: slot)
        #expect(table.weight(of: slot) == 1)
        #expect(table.deadline(of: slot) == .max)
        #expect(table.writeTime(of: slot) == nil)
        #expect(table.timerColumns == nil)
        table.addTimes(hasWriteTimes: false)
        #expect(table.timing.timer(of: slot).next == .none)
        #expect(table.writeTime(of: slot) == nil)
        table.setDeadline(5, of: slot)
        table.addTimes(hasWriteTimes: true)
        #expect(table.writeTime(of: slot) == 0)
        #expect(table.deadline(of: slot) == 5, "a column is added once")
    }

    @Test func flagsAreIndependentOfEachOther() {
        for bits in UInt8(0)..<64 {
            for uses in UInt8(0)...3 {
                var flags = SlotFlags(bits: bits)
                flags.uses = uses
                #expect(flags == SlotFlags(bits: bits & ~3 | uses))
            }
            for segment in [SlotFlags.Segment.free, .window, .main, .pinned] {
                var flags = SlotFlags(bits: bits)
                flags.segment = segment
                #expect(flags.segment == segment)
                #expect(flags.uses == bits & 3)
                #expect(flags.isNegative == (bits & 16 != 0))
                #expect(flags.hasDetails == (bits & 32 != 0))
            }
            var flags = SlotFlags(bits: bits)
            flags.isNegative.toggle()
            #expect(flags.bits == bits ^ 16)
            flags.hasDetails.toggle()
            #expect(flags.bits == bits ^ 48)
        }
    }
}
