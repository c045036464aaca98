// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Hoard

@Suite struct InvalidationJournalTests {
    private var journal = InvalidationJournal(maximumCount: 3)

    @Test mutating func newJournalIsEmpty() {
        #expect(journal.isEmpty)
        #expect(!journal.contains("a"))
        #expect(!journal.containsAny(of: ["x"]))
        #expect(!journal.coversEverything)
    }

    @Test mutating func keysStayUntilTheyAreSettled() {
        journal.add("a", number: 1)
        journal.add("b", number: 2)
        journal.add("a", number: 3)
        #expect(journal.contains("a"))
        #expect(!journal.contains("c"))
        #expect(journal.count == 2)
        journal.settle("a", upTo: 3)
        #expect(!journal.contains("a"))
        #expect(journal.contains("b"))
        journal.settle("b", upTo: 9)
        #expect(journal.isEmpty)
    }

    @Test mutating func whatWasMissedSinceIsNotSettled() {
        journal.add("a", number: 1)
        journal.add("a", number: 5)
        journal.add("a", number: 2)
        journal.settle("a", upTo: 4)
        #expect(journal.contains("a"))
        journal.add(tags: ["x"], number: 5)
        journal.settle(tags: ["x"], upTo: 4)
        #expect(journal.containsAny(of: ["x"]))
        journal.addEverything(number: 6)
        journal.addEverything(number: 5)
        journal.settleEverything(upTo: 5)
        #expect(journal.coversEverything)
        journal.settleEverything(upTo: 6)
        #expect(journal.isEmpty)
    }

    @Test mutating func recordOfAPartitionInTheJournalCountsAsAbsentUntilThatIsSettled() {
        journal.add(partition: "p", number: 3)
        journal.add(partition: "p", number: 2)
        #expect(!journal.isEmpty)
        #expect(journal.count == 1)
        #expect(journal.contains(partition: "p"))
        #expect(!journal.contains(partition: "q"))
        #expect(!journal.contains(partition: nil))
        #expect(!journal.containsAny(of: ["p"]), "a partition is no tag")
        journal.settle(partition: "p", upTo: 2)
        journal.settle(partition: "q", upTo: 9)
        #expect(journal.contains(partition: "p"))
        journal.settle(partition: "p", upTo: 3)
        #expect(journal.isEmpty)
    }

    @Test mutating func partitionsCountWhenTheJournalOverflows() {
        for number in 1...3 {
            let hasOverflowed = journal.add(partition: "\(number)", number: UInt64(number))
            #expect(!hasOverflowed)
        }
        let hasOverflowed = journal.add("a", number: 2)
        #expect(hasOverflowed)
        #expect(journal.coversEverything)
        #expect(journal.contains(partition: "p") && journal.contains(partition: nil))
        #expect(journal.partitions.isEmpty)
        journal.settleEverything(upTo: 2)
        #expect(journal.coversEverything, "one of the partitions was missed later")
        journal.settleEverything(upTo: 3)
        #expect(journal.isEmpty)
    }

    @Test mutating func recordWithATagInTheJournalCountsAsAbsent() {
        journal.add(tags: ["x", "y"], number: 1)
        #expect(journal.containsAny(of: ["x"]))
        #expect(journal.containsAny(of: ["a", "b", "y"]))
        #expect(!journal.containsAny(of: ["a", "b", "c"]))
        #expect(!journal.containsAny(of: []))
        #expect(!journal.contains("x"), "a tag is no key")
        journal.settle(tags: ["x", "never seen"], upTo: 1)
        #expect(!journal.containsAny(of: ["x"]))
        #expect(journal.containsAny(of: ["y"]))
    }

    @Test mutating func journalThatOverflowsCoversEverything() {
        for key: RecordKey in ["a", "b"] { #expect(journal.add(key, number: 1) == false) }
        #expect(journal.add(tags: ["x"], number: 1) == false)
        #expect(journal.add("b", number: 2) == false, "a key that is in it already takes no room")
        #expect(!journal.coversEverything)
        #expect(journal.add("d", number: 1) == true)
        #expect(journal.coversEverything)
        #expect(journal.contains("never seen"))
        #expect(journal.containsAny(of: []))
        #expect(journal.count == 0)
        journal.settleEverything(upTo: 1)
        #expect(journal.coversEverything, "b was missed later")
        journal.settleEverything(upTo: 2)
        #expect(journal.isEmpty)
    }

    @Test mutating func journalThatOverflowsAgainSaysSoOnce() {
        journal.addEverything(number: 1)
        for number: UInt64 in 2...20 { #expect(journal.add(RecordKey("\(number)"), number: number) == false) }
        journal.settleEverything(upTo: 1)
        #expect(journal.coversEverything)
        #expect(journal.count <= 3)
    }

    @Test mutating func settlingOneKeyDoesNotSettleEverything() {
        journal.addEverything(number: 1)
        journal.add("a", number: 2)
        journal.settle("a", upTo: 2)
        #expect(journal.contains("a"))
        #expect(!journal.isEmpty)
    }

    @Test mutating func settlingEverythingKeepsWhatWasMissedSince() {
        journal.addEverything(number: 1)
        journal.add("a", number: 2)
        journal.add(tags: ["x"], number: 3)
        journal.settleEverything(upTo: 1)
        #expect(!journal.coversEverything)
        #expect(journal.contains("a"))
        #expect(!journal.contains("b"))
        #expect(journal.containsAny(of: ["x"]))
        journal.settleEverything(upTo: 3)
        #expect(journal.isEmpty)
    }

    @Test func journalWithoutRoomCoversEverythingAtOnce() {
        var journal = InvalidationJournal(maximumCount: 0)
        #expect(journal.add("a", number: 1) == true)
        #expect(journal.coversEverything)
    }
}
