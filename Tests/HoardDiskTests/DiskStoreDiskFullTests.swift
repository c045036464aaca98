// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import Testing

@testable import HoardDisk

/// SQLite reports a database that may not grow in the same way as a full disk.
@Suite struct DiskStoreDiskFullTests {
    private let workspace: Workspace

    init() throws {
        workspace = try Workspace()
    }

    private func large(_ byte: UInt8) -> Record {
        Record(payload: Data(repeating: byte, count: 1 << 20), created: ManualClock.start)
    }

    @Test func aFullDiskRefusesWritesServesReadsAndRecovers() async throws {
        let store = try workspace.open(keepsInline: true)
        try await store.insert(workspace.record("small"), forKey: "small")
        try store.limitPages(to: 20)

        for _ in 0..<3 {
            let record = large(1)
            #expect(await store.code { store throws(StoreError) in try await store.insert(record, forKey: "large") } == .full)
        }
        #expect(workspace.events.kinds == [.diskFull])
        #expect(try await store.record(forKey: "small")?.payload == Data("small".utf8))
        #expect(try await store.record(forKey: "large") == nil)
        #expect(try await store.statistics().count == 1)
        #expect(try await store.statistics().insertions == 1)
        #expect(try store.countedTotals().count == 1)

        try store.limitPages(to: 100_000)
        try await store.insert(large(2), forKey: "large")
        #expect(workspace.events.kinds == [.diskFull, .diskRecovered])
        #expect(try await store.record(forKey: "large") == large(2))
    }

    @Test func aFailedReplacementLeavesTheOldRecordWhole() async throws {
        let store = try workspace.open(keepsInline: true)
        let old = workspace.record("old", tags: ["tag"])
        try await store.insert(old, forKey: "key")
        try store.limitPages(to: 20)
        let record = large(1)
        #expect(await store.code { store throws(StoreError) in try await store.insert(record, forKey: "key") } == .full)
        #expect(try await store.peekRecord(forKey: "key") == old)
        #expect(try store.rowCount(of: "tags") == 1)
        #expect(try store.rowCount(of: "recency") == 1)
    }

    @Test func usesThatCouldNotBeWrittenAreNotForgotten() async throws {
        let store = try workspace.open(maximumCount: 2, keepsInline: true)
        try await store.insert(workspace.record(), forKey: "a")
        try await store.insert(workspace.record(), forKey: "b")
        try store.limitPages(to: 20)
        _ = try await store.record(forKey: "a")
        let record = large(1)
        #expect(await store.code { store throws(StoreError) in try await store.insert(record, forKey: "c") } == .full)
        try store.limitPages(to: 100_000)
        try await store.insert(workspace.record(), forKey: "c")
        #expect(try await store.peekRecord(forKey: "a") != nil)
        #expect(try await store.peekRecord(forKey: "b") == nil)
    }

    @Test func removingMakesRoom() async throws {
        let store = try workspace.open(keepsInline: true)
        try await store.insert(large(1), forKey: "a")
        try store.limitPages(to: 0)
        let record = large(2)
        #expect(await store.code { store throws(StoreError) in try await store.insert(record, forKey: "b") } == .full)
        try await store.removeRecord(forKey: "a")
        try await store.insert(large(2), forKey: "b")
        #expect(try await store.record(forKey: "b") == large(2))
    }
}
