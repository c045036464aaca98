// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import Testing

@testable import Hoard

@Suite struct WindowTests {
    private func slots(of window: Window, in table: SlotTable) -> [Slot] {
        var slots: [Slot] = []
        var slot = window.oldest
        while slot != .none {
            slots.append(slot)
            slot = table.links.next(of: slot)
        }
        return slots
    }

    @Test(arguments: 0..<10)
    func isAQueueFromWhichAnyEntryMayLeave(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var table = SlotTable(capacity: 20, hasWeights: true)
        defer { table.deallocate() }
        var window = Window()
        var model: [Slot] = []
        for step in 0..<200 {
            switch Int.random(in: 0..<5, using: &generator) {
            case 0...2 where !table.isFull:
                let slot = table.allocate(UInt32(step))
                table.links.setWeight(Int.random(in: 1...100, using: &generator), of: slot)
                window.append(slot, in: table.links)
                model.append(slot)
            case 3:
                guard let slot = model.randomElement(using: &generator) else { continue }
                let weight = Int.random(in: 1...100, using: &generator)
                window.changeWeight(from: table.weight(of: slot), to: weight)
                table.links.setWeight(weight, of: slot)
            default:
                guard !model.isEmpty else { continue }
                let position = [0, model.count - 1, Int.random(in: model.indices, using: &generator)].randomElement(using: &generator) ?? 0
                let slot = model.remove(at: position)
                window.remove(slot, in: table.links)
                table.free(slot)
            }
            guard slots(of: window, in: table) == model, window.oldest == model.first ?? Slot.none, window.newest == model.last ?? Slot.none else {
                Issue.record("seed \(seed), step \(step): \(slots(of: window, in: table)), not \(model)")
                return
            }
            #expect(window.count == model.count)
            #expect(window.weight == model.reduce(0) { $0 + UInt(table.weight(of: $1)) })
            window.checkInvariants(in: table.links)
        }
    }

    @Test func entriesOfTheGreatestWeightCanBeAdded() {
        var table = SlotTable(capacity: 2, hasWeights: true)
        defer { table.deallocate() }
        var window = Window()
        let slots = [table.allocate(1), table.allocate(2)]
        for slot in slots {
            table.links.setWeight(.max, of: slot)
            window.append(slot, in: table.links)
        }
        #expect(window.weight == UInt.max - 1)
        window.checkInvariants(in: table.links)
        window.changeWeight(from: .max, to: 1)
        table.links.setWeight(1, of: slots[0])
        #expect(window.weight == UInt(Int.max) + 1)
        window.remove(slots[1], in: table.links)
        #expect(window.weight == 1)
        window.checkInvariants(in: table.links)
    }
}
