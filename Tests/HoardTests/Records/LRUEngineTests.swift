// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Hoard

@Suite struct LRUEngineTests {
    private func engine(_ keys: ClosedRange<Int>, maximumCount: Int? = nil, maximumWeight: Int? = nil) -> LRUEngine<Int, String> {
        var engine = LRUEngine<Int, String>(maximumCount: maximumCount, maximumWeight: maximumWeight)
        for key in keys { _ = engine.insert(.init(value: "\(key)", weight: 1, deadline: .max), forKey: key) }
        return engine
    }

    @Test func insertionTellsWhatLeft() {
        var engine = engine(1...3, maximumCount: 3)
        let replacement = engine.insert(.init(value: "new", weight: 1, deadline: .max), forKey: 2)
        #expect(replacement.replaced?.value == "2")
        #expect(replacement.evicted.isEmpty)
        #expect(replacement.wasKept)
        let newcomer = engine.insert(.init(value: "4", weight: 1, deadline: .max), forKey: 4)
        #expect(newcomer.replaced == nil)
        #expect(newcomer.evicted.map(\.value) == ["1"])
        engine.checkInvariants()
    }

    @Test func refusalTellsWhatItTookAlong() {
        var engine = engine(1...3, maximumWeight: 3)
        let outcome = engine.insert(.init(value: "heavy", weight: 4, deadline: .max), forKey: 2)
        #expect(!outcome.wasKept)
        #expect(outcome.replaced?.value == "2")
        #expect(outcome.evicted.isEmpty)
        #expect(engine.count == 2)
        engine.checkInvariants()
    }

    @Test func expiredEntryIsHandedOut() {
        var engine = LRUEngine<Int, String>(maximumCount: 3, maximumWeight: nil)
        _ = engine.insert(.init(value: "a", weight: 1, deadline: 10), forKey: 1)
        #expect(engine.peek(1, now: 9) == "a")
        #expect(engine.peek(1, now: 10) == nil)
        #expect(engine.count == 1, "peeking does not reclaim")
        let outcome = engine.value(forKey: 1, now: 10)
        #expect(outcome.value == nil)
        #expect(outcome.expired?.value == "a")
        #expect(engine.count == 0)
        engine.checkInvariants()
    }

    @Test func updateChangesNeitherWeightNorPlace() {
        var engine = engine(1...3, maximumCount: 3)
        engine.update(1) { $0 += "!" }
        engine.update(9) { $0 += "!" }
        #expect(engine.peek(1, now: 0) == "1!")
        #expect(engine.totalWeight == 3)
        engine.checkInvariants()
        #expect(engine.insert(.init(value: "4", weight: 1, deadline: .max), forKey: 4).evicted.map(\.value) == ["1!"])
    }

    @Test func slotsAreUsedAgain() {
        var engine = engine(1...3)
        for round in 0..<100 {
            #expect(engine.remove(1 + round) != nil)
            _ = engine.insert(.init(value: "", weight: round % 2, deadline: .max), forKey: 4 + round)
            engine.checkInvariants()
        }
        #expect(engine.count == 3)
    }

    @Test func removalByPredicateReturnsWhatItRemoved() {
        var engine = engine(1...10)
        let removed = engine.removeAll { $0.value.count == 1 && $0.value > "5" }
        #expect(removed.map(\.value).sorted() == ["6", "7", "8", "9"])
        #expect(engine.count == 6)
        #expect(engine.totalWeight == 6)
        engine.checkInvariants()
    }

    @Test func removingAllHandsOutTheOldStorage() {
        final class Mark: Sendable {}
        var engine = LRUEngine<Int, Mark>(maximumCount: 3, maximumWeight: nil)
        var mark: Mark? = Mark()
        weak let weakMark = mark
        if let mark { _ = engine.insert(.init(value: mark, weight: 1, deadline: .max), forKey: 1) }
        mark = nil
        do {
            let removed = engine.removeAll()
            #expect(engine.count == 0)
            #expect(weakMark != nil)
            withExtendedLifetime(removed) {}
        }
        #expect(weakMark == nil)
        engine.checkInvariants()
    }
}
