// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import HoardTesting
import Testing

@testable import HoardDisk

@Suite(.timeLimit(.minutes(5))) struct DiskStoreResizingTests {
    private let workspace: Workspace

    init() throws { workspace = try Workspace() }

    private func fill(_ store: DiskStore, _ numbers: Range<Int>) async throws {
        for number in numbers {
            workspace.clock.advance(by: 1)
            try await store.insert(workspace.record(), forKey: RecordKey("\(number)"))
        }
    }

    @Test func theRecordsThatWereUsedLeastRecentlyLeave() async throws {
        let store = try workspace.open()
        try await fill(store, 0..<100)
        let all = try await store.statistics()
        try await store.setMaximumBytes(all.bytes / 4)
        let left = try await store.statistics()
        #expect(left.bytes <= all.bytes / 4 && left.count >= 20 && left.maximumBytes == all.bytes / 4)
        #expect(left.evictions == 100 - left.count)
        #expect(try await store.record(forKey: "99") != nil)
        #expect(try await store.record(forKey: "0") == nil)
        await store.close()
    }

    @Test func moreRoomIsUsed() async throws {
        let store = try workspace.open(maximumBytes: 10_000)
        try await fill(store, 0..<100)
        let before = try await store.statistics()
        #expect(before.evictions > 0)
        try await store.setMaximumBytes(1 << 20)
        try await fill(store, 100..<200)
        let after = try await store.statistics()
        #expect(after.evictions == before.evictions && after.count == before.count + 100)
        try await store.setMaximumBytes(nil)
        #expect(try await store.statistics().maximumBytes == nil)
        await store.close()
    }

    @Test func ofSeveralCallsTheLastDecides() async throws {
        let store = try workspace.open()
        try await fill(store, 0..<200)
        let core = store.core
        let wanted = core.wantMaximumBytes(0)
        try await store.setMaximumBytes(1 << 20)
        // The work of the first call goes on.
        #expect(!core.approachLimits(wanted, by: wanted))
        #expect(try await store.statistics().count == 200 && core.limits.maximumBytes == 1 << 20)
        await store.close()
    }

    @Test func everythingCanLeave() async throws {
        var configuration = workspace.configuration(maximumBytes: 1 << 30)
        configuration.writeMode = .behind
        let store = try DiskStore(configuration: configuration)
        for number in 0..<6_000 { try await store.insert(workspace.record(), forKey: RecordKey("\(number)")) }
        await store.flush()
        try await store.setMaximumBytes(-5)
        let left = try await store.statistics()
        #expect(left.count == 0 && left.bytes == 0 && left.maximumBytes == 0)
        // The store refuses a record that it can never keep.
        await #expect(throws: StoreError.self) { try await store.insert(workspace.record(), forKey: "x") }
        await store.close()
    }

    @Test func aClosedStoreSaysSo() async throws {
        let store = try workspace.open()
        await store.close()
        let error = await #expect(throws: StoreError.self) { try await store.setMaximumBytes(1) }
        #expect(error?.code == .closed)
    }
}
