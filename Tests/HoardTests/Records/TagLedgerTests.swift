// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import Hoard

@Suite(.timeLimit(.minutes(5))) struct TagLedgerTests {
    private let date = Date(timeIntervalSinceReferenceDate: 1_000)

    @Test func removalConcernsWhatWasWrittenBefore() {
        var ledger = TagLedger()
        let before = ledger.beginWrite()
        ledger.retain(["a", "b"])
        #expect(!ledger.isRemoved(["a", "b"], writtenAt: before))
        ledger.removeRecords(taggedWith: ["b", "c"])
        let after = ledger.beginWrite()
        #expect(ledger.isRemoved(["a", "b"], writtenAt: before))
        #expect(!ledger.isRemoved(["a"], writtenAt: before))
        #expect(!ledger.isRemoved([], writtenAt: before))
        #expect(!ledger.isRemoved(["a", "b"], writtenAt: after))
    }

    @Test func marksOfTagsAndOnEverythingCountTogether() {
        var ledger = TagLedger()
        let before = ledger.beginWrite()
        ledger.retain(["a"])
        ledger.retain(["b"])
        #expect(ledger.freshnessEnd(of: ["a"], writtenAt: before) == nil)
        ledger.markAllStale(at: date)
        let between = ledger.beginWrite()
        ledger.markStale(taggedWith: ["a"], at: date.addingTimeInterval(-10))
        #expect(ledger.freshnessEnd(of: ["a"], writtenAt: before) == date.addingTimeInterval(-10))
        #expect(ledger.freshnessEnd(of: ["a", "b"], writtenAt: between) == date.addingTimeInterval(-10))
        #expect(ledger.freshnessEnd(of: ["b"], writtenAt: before) == date)
        #expect(ledger.freshnessEnd(of: ["b"], writtenAt: between) == nil)
        #expect(ledger.freshnessEnd(of: [], writtenAt: before) == date)
    }

    @Test func tagIsKnownAsLongAsARecordHasIt() {
        var ledger = TagLedger()
        for number in 0..<100 { ledger.removeRecords(taggedWith: ["never written \(number)"]) }
        for number in 0..<100 { ledger.markStale(taggedWith: ["never written \(number)"], at: date) }
        #expect(ledger.tagCount == 0)
        ledger.retain(["a", "b"])
        ledger.retain(["a"])
        #expect(ledger.tagCount == 2)
        ledger.release(["a", "b"])
        #expect(ledger.tagCount == 1)
        ledger.release(["a"])
        ledger.release(["a"])
        #expect(ledger.tagCount == 0)
    }

    @Test func removalOfAPartitionConcernsWhatWasWrittenBefore() {
        var ledger = TagLedger()
        let before = ledger.beginWrite()
        ledger.retain(["q"], partition: "p")
        ledger.retain(["p"], partition: "q")
        ledger.removePartition("p")
        let after = ledger.beginWrite()
        #expect(ledger.isRemoved([], partition: "p", writtenAt: before))
        #expect(!ledger.isRemoved(["p"], partition: "q", writtenAt: before))
        #expect(!ledger.isRemoved(["p"], writtenAt: before))
        #expect(!ledger.isRemoved([], partition: "p", writtenAt: after))
        ledger.markAllStale(at: date)
        #expect(ledger.isRemoved([], partition: "p", writtenAt: before))
    }

    @Test func partitionIsKnownAsLongAsARecordIsOfIt() {
        var ledger = TagLedger()
        for number in 0..<100 { ledger.removePartition("never written \(number)") }
        #expect(ledger.partitionCount == 0)
        ledger.retain([], partition: "p")
        ledger.retain(["a"], partition: "p")
        ledger.release(["a"], partition: "p")
        #expect(ledger.partitionCount == 1)
        ledger.release([], partition: "p")
        ledger.release([], partition: "p")
        #expect(ledger.partitionCount == 0)
        #expect(ledger.tagCount == 0)
        ledger.retain([], partition: "p")
        ledger.removeAll()
        #expect(ledger.partitionCount == 0)
    }

    @Test func removalOfATagDropsItsMarks() {
        var ledger = TagLedger()
        let before = ledger.beginWrite()
        ledger.retain(["a"])
        ledger.markStale(taggedWith: ["a"], at: date)
        ledger.removeRecords(taggedWith: ["a"])
        #expect(ledger.freshnessEnd(of: ["a"], writtenAt: before) == nil)
        #expect(ledger.isRemoved(["a"], writtenAt: before))
    }

    @Test func emptyLedgerKnowsNothing() {
        var ledger = TagLedger()
        ledger.retain(["a"])
        ledger.markAllStale(at: date)
        ledger.removeAll()
        #expect(ledger.tagCount == 0)
        #expect(ledger.freshnessEnd(of: ["a"], writtenAt: 0) == nil)
    }
}
