// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import HoardDisk
import HoardTesting
import Logging
import Testing

@testable import HoardViews

/// Stores that fail, hang, are full or damaged, and changes that meet reads.
@Suite(.timeLimit(.minutes(5))) struct CacheManagerFaultTests {
    private let workspace = CachingWorkspace()
    private var time: ManualTicker { workspace.time }
    private let base: MemoryStore
    private let store: FaultyStore

    init() {
        base = MemoryStore(clock: workspace.time)
        store = FaultyStore(base)
    }

    private func key(_ identifier: String) -> RecordKey { RecordKey("views\u{0}" + identifier) }

    // MARK: Failing

    @Test func brokenStoreIsPassedByAndLoggedOnce() async {
        let manager = workspace.manager(store)
        store.fail()
        for number in 0..<3 {
            let reference = workspace.reference("\(number)")
            await manager.addToCache(reference)
            #expect(await manager.getReference(identifiedBy: "\(number)") == reference)
        }
        #expect(await manager.getReference(identifiedBy: "nothing") == nil)
        await manager.removeReference(identifiedBy: "0")
        await manager.removePartition("p")
        await manager.clear()
        await manager.saveChanges()
        #expect(await manager.getReference(identifiedBy: "1") == nil)
        #expect(workspace.log.lines.count { $0.message.contains("failed to") } == 1)
        #expect(workspace.log.lines.allSatisfy { $0.level == .warning && $0.metadata["store"] == "memory" })
        #expect(workspace.log.lines.first?.metadata["code"] == "unavailable")
    }

    @Test(arguments: FaultyStore.Operation.all + FaultyStore.Operation.evicting, [false, true])
    func noFailureOfOneOperationLosesWhatMemoryHasOrBringsBackWhatWasReplaced(_ operation: FaultyStore.Operation, afterwards: Bool) async {
        let manager = workspace.manager(store)
        let onDisk = workspace.manager(store, .init(memoryMaximumCapacity: 0))
        await manager.addToCache(workspace.reference("a", "1"))
        await manager.addToCache(workspace.reference("b", "1", partition: "p"))
        store.fail(operation, afterwards: afterwards)
        await manager.addToCache(workspace.reference("a", "2"))
        await manager.removePartition("p")
        await manager.addToCache(workspace.reference("c"))
        await manager.saveChanges()
        #expect(await manager.getReference(identifiedBy: "a")?.data == Data("2".utf8))
        #expect(await manager.getReference(identifiedBy: "b") == nil)
        #expect(await manager.getReference(identifiedBy: "c") != nil)
        store.heal()
        await manager.addToCache(workspace.reference("a", "3"))
        #expect(await manager.getReference(identifiedBy: "a")?.data == Data("3".utf8))
        #expect(await manager.getReference(identifiedBy: "b") == nil)
        _ = onDisk
    }

    @Test func whatABrokenStoreDidNotRemoveIsNotReadFromItAndIsRemovedLater() async throws {
        let manager = workspace.manager(store, .init(memoryMaximumCapacity: 0), protection: .init(retryAfter: .seconds(2)))
        await manager.addToCache(workspace.reference("a"))
        await manager.addToCache(workspace.reference("b", partition: "alice"))
        await manager.addToCache(workspace.reference("c"))
        store.fail(.removeRecord, .removePartition)
        await manager.removeReference(identifiedBy: "a")
        await manager.removePartition("alice")
        #expect(try await base.record(forKey: key("a")) != nil)
        #expect(try await base.record(forKey: key("b")) != nil)
        #expect(await manager.getReference(identifiedBy: "a") == nil)
        #expect(await manager.getReference(identifiedBy: "b") == nil)
        #expect(await manager.getReference(identifiedBy: "c") != nil)
        store.heal()
        let removals = store.hold(.removeRecord, .removePartition, afterwards: true)
        time.advance(by: .seconds(2))
        await removals.arrivals(1)
        removals.open()
        // The second comes when the first is done, and both arrive when they are.
        await removals.arrivals(2)
        #expect(try await base.record(forKey: key("a")) == nil)
        #expect(try await base.record(forKey: key("b")) == nil)
    }

    @Test func sensitiveReferenceOverAnOlderOneThatCannotBeRemovedHidesIt() async {
        let manager = workspace.manager(store, .init(memoryMaximumBytes: 10))
        await manager.addToCache(workspace.reference("a", "public"))
        #expect(await manager.getReference(identifiedBy: "a") != nil)
        store.fail(.removeRecord)
        await manager.addToCache(workspace.reference("a", "secret", isSensitive: true))
        #expect(await manager.getReference(identifiedBy: "a") == nil, "memory has no room for it, and the older one must not come back")
    }

    @Test func writeThatAFullDiskRefusesIsKeptInMemoryOnly() async throws {
        let manager = workspace.manager(store)
        let other = workspace.manager(store, .init(memoryMaximumCapacity: 0))
        await manager.addToCache(workspace.reference("a", "old"))
        store.fail(.insert, with: .full)
        await manager.addToCache(workspace.reference("a", "new"))
        #expect(await manager.getReference(identifiedBy: "a")?.data == Data("new".utf8))
        #expect(await other.getReference(identifiedBy: "a") == nil, "the older one is gone")
        store.heal()
        await manager.addToCache(workspace.reference("a", "newer"))
        #expect(await other.getReference(identifiedBy: "a")?.data == Data("newer".utf8))
    }

    @Test func referenceTooLargeForTheStoreIsKeptInMemoryOnlyAndLogged() async throws {
        let small = MemoryStore(maximumBytes: 2_000, clock: time)
        let manager = workspace.manager(small)
        await manager.addToCache(workspace.reference("a", "old"))
        await manager.addToCache(workspace.reference("b"))
        let large = workspace.reference("a", String(repeating: "x", count: 3_000))
        await manager.addToCache(large)
        #expect(await manager.getReference(identifiedBy: "a") == large)
        #expect(try await small.record(forKey: key("a")) == nil)
        #expect(try await small.record(forKey: key("b")) != nil)
        #expect(workspace.log.lines.map(\.message) == ["A view was too large for the store and is kept in memory only."])
    }

    @Test func evictionThatFailsIsMadeUpForByTheNextChange() async throws {
        let manager = workspace.manager(store, .init(memoryMaximumCapacity: 0, diskMaximumCapacity: 3))
        store.fail(.evict)
        for number in 0..<5 { await manager.addToCache(workspace.reference("\(number)")) }
        store.heal()
        await manager.addToCache(workspace.reference("5"))
        #expect(await workspace.diskManager(base).numberOfReferences() == 3)
        for number in 3..<6 { #expect(await manager.getReference(identifiedBy: "\(number)") != nil) }
    }

    @Test func closedStoreIsAStoreThatHasNothing() async {
        let manager = workspace.manager(store)
        await manager.addToCache(workspace.reference("a"))
        await store.close()
        await manager.addToCache(workspace.reference("b"))
        #expect(await manager.getReference(identifiedBy: "a") != nil)
        #expect(await manager.getReference(identifiedBy: "b") != nil)
        #expect(await workspace.manager(store).getReference(identifiedBy: "a") == nil)
    }

    // MARK: Hanging

    @Test func storeThatHangsKeepsNobodyLongerThanItsDeadline() async {
        let manager = workspace.manager(store, protection: .init(deadline: .seconds(1)))
        await manager.addToCache(workspace.reference("warm"))
        let gate = store.hold(.insert, .record)
        let reference = workspace.reference("a")
        let addition = Task { await manager.addToCache(reference) }
        await gate.arrivals(1)
        await time.sleepers(1)
        time.advance(by: .seconds(1))
        await addition.value
        #expect(await manager.getReference(identifiedBy: "a") == reference)
        let read = Task { await manager.getReference(identifiedBy: "other") }
        await gate.arrivals(2)
        await time.sleepers(1)
        time.advance(by: .seconds(1))
        #expect(await read.value == nil)
        gate.open()
    }

    // MARK: Damage

    @Test func recordOfAnotherShapeIsAMissAndIsRemoved() async throws {
        let manager = workspace.manager(base)
        let now = time.now()
        let payloads: [(String, Data, UInt64)] = [
            ("empty", Data(), StoredReference.schemaFingerprint), ("garbage", Data("{}".utf8), StoredReference.schemaFingerprint),
            ("another shape", Data(repeating: 0, count: 100), 1),
        ]
        for (identifier, payload, fingerprint) in payloads {
            let record = Record(payload: payload, created: now, staleUntil: .forever, schemaFingerprint: fingerprint)
            try await base.insert(record, forKey: key(identifier))
        }
        for (identifier, _, _) in payloads {
            #expect(await manager.getReference(identifiedBy: identifier) == nil)
            #expect(try await base.record(forKey: key(identifier)) == nil)
        }
        #expect(workspace.log.lines.map(\.message) == Array(repeating: "A stored view could not be read and was removed.", count: 3))
    }

    @Test func damagedFileIsAMiss() async throws {
        let disk = try workspace.disk()
        let large = workspace.reference("large", String(repeating: "x", count: 100_000))
        await workspace.manager(disk).addToCache(large)
        let payloads = workspace.directory + "/payloads/"
        let file = try #require(try FileManager.default.subpathsOfDirectory(atPath: payloads).first { $0.contains("/") })
        var bytes = try Data(contentsOf: URL(fileURLWithPath: payloads + file))
        bytes[bytes.count / 2] ^= 1
        try bytes.write(to: URL(fileURLWithPath: payloads + file))
        let manager = workspace.manager(disk)
        #expect(await manager.getReference(identifiedBy: "large") == nil)
        await manager.addToCache(large)
        #expect(await workspace.manager(disk).getReference(identifiedBy: "large") == large)
        await disk.close()
    }

    // MARK: Reads under way

    /// The result of a read that has found a reference on the disk and is held back while `change` is made, and
    /// the reference in memory afterwards.
    private func memoryAfter(_ change: (CacheManager) async -> Void) async -> (read: CacheReference?, memory: CacheReference?) {
        await workspace.manager(base).addToCache(workspace.reference("a", "old", partition: "p"))
        let manager = workspace.manager(store)
        let gate = store.hold(.record, afterwards: true)
        let read = Task { await manager.getReference(identifiedBy: "a") }
        await gate.arrivals(1)
        await change(manager)
        gate.open()
        let found = await read.value
        return (found, manager.memory.peek("a")?.reference)
    }

    @Test func readThatAReplacementOvertakesDoesNotPutTheOldOneBack() async {
        let new = workspace.reference("a", "new")
        let (read, memory) = await memoryAfter { await $0.addToCache(new) }
        #expect(read?.data != nil)
        #expect(memory == new)
    }

    @Test func readThatARemovalOvertakesPutsNothingBack() async {
        #expect(await memoryAfter { await $0.removeReference(identifiedBy: "a") }.memory == nil)
    }

    @Test func readThatTheRemovalOfItsPartitionOvertakesPutsNothingBack() async {
        #expect(await memoryAfter { await $0.removePartition("p") }.memory == nil)
    }

    @Test func readThatClearingOvertakesPutsNothingBack() async {
        #expect(await memoryAfter { await $0.clear() }.memory == nil)
    }

    @Test func readThatNothingOvertakesPutsBackWhatItFound() async {
        #expect(await memoryAfter { _ in }.memory?.data == Data("old".utf8))
    }

    // MARK: Order

    @Test func memoryAndDiskAgreeWhateverIsAddedAndRemovedAtOnce() async {
        for _ in 0..<50 {
            let manager = workspace.manager(store)
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<12 {
                    let reference = workspace.reference("a", "\(number)", partition: "p", isSensitive: number == 5)
                    group.addTask {
                        switch number {
                        case 10: await manager.removeReference(identifiedBy: "a")
                        case 11: await manager.removePartition("p")
                        default: await manager.addToCache(reference)
                        }
                        _ = await manager.getReference(identifiedBy: "a")
                    }
                }
            }
            let found = await manager.getReference(identifiedBy: "a")
            let stored = await workspace.manager(base).getReference(identifiedBy: "a")
            #expect(stored == (found?.isSensitive == true ? nil : found))
        }
    }

    @Test func cancelledTaskStillMakesItsChange() async {
        let manager = workspace.manager(store)
        let gate = store.hold(.insert)
        let reference = workspace.reference("a")
        let task = Task { await manager.addToCache(reference) }
        await gate.arrivals(1)
        task.cancel()
        gate.open()
        await task.value
        #expect(await workspace.manager(base).getReference(identifiedBy: "a") == reference)
    }

    @Test func managerThatIsReleasedLeavesNothingBehind() async {
        let (stream, continuation) = AsyncStream.makeStream(of: CacheDiskChange.self)
        let ended = Gate()
        continuation.onTermination = { _ in startGatePass(ended) }
        weak var released: CacheManager?
        do {
            let manager = CacheManager(disk: PlainDiskManager(changes: stream), clock: time)
            await manager.addToCache(workspace.reference("a"))
            released = manager
        }
        await ended.arrivals(1)
        #expect(released == nil)
    }
}

private func startGatePass(_ gate: Gate) { Task { await gate.pass() } }
