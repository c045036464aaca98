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
        var options = GRDB.Configuration()
        options.allowsUnsafeTransactions = true
        let reader = try DatabaseQueue(path: workspace.databasePath, configuration: options)
        try reader.inDatabase { db in
            try db.execute(sql: "BEGIN")
            _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM records")
        }
        try await store.insert(workspace.record("behind what is read"), forKey: "later")
        #expect(try await !store.core.readElsewhere { session in session.checkpointer.emptyInPause() })
        #expect(try await store.storageUse().logByteCount > 0)
        try reader.inDatabase { db in try db.execute(sql: "COMMIT") }
        #expect(try await store.core.readElsewhere { session in session.checkpointer.emptyInPause() })
        #expect(try await store.storageUse().logByteCount == 0)
    }
}
