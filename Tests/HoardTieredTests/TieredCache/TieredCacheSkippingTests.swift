// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardTesting
import Testing

@testable import Hoard

/// Tiers that a call passes by, and writes that the stores get later.
@Suite(.timeLimit(.minutes(5))) struct TieredCacheSkippingTests {
    private static let policy = CachePolicy(freshFor: .seconds(10)).with { $0.staleFor = .seconds(100) }
    private let fixture = CachePolicyFixture(policy: policy)
    private var cache: TieredCache<String, Int> { fixture.cache }
    private var time: ManualTicker { fixture.time }

    private static func skipping(_ skipping: CachePolicy.Skipping) -> CachePolicy { policy.with { $0.skipping = skipping } }

    private func stored() async throws -> String? {
        try await fixture.record().map { String(decoding: $0.payload, as: UTF8.self) }
    }

    // MARK: Reads

    @Test func skippingMemoryReadsAsksTheStore() async throws {
        await cache.insert(1, forKey: "a")
        let found = try await fixture.lookup(policy: Self.skipping(.memoryReads))
        #expect(found.value == 1)
        #expect(found.tier == .store("store"))
        #expect(await cache.lookup(forKey: "a", policy: Self.skipping(.memoryReads))?.tier == .store("store"))
        #expect(await cache.value(forKey: "a", policy: Self.skipping(.memoryReads)) == 1)
        #expect(try await cache.lookupIfExists(forKey: "a", policy: Self.skipping(.memoryReads)) { _ in .absent() }?.tier == .store("store"))
        #expect(fixture.store.callCount(.record) == 4)
        fixture.expectRequests([.hit: 4])
        #expect(cache.statistics.storeHits == 4)
    }

    @Test func skippingStoreReadsAsksMemoryAndTheLoader() async throws {
        await cache.insert(50, forKey: "a")
        #expect(try await fixture.lookup(policy: Self.skipping(.storeReads)).value == 50)
        fixture.evict()
        #expect(await cache.lookup(forKey: "a", policy: Self.skipping(.storeReads))?.value == nil)
        let loaded = try await fixture.lookup(policy: Self.skipping(.storeReads))
        #expect(loaded.value == 1)
        #expect(loaded.skippedStores.map(\.reason) == [.policy])
        #expect(loaded.skippedStores.map(\.store) == ["store"])
        #expect(fixture.store.callCount(.record) == 0)
        #expect(try await stored() == "1")
    }

    @Test func skippingAllReadsAsksTheLoaderAndKeepsWhatItReturns() async throws {
        await cache.insert(50, forKey: "a", validator: "v")
        let requests = Shared<[LoadRequest<String, Int>]>([])
        let found = try await cache.lookupIfExists(forKey: "a", policy: Self.skipping(.reads)) { request in
            requests.update { $0.append(request) }
            return .value(7)
        }
        #expect(found?.value == 7)
        #expect(found?.tier == .loader)
        #expect(requests.value.map(\.reason) == [.requested])
        #expect(requests.value.first?.staleValue == nil)
        #expect(fixture.store.callCount(.record) == 0)
        #expect(cache.memoryValue(forKey: "a") == 7)
        #expect(try await stored() == "7")
    }

    @Test func skippingOnlyMemoryReadsReportsWhatIsMissing() async throws {
        let reason = Shared<LoadRequest<String, Int>.Reason?>(nil)
        _ = try await cache.valueIfExists(forKey: "a", policy: Self.skipping(.memoryReads)) { request in
            reason.update { $0 = request.reason }
            return .value(1)
        }
        #expect(reason.value == .missing)
    }

    @Test func cacheWhosePolicySkipsMemoryReadsDoesSoInEveryCall() async throws {
        let fixture = CachePolicyFixture(policy: Self.skipping(.memoryReads))
        let cache = fixture.cache
        await cache.insert(1, forKey: "a")
        #expect(try await fixture.lookup().tier == .store("store"))
        #expect(await cache.lookup(forKey: "a")?.tier == .store("store"))
        #expect(try await cache.lookupIfExists(forKey: "a") { _ in .absent() }?.tier == .store("store"))
        #expect(await cache.value(forKey: "a") == 1)
        #expect(try await cache.value(forKey: "a") { _ in 2 } == 1)
        #expect(fixture.store.callCount(.record) == 5)
        #expect(cache.statistics.storeHits == 5)
        // A call may ask for reads of memory all the same.
        #expect(await cache.lookup(forKey: "a", policy: Self.policy)?.tier == .memory)
        #expect(cache.memoryValue(forKey: "a") == 1)
        fixture.expectRequests([.hit: 7])
    }

    // MARK: Writes

    @Test func skippingMemoryWritesTakesTheOlderValueOutOfMemory() async throws {
        await cache.insert(50, forKey: "a")
        await cache.insert(51, forKey: "a", policy: Self.skipping(.memoryWrites))
        #expect(cache.memoryCount == 0)
        #expect(try await stored() == "51")
        // The cache does not copy a value that it finds in a store either.
        #expect(await cache.value(forKey: "a", policy: Self.skipping(.memoryWrites)) == 51)
        #expect(cache.memoryCount == 0)
        #expect(await cache.value(forKey: "a") == 51)
        #expect(cache.memoryCount == 1)
    }

    @Test func skippingStoreWritesTakesTheOlderRecordOutOfTheStore() async throws {
        await cache.insert(50, forKey: "a")
        await cache.insert(51, forKey: "a", policy: Self.skipping(.storeWrites))
        #expect(cache.memoryValue(forKey: "a") == 51)
        #expect(try await stored() == nil)
    }

    @Test(arguments: [CachePolicy.Skipping.memory, .stores, [.memory, .stores]])
    func loadedValuesReachOnlyTheTiersThatTakePart(_ skipped: CachePolicy.Skipping) async throws {
        await cache.insert(50, forKey: "a")
        time.advance(by: .seconds(10))
        #expect(try await fixture.lookup(policy: Self.skipping(skipped)).value == 1)
        #expect(cache.memoryValue(forKey: "a") == (skipped.contains(.memoryWrites) ? nil : 1))
        #expect(try await stored() == (skipped.contains(.storeWrites) ? nil : "1"))
    }

    @Test func resultMaySkipWhereTheCallDoesNot() async throws {
        _ = try await cache.valueIfExists(forKey: "a") { _ in .value(1, policy: Self.skipping(.storeWrites)) }
        #expect(cache.memoryValue(forKey: "a") == 1)
        #expect(try await stored() == nil)
        #expect(fixture.store.callCount(.insert) == 0)
    }

    @Test func skippedStoreMayHoldNoStaleValueFromBeforeALoadThatFindsNothing() async throws {
        await cache.insert(50, forKey: "a")
        time.advance(by: .seconds(10))
        let policy = Self.skipping(.storeWrites).with { $0.negativeFor = .seconds(5) }
        #expect(try await cache.valueIfExists(forKey: "a", policy: policy) { _ in .absent() } == nil)
        #expect(try await stored() == nil)
        fixture.evict()
        #expect(await cache.lookup(forKey: "a")?.value == nil)
    }

    // MARK: Writing behind

    private static let behind = policy.with { $0.storeWriting = .behind }

    @Test func writeBehindReturnsBeforeTheStoreHasIt() async throws {
        let gate = fixture.store.hold(.insert)
        await cache.insert(1, forKey: "a", policy: Self.behind)
        #expect(cache.memoryValue(forKey: "a") == 1)
        await gate.arrivals(1)
        #expect(try await stored() == nil)
        let isFlushed = Shared(false)
        let flush = Task {
            await cache.flush()
            isFlushed.update { $0 = true }
        }
        #expect(!isFlushed.value)
        gate.open()
        await flush.value
        #expect(try await stored() == "1")
    }

    @Test func loadedValuesAreWrittenBehindToo() async throws {
        let fixture = CachePolicyFixture(policy: Self.behind)
        let gate = fixture.store.hold(.insert)
        #expect(try await fixture.lookup().value == 1)
        // While the write is under way the value is in memory only, and a caller that asks gets it.
        #expect(try await fixture.lookup().tier == .memory)
        gate.open()
        await fixture.cache.flush()
        #expect(try await fixture.record() != nil)
    }

    @Test func writesBehindOfAKeyReachTheStoreInTheirOrder() async throws {
        let gate = fixture.store.hold(.insert)
        for number in 1...5 { await cache.insert(number, forKey: "a", policy: Self.behind) }
        await gate.arrivals(1)
        gate.open()
        await cache.flush()
        #expect(try await stored() == "5")
        await cache.insert(6, forKey: "a", policy: Self.behind)
        await cache.removeValue(forKey: "a")
        await cache.flush()
        #expect(try await stored() == nil)
    }

    @Test func writesBehindThatComeWhileTheStoreIsBusyAreOneCall() async throws {
        let gate = fixture.store.hold(.insert)
        await cache.insert(0, forKey: "0", policy: Self.behind)
        await gate.arrivals(1)
        for number in 1...40 { await cache.insert(number, forKey: "\(number)", policy: Self.behind) }
        gate.open()
        await cache.flush()
        #expect(try await fixture.base.statistics().count == 41)
        #expect(fixture.store.callCount(.insert) == 1 && fixture.store.callCount(.insertMany) == 1)
    }

    @Test func recordThatNoStoreTakesKeepsNoOtherOfItsBatchFromBeingWritten() async throws {
        let fixture = CachePolicyFixture(policy: Self.behind, maximumStoreBytes: 1_000)
        let gate = fixture.store.hold(.insert)
        await fixture.cache.insert(0, forKey: "0")
        await gate.arrivals(1)
        await fixture.cache.insert(1, forKey: "1")
        await fixture.cache.insert(2, forKey: "2", tags: [String(repeating: "t", count: 2_000)])
        await fixture.cache.insert(3, forKey: "3")
        gate.open()
        await fixture.cache.flush()
        #expect(try await fixture.base.statistics().count == 3)
        fixture.evict()
        #expect(await fixture.cache.value(forKey: "3") == 3)
        #expect(await fixture.cache.value(forKey: "2") == nil)
    }

    @Test func tooManyWritesBehindWaitForRoom() async throws {
        let gate = fixture.store.hold(.insert, .insertMany)
        // More values than all writers together can take and may wait behind them.
        let count = 2_000
        let isDone = Shared(false)
        let writes = Task {
            for number in 0..<count { await cache.insert(number, forKey: "\(number)", policy: Self.behind) }
            isDone.update { $0 = true }
        }
        await gate.arrivals(8)
        #expect(!isDone.value)
        gate.open()
        await writes.value
        await cache.flush()
        #expect(try await fixture.base.statistics().count == count)
    }

    @Test func evictedValueThatIsBeingWrittenBehindIsLoadedRatherThanReadOld() async throws {
        await cache.insert(50, forKey: "a")
        let gate = fixture.store.hold(.insert)
        await cache.insert(51, forKey: "a", policy: Self.behind)
        await gate.arrivals(1)
        fixture.evict()
        let missed = await cache.lookup(forKey: "a")
        #expect(missed?.value == nil)
        gate.open()
        await cache.flush()
        #expect(await cache.value(forKey: "a") == 51)
    }
}
