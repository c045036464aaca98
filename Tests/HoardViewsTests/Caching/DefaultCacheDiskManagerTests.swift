// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import HoardDisk
import HoardTesting
import Synchronization
import Testing

@testable import HoardViews

@Suite(.timeLimit(.minutes(5))) struct DefaultCacheDiskManagerTests {
    private let workspace = CachingWorkspace()
    private var time: ManualTicker { workspace.time }

    @Test(arguments: CachingWorkspace.Kind.allCases)
    func operationsDoWhatTheirNamesSay(_ kind: CachingWorkspace.Kind) async throws {
        let store = try workspace.store(kind)
        let disk = workspace.diskManager(store)
        #expect(await disk.numberOfReferences() == 0)
        await disk.removeLeastRecentlyUsed()
        let references = ["a", "b", "c"].map { workspace.reference($0, partition: $0 == "b" ? "bob" : nil) }
        for reference in references { await disk.update(reference) }
        await disk.update(references[0])
        #expect(await disk.numberOfReferences() == 3)
        #expect(await disk.getReference(for: "b") == references[1])
        #expect(await disk.getReference(for: "absent") == nil)
        await disk.removeLeastRecentlyUsed()
        #expect(await disk.getReference(for: "c") == nil, "written before the others were written or read")
        #expect(await disk.numberOfReferences() == 2)
        await disk.saveChanges()
        await disk.removePartition("bob")
        #expect(await disk.getReference(for: "b") == nil)
        #expect(await disk.numberOfReferences() == 1)
        await disk.removeReference(for: "a")
        #expect(await disk.numberOfReferences() == 0)
        for reference in references { await disk.update(reference) }
        // A store that writes behind forgets uses of records that it has not committed.
        await disk.saveChanges()
        await disk.noteUses(ofReferencesFor: ["b", "a", "absent", String(repeating: "x", count: 70_000)])
        await disk.removeLeastRecentlyUsed(keeping: 2)
        #expect(await disk.getReference(for: "c") == nil)
        await disk.removeLeastRecentlyUsed(keeping: 5)
        #expect(await disk.numberOfReferences() == 2)
        await disk.clear()
        #expect(await disk.numberOfReferences() == 0)
        #expect(disk.health.isSound)
        await store.close()
    }

    @Test func updateOfASensitiveReferenceRemovesTheOlderOne() async throws {
        let store = FaultyStore(MemoryStore(clock: time))
        let disk = workspace.diskManager(store)
        await disk.update(workspace.reference("a", isSensitive: true))
        #expect(store.callCount(.insert) == 0)
        #expect(store.callCount(.removeRecord) == 0, "there was nothing to remove, so the key is not named")
        await disk.update(workspace.reference("a"))
        await disk.update(workspace.reference("a", isSensitive: true))
        #expect(await disk.getReference(for: "a") == nil)
        #expect(store.callCount(.insert) == 1)
    }

    @Test func toolsSeeWhatTheReferencesAre() async throws {
        let store = try workspace.disk()
        let created = time.now()
        time.advance(by: .seconds(10))
        let reference = CacheReference(identifier: "/home", data: Data("{}".utf8), hash: "h1", timeOfCreation: created, partition: "alice")
        await workspace.diskManager(store, namespace: "screens").update(reference)
        let record = try #require(try await store.peekRecord(forKey: "screens\u{0}/home"))
        #expect(record.created == created)
        #expect(record.freshUntil == created + 300)
        #expect(record.staleUntil == nil)
        #expect(record.validator == "h1")
        #expect(record.partition == "screens\u{0}alice")
        #expect(record.tags == ["\u{0}screens"])
        await StoreStack([store]).removeNamespace("screens")
        #expect(await workspace.diskManager(store, namespace: "screens").numberOfReferences() == 0)
        await store.close()
    }

    @Test func staleMarkInTheStoreIsSeen() async throws {
        let store = try workspace.disk()
        let disk = workspace.diskManager(store)
        await disk.update(workspace.reference("a", maxAge: 60))
        time.advance(by: .seconds(10))
        try await store.markAllRecordsStale(at: time.now())
        let manager = workspace.manager(store)
        let reference = try #require(await disk.getReference(for: "a"))
        #expect(reference.maxAge == 10)
        #expect(!manager.isValid(reference: reference))
        await store.close()
    }

    @Test func storeThatDoesNotAnswerHasNothing() async {
        let store = FaultyStore(MemoryStore(clock: time))
        let disk = workspace.diskManager(store)
        await disk.update(workspace.reference("a"))
        store.fail()
        #expect(await disk.numberOfReferences() == 0)
        #expect(await disk.getReference(for: "a") == nil)
        #expect(disk.health.failures > 0)
        await disk.removeLeastRecentlyUsed()
        await disk.removeLeastRecentlyUsed(keeping: 0)
        await disk.noteUses(ofReferencesFor: ["a"])
        await disk.saveChanges()
        store.heal()
        #expect(await disk.getReference(for: "a") != nil)
    }

    @Test func storeThatIsLeftAloneIsNotAsked() async {
        let store = FaultyStore(MemoryStore(clock: time))
        let disk = DefaultCacheDiskManager(store: store, protection: .init(failuresToOpen: 1), clock: time, ticker: time)
        store.fail(.insert)
        await disk.update(workspace.reference("a"))
        #expect(disk.health.circuit == .open)
        await disk.removeLeastRecentlyUsed(keeping: 0)
        #expect(await disk.numberOfReferences() == 0)
        #expect(store.callCount(.evict) + store.callCount(.recordCount) == 0)
    }

    @Test func defaultsOfTheProtocolReadAndRemoveOneByOne() async {
        let disk = PlainDiskManager()
        for identifier in ["a", "b", "c", "d"] { await disk.update(workspace.reference(identifier)) }
        await disk.noteUses(ofReferencesFor: ["b", "a", "absent"])
        #expect(disk.identifiers == ["c", "d", "b", "a"])
        await disk.removeLeastRecentlyUsed(keeping: 9)
        #expect(disk.identifiers.count == 4)
        await disk.removeLeastRecentlyUsed(keeping: 1)
        #expect(disk.identifiers == ["a"])
        await disk.removeLeastRecentlyUsed(keeping: -1)
        #expect(disk.identifiers.isEmpty)
    }

    // MARK: Other processes

    /// A store that tells of changes when a test says so.
    private final class TellingStore: EvictingRecordStore {
        let name = "telling"
        let stream: AsyncStream<StoreInvalidation>
        init(_ stream: AsyncStream<StoreInvalidation>) { self.stream = stream }

        func record(forKey key: RecordKey) async throws(StoreError) -> Record? { nil }
        func insert(_ record: Record, forKey key: RecordKey) async throws(StoreError) {}
        func removeRecord(forKey key: RecordKey) async throws(StoreError) {}
        func removeRecords(taggedWith tags: Set<String>) async throws(StoreError) {}
        func removeAll() async throws(StoreError) {}
        func statistics() async throws(StoreError) -> StoreStatistics { StoreStatistics() }
        func invalidations() -> AsyncStream<StoreInvalidation>? { stream }
        func close() async {}
        func recordCount(taggedWith tag: String) async throws(StoreError) -> Int { 0 }
        func removeLeastRecentlyUsedRecords(taggedWith tag: String, keeping count: Int) async throws(StoreError) -> Int { 0 }
    }

    @Test func invalidationsOfTheNamespaceAreToldAndNoOthers() async throws {
        let (stream, continuation) = AsyncStream.makeStream(of: StoreInvalidation.self)
        let disk = workspace.diskManager(TellingStore(stream))
        let changes = try #require(disk.changesByOthers())
        for invalidation in [
            StoreInvalidation(key: "views\u{0}/home"), StoreInvalidation(key: "viewsX"), StoreInvalidation(key: "others\u{0}/home"),
            StoreInvalidation(tags: ["\u{0}others", "views"]), StoreInvalidation(tags: ["x", "\u{0}views"]), StoreInvalidation(key: nil),
            StoreInvalidation(key: RecordKey(bytes: Array("views\u{0}".utf8) + [0xFF])), StoreInvalidation(key: "views\u{0}"),
        ] {
            continuation.yield(invalidation)
        }
        continuation.finish()
        var told: [String?] = []
        for await change in changes { told.append(change.identifier) }
        #expect(told == ["/home", nil, nil, nil, ""])
        #expect(workspace.diskManager(MemoryStore()).changesByOthers() == nil)
    }

    @Test func aPartitionOfTheNamespaceThatOthersRemoveIsTold() async throws {
        let (stream, continuation) = AsyncStream.makeStream(of: StoreInvalidation.self)
        let disk = workspace.diskManager(TellingStore(stream))
        let changes = try #require(disk.changesByOthers())
        for partition in ["views\u{0}alice", "others\u{0}alice", "views", "alice"] { continuation.yield(StoreInvalidation(partition: partition)) }
        continuation.finish()
        var told: [CacheDiskChange] = []
        for await change in changes { told.append(change) }
        #expect(told == [CacheDiskChange(identifier: nil)])
    }

    @Test func whatOthersChangeLeavesMemory() async throws {
        let asked = Gate(isOpen: true)
        let answers = Mutex<[CacheDiskChange]>([])
        let turn = [Gate(), Gate(), Gate()]
        let count = Mutex(0)
        let stream = AsyncStream<CacheDiskChange> {
            await asked.pass()
            let number = count.withLock { count in
                defer { count += 1 }
                return count
            }
            guard number < turn.count else { return nil }
            await turn[number].pass()
            return answers.withLock { $0.removeFirst() }
        }
        let disk = PlainDiskManager(changes: stream)
        let manager = CacheManager(disk: disk, clock: time)
        for identifier in ["a", "b"] { await manager.addToCache(workspace.reference(identifier, "old")) }
        // Another process writes.
        await disk.update(workspace.reference("a", "new"))
        await disk.update(workspace.reference("b", "new"))
        answers.withLock { $0 = [.init(identifier: "a"), .init(identifier: "nothing"), .init(identifier: nil)] }
        turn[0].open()
        // A manager that asks for the next change has taken in the one before.
        await asked.arrivals(2)
        #expect(await manager.getReference(identifiedBy: "a")?.data == Data("new".utf8))
        #expect(await manager.getReference(identifiedBy: "b")?.data == Data("old".utf8))
        turn[1].open()
        turn[2].open()
        await asked.arrivals(4)
        #expect(await manager.getReference(identifiedBy: "b")?.data == Data("new".utf8))
    }

    @Test func twoManagersOnOneDirectorySeeWhatTheOtherHasChanged() async throws {
        func open() throws -> DiskStore {
            try DiskStore(configuration: .init(directory: workspace.directory, clock: time, invalidationInterval: .milliseconds(1)))
        }
        let (first, second) = (try open(), try open())
        let writer = workspace.manager(first)
        await writer.addToCache(workspace.reference("a", "old"))
        let changes = try #require(workspace.diskManager(second).changesByOthers())
        var iterator = changes.makeAsyncIterator()
        let reader = workspace.manager(second, .init(memoryMaximumCapacity: 0))
        #expect(await reader.getReference(identifiedBy: "a")?.data == Data("old".utf8))
        await writer.addToCache(workspace.reference("a", "new"))
        #expect(await iterator.next() == CacheDiskChange(identifier: "a"))
        #expect(await reader.getReference(identifiedBy: "a")?.data == Data("new".utf8))
        await writer.clear()
        // The same change may be told more than once.
        while let change = await iterator.next(), change.identifier != nil {}
        #expect(await reader.getReference(identifiedBy: "a") == nil)
        await first.close()
        await second.close()
    }
}
