// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import Hoard
import HoardTesting
import Synchronization
import Testing

@testable import HoardDisk

/// Verification while other work is under way.
@Suite struct VerificationBesideOthersTests {
    private let workspace: Workspace

    init() throws {
        workspace = try Workspace()
    }

    @Test func recordsInThePlaceOfOthersAreFound() async throws {
        let first = try DiskStore(configuration: workspace.configuration(), identifierOverride: RecordIdentifier(key: (1, 2)))
        for number in 0..<3 { try await first.insert(workspace.record(), forKey: RecordKey("\(number)")) }
        await first.close()
        let second = try DiskStore(configuration: workspace.configuration(), identifierOverride: RecordIdentifier(key: (3, 4)))
        #expect(try await second.verify(repairing: false).problems == [.misplacedRecord: 3])
        #expect(try await second.verify(repairing: true).repairs == [.misplacedRecord: 3])
        #expect(try await second.statistics().count == 0)
    }

    @Test func aDamagedRecordThatEvictionWouldNotFindIsRemovedToo() async throws {
        try await workspace.fill(.plain)
        try workspace.changeDatabase(
            """
            UPDATE records SET payload = zeroblob(length(payload)) WHERE id = (SELECT min(id) FROM records WHERE file IS NULL);
            DELETE FROM recency
            """
        )
        let store = try workspace.openAsTool()
        #expect(try await store.verify(repairing: true).repairs == [.damagedRecord: 1, .unqueuedRecord: 16])
        #expect(try await store.statistics().count == 16)
        #expect(try await store.verify(repairing: false).problems == [:])
    }

    @Test func aSequenceThatWouldBeUsedTwiceIsFoundAndMended() async throws {
        try await workspace.fill(.plain)
        let queue = try DatabaseQueue(path: workspace.databasePath)
        let sequence = try await queue.write { db in
            let stored = try #require(try StoredTotals(db))
            try StoredTotals(totals: stored.totals, sequence: 3).insert(into: db)
            return stored.sequence
        }
        try queue.close()
        let store = try workspace.openAsTool()
        #expect(try await store.verify(repairing: false).problems == [.wrongTotals: 1])
        #expect(try await store.verify(repairing: true).repairs == [.wrongTotals: 1])
        let mended = try await store.core.readElsewhere { session in
            try session.readers.withReader { reader in try reader.read { db in try StoredTotals(db)?.sequence } }
        }
        #expect(try #require(mended) >= sequence - 1)
        #expect(try await store.verify(repairing: false).problems == [:])
    }

    @Test func aFileThatIsBeingWrittenIsNoProblem() async throws {
        try await workspace.fill(.plain)
        let store = try workspace.openAsTool()
        let session = try store.core.session()
        let writer = try session.files.makeWriter(sealer: session.sealer(forFile: 5, of: 1, cipher: nil))
        try workspace.plant("temporary/0123456789abcdef")
        #expect(try await store.verify(repairing: false).problems == [.temporaryFile: 1])
        #expect(try await store.verify(repairing: true).repairs == [.temporaryFile: 1])
        let written = try writer.write(Data(count: 100), synchronizing: false)
        #expect(written.byteCount == 100)
        writer.cancel()
        #expect(try await store.verify(repairing: false).problems == [:])
    }

    @Test func aCancelledVerificationStopsAndSaysSo() async throws {
        try await workspace.fill(.plain)
        let store = try workspace.openAsTool()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await store.verify(repairing: true)
        }
        let report = try await task.value
        #expect(!report.isComplete)
        #expect(report.recordCount == 0)
    }

    @Test func progressIsToldAfterEachBatch() async throws {
        try await workspace.fill(.plain)
        let store = try workspace.openAsTool()
        let recorder = ProgressRecorder()
        _ = try await store.verify(repairing: false) { progress in recorder.add(progress) }
        #expect(recorder.all.last?.recordCount == 17)
        #expect(recorder.all.allSatisfy { $0.totalCount == 17 && $0.problemCount == 0 })
    }

    private final class ProgressRecorder: Sendable {
        private let recorded = Mutex<[DiskStore.VerificationProgress]>([])
        var all: [DiskStore.VerificationProgress] { recorded.withLock { $0 } }
        func add(_ progress: DiskStore.VerificationProgress) { recorded.withLock { $0.append(progress) } }
    }

    /// Fills a store, and overwrites the last pages of its database, which have records.
    private func makeDamagedDatabase() async throws {
        let store = try workspace.open()
        for number in 0..<100 { try await store.insert(workspace.record(String(repeating: "x", count: 1000)), forKey: RecordKey("\(number)")) }
        await store.close()
        var bytes = try workspace.databaseBytes()
        try #require(bytes.count / 4096 > 14)
        for page in 13..<bytes.count / 4096 { bytes.replaceSubrange(page * 4096 + 8..<page * 4096 + 600, with: Data(repeating: 0xEE, count: 592)) }
        try bytes.write(to: URL(fileURLWithPath: workspace.databasePath))
    }

    @Test func aToolIsToldThatTheDatabaseIsDamagedAndLeavesItInPlace() async throws {
        try await makeDamagedDatabase()
        let store = try workspace.openAsTool()
        for repairing in [false, true] {
            await #expect(store.code { store throws(StoreError) in _ = try await store.verify(repairing: repairing) } == .corrupt)
        }
        #expect(!(try FileManager.default.contentsOfDirectory(atPath: workspace.directory)).contains { $0.contains("corrupt") })
    }

    @Test func aStoreThatIsOpenedSetsADamagedDatabaseAside() async throws {
        try await makeDamagedDatabase()
        let store = try workspace.open()
        #expect(workspace.events.kinds == [.databaseSetAside])
        #expect((try FileManager.default.contentsOfDirectory(atPath: workspace.directory)).contains { $0.contains("corrupt") })
        try await store.insert(workspace.record(), forKey: "new")
        #expect(try await store.verify(repairing: false).problems == [:])
    }

    @Test func nothingIsFoundWhileOthersReadAndWrite() async throws {
        let seed = UInt64.random(in: .min ... .max)
        let stores = [try workspace.open(maximumCount: 150), try workspace.open(maximumCount: 150)]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, store) in stores.enumerated() {
                group.addTask { [workspace] in
                    var generator = SeededGenerator(seed: seed &+ UInt64(number))
                    for _ in 0..<250 {
                        let key = RecordKey("\(Int.random(in: 0..<200, using: &generator))")
                        switch Int.random(in: 0..<12, using: &generator) {
                        case 0: try await store.removeRecord(forKey: key)
                        case 1: try await store.removeRecords(taggedWith: "\(Int.random(in: 0..<5, using: &generator))")
                        case 2...4: _ = try await store.record(forKey: key)
                        default:
                            let text = String(repeating: "x", count: Int.random(in: 0..<4, using: &generator) * 20_000)
                            try await store.insert(workspace.record(text, tags: ["\(Int.random(in: 0..<5, using: &generator))"]), forKey: key)
                        }
                    }
                }
            }
            for round in 0..<6 {
                let report = try await stores[round % 2].verify(repairing: round % 3 == 2)
                #expect(report.isComplete)
                #expect(report.problems == [:], "seed \(seed), round \(round)")
            }
            try await group.waitForAll()
        }
        #expect(try await stores[0].verify(repairing: false).problems == [:], "seed \(seed)")
        #expect(try await stores[0].statistics().corruptions == 0)
    }
}
