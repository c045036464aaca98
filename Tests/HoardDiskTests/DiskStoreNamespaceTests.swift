// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import HoardTesting
import Testing

@testable import HoardDisk

/// Several caches with names over one store on disk.
@Suite(.timeLimit(.minutes(5))) struct DiskStoreNamespaceTests {
    private let workspace: Workspace
    private let time: ManualTicker

    init() throws {
        workspace = try Workspace()
        time = ManualTicker(date: workspace.clock.now())
    }

    private func makeCache(_ name: String, _ stack: StoreStack) -> TieredCache<String, Int> {
        TieredCache(name: name, configuration: .init(maximumCount: 1_000), stores: stack, codec: .json, clock: time, ticker: time)
    }

    /// Each transaction that changes something leaves one list of changes.
    private func transactions(_ store: DiskStore) throws -> Int { try store.rowCount(of: "changes") }

    private func values(_ factor: Int) -> [String: Int] { Dictionary(uniqueKeysWithValues: (0..<200).map { ("\($0)", $0 * factor) }) }

    @Test func cachesShareAStoreAcrossReopeningAndOneIsRemovedByOneCommit() async throws {
        do {
            let store = try workspace.open()
            let stack = StoreStack([store], ticker: time)
            let (users, teams) = (makeCache("users", stack), makeCache("teams", stack))
            await users.insert(contentsOf: values(1), tags: ["t"])
            await teams.insert(contentsOf: values(-1), tags: ["t"])
            #expect(try transactions(store) == 2)
            #expect(try await store.statistics().count == 400)
            await stack.close()
        }
        let store = try workspace.open()
        let stack = StoreStack([store], ticker: time)
        let (users, teams) = (makeCache("users", stack), makeCache("teams", stack))
        let keys = values(1).keys
        #expect(await users.values(forKeys: keys) == values(1))
        #expect(await teams.values(forKeys: keys) == values(-1))
        #expect(await users.lookup(forKey: "7")?.tags == ["t"])

        let before = try transactions(store)
        await users.removeAll()
        #expect(try transactions(store) == before + 1)
        #expect(await users.values(forKeys: keys).isEmpty)
        #expect(await teams.values(forKeys: keys) == values(-1))

        await teams.removeValues(taggedWith: "nobody's")
        await users.insert(contentsOf: values(2), tags: ["t"])
        await users.removeValues(taggedWith: "t")
        await stack.removeNamespace("nobody")
        await stack.close()

        let last = try workspace.open()
        let lastStack = StoreStack([last], ticker: time)
        #expect(await makeCache("users", lastStack).values(forKeys: keys).isEmpty)
        #expect(await makeCache("teams", lastStack).values(forKeys: keys) == values(-1))
        await lastStack.removeNamespace("teams")
        #expect(await makeCache("teams", lastStack).values(forKeys: keys).isEmpty)
        await lastStack.close()
    }

    @Test func markingOneStaleIsOneCommitAndLastsAcrossReopening() async throws {
        do {
            let store = try workspace.open()
            let stack = StoreStack([store], ticker: time)
            let (users, teams) = (makeCache("users", stack), makeCache("teams", stack))
            await users.insert(contentsOf: values(1))
            await teams.insert(contentsOf: values(-1))
            await users.markAllStale()
            #expect(try transactions(store) == 3)
            await stack.close()
        }
        let stack = StoreStack([try workspace.open()], ticker: time)
        let (users, teams) = (makeCache("users", stack), makeCache("teams", stack))
        #expect(await users.values(forKeys: values(1).keys).isEmpty)
        #expect(await users.lookups(forKeys: values(1).keys).mapValues(\.value) == values(1), "kept for as long as they would have been")
        #expect(await teams.values(forKeys: values(1).keys) == values(-1))
        await stack.close()
    }
}
