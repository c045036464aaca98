// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import HoardTesting
import Testing

@testable import HoardDisk

/// Removal of partitions of a tiered cache in a disk store: for good, in the files too, and of nothing else.
@Suite(.timeLimit(.minutes(5))) struct CachePartitionTests {
    private let workspace: Workspace

    init() throws {
        workspace = try Workspace()
    }

    private func open(isEncrypted: Bool) throws -> DiskStore {
        try workspace.open {
            $0.encryptionKey = isEncrypted ? try .init(identifier: "main", bytes: Array(repeating: 7, count: 32)) : nil
            $0.compression = .none
        }
    }

    private func cache(_ store: any RecordStore, name: String? = nil) -> TieredCache<String, Data> {
        let configuration = TieredCache<String, Data>.Configuration(maximumCount: 100)
        // Time stands still, so that no call of the store takes too long, however slow the disk is.
        let time = ManualTicker()
        guard let name else {
            return TieredCache(configuration: configuration, stores: [store], codec: .bytes, clock: workspace.clock, ticker: time)
        }
        let stack = StoreStack([store], ticker: time)
        return TieredCache(name: name, configuration: configuration, stores: stack, codec: .bytes, clock: workspace.clock, ticker: time)
    }

    /// Short values go to the database, long ones to files of their own.
    private func value(_ owner: String, _ number: Int) -> Data {
        let text = "secret of \(owner) \(number) "
        return Data(String(repeating: text, count: number % 2 == 0 ? 1 : 10_000).utf8)
    }

    private func fill(_ cache: TieredCache<String, Data>) async {
        for owner in ["ann", "bob"] {
            for number in 0..<10 { await cache.insert(value(owner, number), forKey: "\(owner) \(number)", partition: owner) }
        }
        await cache.insert(value("nobody", 0), forKey: "nobody 0")
    }

    private func expectOnlyBobAndNobody(_ cache: TieredCache<String, Data>, sourceLocation: SourceLocation = #_sourceLocation) async {
        for number in 0..<10 {
            #expect(await cache.value(forKey: "ann \(number)") == nil, sourceLocation: sourceLocation)
            #expect(await cache.value(forKey: "bob \(number)") == value("bob", number), sourceLocation: sourceLocation)
        }
        #expect(await cache.value(forKey: "nobody 0") == value("nobody", 0), sourceLocation: sourceLocation)
    }

    private func keyFileCount() throws -> Int {
        try FileManager.default.subpathsOfDirectory(atPath: workspace.directory).count { $0.hasPrefix("keys/") }
    }

    @Test(arguments: [false, true], [nil, "users"])
    func removedPartitionIsGoneInMemoryOnTheDiskAndAfterARestart(isEncrypted: Bool, name: String?) async throws {
        let first = cache(try open(isEncrypted: isEncrypted), name: name)
        await fill(first)
        await first.flush()
        if isEncrypted { #expect(try keyFileCount() == 2) }
        await first.removePartition("ann")
        await expectOnlyBobAndNobody(first)
        if isEncrypted { #expect(try keyFileCount() == 1, "the key has been destroyed") }
        await first.close()
        let store = try open(isEncrypted: isEncrypted)
        let entries = try await store.entries(order: .key)
        #expect(entries.count == 11)
        let partition = { (owner: String) in name.map { "\($0)\u{0}\(owner)" } ?? owner }
        #expect(entries.count { $0.partition == partition("ann") } == 0)
        #expect(entries.count { $0.partition == partition("bob") } == 10)
        await expectOnlyBobAndNobody(cache(store, name: name))
        await store.close()
    }

    @Test func inspectionSeesThePartitionThatWasGiven() async throws {
        let store = try open(isEncrypted: false)
        let cache = cache(store)
        await fill(cache)
        var filter = DiskStore.EntryFilter.all
        filter.partition = "ann"
        #expect(try await store.entries(order: .key, matching: filter).count == 10)
        await cache.removePartition("ann")
        #expect(try await store.entries(order: .key, matching: filter).isEmpty)
        await cache.close()
    }

    /// Writes, loads and removals at once. After each removal, neither memory nor the disk may
    /// have a value that was there before it.
    @Test(arguments: [false, true]) func nothingComesBackWhileOthersWrite(isEncrypted: Bool) async throws {
        let store = try open(isEncrypted: isEncrypted)
        let cache = cache(store)
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<3 {
                group.addTask {
                    for round in 0..<60 {
                        let owner = ["ann", "bob"][(task + round) % 2]
                        if round % 3 == 0 {
                            _ = try? await cache.valueIfExists(forKey: "\(owner) \(round)") { _ in .value(value(owner, round), partition: owner) }
                        } else {
                            await cache.insert(value(owner, round), forKey: "\(owner) \(round)", partition: owner)
                        }
                        if round % 10 == task { await cache.removePartition("ann") }
                    }
                }
            }
        }
        await cache.removePartition("ann")
        let left = try await store.entries(order: .key)
        #expect(!left.contains { $0.partition == "ann" })
        #expect(left.contains { $0.partition == "bob" })
        for round in 0..<60 { #expect(await cache.value(forKey: "ann \(round)") == nil) }
        await cache.close()
        #expect(try await open(isEncrypted: isEncrypted).entries(order: .key).count == left.count)
    }
}
