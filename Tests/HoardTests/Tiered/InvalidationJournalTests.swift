// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Hoard

@Suite struct InvalidationJournalTests {
    private var journal = InvalidationJournal(maximumCount: 3)

    @Test mutating func newJournalIsEmpty() {
        #expect(journal.isEmpty)
        #expect(!journal.contains("a"))
        #expect(!journal.coversEverything)
    }

    @Test mutating func keysStayUntilTheyAreSettled() {
        journal.add("a")
        journal.add("b")
        journal.add("a")
        #expect(journal.contains("a"))
        #expect(!journal.contains("c"))
        journal.settle("a")
        #expect(!journal.contains("a"))
        #expect(journal.contains("b"))
        journal.settle("b")
        #expect(journal.isEmpty)
    }

    @Test mutating func journalThatOverflowsCoversEverything() {
        for key: RecordKey in ["a", "b", "c"] { journal.add(key) }
        #expect(!journal.coversEverything)
        journal.add("c")
        #expect(!journal.coversEverything, "a key that is in it already takes no room")
        journal.add("d")
        #expect(journal.coversEverything)
        #expect(journal.contains("never seen"))
    }

    @Test mutating func settlingOneKeyDoesNotSettleEverything() {
        journal.addEverything()
        journal.add("a")
        journal.settle("a")
        #expect(journal.contains("a"))
        #expect(!journal.isEmpty)
    }

    @Test mutating func settlingEverythingEmptiesTheJournalAndKeepsItsBound() {
        journal.addEverything()
        journal.settleEverything()
        #expect(journal.isEmpty)
        for key: RecordKey in ["a", "b", "c"] { journal.add(key) }
        journal.settleEverything()
        #expect(journal.isEmpty)
        for key: RecordKey in ["a", "b", "c", "d"] { journal.add(key) }
        #expect(journal.coversEverything)
    }
}
