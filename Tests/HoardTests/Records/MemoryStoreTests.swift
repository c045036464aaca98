// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import HoardTestSupport
import HoardTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct MemoryStoreTests {
    private let time = ManualTicker()

    private func record(_ byteCount: Int, tags: Set<String> = []) -> Record {
        Record(payload: Data(repeating: 1, count: byteCount), created: time.now(), staleUntil: .forever, tags: tags)
    }

    @Test(arguments: RecordStoreConformance.checks + RecordStoreConformance.immediateChecks)
    func conforms(to check: RecordStoreConformance.Check) async throws {
        try await check.run { configuration in
            MemoryStore(maximumCount: configuration.maximumCount, maximumBytes: configuration.maximumBytes, clock: configuration.clock)
        }
    }

    @Test(arguments: 0..<20)
    func conformsToTheModel(seed: UInt64) async throws {
        for check in RecordStoreConformance.checks(seed: seed) where check.name.hasPrefix("random operations") {
            try await check.run { MemoryStore(clock: $0.clock) }
        }
    }

    @Test func recordIsChargedForKeyPayloadTagsAndOverhead() async throws {
        let store = MemoryStore()
        try await store.insert(record(100, tags: ["ab", "é"]), forKey: "12345")
        #expect(try await store.statistics().bytes == 100 + 2 + 2 + 5 + MemoryStore.overheadBytesPerRecord)
        #expect(try await store.statistics().maximumBytes == 64 << 20)
    }

    @Test func recordThatJustFitsIsKeptAndOneByteMoreIsRefused() async throws {
        let store = MemoryStore(maximumBytes: 1_000)
        let room = 1_000 - MemoryStore.overheadBytesPerRecord - 1
        try await store.insert(record(room), forKey: "a")
        #expect(try await store.statistics().bytes == 1_000)
        let thrown = await error { try await store.insert(record(room + 1), forKey: "b") } as? StoreError
        #expect(thrown?.code == .recordTooLarge)
        #expect(try await store.record(forKey: "a") != nil)
    }

    @Test func storeOfNoRecordsRefusesAll() async throws {
        let store = MemoryStore(maximumCount: 0)
        let thrown = await error { try await store.insert(record(1), forKey: "a") } as? StoreError
        #expect(thrown?.code == .recordTooLarge)
        #expect(try await store.record(forKey: "a") == nil)
    }

    @Test func lastAccessIsTheTimeOfTheRead() async throws {
        let store = MemoryStore(clock: time)
        try await store.insert(record(1), forKey: "a")
        time.advance(by: .seconds(60))
        #expect(try await store.record(forKey: "a")?.lastAccess == time.now())
    }

    @Test func lastAccessDoesNotGoBackWithTheClock() async throws {
        let store = MemoryStore(clock: time)
        try await store.insert(record(1), forKey: "a")
        let written = time.now()
        time.setWallClock(to: written.addingTimeInterval(-1_000))
        #expect(try await store.record(forKey: "a")?.lastAccess == written)
    }

    @Test func expiredRecordIsRemovedByTheReadThatFindsIt() async throws {
        let store = MemoryStore(clock: time)
        try await store.insert(Record(payload: Data(), created: time.now(), freshUntil: time.now()), forKey: "a")
        #expect(try await store.statistics().count == 1)
        #expect(try await store.record(forKey: "a") == nil)
        let statistics = try await store.statistics()
        #expect(statistics.count == 0)
        #expect(statistics.expirations == 1)
    }

    @Test func recordsThatHaveGoneWithATagAreHeldUntilTheyAreFoundAndLimitsHold() async throws {
        let store = MemoryStore(maximumCount: 3)
        for number in 0..<3 { try await store.insert(record(1, tags: ["t"]), forKey: RecordKey("\(number)")) }
        try await store.removeRecords(taggedWith: "t")
        #expect(try await store.statistics().count == 3)
        #expect(try await store.record(forKey: "1") == nil)
        #expect(try await store.statistics().count == 2)
        for number in 10..<14 { try await store.insert(record(1), forKey: RecordKey("\(number)")) }
        let statistics = try await store.statistics()
        #expect(statistics.count == 3)
        // Only the record that was still valid counts.
        #expect(statistics.evictions == 1)
        #expect(statistics.expirations == 0)
    }

    @Test func staleMarkIsNoUseOfTheRecord() async throws {
        let store = MemoryStore(maximumCount: 2, clock: time)
        try await store.insert(record(1), forKey: "a")
        try await store.insert(record(1), forKey: "b")
        time.advance(by: .seconds(1))
        try await store.markRecordStale(forKey: "a", at: time.now())
        try await store.insert(record(1), forKey: "c")
        #expect(try await store.record(forKey: "a") == nil)
        #expect(try await store.record(forKey: "b")?.freshUntil == nil)
        #expect(try await store.statistics().hits == 1)
    }

    @Test func changeOfATaggedRecordBetweenReadsOfItKeepsItsTag() async throws {
        let store = MemoryStore(clock: time)
        try await store.insert(record(1, tags: ["t"]), forKey: "a")
        for _ in 0..<3 { _ = try await store.record(forKey: "a") }
        try await store.insert(record(2, tags: ["t"]), forKey: "a")
        try await store.insert(record(3, tags: ["t"]), forKey: "b")
        try await store.removeRecord(forKey: "b")
        try await store.removeRecords(taggedWith: "t")
        #expect(try await store.record(forKey: "a") == nil)
    }

    @Test func keyThatIsTooLongFailsBeforeAnythingIsDone() async throws {
        let store = MemoryStore()
        let long = RecordKey(bytes: [UInt8](repeating: 1, count: RecordKey.maximumByteCount + 1))
        try await store.insert(record(1), forKey: "a")
        let thrown = [
            await error { try await store.removeRecords(forKeys: ["a", long]) },
            await error { try await store.insert(["b": record(1), long: record(1)]) },
            await error { _ = try await store.records(forKeys: ["a", long]) },
            await error { try await store.markRecordStale(forKey: long, at: time.now()) },
        ]
        #expect(thrown.allSatisfy { ($0 as? StoreError)?.code == .keyTooLong })
        let statistics = try await store.statistics()
        #expect(statistics.count == 1 && statistics.hits == 0)
    }

    @Test func nothingElseChangesIt() {
        #expect(MemoryStore().invalidations() == nil)
        #expect(MemoryStore(name: "scratch").name == "scratch")
    }

    @Test func negativeLimitsAreRefused() async {
        await #expect(processExitsWith: .failure) { _ = MemoryStore(maximumCount: -1) }
        await #expect(processExitsWith: .failure) { _ = MemoryStore(maximumBytes: -1) }
    }
}
