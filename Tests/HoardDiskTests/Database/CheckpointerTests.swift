// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import GRDB
import Hoard
import Testing

@testable import HoardDisk

@Suite struct CheckpointerTests {
    private let workspace: Workspace

    init() throws {
        workspace = try Workspace()
    }

    private func fill(_ store: DiskStore) async throws {
        for number in 0..<400 { try await store.insert(workspace.record(String(repeating: "x", count: 4_000)), forKey: RecordKey("\(number)")) }
    }

    @Test func theLogIsEmptiedInAPause() async throws {
        let store = try workspace.open(keepsInline: true)
        try await fill(store)
        #expect(try await store.core.readElsewhere { session in session.checkpointer.emptyInPause() })
        #expect(try await store.storageUse().logByteCount == 0)
        #expect(try await store.record(forKey: "399")?.payload.count == 4_000)
        try await store.insert(workspace.record("later"), forKey: "later")
        await store.close()
        #expect(try await workspace.open().entries(limit: .max).count == 401)
    }

    @Test func aProcessThatReadsIsNotWaitedFor() async throws {
        let store = try workspace.open(keepsInline: true)
        try await fill(store)
        let reader = try workspace.beginReading()
        try await store.insert(workspace.record("behind what is read"), forKey: "later")
        #expect(try await !store.core.readElsewhere { session in session.checkpointer.emptyInPause() })
        #expect(try await store.storageUse().logByteCount > 0)
        try reader.inDatabase { db in try db.execute(sql: "COMMIT") }
        #expect(try await store.core.readElsewhere { session in session.checkpointer.emptyInPause() })
        #expect(try await store.storageUse().logByteCount == 0)
    }

    @Test func theLogOfASmallStoreStaysShort() async throws {
        let store = try workspace.open(keepsInline: true)
        for batch in 0..<80 {
            let records = (0..<100).map { (RecordKey("\(batch) \($0)"), workspace.record(String(repeating: "x", count: 500))) }
            try await store.insert(Dictionary(uniqueKeysWithValues: records))
        }
        let use = try await store.storageUse()
        // 8,000 records take less than 8 MiB. Writing waits for the copying at 16 MiB, and one more batch may follow.
        #expect(use.databaseByteCount < 8 << 20)
        #expect(use.logByteCount < 18 << 20)
        await store.close()
    }

    @Test func theLengthAtWhichTheLogIsCopiedGrowsWithTheStore() {
        #expect(Checkpointer.frameCount(maximumBytes: nil, pageCount: 0) == 1_000)
        #expect(Checkpointer.frameCount(maximumBytes: nil, pageCount: 5_000) == 2_500)
        #expect(Checkpointer.frameCount(maximumBytes: nil, pageCount: 1_000_000) == 8_000)
        #expect(Checkpointer.frameCount(maximumBytes: 64 << 20, pageCount: 1_000_000) == 2_048)
    }
}
