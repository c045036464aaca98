// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Hoard

@Suite struct IndexWordTests {
    @Test(arguments: [1, 1_000, 1 << 20 - 2, 1 << 20 - 1, 1 << 20, SlotTable.maximumCapacity])
    func wordKeepsItsParts(capacity: Int) {
        let layout = IndexWord.Layout(capacity: capacity)
        for slot in [0, 1, capacity / 2, capacity - 1].map({ Slot($0) }) {
            for hash in [0, 1, 0xFF, 0x1234_5678, UInt32.max] {
                for distance in [0, 1, 14, 15, 16, 1_000] as [UInt32] {
                    let word = layout.word(slot, hash: hash, distance: distance)
                    #expect(word != IndexWord.empty)
                    #expect(layout.slot(of: word) == slot)
                    #expect(word & 0xFF == hash & 0xFF)
                    #expect(layout.distance(of: word) ?? distance == distance)
                    #expect(layout.word(word, distance: 3) == layout.word(slot, hash: hash, distance: 3))
                }
            }
        }
    }

    @Test func onlyTablesOfAMillionSlotsKeepNoDistance() {
        for capacity in [1, 1_000, 1 << 20 - 2] {
            let layout = IndexWord.Layout(capacity: capacity)
            #expect(layout.distance(of: layout.word(0, hash: 0, distance: 14)) == 14)
            #expect(layout.distance(of: layout.word(0, hash: 0, distance: 15)) == nil)
        }
        let layout = IndexWord.Layout(capacity: 1 << 20 - 1)
        #expect(layout.distance(of: layout.word(0, hash: 0, distance: 0)) == nil)
    }
}
