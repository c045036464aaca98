// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import Testing

@testable import HoardDisk

@Suite struct CompactionTests {
    private let workspace: Workspace

    init() throws {
        workspace = try Workspace()
    }

    @Test(arguments: [StoreKind.plain, .encrypted]) func spaceIsGivenBackAndRecordsStay(kind: StoreKind) async throws {
        var configuration = workspace.configuration()
        configuration.encryptionKey = kind.key
        let store = try DiskStore(configuration: configuration)
        for number in 0..<200 {
            try await store.insert(workspace.record(String(repeating: "x", count: 20_000)), forKey: RecordKey("\(number)"))
        }
        for number in 0..<40 { try await store.removeRecord(forKey: RecordKey("\(number)")) }
        try workspace.plant("ab/abcdef0123456789-0123456789abcdef")
        let report = try await store.compact()
        // The length of the log before the compaction depends on the time at which it was last emptied.
        #expect(report.byteCountBefore > report.byteCountAfter)
        #expect(report.byteCountAfter < 160 * 20_000 * 4 / 3)
        let use = try await store.storageUse()
        #expect(use.totalByteCount == report.byteCountAfter)
        #expect(use.freePageCount == 0)
        #expect(use.logByteCount == 0)
        #expect(use.orphanCount == 0)
        #expect(try await store.entries(limit: .max).count == 160)
        #expect(try await store.record(forKey: "40")?.payload.count == 20_000)
        #expect(try await store.verify(repairing: false).problems == [:])
    }

    @Test func meaninglessRowsLeaveTheQueueAndTheOrderStays() async throws {
        let store = try workspace.open()
        for number in 0..<20 { try await store.insert(workspace.record(), forKey: RecordKey("\(number)")) }
        for round in 0..<5 {
            for number in [3, 7, 11] {
                workspace.clock.advance(by: 1)
                _ = try await store.record(forKey: RecordKey("\(number)"))
            }
            try await store.insert(workspace.record("\(round)"), forKey: "0")
        }
        let before = try await store.entries()
        _ = try await store.compact()
        let rowCount = try await store.core.storedStamps().stamps.count
        let rows = try await store.core.readElsewhere { session in try session.recencyRows(after: .min, limit: 1000).count }
        #expect(rows == 20)
        #expect(rowCount == 20)
        #expect(try await store.entries() == before)
        await store.close()
        #expect(try await workspace.open().entries() == before)
    }

    @Test func evictionAfterCompactionTakesTheLeastRecentlyUsed() async throws {
        let store = try workspace.open(maximumCount: 5)
        for name in ["a", "b", "c", "d", "e"] { try await store.insert(workspace.record(), forKey: RecordKey(name)) }
        for name in ["a", "c", "e"] { _ = try await store.record(forKey: RecordKey(name)) }
        _ = try await store.compact()
        for name in ["x", "y"] { try await store.insert(workspace.record(), forKey: RecordKey(name)) }
        #expect(Set(try await store.entries().map(\.key)) == ["a", "c", "e", "x", "y"])
    }

    @Test func recordsThatHaveGoneWithATagAreSwept() async throws {
        try await workspace.fill(.plain)
        try workspace.changeDatabase("INSERT INTO invalidations SELECT tag, (SELECT sequence FROM totals) FROM tags GROUP BY tag HAVING COUNT(*) = 4")
        let store = try workspace.openAsTool()
        #expect(try await store.storageUse().recordCount == 17)
        _ = try await store.compact()
        let use = try await store.storageUse()
        #expect(use.recordCount == 13)
        #expect(use.unsweptInvalidationCount == 0)
        #expect(try await store.verify(repairing: false).problems == [:])
    }

    @Test func anEmptyStoreIsCompactedToo() async throws {
        let store = try workspace.open()
        let report = try await store.compact()
        #expect(report.byteCountAfter <= report.byteCountBefore)
        await store.close()
        await #expect(store.code { store throws(StoreError) in _ = try await store.compact() } == .closed)
    }
}
