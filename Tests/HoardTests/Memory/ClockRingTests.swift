// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import Testing

@testable import Hoard

@Suite struct ClockRingTests {
    /// A ring as an array that begins at the hand.
    private struct Model {
        var slots: [Slot] = []
        var newest: Slot = .none
        var uses: [Slot: UInt8] = [:]

        mutating func insert(_ slot: Slot, _ placement: ClockRing.Placement) {
            if placement == .atNewest, let position = slots.firstIndex(of: newest) {
                slots.insert(slot, at: position + 1)
            } else {
                slots.append(slot)
            }
            newest = slot
            uses[slot] = 0
        }

        mutating func remove(_ slot: Slot) {
            guard let position = slots.firstIndex(of: slot) else { return }
            if newest == slot { newest = slots.count == 1 ? .none : slots[(position + slots.count - 1) % slots.count] }
            slots.remove(at: position)
        }

        mutating func moveHand(to slot: Slot) {
            guard let position = slots.firstIndex(of: slot) else { return }
            slots = Array(slots[position...] + slots[..<position])
        }

        /// The slot at which the hand stops, and the entries that lost a use on the way.
        mutating func passOver(from start: Slot) -> (slot: Slot, passed: [Slot]) {
            var position = slots.firstIndex(of: start) ?? 0
            var passed: [Slot] = []
            while let uses = uses[slots[position]], uses > 0 {
                self.uses[slots[position]] = uses - 1
                passed.append(slots[position])
                position = (position + 1) % slots.count
            }
            return (slots[position], passed)
        }
    }

    private func slots(of ring: ClockRing, in table: SlotTable) -> [Slot] {
        var slots: [Slot] = []
        var slot = ring.hand
        for _ in 0..<ring.count {
            slots.append(slot)
            slot = table.links.next(of: slot)
        }
        return slots
    }

    enum Placements: CaseIterable { case behindHand, atNewest, mixed }

    @Test(arguments: Placements.allCases, UInt64(0)..<6)
    func entriesStandInTheOrderOfTheModel(_ placements: Placements, seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var table = SlotTable(capacity: 16, hasWeights: true)
        defer { table.deallocate() }
        var ring = ClockRing()
        var model = Model()
        for step in 0..<250 {
            switch Int.random(in: 0..<10, using: &generator) {
            case 0...3 where !table.isFull:
                let slot = table.allocate(UInt32(step))
                table.links.setWeight(Int.random(in: 1...100, using: &generator), of: slot)
                let isBehindHand = placements == .behindHand || placements == .mixed && Bool.random(using: &generator)
                ring.insert(slot, isBehindHand ? .behindHand : .atNewest, in: table.links)
                model.insert(slot, isBehindHand ? .behindHand : .atNewest)
            case 4:
                guard let slot = model.slots.randomElement(using: &generator) else { continue }
                ring.moveHand(to: slot)
                model.moveHand(to: slot)
            case 5:
                guard let slot = model.slots.randomElement(using: &generator) else { continue }
                var told = FrequencySketch(capacity: 1_000, ofTotal: 1_000)
                let found = ring.passOver(from: slot, in: table.links, telling: &told)
                let expected = model.passOver(from: slot)
                var toBeTold = FrequencySketch(capacity: 1_000, ofTotal: 1_000)
                for slot in expected.passed { toBeTold.add(table.hash(of: slot)) }
                let isTold = model.slots.allSatisfy { told.estimate(table.hash(of: $0)) == toBeTold.estimate(table.hash(of: $0)) }
                #expect(found == expected.slot && isTold, "seed \(seed), step \(step)")
            case 6:
                guard let slot = model.slots.randomElement(using: &generator) else { continue }
                var flags = table.flags(of: slot)
                flags.uses = UInt8.random(in: 0...3, using: &generator)
                table.setFlags(flags, of: slot)
                model.uses[slot] = flags.uses
            case 7:
                guard let slot = model.slots.randomElement(using: &generator) else { continue }
                let weight = Int.random(in: 1...100, using: &generator)
                ring.changeWeight(from: table.weight(of: slot), to: weight)
                table.links.setWeight(weight, of: slot)
            default:
                let candidates = [model.slots.first, model.newest == .none ? nil : model.newest, model.slots.randomElement(using: &generator)]
                guard let slot = candidates.compactMap(\.self).randomElement(using: &generator) else { continue }
                ring.remove(slot, in: table.links)
                model.remove(slot)
                table.free(slot)
            }
            guard slots(of: ring, in: table) == model.slots else {
                Issue.record("\(placements), seed \(seed), step \(step): \(slots(of: ring, in: table)), not \(model.slots)")
                return
            }
            #expect(ring.count == model.slots.count)
            #expect(ring.weight == model.slots.reduce(0) { $0 + UInt(table.weight(of: $1)) })
            ring.checkInvariants(in: table.links)
        }
    }

    @Test func behindTheHandIsReachedLast() {
        var table = SlotTable(capacity: 4, hasWeights: false)
        defer { table.deallocate() }
        var ring = ClockRing()
        let slots = (0..<4).map { table.allocate(UInt32($0)) }
        for slot in slots[..<3] { ring.insert(slot, .behindHand, in: table.links) }
        ring.moveHand(to: slots[1])
        ring.insert(slots[3], .behindHand, in: table.links)
        #expect(self.slots(of: ring, in: table) == [slots[1], slots[2], slots[0], slots[3]])
    }

    @Test func atTheNewestIsReachedBeforeWhatTheHandHasPassed() {
        var table = SlotTable(capacity: 4, hasWeights: false)
        defer { table.deallocate() }
        var ring = ClockRing()
        let slots = (0..<4).map { table.allocate(UInt32($0)) }
        for slot in slots[..<3] { ring.insert(slot, .atNewest, in: table.links) }
        ring.moveHand(to: slots[1])
        ring.insert(slots[3], .atNewest, in: table.links)
        #expect(self.slots(of: ring, in: table) == [slots[1], slots[2], slots[3], slots[0]])
    }

    @Test func entriesOfTheGreatestWeightCanBeAdded() {
        var table = SlotTable(capacity: 2, hasWeights: true)
        defer { table.deallocate() }
        var ring = ClockRing()
        let slots = [table.allocate(1), table.allocate(2)]
        for slot in slots {
            table.links.setWeight(.max, of: slot)
            ring.insert(slot, .behindHand, in: table.links)
        }
        #expect(ring.weight == UInt.max - 1)
        ring.checkInvariants(in: table.links)
        for slot in slots { ring.remove(slot, in: table.links) }
        #expect(ring.weight == 0)
        #expect(ring.hand == .none)
        ring.checkInvariants(in: table.links)
    }
}
