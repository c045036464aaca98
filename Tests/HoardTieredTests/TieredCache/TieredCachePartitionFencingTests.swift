// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardTesting
import Synchronization
import Testing

@testable import Hoard

/// Work that was under way for a partition when it was removed never brings a value back. A store that fails
/// does not bring a value back either.
@Suite(.timeLimit(.minutes(5))) struct TieredCachePartitionFencingTests {
    private let fixture = TieredFixture()
    private var cache: TieredCache<String, Int> { fixture.cache }

    private func expectOnly(_ expected: Int?, forKey key: String = "a", sourceLocation: SourceLocation = #_sourceLocation) async throws {
        await cache.flush()
        #expect(cache.memoryLookup(forKey: key)?.value == expected, sourceLocation: sourceLocation)
        #expect(try await fixture.stored(RecordKey(key), in: fixture.upperBase) == expected, sourceLocation: sourceLocation)
        #expect(try await fixture.stored(RecordKey(key), in: fixture.lowerBase) == expected, sourceLocation: sourceLocation)
        #expect(cache.fences.withLock { $0.count } == 0, sourceLocation: sourceLocation)
    }

    @Test(arguments: ["ann", "bob"]) func loadThatBeganBeforeTheRemovalPublishesOnlyForOthers(owner: String) async throws {
        let gate = Gate()
        async let loaded = cache.valueIfExists(forKey: "a") { _ in
            await gate.pass()
            return .value(1, partition: owner)
        }
        await gate.arrivals(1)
        await cache.removePartition("ann")
        gate.open()
        #expect(try await loaded == 1)
        try await expectOnly(owner == "bob" ? 1 : nil)
        #expect(cache.statistics.fencedPublications == (owner == "bob" ? 0 : 1))
    }

    @Test func callersAfterTheRemovalDoNotJoinTheLoadThatBeganBeforeIt() async throws {
        let gate = Gate()
        async let early = cache.valueIfExists(forKey: "a") { _ in
            await gate.pass()
            return .value(1, partition: "ann")
        }
        await gate.arrivals(1)
        await cache.removePartition("ann")
        #expect(try await cache.valueIfExists(forKey: "a") { _ in .value(2, partition: "ann") } == 2)
        gate.open()
        #expect(try await early == 1)
        try await expectOnly(2)
    }

    @Test func bulkLoadPublishesWhatBelongsToOthers() async throws {
        let gate = Gate()
        async let loaded = cache.lookups(forKeys: ["a", "b"]) { _ in
            await gate.pass()
            return ["a": .value(1, partition: "ann"), "b": .value(2, partition: "bob")]
        }
        await gate.arrivals(1)
        await cache.removePartition("ann")
        gate.open()
        #expect(try await loaded.count == 2)
        try await expectOnly(nil)
        try await expectOnly(2, forKey: "b")
    }

    @Test func recordReadFromTheLowerStoreBeforeTheRemovalIsNotCopied() async throws {
        await cache.insert(1, forKey: "a", partition: "ann")
        try await fixture.upperBase.removeAll()
        fixture.evict()
        let gate = fixture.lower.hold(.record, afterwards: true)
        async let found = cache.lookup(forKey: "a")
        await gate.arrivals(1)
        await cache.removePartition("ann")
        gate.open()
        #expect(await found?.value == 1)
        try await expectOnly(nil)
    }

    @Test func recordThatIsReadDuringTheRemovalIsNotCopied() async throws {
        await cache.insert(1, forKey: "a", partition: "ann")
        try await fixture.upperBase.removeAll()
        fixture.evict()
        let turn = fixture.lower.hold(.removePartition)
        let removal = Task { await cache.removePartition("ann") }
        await turn.arrivals(1)
        // The removal has not returned. Callers may still see the value that the store has, but
        // the value does not stay.
        #expect(await cache.lookup(forKey: "a")?.value == 1)
        turn.open()
        await removal.value
        try await expectOnly(nil)
    }

    @Test func loadThatBeganDuringTheRemovalPublishesNothing() async throws {
        let turn = fixture.lower.hold(.removePartition)
        let removal = Task { await cache.removePartition("ann") }
        await turn.arrivals(1)
        let gate = Gate()
        async let loaded = cache.valueIfExists(forKey: "a") { _ in
            await gate.pass()
            return .value(1, partition: "ann")
        }
        await gate.arrivals(1)
        turn.open()
        await removal.value
        gate.open()
        #expect(try await loaded == 1)
        try await expectOnly(nil)
    }

    @Test func writeThatBeganDuringTheRemovalIsThereAfterwards() async throws {
        let turn = fixture.upper.hold(.removePartition)
        let removal = Task { await cache.removePartition("ann") }
        await turn.arrivals(1)
        await cache.insert(1, forKey: "a", partition: "ann")
        #expect(await cache.value(forKey: "a") == 1)
        turn.open()
        await removal.value
        #expect(await cache.value(forKey: "a") == 1, "memory has it; a store may have removed it")
    }

    @Test func copyToTheUpperStoreThatIsUnderWayDoesNotOutliveTheRemoval() async throws {
        await cache.insert(1, forKey: "a", partition: "ann")
        try await fixture.upperBase.removeAll()
        fixture.evict()
        let gate = fixture.upper.hold(.insert)
        async let found = cache.lookup(forKey: "a")
        await gate.arrivals(1)
        await cache.removePartition("ann")
        gate.open()
        _ = await found
        try await expectOnly(nil)
    }

    @Test(arguments: [false, true]) func writeThatIsUnderWayDoesNotOutliveTheRemoval(isBehind: Bool) async throws {
        let gate = fixture.upper.hold(.insert)
        let policy = cache.policy.with { if isBehind { $0.storeWriting = .behind } }
        async let written: Void = cache.insert(1, forKey: "a", policy: policy, partition: "ann")
        await gate.arrivals(1)
        await cache.removePartition("ann")
        gate.open()
        await written
        try await expectOnly(nil)
        #expect(fixture.lower.callCount(.insert) == 0, "it has overtaken the write there")
    }

    /// The older record has no partition, and so would not leave with the partition. The write that
    /// would have replaced it does not come.
    @Test func whatAnOvertakenWriteWasToReplaceDoesNotStay() async throws {
        try await fixture.put(9, forKey: "a", in: fixture.lowerBase)
        let gate = fixture.upper.hold(.insert)
        async let written: Void = cache.insert(1, forKey: "a", partition: "ann")
        await gate.arrivals(1)
        await cache.removePartition("ann")
        gate.open()
        await written
        try await expectOnly(nil)
    }

    @Test func publicationWithAFenceFromBeforeIsRefused() async throws {
        let (before, others) = (cache.openFence(forKey: "a"), cache.openFence(forKey: "b"))
        let labels: Set = [EntryTerms.label(ofPartition: "ann")]
        #expect(cache.isIntact(before, tags: labels))
        await cache.removePartition("ann")
        #expect(!cache.isIntact(before, tags: labels))
        #expect(cache.isIntact(before), "the key has not been written")
        #expect(await !cache.publish(CachedValue(1, created: fixture.time.now(), partition: "ann"), forKey: "a", fence: before))
        #expect(await cache.publish(CachedValue(2, created: fixture.time.now(), partition: "bob"), forKey: "b", fence: others))
        try await expectOnly(nil)
        try await expectOnly(2, forKey: "b")
    }

    // MARK: Stores that fail

    @Test func storeThatHasMissedTheRemovalIsNotReadForThePartitionUntilItIsMadeGood() async throws {
        await cache.insert(1, forKey: "a", partition: "ann")
        await cache.insert(2, forKey: "b", partition: "bob")
        fixture.lower.fail(.removePartition)
        await cache.removePartition("ann")
        fixture.evict()
        try await fixture.upperBase.removeAll()
        #expect(try await fixture.stored("a", in: fixture.lowerBase) == 1, "it has missed it")
        #expect(cache.storeHealth[1].pendingInvalidations == 1)
        #expect(await cache.lookup(forKey: "a") == nil)
        #expect(await cache.lookups(forKeys: ["a", "b"]).mapValues(\.value) == ["b": 2])
        try await fixture.heal()
        #expect(try await fixture.stored("a", in: fixture.lowerBase) == nil)
        #expect(try await fixture.stored("b", in: fixture.lowerBase) == 2)
        #expect(fixture.lower.callCount(.removePartition) >= 2)
        #expect(fixture.lower.callCount(.removeAll) + fixture.lower.callCount(.removeTagged) == 0)
    }

    @Test func severalMissedPartitionsAreMadeGoodOneByOne() async throws {
        for number in 0..<5 { await cache.insert(number, forKey: "\(number)", tags: ["t"], partition: "p\(number)") }
        fixture.lower.fail()
        for number in 0..<4 { await cache.removePartition("p\(number)") }
        #expect(fixture.cache.storeHealth[1].pendingInvalidations == 4)
        try await fixture.heal()
        for number in 0..<4 { #expect(try await fixture.stored(RecordKey("\(number)"), in: fixture.lowerBase) == nil) }
        #expect(try await fixture.stored("4", in: fixture.lowerBase) == 4)
    }

    @Test func answerThatWasLostIsMadeGoodToo() async throws {
        await cache.insert(1, forKey: "a", partition: "ann")
        fixture.lower.fail(.removePartition, afterwards: true)
        await cache.removePartition("ann")
        #expect(cache.storeHealth[1].pendingInvalidations == 1)
        try await fixture.heal()
        await cache.insert(2, forKey: "a", partition: "ann")
        try await expectOnly(2)
    }

    @Test func storeThatKnowsNothingOfPartitionsIsEmptied() async throws {
        let store = EmptiedStore(clock: fixture.time)
        let cache = TieredCache<String, Int>(
            configuration: .init(maximumCount: 10),
            stores: [store],
            codec: .json,
            clock: fixture.time,
            ticker: fixture.time
        )
        await cache.insert(1, forKey: "a", partition: "ann")
        await cache.insert(2, forKey: "b", partition: "bob")
        await cache.removePartition("ann")
        #expect(try await store.statistics().count == 0)
        #expect(await cache.value(forKey: "b") == 2, "memory has it")
    }
}

/// A store that has the protocol's own implementation of the removal of a partition.
private final class EmptiedStore: RecordStore {
    private let base: MemoryStore

    init(clock: any WallClock) { base = MemoryStore(clock: clock) }

    var name: String { "emptied" }
    func record(forKey key: RecordKey) async throws(StoreError) -> Record? { try await base.record(forKey: key) }
    func insert(_ record: Record, forKey key: RecordKey) async throws(StoreError) { try await base.insert(record, forKey: key) }
    func removeRecord(forKey key: RecordKey) async throws(StoreError) { try await base.removeRecord(forKey: key) }
    func removeRecords(taggedWith tags: Set<String>) async throws(StoreError) { try await base.removeRecords(taggedWith: tags) }
    func removeAll() async throws(StoreError) { try await base.removeAll() }
    func statistics() async throws(StoreError) -> StoreStatistics { try await base.statistics() }
    func close() async { await base.close() }
}
