// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import HoardTesting
import Testing

@testable import HoardDisk

/// Several stores on one directory. Each sees the writes of the others at once.
@Suite struct SharedStoreTests {
    private let workspace: Workspace

    init() throws {
        workspace = try Workspace()
    }

    private var generationPath: String { workspace.directory + "/" + GenerationFile.name }

    @Test func aMissInOneStoreSeesAtOnceWhatAnotherHasWritten() async throws {
        let stores = [try workspace.open(), try workspace.open(), try workspace.open()]
        for number in 0..<30 {
            let key = RecordKey("\(number)")
            for store in stores { #expect(try await store.record(forKey: key) == nil) }
            try await stores[number % 3].insert(workspace.record("\(number)"), forKey: key)
            for store in stores { #expect(try await store.peekText(key) == "\(number)") }
        }
    }

    @Test func aProcessThatDiedInACommitSlowsReadersDownForASecondOnly() async throws {
        let store = try workspace.open()
        try await store.insert(workspace.record(), forKey: "key")
        let file = try #require(try GenerationFile(path: generationPath, creating: false))
        let odd = file.begin()
        // Without uses, which would be written.
        for _ in 0..<3 { #expect(try await store.peekText("key") == "value") }
        #expect(!store.isKnownAbsent("other"))
        await store.flush()
        #expect(file.read() == odd)
        workspace.clock.advance(by: 1)
        #expect(try await store.peekText("key") == "value")
        await store.flush()
        #expect(file.read().map { $0 & 1 == 0 && $0 > odd } == true)
        #expect(store.isKnownAbsent("other"))
    }

    @Test func aGenerationThatALostPowerSupplyHasClearedIsNotTakenForAKnownOne() async throws {
        let store = try workspace.open()
        let file = try #require(try GenerationFile(path: generationPath, creating: false))
        file.write(0)
        #expect(file.begin() == 1)
        #expect(try !store.core.session().isCurrent)
        file.write(.max)
        #expect(try !store.core.session().isCurrent)
    }

    @Test func aListOfChangesAheadOfTheStoreIsDamage() async throws {
        let store = try workspace.open()
        try await store.insert(workspace.record(), forKey: "key")
        await store.close()
        try workspace.changeDatabase("UPDATE changes SET sequence = sequence + (1 << 50)")
        let reopened = try workspace.open()
        #expect(try await reopened.record(forKey: "key") == nil)
        try await reopened.insert(workspace.record("later"), forKey: "key")
        #expect(try await reopened.peekText("key") == "later")
    }

    @Test func removalsByKeyTagAndPartitionAreSeenByTheOthersAtOnce() async throws {
        let (first, second) = (try workspace.open(), try workspace.open())
        for number in 0..<600 {
            try await first.insert(
                workspace.record(byteCount: 10, tags: ["tag"], partition: "partition"),
                forKey: RecordKey("\(number)"),
                mode: .behind
            )
        }
        try await first.insert(workspace.record(byteCount: 10), forKey: "key")
        #expect(try await second.record(forKey: "key") != nil)
        try await first.removeRecord(forKey: "key")
        #expect(try await second.record(forKey: "key") == nil)
        // This removes more records than are deleted at once.
        try await first.removeRecords(taggedWith: "tag")
        for number in 0..<600 { #expect(try await second.peekRecord(forKey: RecordKey("\(number)")) == nil) }
        try await second.insert(workspace.record(byteCount: 11, tags: ["tag"], partition: "partition"), forKey: "599")
        #expect(try await first.peekRecord(forKey: "599")?.payload.count == 11)
        try await first.removePartition("partition")
        #expect(try await second.peekRecord(forKey: "599") == nil)
        await first.flush()
        await second.flush()
        #expect(try first.countedTotals().count == 0)
        #expect(try second.rowCount(of: "tags") == 0)
    }

    @Test(arguments: [0, 1]) func onlyTheListsOfTheLatestChangesAreKept(removalCount: Int) async throws {
        let store = try workspace.open()
        // Afterwards each insertion takes the same steps through the sequence.
        for _ in 0..<removalCount { try await store.removeRecord(forKey: "other") }
        for number in 0..<ChangeList.keptCount + 130 { try await store.insert(workspace.record("\(number)"), forKey: "key") }
        #expect(try store.rowCount(of: "changes") <= ChangeList.keptCount + 64)
    }

    @Test func aTagRemovedManyTransactionsAgoIsKnownToAStoreThatWasAway() async throws {
        let (first, second) = (try workspace.open(), try workspace.open())
        for number in 0..<600 { try await first.insert(workspace.record(tags: ["tag"]), forKey: RecordKey("\(number)"), mode: .behind) }
        await first.flush()
        #expect(try await second.peekRecord(forKey: "0") != nil)
        let hold = WriterHold(second)
        hold.release()
        try await first.removeRecords(taggedWith: "tag")
        for number in 0..<ChangeList.keptCount + 70 { try await first.removeRecord(forKey: RecordKey("other \(number)")) }
        for number in 0..<600 { #expect(try await second.peekRecord(forKey: RecordKey("\(number)")) == nil) }
    }

    @Test func aTransactionThatEndsLateHidesNothingThatAnotherHasCommittedMeanwhile() async throws {
        let (first, second) = (try workspace.open(), try workspace.open())
        #expect(try await first.record(forKey: "key") == nil)
        let late = try first.core.session().beginGeneration()
        late.willCommit()
        // The first store has committed and has not announced it when the second one begins.
        try await second.insert(workspace.record("new"), forKey: "key")
        late.didEnd()
        #expect(try await first.peekText("key") == "new")
        #expect(try await second.peekText("key") == "new")
    }

    @Test func aProcessThatDiedInItsTransactionCostsNoCorrectness() async throws {
        let (first, second) = (try workspace.open(), try workspace.open())
        let dead = try first.core.session().beginGeneration()
        dead.willCommit()
        #expect(try await second.record(forKey: "key") == nil)
        let third = try workspace.open()
        #expect(try await third.record(forKey: "key") == nil)
        try await second.insert(workspace.record("new"), forKey: "key")
        #expect(try await third.peekText("key") == "new")
        #expect(try await second.peekText("key") == "new")
        #expect(try second.core.session().isCurrent)
    }

    @Test(arguments: [0, 3, 8, 100]) func aGenerationFileThatIsCutOrFilledCostsNoCorrectness(length: Int) async throws {
        let (first, second) = (try workspace.open(), try workspace.open())
        try await first.insert(workspace.record("1"), forKey: "first")
        truncate(generationPath, length)
        for number in 0..<5 {
            try await second.insert(workspace.record("\(number)"), forKey: RecordKey("\(number)"))
            #expect(try await first.peekText(RecordKey("\(number)")) == "\(number)")
            truncate(generationPath, length)
            try await first.removeRecord(forKey: RecordKey("\(number)"))
            #expect(try await second.peekText(RecordKey("\(number)")) == nil)
        }
        #expect(try await second.peekText("first") == "1")
    }

    @Test func aGenerationFileThatIsDeletedIsMadeAgainAndStoresThatWriteSeeEachOther() async throws {
        let (first, second) = (try workspace.open(), try workspace.open())
        try await first.insert(workspace.record("1"), forKey: "first")
        try FileManager.default.removeItem(atPath: generationPath)
        try await second.insert(workspace.record("2"), forKey: "second")
        #expect(FileManager.default.fileExists(atPath: generationPath))
        #expect(try await second.peekText("first") == "1")
        try await first.insert(workspace.record("3"), forKey: "third")
        for store in [first, second] {
            for (key, text) in [("first", "1"), ("second", "2"), ("third", "3")] { #expect(try await store.peekText(RecordKey(key)) == text) }
        }
        #expect(workspace.events.events.isEmpty)
    }

    @Test func aReadingFindsWhatWasWrittenAfterTheGenerationFileWasDeleted() async throws {
        let (first, second) = (try workspace.open(), try workspace.open())
        #expect(try await first.peekText("second") == nil)
        try FileManager.default.removeItem(atPath: generationPath)
        try await second.insert(workspace.record("2"), forKey: "second")
        #expect(try await first.peekText("second") == "2")
    }

    @Test(arguments: 1...4 as ClosedRange<UInt64>) func storesThatTakeTurnsAgreeAboutEverything(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        var stores = [try workspace.open(), try workspace.open(), try workspace.open()]
        var model: [RecordKey: (text: String, tag: String?)] = [:]
        let keys = (0..<8).map { RecordKey("\($0)") }
        for step in 0..<200 {
            let index = Int.random(in: 0..<3, using: &generator)
            let store = stores[index]
            let key = keys[Int.random(in: 0..<8, using: &generator)]
            switch Int.random(in: 0..<12, using: &generator) {
            case 0..<5:
                let tag = Bool.random(using: &generator) ? "tag \(step % 2)" : nil
                var record = workspace.record("\(step)", tags: tag.map { [$0] } ?? [])
                record.partition = tag
                try await store.insert(record, forKey: key)
                model[key] = ("\(step)", tag)
            case 5..<7:
                try await store.removeRecord(forKey: key)
                model[key] = nil
            case 7:
                try await store.removeRecords(taggedWith: "tag \(step % 2)")
                model = model.filter { $0.value.tag != "tag \(step % 2)" }
            case 8:
                try await store.removePartition("tag \(step % 2)")
                model = model.filter { $0.value.tag != "tag \(step % 2)" }
            case 9 where step % 4 == 0:
                try await store.removeAll()
                model = [:]
            case 10:
                await store.close()
                stores[index] = try workspace.open()
            default: break
            }
            for store in stores {
                for key in keys { #expect(try await store.peekText(key) == model[key]?.text, "seed \(seed), step \(step)") }
            }
        }
    }
}
