// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardTestSupport
import HoardTesting
import Synchronization
import Testing

@testable import Hoard

/// A load, read or write that began before a write or a removal never puts its older value back, in memory or in a store.
@Suite(.timeLimit(.minutes(5))) struct TieredCacheFencingTests {
    private let fixture = TieredFixture()
    private var cache: TieredCache<String, Int> { fixture.cache }

    /// The changes of a key while an operation is under way. The state of the tiers afterwards follows from them.
    enum Change: CaseIterable {
        case insert, removeValue, removeAll
    }

    private func make(_ change: Change) async {
        switch change {
        case .insert: await cache.insert(100, forKey: "a")
        case .removeValue: await cache.removeValue(forKey: "a")
        case .removeAll: await cache.removeAll()
        }
    }

    private func expectOnly(_ expected: Int?, _ circumstances: Comment, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        #expect(cache.memoryLookup(forKey: "a")?.value == expected, circumstances, sourceLocation: sourceLocation)
        #expect(try await fixture.stored("a", in: fixture.upperBase) == expected, circumstances, sourceLocation: sourceLocation)
        #expect(try await fixture.stored("a", in: fixture.lowerBase) == expected, circumstances, sourceLocation: sourceLocation)
        #expect(cache.fences.withLock { $0.count } == 0, circumstances, sourceLocation: sourceLocation)
    }

    private func result(of change: Change) -> Int? { change == .insert ? 100 : nil }

    // MARK: Something is under way when a change comes and returns

    @Test(arguments: Change.allCases)
    func loadThatBeganBeforeAChangeDoesNotPublish(_ change: Change) async throws {
        let gate = Gate()
        async let loaded = cache.value(forKey: "a") { _ in
            await gate.pass()
            return 1
        }
        await gate.arrivals(1)
        await make(change)
        gate.open()
        #expect(try await loaded == 1)
        try await expectOnly(result(of: change), "after a load")
        #expect(cache.statistics.fencedPublications == 1)
    }

    @Test(arguments: [Change.removeValue, .removeAll])
    func callersAfterARemovalDoNotJoinTheLoadThatBeganBeforeIt(_ change: Change) async throws {
        let gate = Gate()
        async let early = cache.value(forKey: "a") { _ in
            await gate.pass()
            return 1
        }
        await gate.arrivals(1)
        await make(change)
        #expect(try await cache.value(forKey: "a") { _ in 2 } == 2)
        gate.open()
        #expect(try await early == 1)
        try await expectOnly(2, "after both loads")
    }

    @Test(arguments: Change.allCases)
    func recordReadFromTheLowerStoreBeforeAChangeIsNotCopied(_ change: Change) async throws {
        try await fixture.put(1, forKey: "a", in: fixture.lowerBase)
        let gate = fixture.lower.hold(.record, afterwards: true)
        async let found = cache.lookup(forKey: "a")
        await gate.arrivals(1)
        await make(change)
        gate.open()
        #expect(await found?.value == 1)
        try await expectOnly(result(of: change), "after a read")
    }

    /// Waits until a change has come as far as it can in the upper store, where an older one of its key is under way.
    private func waitUntilUnderWay(_ change: Change) async throws {
        // A removal of everything does not wait for its turn. A write that lands after it is
        // removed when it has landed.
        try await waitUntil {
            change == .removeAll ? fixture.upper.callCount(.removeAll) == 1 : cache.tiers[0].waiterCount(for: "a") == 1
        }
    }

    @Test(arguments: Change.allCases)
    func copyToTheUpperStoreThatIsUnderWayDoesNotOutliveAChange(_ change: Change) async throws {
        try await fixture.put(1, forKey: "a", in: fixture.lowerBase)
        let gate = fixture.upper.hold(.insert)
        async let found = cache.lookup(forKey: "a")
        await gate.arrivals(1)
        fixture.upper.heal()
        async let changed: Void = make(change)
        try await waitUntilUnderWay(change)
        gate.open()
        _ = await (found, changed)
        // The cache makes the copy in the background, and removes it there if it has landed after a removal of
        // everything. No read uses the copy until then.
        await cache.flush()
        try await expectOnly(result(of: change), "after a copy")
    }

    @Test(arguments: Change.allCases)
    func writeThatIsUnderWayDoesNotOutliveAChange(_ change: Change) async throws {
        let gate = fixture.upper.hold(.insert)
        async let written: Void = cache.insert(1, forKey: "a")
        await gate.arrivals(1)
        fixture.upper.heal()
        async let changed: Void = make(change)
        try await waitUntilUnderWay(change)
        gate.open()
        _ = await (written, changed)
        try await expectOnly(result(of: change), "after a write")
    }

    /// The older write is held in the upper store, while the newer one cannot begin there. The cache accepted the
    /// older write first, so every store must have it when it returns, unless the store has a newer value.
    @Test func overtakenWriteIsInEveryStoreWhenItReturnsUnlessSomethingNewerIs() async throws {
        await cache.insert(1, forKey: "a")
        let first = fixture.upper.hold(.insert)
        async let older: Void = cache.insert(2, forKey: "a")
        await first.arrivals(1)
        let second = fixture.upper.hold(.insert)
        async let newer: Void = cache.insert(3, forKey: "a")
        try await waitUntil { cache.tiers[0].waiterCount(for: "a") == 1 }
        first.open()
        await older
        #expect(try await fixture.stored("a", in: fixture.upperBase) == 2)
        #expect(try await fixture.stored("a", in: fixture.lowerBase) == 2)
        second.open()
        await newer
        try await expectOnly(3, "after both writes")
    }

    @Test func olderWriteDoesNotReachAStoreThatANewerChangeHasReached() async throws {
        let gate = fixture.upper.hold(.insert)
        async let written: Void = cache.insert(1, forKey: "a")
        await gate.arrivals(1)
        let newer = cache.openFence(forKey: "a")
        let hasOvertaken = cache.fences.withLock { fences in
            fences.beginChange(newer) && fences.mayReach(tier: 1, change: newer)
        }
        #expect(hasOvertaken)
        gate.open()
        await written
        #expect(fixture.upper.callCount(.insert) == 1)
        #expect(fixture.lower.callCount(.insert) == 0)
    }

    @Test func copyGoesNoHigherOnceItsKeyIsBeingChanged() async throws {
        let top = FaultyStore(MemoryStore(), name: "top")
        let cache = TieredCache<String, Int>(
            configuration: .init(maximumCount: 10),
            stores: [top, fixture.upper, fixture.lower],
            codec: .json,
            clock: fixture.time,
            ticker: fixture.time
        )
        try await fixture.put(1, forKey: "a", in: fixture.lowerBase)
        let gate = top.hold(.insert)
        async let found = cache.lookup(forKey: "a")
        await gate.arrivals(1)
        async let removal: Void = cache.removeValue(forKey: "a")
        try await waitUntil { cache.tiers[0].waiterCount(for: "a") == 1 }
        gate.open()
        _ = await (found, removal)
        #expect(fixture.upper.callCount(.insert) == 0)
    }

    @Test func writeBehindDoesNotOutliveARemoval() async throws {
        let gate = fixture.upper.hold(.insert)
        await cache.publish(
            CachedValue(1, created: fixture.time.now()),
            forKey: "a",
            fence: cache.openFence(forKey: "a"),
            behind: true
        )
        await gate.arrivals(1)
        async let removal: Void = cache.removeValue(forKey: "a")
        try await waitUntil { cache.tiers[0].waiterCount(for: "a") == 1 }
        gate.open()
        await removal
        await cache.flush()
        try await expectOnly(nil, "after the removal")
    }

    @Test func publicationWithABrokenFenceChangesNothing() async throws {
        let fence = cache.openFence(forKey: "a")
        #expect(cache.isIntact(fence))
        await cache.insert(2, forKey: "a")
        #expect(!cache.isIntact(fence))
        #expect(await cache.publish(CachedValue(1, created: fixture.time.now()), forKey: "a", fence: fence) == false)
        try await expectOnly(2, "after a fenced publication")
    }

    // MARK: Something begins while a change is under way

    /// Begins a removal, and returns when it is under way in the lower store. That store has the older
    /// record 1 until the removal goes on.
    private func beginRemoval(_ change: Change) async throws -> (task: Task<Void, Never>, turn: Gate) {
        await cache.insert(1, forKey: "a")
        let turn = fixture.lower.hold(.removeRecord, .removeAll)
        let removal = Task { await make(change) }
        await turn.arrivals(1)
        return (removal, turn)
    }

    @Test(arguments: [Change.removeValue, .removeAll])
    func recordReadDuringARemovalIsNotCopied(_ change: Change) async throws {
        let removal = try await beginRemoval(change)
        let read = fixture.lower.hold(.record, afterwards: true)
        async let found = cache.lookup(forKey: "a")
        await read.arrivals(1)
        removal.turn.open()
        await removal.task.value
        read.open()
        #expect(await found?.value == 1, "the read began before the removal had returned")
        try await expectOnly(nil, "after the removal")
    }

    @Test(arguments: [Change.removeValue, .removeAll])
    func recordFoundDuringARemovalDoesNotOutliveIt(_ change: Change) async throws {
        let removal = try await beginRemoval(change)
        #expect(await cache.lookup(forKey: "a")?.value == 1)
        removal.turn.open()
        await removal.task.value
        try await expectOnly(nil, "after the removal")
    }

    @Test(arguments: [Change.removeValue, .removeAll])
    func callersAfterARemovalDoNotJoinTheReadThatBeganDuringIt(_ change: Change) async throws {
        let removal = try await beginRemoval(change)
        let read = fixture.lower.hold(.record, afterwards: true)
        async let early = cache.value(forKey: "a")
        async let earlyLoad = cache.value(forKey: "a") { _ in 2 }
        await read.arrivals(1)
        try await waitUntil { cache.storeReads.waiterCount(for: "a") == 2 }
        removal.turn.open()
        await removal.task.value
        fixture.lower.heal()
        #expect(await cache.value(forKey: "a") == nil)
        #expect(try await cache.value(forKey: "a") { _ in 3 } == 3)
        read.open()
        #expect(await early == 1)
        #expect(try await earlyLoad == 1)
        try await expectOnly(3, "after the last load")
    }

    @Test func loadThatBeginsDuringARemovalPublishes() async throws {
        let removal = try await beginRemoval(.removeValue)
        fixture.lower.setScript { $0.operation == .record ? .fail(StoreError(.unavailable, "No.")) : .pass }
        async let loaded = cache.value(forKey: "a") { _ in 2 }
        // The write of the loaded value waits behind the removal.
        try await waitUntil { cache.tiers[1].waiterCount(for: "a") == 1 }
        removal.turn.open()
        await removal.task.value
        #expect(try await loaded == 2)
        fixture.lower.heal()
        try await expectOnly(2, "after the load")
    }

    /// The new value does not fit into memory, so memory has nothing that hides the older record.
    @Test func olderRecordIsNotReadDuringAWrite() async throws {
        let cache = TieredCache<String, Int>(
            configuration: .init(maximumWeight: 10, weigher: { _, value in value }),
            stores: [fixture.upper, fixture.lower],
            codec: .json,
            clock: fixture.time,
            ticker: fixture.time
        )
        await cache.insert(1, forKey: "a")
        let write = fixture.lower.hold(.insert)
        fixture.upper.setScript { $0.operation == .record ? .fail(StoreError(.unavailable, "No.")) : .pass }
        async let written: Void = cache.insert(100, forKey: "a")
        await write.arrivals(1)
        #expect(await cache.value(forKey: "a") == nil)
        #expect(await cache.values(forKeys: ["a"]).isEmpty)
        #expect(cache.memoryLookup(forKey: "a")?.value == nil)
        write.open()
        await written
        fixture.upper.heal()
        #expect(cache.memoryLookup(forKey: "a")?.value == nil)
        #expect(try await fixture.stored("a", in: fixture.upperBase) == 100)
        #expect(await cache.value(forKey: "a") == 100)
    }

    // MARK: Clearing up

    @Test func recordThatWasRejectedIsNotRemovedWhenItHasBeenReplacedMeanwhile() async throws {
        var record = Record(payload: Data("?".utf8), created: fixture.time.now(), staleUntil: .forever)
        record.schemaFingerprint = Codec<Int>.json.schemaFingerprint
        try await fixture.upperBase.insert(record, forKey: "a")
        let gate = fixture.upper.hold(.record, afterwards: true)
        async let found = cache.lookup(forKey: "a")
        await gate.arrivals(1)
        await cache.insert(2, forKey: "a")
        gate.open()
        #expect(await found?.value == 2)
        try await expectOnly(2, "after the write")
    }

    @Test func valueThatCannotBeEncodedRemovesOnlyOlderRecords() async throws {
        let codec = Codec<Int>(
            schema: "number that is not negative",
            encode: { number in
                guard number >= 0 else { throw TestError() }
                return try JSONEncoder().encode(number)
            },
            decode: { try JSONDecoder().decode(Int.self, from: $0) }
        )
        let fixture = TieredFixture(codec: codec)
        await fixture.cache.insert(1, forKey: "a")
        let gate = fixture.upper.hold(.removeRecord)
        async let unencodable: Void = fixture.cache.insert(-1, forKey: "a")
        await gate.arrivals(1)
        async let newer: Void = fixture.cache.insert(2, forKey: "a")
        try await waitUntil { fixture.cache.tiers[0].waiterCount(for: "a") == 1 }
        gate.open()
        _ = await (unencodable, newer)
        #expect(fixture.cache.memoryLookup(forKey: "a")?.value == 2)
        #expect(try await fixture.stored("a", in: fixture.upperBase) == 2)
        #expect(try await fixture.stored("a", in: fixture.lowerBase) == 2)
    }
}
