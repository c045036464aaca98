// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import Hoard
import HoardTesting
import Synchronization
import Testing

@testable import HoardDisk

/// Limits for the records with a tag.
@Suite(.timeLimit(.minutes(5))) struct DiskStoreEvictingTests {
    private let workspace: Workspace

    init() throws { workspace = try Workspace() }

    /// The way in which a store keeps its records.
    enum Kind: CaseIterable { case plain, compressed, encrypted, behind, inFiles }

    /// A store forgets a use of a record that is written behind and not yet committed, as it forgets the uses in a
    /// process that dies. The model's steps commit.
    @Test(arguments: RecordStoreConformance.evictionChecks, Kind.allCases.filter { $0 != .behind })
    func conforms(to check: RecordStoreConformance.Check, _ kind: Kind) async throws {
        try await run(check, kind)
    }

    @Test(arguments: 0..<6 as Range<UInt64>, Kind.allCases)
    func conformsToTheModel(seed: UInt64, _ kind: Kind) async throws {
        for check in RecordStoreConformance.evictionChecks(seed: seed) where check.name.hasPrefix("random") { try await run(check, kind) }
    }

    private func run(_ check: RecordStoreConformance.Check, _ kind: Kind) async throws {
        try await check.run { [root = workspace.root] configuration in
            var own = DiskStore.Configuration(directory: "\(root)/\(UUID().uuidString)", clock: configuration.clock)
            switch kind {
            case .plain: break
            case .compressed: own.compression = .zlib()
            case .encrypted: own.encryptionKey = try .init(identifier: "test", bytes: Array(0..<32))
            case .behind: own.writeMode = .behind
            case .inFiles: own.maximumInlinePayloadBytes = 0
            }
            return try DiskStore(configuration: own)
        }
    }

    private func fill(_ store: DiskStore, _ numbers: Range<Int>, tag: String = "tag") async throws {
        for number in numbers {
            workspace.clock.advance(by: 1)
            try await store.insert(workspace.record(tags: [tag]), forKey: RecordKey("\(tag) \(number)"))
        }
    }

    @Test func nothingIsCommittedWhenThereIsNothingToEvict() async throws {
        let store = try workspace.open()
        try await fill(store, 0..<10)
        let sequence = try store.countOnWriter("SELECT sequence FROM totals")
        let frames = try store.countOnWriter("PRAGMA data_version")
        #expect(try await store.removeLeastRecentlyUsedRecords(taggedWith: "tag", keeping: 10) == 0)
        #expect(try await store.recordCount(taggedWith: "tag") == 10)
        try await store.noteUses(ofRecordsForKeys: ["tag 0"])
        #expect(try store.countOnWriter("SELECT sequence FROM totals") == sequence)
        #expect(try store.countOnWriter("PRAGMA data_version") == frames)
        #expect(try store.rowCount(of: "recency") == 10, "uses stay in memory")
        await store.close()
    }

    @Test func writesThatAreNotYetCommittedAreCountedAndEvicted() async throws {
        var configuration = workspace.configuration()
        configuration.writeMode = .behind
        let store = try DiskStore(configuration: configuration)
        for round in 1...20 {
            for number in 0..<30 { try await store.insert(workspace.record(tags: ["tag"]), forKey: RecordKey("\(round) \(number)")) }
            #expect(try await store.recordCount(taggedWith: "tag") == 30 + (round == 1 ? 0 : 5))
            try await store.removeLeastRecentlyUsedRecords(taggedWith: "tag", keeping: 5)
            #expect(try await store.recordCount(taggedWith: "tag") == 5)
            for number in 25..<30 { #expect(try await store.record(forKey: RecordKey("\(round) \(number)")) != nil) }
        }
        await store.close()
    }

    @Test func countWaitsForTheWritesBeforeIt() async throws {
        var configuration = workspace.configuration()
        configuration.writeMode = .behind
        let store = try DiskStore(configuration: configuration)
        let hold = WriterHold(store)
        try await store.insert(workspace.record(tags: ["tag"]), forKey: "a")
        async let count = store.recordCount(taggedWith: "tag")
        hold.release()
        #expect(try await count == 1)
        await store.close()
    }

    @Test func orderOfUsesThatWasNotedSurvivesARestartOnceItIsFlushed() async throws {
        var store: DiskStore? = try workspace.open()
        try await fill(try #require(store), 0..<4)
        workspace.clock.advance(by: 1)
        try await store?.noteUses(ofRecordsForKeys: ["tag 2", "tag 0"])
        await store?.flush()
        #expect(try store?.rowCount(of: "recency") == 6)
        // Opens a second store beside the first, so that the first writes nothing at its end.
        let other = try workspace.open()
        try await other.removeLeastRecentlyUsedRecords(taggedWith: "tag", keeping: 2)
        #expect(try await other.record(forKey: "tag 0") != nil)
        #expect(try await other.record(forKey: "tag 2") != nil)
        #expect(try await other.record(forKey: "tag 3") == nil)
        await other.close()
        await store?.close()
        store = nil
    }

    @Test func recordsThatAnotherProcessWroteAreCountedAndEvicted() async throws {
        let (first, second) = (try workspace.open(), try workspace.open())
        try await fill(first, 0..<5)
        #expect(try await second.recordCount(taggedWith: "tag") == 5)
        _ = try await second.record(forKey: "tag 0")
        await second.flush()
        #expect(try await first.removeLeastRecentlyUsedRecords(taggedWith: "tag", keeping: 2) == 3)
        #expect(try await second.record(forKey: "tag 0") != nil)
        #expect(try await second.record(forKey: "tag 4") != nil)
        #expect(try await second.recordCount(taggedWith: "tag") == 2)
        await first.close()
        await second.close()
    }

    @Test func recordsThatAreGoneWithATagOrPartitionAreNotCountedThoughTheirRowsAreThere() async throws {
        let store = try workspace.open()
        for number in 0..<600 {
            var record = workspace.record(tags: ["tag", number < 300 ? "low" : "high"])
            record.partition = number % 2 == 0 ? "even" : "odd"
            try await store.insert(record, forKey: RecordKey("\(number)"))
        }
        try await store.removeRecords(taggedWith: "low")
        #expect(try await store.recordCount(taggedWith: "tag") == 300)
        try await store.removePartition("even")
        #expect(try await store.recordCount(taggedWith: "tag") == 150)
        #expect(try await store.removeLeastRecentlyUsedRecords(taggedWith: "tag", keeping: 149) == 1)
        #expect(try await store.record(forKey: "301") == nil)
        #expect(try await store.record(forKey: "303") != nil)
        await store.close()
    }

    @Test func evictionWorksWhileTheIndexIsNotYetComplete() async throws {
        let store = try workspace.open()
        try await fill(store, 0..<10)
        _ = try await store.record(forKey: "tag 0")
        await store.flush()
        // This is the state of a large store that has just been opened.
        let session = try store.core.session()
        try store.core.runTransaction(on: session) { try $0.db.execute(sql: "INSERT OR REPLACE INTO directory SELECT id, place FROM records") }
        session.memory.withLock { memory in memory.index = RecordIndex() }
        #expect(try await store.removeLeastRecentlyUsedRecords(taggedWith: "tag", keeping: 2) == 8)
        #expect(try await store.record(forKey: "tag 0") != nil)
        #expect(try await store.record(forKey: "tag 9") != nil)
        #expect(try store.countedTotals().count == 2)
        await store.close()
    }

    @Test func filesOfEvictedRecordsGoWithThem() async throws {
        let store = try workspace.open()
        for number in 0..<4 {
            let record = Record(payload: Data(repeating: 1, count: 100_000), created: workspace.clock.now(), staleUntil: .forever, tags: ["tag"])
            try await store.insert(record, forKey: RecordKey("\(number)"))
        }
        #expect(try workspace.payloadFiles().count == 4)
        try await store.removeLeastRecentlyUsedRecords(taggedWith: "tag", keeping: 1)
        await store.close()
        #expect(try workspace.payloadFiles().count == 1)
    }

    @Test func verificationFindsNothingWrongAfterEvictions() async throws {
        let store = try workspace.open()
        for round in 0..<10 {
            try await fill(store, 0..<20)
            try await fill(store, 0..<5, tag: "other")
            try await store.noteUses(ofRecordsForKeys: [RecordKey("tag \(round)"), "absent"])
            try await store.removeLeastRecentlyUsedRecords(taggedWith: "tag", keeping: round)
        }
        await store.flush()
        let report = try await store.verify(repairing: false)
        #expect(report.problems.isEmpty, "\(report.problems)")
        #expect(try store.countedTotals().count == 14)
        await store.close()
    }
}
