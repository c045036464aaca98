// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import HoardTesting
import Testing

@testable import HoardDisk

/// Two caches, each with its own store on one directory. Two processes have them like this.
@Suite struct TieredCacheSharingTests {
    private let workspace: Workspace
    private let first, second: TieredCache<String, String>

    init() throws {
        let workspace = try Workspace()
        func cache() throws -> TieredCache<String, String> {
            let store = try workspace.open { $0.invalidationInterval = .milliseconds(1) }
            return TieredCache(
                configuration: .init(maximumCount: 100),
                stores: [store],
                codec: .string,
                clock: workspace.clock,
                ticker: ManualTicker()
            )
        }
        self.workspace = workspace
        first = try cache()
        second = try cache()
    }

    /// Waits until a cache has another value, or none, for a key. Until then memory serves the old value.
    private func becomes(_ value: String?, _ key: String, in cache: TieredCache<String, String>) async throws {
        try await waitUntil { await cache.value(forKey: key) == value }
    }

    @Test func whatOneCacheReplacesLeavesTheOthersMemory() async throws {
        await first.insert("1", forKey: "key")
        #expect(await second.value(forKey: "key") == "1")
        await first.insert("2", forKey: "key")
        try await becomes("2", "key", in: second)
        await second.insert("3", forKey: "key")
        try await becomes("3", "key", in: first)
        #expect(await second.value(forKey: "key") == "3")
    }

    @Test func whatOneCacheRemovesLeavesTheOthersMemory() async throws {
        await first.insert("1", forKey: "key")
        await first.insert("other", forKey: "other")
        #expect(await second.value(forKey: "key") == "1")
        #expect(await second.value(forKey: "other") == "other")
        await first.removeValue(forKey: "key")
        try await becomes(nil, "key", in: second)
        #expect(await second.value(forKey: "other") == "other")
        #expect(await first.value(forKey: "key") == nil)
    }

    @Test func removingEverythingLeavesTheOthersMemory() async throws {
        for number in 0..<20 { await first.insert("\(number)", forKey: "\(number)") }
        for number in 0..<20 { #expect(await second.value(forKey: "\(number)") == "\(number)") }
        await first.removeAll()
        for number in 0..<20 { try await becomes(nil, "\(number)", in: second) }
    }

    @Test func changesBehindTheCachesBacksLeaveTheirMemory() async throws {
        let store = try workspace.open()
        await first.insert("1", forKey: "a", tags: ["tag"])
        await first.insert("2", forKey: "b")
        #expect(await second.value(forKey: "a") == "1")
        #expect(await second.value(forKey: "b") == "2")
        try await store.removeRecords(taggedWith: "tag")
        try await becomes(nil, "a", in: first)
        try await becomes(nil, "a", in: second)
        #expect(await second.value(forKey: "b") == "2")
        try await store.removeRecord(forKey: "b")
        try await becomes(nil, "b", in: first)
        try await becomes(nil, "b", in: second)
    }
}
