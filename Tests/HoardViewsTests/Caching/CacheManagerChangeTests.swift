// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import HoardDisk
import HoardTesting
import Synchronization
import Testing

@testable import HoardViews

/// Additions, replacements and removals, and the references that leave to make room.
@Suite(.timeLimit(.minutes(5))) struct CacheManagerChangeTests {
    private let workspace = CachingWorkspace()
    private var time: ManualTicker { workspace.time }

    private func managers(_ store: any EvictingRecordStore, _ configuration: CacheManager.Configuration = .init()) -> (CacheManager, CacheManager) {
        (
            workspace.manager(store, configuration),
            workspace.manager(store, .init(memoryMaximumCapacity: 0, diskMaximumCapacity: configuration.diskMaximumCapacity))
        )
    }

    @Test(arguments: CachingWorkspace.Kind.allCases)
    func laterReferenceReplacesTheEarlierOneInEveryTier(_ kind: CachingWorkspace.Kind) async throws {
        let store = try workspace.store(kind)
        let (manager, onDisk) = managers(store)
        await manager.addToCache(workspace.reference("a", "old", maxAge: 5, partition: "p"))
        time.advance(by: .seconds(1))
        let new = workspace.reference("a", "new", hash: "2")
        await manager.addToCache(new)
        #expect(await manager.getReference(identifiedBy: "a") == new)
        #expect(await onDisk.getReference(identifiedBy: "a") == new)
        await store.close()
    }

    @Test(arguments: CachingWorkspace.Kind.allCases)
    func removedReferenceIsGoneFromEveryTier(_ kind: CachingWorkspace.Kind) async throws {
        let store = try workspace.store(kind)
        let (manager, onDisk) = managers(store)
        for identifier in ["a", "b"] { await manager.addToCache(workspace.reference(identifier)) }
        await manager.removeReference(identifiedBy: "a")
        await manager.removeReference(identifiedBy: "nothing")
        for manager in [manager, onDisk] {
            #expect(await manager.getReference(identifiedBy: "a") == nil)
            #expect(await manager.getReference(identifiedBy: "b") != nil)
        }
        await store.close()
    }

    @Test(arguments: CachingWorkspace.Kind.allCases)
    func removedPartitionIsGoneFromEveryTierAndNoOtherIs(_ kind: CachingWorkspace.Kind) async throws {
        let store = try workspace.store(kind)
        let (manager, onDisk) = managers(store)
        let other = workspace.manager(store, .init(memoryMaximumCapacity: 0), namespace: "others")
        await other.addToCache(workspace.reference("a", partition: "alice"))
        for (identifier, partition) in [("a", "alice"), ("b", "bob"), ("c", nil), ("d", "alice")] {
            await manager.addToCache(workspace.reference(identifier, partition: partition))
        }
        await manager.addToCache(workspace.reference("s", partition: "alice", isSensitive: true))
        await manager.removePartition("alice")
        for manager in [manager, onDisk] {
            for identifier in ["a", "d", "s"] { #expect(await manager.getReference(identifiedBy: identifier) == nil) }
            for identifier in ["b", "c"] { #expect(await manager.getReference(identifiedBy: identifier) != nil) }
        }
        #expect(await other.getReference(identifiedBy: "a") != nil, "another namespace's partition of the same name")
        #expect(await workspace.diskManager(store).numberOfReferences() == 2)
        // A reference that is added afterwards is found.
        await manager.addToCache(workspace.reference("a", "again", partition: "alice"))
        #expect(await manager.getReference(identifiedBy: "a")?.data == Data("again".utf8))
        #expect(await onDisk.getReference(identifiedBy: "a")?.data == Data("again".utf8))
        await store.close()
    }

    @Test func removalOfAPartitionAsksTheStoreOnceHoweverManyReferencesThereAre() async throws {
        let store = FaultyStore(MemoryStore(clock: time))
        let manager = workspace.manager(store, .init(memoryMaximumCapacity: 1_000, diskMaximumCapacity: 1_000))
        for number in 0..<500 { await manager.addToCache(workspace.reference("\(number)", partition: "alice")) }
        let before = FaultyStore.Operation.all.map { store.callCount($0) }.reduce(0, +)
        await manager.removePartition("alice")
        #expect(FaultyStore.Operation.all.map { store.callCount($0) }.reduce(0, +) == before + 1)
        #expect(store.callCount(.removePartition) == 1)
        #expect(manager.statistics.memoryCount == 500, "touched when they are read, or evicted")
        for number in 0..<500 { #expect(await manager.getReference(identifiedBy: "\(number)") == nil) }
        #expect(manager.statistics.memoryCount == 0)
    }

    @Test func removalsOfMorePartitionsThanAreRememberedKeepNothing() async {
        let manager = workspace.manager(nil, .init(memoryMaximumCapacity: 10_000))
        let count = CacheManager.State.maximumPartitionRemovalCount * 2 + 10
        for number in 0..<count { await manager.addToCache(workspace.reference("\(number)", partition: "\(number)")) }
        for number in 0..<count {
            await manager.removePartition("\(number)")
            #expect(manager.state.withLock { $0.partitionRemovals.count } <= CacheManager.State.maximumPartitionRemovalCount)
            #expect(await manager.getReference(identifiedBy: "\(number)") == nil)
        }
    }

    @Test(arguments: CachingWorkspace.Kind.allCases)
    func clearingForgetsAllReferencesAndNobodyElsesRecords(_ kind: CachingWorkspace.Kind) async throws {
        let store = try workspace.store(kind)
        let (manager, onDisk) = managers(store)
        let foreign = Record(payload: Data("x".utf8), created: time.now(), staleUntil: .forever, tags: ["views"])
        try await store.insert(foreign, forKey: "foreign")
        for number in 0..<20 { await manager.addToCache(workspace.reference("\(number)")) }
        await manager.clear()
        for number in 0..<20 {
            #expect(await manager.getReference(identifiedBy: "\(number)") == nil)
            #expect(await onDisk.getReference(identifiedBy: "\(number)") == nil)
        }
        #expect(try await store.record(forKey: "foreign") != nil)
        #expect(manager.statistics.memoryCount == 0)
        await store.close()
    }

    // MARK: Sensitive references

    @Test(arguments: [CachingWorkspace.Kind.disk, .behind])
    func sensitiveReferenceNeverReachesTheDisk(_ kind: CachingWorkspace.Kind) async throws {
        let store = try workspace.disk(kind)
        let manager = workspace.manager(store)
        let reference = workspace.reference("account", "SECRET-BALANCE", hash: "SECRET-HASH", partition: "SECRET-USER", isSensitive: true)
        await manager.addToCache(reference)
        await manager.addToCache(workspace.reference("public", "PUBLIC-TEXT"))
        for _ in 0..<3 { #expect(await manager.getReference(identifiedBy: "account") == reference) }
        await manager.saveChanges()
        #expect(await workspace.diskManager(store).numberOfReferences() == 1)
        await store.close()
        let bytes = try workspace.bytesOnDisk()
        #expect(bytes.range(of: Data("PUBLIC-TEXT".utf8)) != nil)
        for secret in ["SECRET-BALANCE", "SECRET-HASH", "SECRET-USER", "account"] { #expect(bytes.range(of: Data(secret.utf8)) == nil) }
        let restarted = workspace.manager(try workspace.disk(kind))
        #expect(await restarted.getReference(identifiedBy: "account") == nil)
        #expect(await restarted.getReference(identifiedBy: "public") != nil)
    }

    @Test(arguments: CachingWorkspace.Kind.allCases)
    func sensitiveReferenceRemovesTheOlderOneFromTheDisk(_ kind: CachingWorkspace.Kind) async throws {
        let store = try workspace.store(kind)
        let (manager, onDisk) = managers(store)
        await manager.addToCache(workspace.reference("a", "public"))
        await manager.addToCache(workspace.reference("a", "secret", isSensitive: true))
        #expect(await manager.getReference(identifiedBy: "a")?.data == Data("secret".utf8))
        #expect(await onDisk.getReference(identifiedBy: "a") == nil)
        // A reference for which memory has no room is not kept at all, and the older one is gone all the same.
        let tiny = workspace.manager(store, .init(memoryMaximumBytes: 10))
        await tiny.addToCache(workspace.reference("b", "public"))
        await tiny.addToCache(workspace.reference("b", "secret", isSensitive: true))
        #expect(await tiny.getReference(identifiedBy: "b") == nil)
        // Once it is public again, it is stored again.
        await manager.addToCache(workspace.reference("a", "public again"))
        #expect(await onDisk.getReference(identifiedBy: "a")?.data == Data("public again".utf8))
        await store.close()
    }

    // MARK: Capacities

    @Test(arguments: CachingWorkspace.Kind.allCases)
    func diskCapacityHoldsAfterEveryAdditionAndTheLeastRecentlyUsedLeave(_ kind: CachingWorkspace.Kind) async throws {
        let store = try workspace.store(kind)
        let manager = workspace.manager(store, .init(memoryMaximumCapacity: 0, diskMaximumCapacity: 10))
        let disk = workspace.diskManager(store)
        for number in 0..<40 {
            await manager.addToCache(workspace.reference("\(number)"))
            #expect(await disk.numberOfReferences() == min(number + 1, 10))
            #expect(await manager.getReference(identifiedBy: "0") != nil, "what is used stays")
            time.advance(by: .seconds(1))
        }
        for number in 1..<40 { #expect((await manager.getReference(identifiedBy: "\(number)") != nil) == (number > 30), "\(number)") }
        await store.close()
    }

    @Test(arguments: CachingWorkspace.Kind.allCases)
    func diskCapacityIsForItsOwnReferencesInASharedStore(_ kind: CachingWorkspace.Kind) async throws {
        let store = try workspace.store(kind)
        for number in 0..<20 {
            try await store.insert(Record(payload: Data(), created: time.now(), staleUntil: .forever), forKey: RecordKey("foreign \(number)"))
        }
        let first = workspace.manager(store, .init(diskMaximumCapacity: 5), namespace: "first")
        let second = workspace.manager(store, .init(diskMaximumCapacity: 7), namespace: "second")
        for number in 0..<20 {
            await first.addToCache(workspace.reference("\(number)"))
            await second.addToCache(workspace.reference("\(number)"))
        }
        #expect(await workspace.diskManager(store, namespace: "first").numberOfReferences() == 5)
        #expect(await workspace.diskManager(store, namespace: "second").numberOfReferences() == 7)
        for number in 0..<20 { #expect(try await store.record(forKey: RecordKey("foreign \(number)")) != nil) }
        await store.close()
    }

    @Test func lowerCapacityHoldsFromTheFirstReadOn() async throws {
        let store = try workspace.disk()
        let before = workspace.manager(store)
        for number in 0..<20 { await before.addToCache(workspace.reference("\(number)")) }
        let after = workspace.manager(store, .init(diskMaximumCapacity: 3))
        #expect(await after.getReference(identifiedBy: "19") != nil)
        #expect(await workspace.diskManager(store).numberOfReferences() == 3)
        #expect(await after.getReference(identifiedBy: "16") == nil)
        await store.close()
    }

    @Test func diskOfNoCapacityGetsNothing() async throws {
        let store = FaultyStore(MemoryStore(clock: time))
        let manager = workspace.manager(store, .init(diskMaximumCapacity: 0))
        await manager.addToCache(workspace.reference("a"))
        #expect(await manager.getReference(identifiedBy: "a") != nil)
        #expect(store.callCount(.insert) == 0)
    }

    @Test func memoryCapacitiesHoldAndWhatLeavesIsReadFromTheDisk() async throws {
        let store = try workspace.disk()
        let text = String(repeating: "x", count: 1_000)
        let manager = workspace.manager(store, .init(memoryMaximumCapacity: 5, memoryMaximumBytes: 4_000))
        for number in 0..<30 {
            await manager.addToCache(workspace.reference("\(number)", text))
            #expect(await manager.getReference(identifiedBy: "\(number)") != nil)
            let statistics = manager.statistics
            #expect(statistics.memoryCount <= 5 && statistics.memoryBytes <= 4_000)
        }
        for number in 0..<30 { #expect(await manager.getReference(identifiedBy: "\(number)")?.data == Data(text.utf8)) }
        #expect(manager.statistics.diskHits >= 25)
        #expect(manager.statistics.memoryCount > 0)
        await store.close()
    }

    @Test func referenceInMemoryIsChargedForItsDataIdentifierHashAndOverhead() async {
        let manager = workspace.manager(nil)
        await manager.addToCache(workspace.reference("12345", "1234567", hash: "é"))
        #expect(manager.statistics.memoryBytes == 5 + 7 + 2 + CacheManager.overheadBytesPerReference)
    }

    @Test func managerWithoutADiskKeepsReferencesInMemory() async {
        let manager = workspace.manager(nil)
        let reference = workspace.reference("a")
        await manager.addToCache(reference)
        #expect(await manager.getReference(identifiedBy: "a") == reference)
        await manager.saveChanges()
        await manager.removeReference(identifiedBy: "a")
        #expect(await manager.getReference(identifiedBy: "a") == nil)
    }

    @Test func diskManagerOfOnesOwnIsUsed() async {
        let disk = PlainDiskManager()
        let manager = CacheManager(configuration: .init(memoryMaximumCapacity: 2, diskMaximumCapacity: 3), disk: disk, clock: time)
        for identifier in ["a", "b", "c"] { await manager.addToCache(workspace.reference(identifier)) }
        #expect(await manager.getReference(identifiedBy: "a") != nil)
        await manager.addToCache(workspace.reference("d"))
        #expect(disk.identifiers == ["c", "a", "d"])
        await manager.addToCache(workspace.reference("d", isSensitive: true))
        #expect(disk.identifiers == ["c", "a"])
        await manager.saveChanges()
        #expect(disk.saveCount == 1)
        await manager.clear()
        #expect(disk.identifiers.isEmpty)
    }
}
