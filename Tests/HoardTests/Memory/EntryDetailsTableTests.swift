// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTestSupport
import HoardTesting
import Testing

@testable import Hoard

@Suite struct EntryDetailsTableTests {
    @Test func tagsLeadToTheirEntries() {
        var table = EntryDetailsTable()
        table.set(EntryDetails(tags: ["a", "b"]), of: 1)
        table.set(EntryDetails(tags: ["b"]), of: 2)
        table.set(EntryDetails(tags: [], error: TestError(number: 3)), of: 3)
        #expect(table.slots(taggedWith: "a") == [1])
        #expect(table.slots(taggedWith: "b") == [1, 2])
        #expect(table.slots(taggedWith: "c").isEmpty)
        #expect(table[1]?.tags == ["a", "b"])
        #expect(table[1]?.error == nil)
        #expect(table[3]?.error as? TestError == TestError(number: 3))
        #expect(table[4] == nil)
        table.checkInvariants()
        table.remove(1)
        #expect(table[1] == nil)
        #expect(table.slots(taggedWith: "a").isEmpty)
        #expect(table.slots(taggedWith: "b") == [2])
        table.remove(1)
        table.checkInvariants()
    }

    @Test func detailsThatSayNothingAreEmpty() {
        #expect(EntryDetails(tags: []).isEmpty)
        #expect(!EntryDetails(tags: [""]).isEmpty)
        #expect(!EntryDetails(tags: [], error: TestError()).isEmpty)
    }

    @Test(arguments: 0..<10)
    func tableAgreesWithADictionary(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var table = EntryDetailsTable()
        var model: [Slot: Set<String>] = [:]
        let tags = (0..<6).map { "tag \($0)" }
        for _ in 0..<150 {
            let slot = Slot.random(in: 0..<12, using: &generator)
            switch Int.random(in: 0..<60, using: &generator) {
            case 0:
                table.removeAll()
                model = [:]
            case 1..<25:
                table.remove(slot)
                model[slot] = nil
            default:
                let new = Set(tags.filter { _ in Bool.random(using: &generator) })
                table.set(EntryDetails(tags: new, error: TestError()), of: slot)
                model[slot] = new
            }
            for tag in tags {
                let expected = Set(model.filter { $0.value.contains(tag) }.keys)
                if table.slots(taggedWith: tag) != expected { Issue.record("seed \(seed), \(tag)") }
            }
            for slot in Slot(0)..<12 where table[slot]?.tags != model[slot] { Issue.record("seed \(seed), slot \(slot)") }
            table.checkInvariants()
        }
    }
}
