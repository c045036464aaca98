// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import Testing

@testable import HoardDisk

/// Two stores on one directory, as two processes have them.
@Suite struct DiskStoreSharingTests {
    private let workspace: Workspace

    init() throws {
        workspace = try Workspace()
    }

    @Test func oneStoreSeesWhatTheOtherWrote() async throws {
        let first = try workspace.open()
        let second = try workspace.open()
        try await first.insert(workspace.record("1"), forKey: "key")
        #expect(try await second.record(forKey: "key")?.payload == Data("1".utf8))
        try await second.insert(workspace.record("2"), forKey: "key")
        #expect(try await first.record(forKey: "key")?.payload == Data("2".utf8))
        try await first.removeAll()
        #expect(try await second.record(forKey: "key") == nil)
    }

    @Test func whatAnotherMayHaveWrittenIsNotKnownToBeAbsent() async throws {
        let first = try workspace.open()
        let second = try workspace.open()
        #expect(first.isKnownAbsent("key") && second.isKnownAbsent("key"))
        try await first.insert(workspace.record("1"), forKey: "key")
        #expect(!first.isKnownAbsent("key") && !second.isKnownAbsent("key"))
        // The second store has not yet looked at the changes of the first.
        #expect(!second.isKnownAbsent("other"))
        #expect(try await second.record(forKey: "other") == nil)
        #expect(second.isKnownAbsent("other") && !second.isKnownAbsent("key"))
        try await second.removeRecord(forKey: "key")
        #expect(second.isKnownAbsent("key") && !first.isKnownAbsent("key"))
    }

    @Test func limitsHoldForBothTogether() async throws {
        let first = try workspace.open(maximumCount: 4)
        let second = try workspace.open(maximumCount: 4)
        for number in 0..<20 {
            try await (number.isMultiple(of: 2) ? first : second).insert(workspace.record(), forKey: RecordKey("\(number)"))
            #expect(try await first.statistics().count == min(number + 1, 4))
            #expect(try await second.statistics().count == min(number + 1, 4))
        }
        #expect(try first.countedTotals().count == 4)
    }

    @Test func whatOneStoreHasJustWrittenStaysThoughTheOthersUsesAreLater() async throws {
        let first = try workspace.open(maximumCount: 1)
        let second = try workspace.open(maximumCount: 1)
        // The recency of the second store runs ahead of the clock.
        for _ in 0..<50 { try await second.insert(workspace.record(), forKey: "theirs") }
        try await first.insert(workspace.record(), forKey: "ours")
        #expect(try await first.record(forKey: "ours") != nil)
        #expect(try await second.record(forKey: "theirs") == nil)
    }

    @Test func writingAtOnceKeepsTheTotalsRight() async throws {
        let stores = [try workspace.open(maximumCount: 50), try workspace.open(maximumCount: 50), try workspace.open(maximumCount: 50)]
        let record = workspace.record(String(repeating: "x", count: 500), tags: ["tag"])
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, store) in stores.enumerated() {
                group.addTask {
                    for number in 0..<100 {
                        let key = RecordKey("\((number * 7 + index * 13) % 80)")
                        try await store.insert(record, forKey: key)
                        if number.isMultiple(of: 5) { try await store.removeRecord(forKey: key) }
                        if let found = try await store.record(forKey: key) { #expect(found.payload == record.payload) }
                    }
                }
            }
            try await group.waitForAll()
        }
        let statistics = try await stores[0].statistics()
        #expect(statistics.count <= 50)
        #expect(try stores[1].countedTotals() == RecordTotals(count: statistics.count, bytes: statistics.bytes))
        #expect(try stores[2].rowCount(of: "tags") == statistics.count)
        #expect(try stores[0].text("PRAGMA integrity_check") == "ok")
    }

    @Test func storesThatAreOpenedAtOnceCreateOneDatabase() async throws {
        let configuration = workspace.configuration()
        let stores = try await withThrowingTaskGroup(of: DiskStore.self) { group in
            for _ in 0..<6 { group.addTask { try DiskStore(configuration: configuration) } }
            return try await group.reduce(into: [DiskStore]()) { $0.append($1) }
        }
        try await stores[0].insert(workspace.record(), forKey: "key")
        for store in stores { #expect(try await store.record(forKey: "key") != nil) }
        #expect(workspace.events.events.isEmpty)
    }

    @Test func closingOneStoreLeavesTheOtherOpen() async throws {
        let first = try workspace.open()
        let second = try workspace.open()
        try await first.insert(workspace.record(), forKey: "key")
        await first.close()
        #expect(try await second.record(forKey: "key") != nil)
        try await second.insert(workspace.record(), forKey: "other")
        #expect(try await workspace.open().record(forKey: "other") != nil)
    }
}
