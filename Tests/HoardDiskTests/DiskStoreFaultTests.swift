// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import HoardTesting
import Testing

@testable import HoardDisk

/// Changes from outside of a store's files and of the clock, while the store is in use.
@Suite struct DiskStoreFaultTests {
    private let workspace: Workspace

    init() throws {
        workspace = try Workspace()
    }

    private func open(isEncrypted: Bool) throws -> DiskStore {
        try workspace.open { if isEncrypted { $0.encryptionKey = try .init(identifier: "test", bytes: Array(0..<32)) } }
    }

    private func payloadPaths() throws -> [String] { try workspace.payloadFiles().map { "\(workspace.directory)/payloads/\($0)" } }

    @Test(arguments: [false, true], [10, 100_000]) func readsAndWritesGoOnInANewDirectory(isEncrypted: Bool, byteCount: Int) async throws {
        let store = try open(isEncrypted: isEncrypted)
        let record = workspace.record(byteCount: byteCount, partition: "user")
        for round in 0..<3 {
            try await store.insert(record, forKey: "key")
            // Otherwise the search for orphans may still write, and make the directory anew while it is being removed.
            await store.core.elsewhere { store.core.finishHousekeeping() }
            await store.flush()
            try FileManager.default.removeItem(atPath: workspace.directory)
            _ = try await store.record(forKey: "key")
            try await store.insert(record, forKey: RecordKey("\(round)"), mode: round == 0 ? .behind : .durable)
            await store.flush()
            #expect(try await store.peekRecord(forKey: RecordKey("\(round)")) == record)
            #expect(try await store.peekRecord(forKey: "key") == nil)
            #expect(try await store.statistics().count == 1)
        }
        await store.close()
        #expect(try await open(isEncrypted: isEncrypted).peekRecord(forKey: "2") == record)
        #expect(workspace.events.events.isEmpty)
    }

    @Test func writesThatWaitedAreCommittedToTheNewDirectory() async throws {
        let store = try workspace.open()
        let hold = WriterHold(store)
        for number in 0..<10 { try await store.insert(workspace.record("\(number)"), forKey: RecordKey("\(number)"), mode: .behind) }
        try FileManager.default.removeItem(atPath: workspace.directory)
        hold.release()
        await store.flush()
        for number in 0..<10 { #expect(try await store.peekText(RecordKey("\(number)")) == "\(number)") }
        await store.close()
        #expect(try await workspace.open().statistics().count == 10)
    }

    @Test func aDatabaseThatIsDeletedAloneIsReplaced() async throws {
        let store = try workspace.open()
        try await store.insert(workspace.record(byteCount: 100_000), forKey: "large")
        try FileManager.default.removeItem(atPath: workspace.databasePath)
        try await store.insert(workspace.record("new"), forKey: "new")
        #expect(try await store.peekText("new") == "new")
        #expect(try await store.peekRecord(forKey: "large") == nil)
        // The store also removes the file whose row is gone.
        let workspace = workspace
        try await waitUntil { try workspace.payloadFiles().isEmpty }
        await store.close()
        #expect(try await workspace.open().peekText("new") == "new")
    }

    @Test(arguments: ["deleted", "cut", "emptied", "lengthened", "swapped"], [false, true])
    func aPayloadFileThatIsNotWhatWasWrittenIsAMiss(fault: String, isEncrypted: Bool) async throws {
        let store = try open(isEncrypted: isEncrypted)
        let other = workspace.record(byteCount: 150_000, seed: 9)
        try await store.insert(workspace.record(byteCount: 150_000), forKey: "key")
        let path = try #require(try payloadPaths().first)
        try await store.insert(other, forKey: "other")
        let otherPath = try #require(try payloadPaths().first { $0 != path })
        switch fault {
        case "deleted": try FileManager.default.removeItem(atPath: path)
        case "cut": truncate(path, 149_000)
        case "emptied": truncate(path, 0)
        case "lengthened": truncate(path, 400_000)
        default: try Data(contentsOf: URL(fileURLWithPath: otherPath)).write(to: URL(fileURLWithPath: path), options: [])
        }
        #expect(try await store.record(forKey: "key") == nil)
        #expect(try await store.statistics().corruptions == 1)
        #expect(workspace.events.kinds == [.recordDamaged])
        #expect(try store.countedTotals().count == 1)
        #expect(try await store.peekRecord(forKey: "other") == other)
        try await store.insert(workspace.record(byteCount: 150_000, seed: 2), forKey: "key")
        #expect(try await store.peekRecord(forKey: "key") == workspace.record(byteCount: 150_000, seed: 2))
    }

    @Test func theFolderOfPayloadsIsMadeAgain() async throws {
        let store = try workspace.open()
        try await store.insert(workspace.record(byteCount: 100_000), forKey: "lost")
        try FileManager.default.removeItem(atPath: workspace.directory + "/payloads")
        #expect(try await store.record(forKey: "lost") == nil)
        try await store.insert(workspace.record(byteCount: 100_000), forKey: "key")
        #expect(try await store.peekRecord(forKey: "key") == workspace.record(byteCount: 100_000))
    }

    @Test func settingTheClockBackMakesNothingExpireAndDisturbsNoOrder() async throws {
        let store = try workspace.open(maximumCount: 3)
        for key in ["a", "b", "c"] as [RecordKey] { try await store.insert(workspace.record("\(key)", freshFor: 100), forKey: key) }
        workspace.clock.advance(by: -10_000)
        _ = try await store.record(forKey: "a")
        try await store.insert(workspace.record("d"), forKey: "d")
        #expect(try await store.peekText("a") == "a")
        #expect(try await store.peekText("b") == nil)
        #expect(try await store.peekText("d") == "d")
        await store.close()
        let reopened = try workspace.open(maximumCount: 3)
        try await reopened.insert(workspace.record("e"), forKey: "e")
        #expect(try await reopened.peekText("c") == nil)
        #expect(try await reopened.peekText("a") == "a")
        workspace.clock.advance(by: 10_099)
        #expect(try await reopened.peekText("a") == "a")
        workspace.clock.advance(by: 2)
        #expect(try await reopened.record(forKey: "a") == nil)
    }

    @Test func settingTheClockFarAheadAndBackDisturbsNoOrder() async throws {
        let store = try workspace.open(maximumCount: 2)
        workspace.clock.advance(by: 3e9)
        try await store.insert(workspace.record("a"), forKey: "a")
        workspace.clock.advance(by: -3e9)
        try await store.insert(workspace.record("b"), forKey: "b")
        try await store.insert(workspace.record("c"), forKey: "c")
        #expect(try await store.peekText("a") == nil)
        #expect(try await store.peekText("b") == "b")
        #expect(try await store.peekText("c") == "c")
    }

    @Test func aRowWhoseFileIsMissingAndAFileWithoutARowAreBothCleanedUp() async throws {
        let store = try workspace.open()
        for number in 0..<4 { try await store.insert(workspace.record(byteCount: 50_000), forKey: RecordKey("\(number)")) }
        await store.close()
        let paths = try payloadPaths()
        try FileManager.default.removeItem(atPath: paths[0])
        try workspace.changeDatabase("DELETE FROM records WHERE place = (SELECT MAX(place) FROM records)")
        let reopened = try workspace.open()
        var foundCount = 0
        for number in 0..<4 where try await reopened.record(forKey: RecordKey("\(number)")) != nil { foundCount += 1 }
        #expect((2...3).contains(foundCount))
        let workspace = workspace
        let expectedCount = foundCount
        try await waitUntil { try workspace.payloadFiles().count == expectedCount }
        #expect(try reopened.countedTotals().count == foundCount)
    }
}
