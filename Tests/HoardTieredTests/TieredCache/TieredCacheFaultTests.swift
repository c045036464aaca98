// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardTestSupport
import HoardTesting
import Testing

@testable import Hoard

/// A cache passes by a store that fails, and never shows a value older than the last write or removal.
@Suite(.timeLimit(.minutes(5))) struct TieredCacheFaultTests {
    private let fixture = TieredFixture()
    private var cache: TieredCache<String, Int> { fixture.cache }

    private var eventKinds: [TieredCacheEvent.Kind] { fixture.events.value.map(\.kind) }

    @Test(arguments: FaultyStore.Operation.all)
    func noCallerSeesAFailureOfTheUpperStore(_ operation: FaultyStore.Operation) async throws {
        fixture.upper.fail(operation)
        await cache.insert(1, forKey: "a")
        #expect(await cache.value(forKey: "a") == 1)
        fixture.evict()
        #expect(await cache.value(forKey: "a") == 1, "from one of the stores")
        #expect(try await cache.value(forKey: "b") { _ in 2 } == 2)
        await cache.removeValue(forKey: "a")
        #expect(await cache.value(forKey: "a") == nil)
        await cache.removeAll()
        #expect(await cache.value(forKey: "b") == nil)
    }

    @Test func cacheWorksFromMemoryAndLoaderWhenEveryStoreFails() async throws {
        fixture.upper.fail()
        fixture.lower.fail()
        let loads = Counter()
        for _ in 0..<3 { #expect(try await cache.value(forKey: "a") { _ in loads.increment() } == 1) }
        #expect(loads.value == 1)
        await cache.insert(2, forKey: "a")
        #expect(await cache.value(forKey: "a") == 2)
        await cache.removeValue(forKey: "a")
        #expect(await cache.value(forKey: "a") == nil)
        await cache.removeAll()
        #expect(cache.statistics.storeFailures > 0)
        #expect(fixture.upperBase.name == "upper")
    }

    @Test func lowerStoreAnswersWhenTheUpperOneCannotRead() async {
        await cache.insert(1, forKey: "a")
        fixture.evict()
        fixture.upper.fail(.record)
        #expect(await cache.lookup(forKey: "a")?.tier == .store("lower"))
    }

    @Test func olderRecordDoesNotComeBackAfterAWriteThatFailed() async throws {
        await cache.insert(1, forKey: "a")
        fixture.upper.fail(.insert, .removeRecord)
        fixture.lower.fail(.insert, .removeRecord)
        await cache.insert(2, forKey: "a")
        #expect(try await fixture.stored("a", in: fixture.upperBase) == 1, "the stores could not even remove it")
        fixture.evict()
        #expect(await cache.value(forKey: "a") == nil)
        try await fixture.heal()
        #expect(await cache.value(forKey: "a") == nil)
        #expect(try await fixture.stored("a", in: fixture.upperBase) == nil)
        #expect(try await fixture.stored("a", in: fixture.lowerBase) == nil)
    }

    @Test func olderRecordDoesNotComeBackAfterARemovalThatFailed() async throws {
        await cache.insert(1, forKey: "a")
        fixture.lower.fail(.removeRecord)
        await cache.removeValue(forKey: "a")
        #expect(await cache.value(forKey: "a") == nil)
        #expect(try await cache.value(forKey: "b") { _ in 5 } == 5, "other keys work")
        try await fixture.heal()
        #expect(await cache.value(forKey: "a") == nil)
        #expect(try await fixture.stored("a", in: fixture.lowerBase) == nil)
    }

    @Test func nothingComesBackAfterARemovalOfEverythingThatFailed() async throws {
        for key in ["a", "b"] { await cache.insert(1, forKey: key) }
        fixture.upper.fail(.removeAll)
        fixture.lower.fail(.removeAll)
        await cache.removeAll()
        #expect(await cache.value(forKey: "a") == nil)
        try await fixture.heal()
        #expect(await cache.value(forKey: "b") == nil)
        #expect(try await fixture.lowerBase.statistics().count == 0)
    }

    @Test func nothingOldComesBackAfterTheJournalHasOverflowed() async throws {
        try await fixture.put(1, forKey: "witness", in: fixture.lowerBase)
        await cache.insert(1, forKey: "0")
        fixture.lower.fail(.removeRecord, .removeAll)
        for number in 0...10_000 { await cache.removeValue(forKey: "\(number)") }
        #expect(await cache.value(forKey: "0") == nil)
        #expect(await cache.value(forKey: "witness") == nil, "the whole store counts as invalid")
        try await fixture.heal()
        #expect(await cache.value(forKey: "0") == nil)
        await cache.insert(2, forKey: "0")
        fixture.evict()
        #expect(await cache.value(forKey: "0") == 2)
    }

    @Test func recordInALowerStoreDoesNotHideAFailureAbove() async throws {
        // The upper store still has an older record that it could not replace. It must not win over the newer one below.
        await cache.insert(1, forKey: "a")
        fixture.upper.fail(.insert, .removeRecord)
        await cache.insert(2, forKey: "a")
        fixture.evict()
        let found = await cache.lookup(forKey: "a")
        #expect(found?.value == 2)
        #expect(found?.tier == .store("lower"))
        try await fixture.heal()
        fixture.evict()
        #expect(await cache.value(forKey: "a") == 2)
        await cache.flush()
        #expect(try await fixture.stored("a", in: fixture.upperBase) == 2, "copied upwards again")
    }

    @Test func failureIsReportedWhenItBeginsAndWhenItEnds() async throws {
        fixture.upper.fail(with: .full)
        for number in 0..<10 { await cache.insert(number, forKey: "\(number)") }
        #expect(eventKinds == [.storeFailed, .circuitOpened])
        let event = fixture.events.value.first
        #expect(event?.store == "upper")
        #expect(event?.description.contains("write") == true)
        #expect((event?.underlyingError as? StoreError)?.code == .full)
        #expect(cache.statistics.storeFailures == 5, "after so many it is left alone")
        #expect(cache.storeHealth.first?.pendingInvalidations == 10)
        try await fixture.heal()
        for number in 0..<10 { await cache.insert(number, forKey: "\(number)") }
        // The cache reports an event after the change that it is about can be seen.
        try await waitUntil { eventKinds.count >= 4 }
        #expect(Set(eventKinds) == [.storeFailed, .circuitOpened, .circuitClosed, .storeRecovered])
        #expect(eventKinds.count == 4)
        #expect(fixture.upper.callCount(.removeMany) > 0, "what it had missed was made good without anybody asking")
    }

    @Test func storesAreReportedOneByOne() async {
        fixture.upper.fail()
        fixture.lower.fail()
        await cache.insert(1, forKey: "a")
        #expect(eventKinds == [.storeFailed, .storeFailed])
        #expect(Set(fixture.events.value.map(\.store)) == ["upper", "lower"])
    }

    @Test func eventsHoldNoKeysAndNoValues() async throws {
        let secret = "secret-key"
        fixture.upper.fail()
        await cache.insert(987_654, forKey: secret)
        try await fixture.lowerBase.insert(Record(payload: Data("987654 is no number".utf8), created: fixture.time.now()), forKey: "secret-key")
        fixture.evict()
        _ = await cache.lookup(forKey: secret)
        #expect(eventKinds.contains(.recordRejected))
        for event in fixture.events.value {
            #expect(!event.description.contains("secret"))
            #expect(!event.description.contains("987654"))
        }
    }

    @Test func recordRefusedForItsSizeIsNoFailure() async throws {
        let small = MemoryStore(name: "small", maximumBytes: 10)
        let cache = TieredCache<String, Int>(configuration: .init(maximumCount: 1), stores: [small], codec: .json, ticker: ManualTicker()) {
            [fixture] event in
            fixture.events.update { $0.append(event) }
        }
        await cache.insert(1, forKey: "a")
        #expect(cache.statistics.storeFailures == 0)
        #expect(fixture.events.value.isEmpty)
        #expect(await cache.value(forKey: "a") == 1)
    }

    @Test func closedStoresArePassedBy() async throws {
        await cache.close()
        await cache.insert(1, forKey: "a")
        #expect(await cache.value(forKey: "a") == 1)
        #expect(eventKinds.isEmpty, "they are not even asked")
    }
}

/// Records that cannot become values, and values that cannot become records.
@Suite(.timeLimit(.minutes(5))) struct TieredCacheCodingTests {
    private let fixture = TieredFixture()
    private var cache: TieredCache<String, Int> { fixture.cache }

    @Test func recordThatDoesNotDecodeIsAMissIsRemovedAndReported() async throws {
        var record = Record(payload: Data("{".utf8), created: fixture.time.now())
        record.schemaFingerprint = Codec<Int>.json.schemaFingerprint
        try await fixture.upperBase.insert(record, forKey: "a")
        #expect(await cache.lookup(forKey: "a")?.value == nil)
        #expect(try await fixture.upperBase.record(forKey: "a") == nil)
        #expect(cache.statistics.rejectedRecords == 1)
        #expect(cache.statistics.misses == 1)
        let event = fixture.events.value.first
        #expect(fixture.events.value.count == 1)
        #expect(event?.kind == .recordRejected)
        #expect(event?.store == "upper")
        #expect((event?.underlyingError as? CacheError)?.code == .codingFailed)
    }

    @Test func recordOfAnotherSchemaIsAMissThoughItWouldDecode() async throws {
        var record = Record(payload: Data("7".utf8), created: fixture.time.now())
        record.schemaFingerprint = Codec<Int>.json(schema: "other").schemaFingerprint
        try await fixture.lowerBase.insert(record, forKey: "a")
        #expect(await cache.lookup(forKey: "a")?.value == nil)
        #expect(try await fixture.lowerBase.record(forKey: "a") == nil)
        #expect(fixture.events.value.map(\.kind) == [.recordRejected])
        #expect(fixture.events.value.first?.underlyingError == nil)
    }

    @Test func rejectedRecordAboveDoesNotHideAGoodOneBelow() async throws {
        try await fixture.upperBase.insert(Record(payload: Data("7".utf8), created: fixture.time.now()), forKey: "a")
        try await fixture.put(3, forKey: "a", in: fixture.lowerBase)
        #expect(await cache.value(forKey: "a") == 3)
        await cache.flush()
        #expect(try await fixture.stored("a", in: fixture.upperBase) == 3)
    }

    @Test func rejectedRecordIsLoadedAnew() async throws {
        try await fixture.upperBase.insert(Record(payload: Data("7".utf8), created: fixture.time.now()), forKey: "a")
        #expect(try await cache.value(forKey: "a") { _ in 4 } == 4)
        #expect(try await fixture.stored("a", in: fixture.upperBase) == 4)
    }

    @Test func valueThatCannotBeEncodedStaysInMemoryAndItsOlderRecordGoes() async throws {
        let codec = Codec<Int>(
            schema: "positive",
            encode: { number in
                guard number > 0 else { throw TestError() }
                return Data("\(number)".utf8)
            },
            decode: { Int(String(decoding: $0, as: UTF8.self)) ?? 0 }
        )
        let fixture = TieredFixture(codec: codec)
        await fixture.cache.insert(1, forKey: "a")
        await fixture.cache.insert(-1, forKey: "a")
        #expect(await fixture.cache.value(forKey: "a") == -1)
        #expect(try await fixture.upperBase.record(forKey: "a") == nil)
        #expect(try await fixture.lowerBase.record(forKey: "a") == nil)
        #expect(fixture.events.value.map(\.kind) == [.valueNotEncoded])
        #expect(fixture.events.value.first?.underlyingError is CacheError)
        #expect(try await fixture.cache.value(forKey: "b") { _ in -2 } == -2)
        fixture.evict()
        #expect(await fixture.cache.value(forKey: "a") == nil)
    }

    @Test func codecRunsOutsideTheLocks() async throws {
        let holder = Shared<TieredCache<String, Int>?>(nil)
        let callbacks = Counter()
        @Sendable func callBack() async {
            guard let cache = holder.value else { return }
            _ = cache.statistics
            _ = cache.memoryStatistics
            _ = cache.memoryLookup(forKey: "a")
            cache.closeFence(cache.openFence(forKey: "a"))
            callbacks.increment()
        }
        @Sendable func callBackNow() {
            guard let cache = holder.value else { return }
            _ = cache.statistics
            _ = cache.memoryLookup(forKey: "a")
            cache.closeFence(cache.openFence(forKey: "a"))
            callbacks.increment()
        }
        let codec = Codec<Int>(
            schema: "calls back",
            encode: { number in
                callBackNow()
                return Data("\(number)".utf8)
            },
            decode: { data in
                callBackNow()
                return Int(String(decoding: data, as: UTF8.self)) ?? 0
            }
        )
        let cache = TieredCache<String, Int>(
            configuration: .init(
                maximumCount: 10,
                weigher: { _, _ in
                    callBackNow()
                    return 1
                }
            ),
            stores: [MemoryStore()],
            codec: codec,
            ticker: ManualTicker()
        ) { _ in callBackNow() }
        holder.update { $0 = cache }
        _ = try await cache.value(forKey: "a") { _ in
            await callBack()
            return 1
        }
        cache.memory.removeAll()
        #expect(await cache.value(forKey: "a") == 1)
        #expect(callbacks.value == 5, "the loader, the weigher twice, encoding and decoding")
        holder.update { $0 = nil }
    }
}
