// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import Testing

@testable import HoardSimulator

@Suite("Structures of the policies", .timeLimit(.minutes(5)))
struct StructureTests {
    @Test(arguments: [UInt64(1), 2, 3])
    func aKeyTableAgreesWithADictionary(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var table = KeyTable()
        var model: [UInt64: Int] = [:]
        for step in 0..<4000 {
            // There are few keys, so that they meet again. Half of them are at the far end of the numbers.
            let key = UInt64.random(in: 0..<150, using: &generator) &* (step % 2 == 0 ? 1 : .max)
            if model[key] == nil {
                table.insert(key, step)
                model[key] = step
            } else if Bool.random(using: &generator) {
                table.remove(key)
                model[key] = nil
            }
            #expect(table.count == model.count, "seed \(seed), step \(step)")
            if step % 500 == 0 {
                for key in UInt64(0)..<150 { #expect(table[key] == model[key] && table[0 &- key] == model[0 &- key], "seed \(seed), step \(step)") }
            }
        }
    }

    @Test func aNewKeyGetsTheNextNumber() {
        var table = KeyTable()
        #expect([7, 7, .max, 0, 7, .max, 0].map { table.number(of: $0) } == [0, 0, 1, 2, 0, 1, 2])
        #expect(table.count == 3)
    }

    @Test func slotsAreUsedAgain() {
        var slots = KeySlots()
        let first = slots.insert(10)
        let second = slots.insert(20)
        slots.remove(first)
        #expect(slots.slot(of: 10) == nil)
        #expect(slots.insert(30) == first)
        slots.replaceKey(in: second, with: 40)
        #expect(slots.slot(of: 20) == nil)
        #expect(slots.slot(of: 40) == second)
        #expect(slots.count == 2)
    }

    @Test(arguments: [UInt64(1), 2, 3])
    func slotListsAgreeWithArrays(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var lists = SlotLists<UnitSizes>(count: 3)
        var model: [[Int]] = [[], [], []]
        for step in 0..<1500 {
            let slot = Int.random(in: 0..<20, using: &generator)
            let list = Int.random(in: 0..<3, using: &generator)
            let place = model.firstIndex { $0.contains(slot) }
            #expect(lists.list(of: slot) == place, "seed \(seed), step \(step)")
            if let place {
                model[place].removeAll { $0 == slot }
                if Bool.random(using: &generator) {
                    lists.moveToFirst(slot, of: list)
                    model[list].insert(slot, at: 0)
                } else {
                    lists.remove(slot)
                }
            } else if Bool.random(using: &generator) {
                lists.append(slot, to: list, mark: slot)
                model[list].append(slot)
            } else {
                lists.prepend(slot, to: list, mark: slot)
                model[list].insert(slot, at: 0)
            }
            for (list, expected) in model.enumerated() {
                var found: [Int] = []
                var next = lists.last(list)
                while let slot = next {
                    found.insert(slot, at: 0)
                    next = lists.before(slot)
                }
                #expect(found == expected && lists.first(list) == expected.first, "seed \(seed), step \(step)")
                #expect(lists.count(list) == expected.count && lists.isEmpty(list) == expected.isEmpty)
                #expect(expected.allSatisfy { lists[mark: $0] == $0 })
            }
        }
    }

    @Test(arguments: [1, 63, 64, 65, 4096, 4097, 300_000])
    func aPlaceSetAgreesWithASet(places: Int) {
        var generator = SeededGenerator(seed: UInt64(places))
        var set = PlaceSet(places: places)
        var model: Set<Int> = []
        #expect(set.last == nil)
        for step in 0..<600 {
            let place = step % 3 == 0 ? places - 1 - step % min(places, 5) : Int.random(in: 0..<places, using: &generator)
            let wasThere = set.remove(place)
            #expect(wasThere == (model.remove(place) != nil))
            if !wasThere {
                set.insert(place)
                model.insert(place)
            }
            #expect(set.count == model.count)
            if step % 10 == 0 { #expect(set.last == model.max()) }
        }
    }
}
