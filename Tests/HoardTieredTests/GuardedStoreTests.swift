// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import HoardTesting
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5))) struct GuardedStoreTests {
    private final class Told: Sendable {
        let events = Mutex<[TieredCacheEvent.Kind]>([])
        let refusals = Mutex(0)
    }

    private let time = ManualTicker()
    private let store: FaultyStore
    private let told = Told()
    private let guarded: GuardedStore

    init() {
        store = FaultyStore(MemoryStore(maximumBytes: 2_000, clock: time))
        guarded = GuardedStore(store, configuration: .init(deadline: .seconds(1), failuresToOpen: 2), ticker: time) { [told] event in
            told.events.withLock { $0.append(event.kind) }
        } onRefusal: { [told] in
            told.refusals.withLock { $0 += 1 }
        }
    }

    private func record(_ byteCount: Int = 1, tags: Set<String> = ["t"], partition: String? = nil) -> Record {
        Record(payload: Data(count: byteCount), created: time.now(), staleUntil: .forever, tags: tags, partition: partition)
    }

    @Test func soundStoreDoesWhatItIsAsked() async {
        await guarded.insert(record(), forKey: "a")
        await guarded.insert(record(partition: "p"), forKey: "b")
        await guarded.insert(record(tags: []), forKey: "c")
        #expect(await guarded.record(forKey: "a")?.payload.count == 1)
        #expect(await guarded.recordCount(taggedWith: "t") == 2)
        await guarded.noteUses(ofRecordsForKeys: ["a"])
        #expect(await guarded.removeLeastRecentlyUsedRecords(taggedWith: "t", keeping: 2) == 0)
        await guarded.removePartition("p")
        #expect(await guarded.record(forKey: "b") == nil)
        await guarded.removeRecords(taggedWith: "t")
        #expect(await guarded.mayHaveRecord(forKey: "a") == false)
        #expect(await guarded.mayHaveRecord(forKey: "c"))
        await guarded.removeRecord(forKey: "c")
        #expect(await guarded.mayHaveRecord(forKey: "c") == false)
        await guarded.flush()
        #expect(store.callCount(.flush) == 1)
        #expect(guarded.health.isSound)
        #expect(told.events.withLock { $0 }.isEmpty)
    }

    @Test func storeThatDoesNotAnswerMayHaveARecord() async {
        store.fail(.record)
        #expect(await guarded.mayHaveRecord(forKey: "a"))
        #expect(await guarded.record(forKey: "a") == nil)
        #expect(told.events.withLock { $0 } == [.storeFailed, .circuitOpened])
        store.heal()
        #expect(await guarded.recordCount(taggedWith: "t") == nil, "left alone")
        #expect(store.callCount(.recordCount) == 0)
    }

    @Test func refusalIsToldAndIsNoFailure() async {
        await guarded.insert(record(), forKey: "a")
        await guarded.insert(record(5_000), forKey: "a")
        #expect(told.refusals.withLock { $0 } == 1)
        #expect(await guarded.record(forKey: "a") == nil)
        #expect(guarded.health.failures == 0)
    }

    @Test func removalThatWasMissedIsNotReadBack() async {
        await guarded.insert(record(partition: "p"), forKey: "a")
        await guarded.insert(record(), forKey: "b")
        store.fail(.removePartition)
        await guarded.removePartition("p")
        #expect(await guarded.record(forKey: "a") == nil)
        #expect(await guarded.record(forKey: "b") != nil)
        #expect(guarded.health.pendingInvalidations == 1)
    }

    /// A record may be newer than the removal that hides it. It is seen again when the removal has been made good.
    @Test func storeWithARecordThatAPendingRemovalHidesMayHaveOne() async {
        let gate = store.hold(.removePartition, afterwards: true)
        let removal = Task { [guarded] in await guarded.removePartition("p") }
        await gate.arrivals(1)
        await time.sleepers(1)
        time.advance(by: .seconds(1))
        await removal.value
        await guarded.insert(record(partition: "p"), forKey: "a")
        #expect(await guarded.record(forKey: "a") == nil)
        #expect(await guarded.mayHaveRecord(forKey: "a"))
        #expect(await guarded.mayHaveRecord(forKey: "b") == false)
        gate.open()
    }

    @Test(arguments: FaultyStore.Operation.evicting)
    func operationThatHangsIsWaitedForUntilTheDeadline(_ operation: FaultyStore.Operation) async {
        let gate = store.hold(operation)
        let call = Task { [guarded] in
            switch operation {
            case .recordCount: await guarded.recordCount(taggedWith: "t") == nil
            case .evict: await guarded.removeLeastRecentlyUsedRecords(taggedWith: "t", keeping: 0) == nil
            case .noteUses:
                await {
                    await guarded.noteUses(ofRecordsForKeys: ["a"]); return true
                }()
            default:
                await {
                    await guarded.flush(); return true
                }()
            }
        }
        await gate.arrivals(1)
        await time.sleepers(1)
        time.advance(by: .seconds(1))
        #expect(await call.value)
        gate.open()
    }

    @Test func storeThatOwesAnAnswerIsNotAskedForWhatCanWait() async {
        let gate = store.hold(.insert)
        let record = record()
        let write = Task { [guarded] in await guarded.insert(record, forKey: "a") }
        await gate.arrivals(1)
        await time.sleepers(1)
        time.advance(by: .seconds(1))
        await write.value
        #expect(guarded.health.overdueCalls == 1)
        #expect(await guarded.removeLeastRecentlyUsedRecords(taggedWith: "t", keeping: 0) == nil)
        #expect(store.callCount(.evict) == 0)
        gate.open()
    }
}
