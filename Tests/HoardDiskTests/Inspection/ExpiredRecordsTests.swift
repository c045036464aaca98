// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import Testing

@testable import HoardDisk

@Suite struct ExpiredRecordsTests {
    private let workspace: Workspace

    init() throws {
        workspace = try Workspace()
    }

    @Test func allThatHaveExpiredAreRemovedAndNothingElse() async throws {
        let store = try workspace.open()
        for number in 0..<300 {
            var record = workspace.record(String(repeating: "x", count: number == 7 ? 50_000 : 10))
            if number < 280 { record.staleUntil = workspace.clock.now() + Double(number < 270 ? 5 : 50) }
            try await store.insert(record, forKey: RecordKey("\(number)"))
        }
        #expect(try await store.removeExpiredRecords() == 0)
        workspace.clock.advance(by: 5)
        #expect(try await store.removeExpiredRecords() == 270)
        #expect(try await store.statistics().count == 30)
        #expect(try await store.statistics().expirations == 270)
        await store.core.elsewhere { store.core.finishHousekeeping() }
        #expect(try workspace.payloadPaths().isEmpty)
        #expect(try await store.verify(repairing: false).problems == [:])
    }

    @Test func aClosedStoreRefuses() async throws {
        let store = try workspace.open()
        await store.close()
        await #expect(store.code { store throws(StoreError) in _ = try await store.removeExpiredRecords() } == .closed)
    }
}
