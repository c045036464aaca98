// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import Testing

@testable import HoardDisk

@Suite struct DiskStoreExpirationTests {
    private let workspace: Workspace

    init() throws {
        workspace = try Workspace()
    }

    @Test func aRecordIsAMissOnceItsTimeHasPassedAndIsRemovedThen() async throws {
        let store = try workspace.open()
        try await store.insert(workspace.record(freshFor: 60), forKey: "key")
        workspace.clock.advance(by: 59.999_999)
        #expect(try await store.record(forKey: "key") != nil)
        workspace.clock.advance(by: 0.000_001)
        #expect(try await store.peekRecord(forKey: "key") == nil)
        #expect(try await store.statistics().count == 1)
        #expect(try await store.record(forKey: "key") == nil)
        let statistics = try await store.statistics()
        #expect(statistics.count == 0)
        #expect(statistics.expirations == 1)
        #expect(statistics.misses == 1)
        #expect(statistics.hits == 1)
    }

    @Test func aStaleRecordIsFoundUntilItsStaleTimeEnds() async throws {
        let store = try workspace.open()
        let record = Record(
            payload: Data([1]),
            created: ManualClock.start,
            freshUntil: ManualClock.start + 10,
            staleUntil: .date(ManualClock.start + 20)
        )
        try await store.insert(record, forKey: "key")
        workspace.clock.advance(by: 15)
        #expect(try await store.record(forKey: "key")?.isFresh(at: workspace.clock.now()) == false)
        workspace.clock.advance(by: 5)
        #expect(try await store.record(forKey: "key") == nil)
    }

    @Test func aRecordThatHasExpiredIsNotRevivedByReopening() async throws {
        let store = try workspace.open()
        try await store.insert(workspace.record(freshFor: 60), forKey: "key")
        await store.close()
        workspace.clock.advance(by: 60)
        #expect(try await workspace.open().record(forKey: "key") == nil)
    }

    @Test func aRecordThatWasRenewedMeanwhileIsNotRemoved() async throws {
        let store = try workspace.open()
        try await store.insert(workspace.record(), forKey: "key")
        try await store.core.commit(.removeUnusable("key", damagedFile: nil))
        #expect(try await store.statistics().expirations == 0)
        #expect(try await store.record(forKey: "key") != nil)
    }
}
