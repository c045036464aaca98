// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardTestSupport
import HoardTesting
import Synchronization
import Testing

@testable import Hoard

/// Conditional loads. A stale value and its validator go to the loader, which may answer that
/// the value is still right.
@Suite(.timeLimit(.minutes(5))) struct TieredCacheRevalidationTests {
    private static let policy = CachePolicy(freshFor: .seconds(10)).with {
        $0.staleFor = .seconds(100)
        $0.staleIfError = .seconds(50)
    }
    private let time: ManualTicker
    private let fixture: TieredFixture
    private let requests = Shared<[LoadRequest<String, Int>]>([])
    private var cache: TieredCache<String, Int> { fixture.cache }

    init() {
        fixture = TieredFixture(policy: Self.policy)
        time = fixture.time
    }

    /// Asks a loader that returns this result, and remembers its request.
    private func ask(_ result: LoadResult<Int>, policy: CachePolicy? = nil) async throws -> Lookup<Int>? {
        try await cache.lookupIfExists(forKey: "a", policy: policy) { [requests] request in
            requests.update { $0.append(request) }
            return result
        }
    }

    /// Loads 1, and lets it become stale.
    private func becomeStale() async throws {
        _ = try await ask(.value(1, tags: ["t", "u"], validator: "v1"))
        time.advance(by: .seconds(12))
    }

    @Test func loaderGetsTheStaleValueWithItsValidator() async throws {
        try await becomeStale()
        _ = try await ask(.notModified())
        let (first, second) = try (#require(requests.value.first), #require(requests.value.last))
        #expect(first.reason == .missing)
        #expect(first.staleValue == nil)
        #expect(second.key == "a")
        #expect(second.reason == .stale)
        #expect(second.staleValue?.value == 1)
        #expect(second.staleValue?.validator == "v1")
        #expect(second.staleValue?.tags == ["t", "u"])
        #expect(second.staleValue?.created == time.now().addingTimeInterval(-12))
    }

    @Test func notModifiedRenewsMemoryAndEveryStore() async throws {
        try await becomeStale()
        let found = try #require(try await ask(.notModified()))
        #expect(found.value == 1)
        #expect(found.tier == .loader)
        #expect(found.isFresh)
        #expect(found.age == .zero)
        let freshUntil = time.now().addingTimeInterval(10)
        let inMemory = try #require(cache.memoryLookup(forKey: "a"))
        #expect(inMemory.isFresh && inMemory.freshUntil == freshUntil && inMemory.validator == "v1" && inMemory.tags == ["t", "u"])
        for store in [fixture.upperBase, fixture.lowerBase] {
            let record = try #require(try await store.record(forKey: "a"))
            #expect(record.created == time.now())
            #expect(record.freshUntil == freshUntil)
            #expect(record.staleUntil == time.now().addingTimeInterval(110))
            #expect(record.validator == "v1")
            #expect(record.tags == ["t", "u"])
            #expect(record.payload == Data("1".utf8))
        }
        #expect(cache.statistics.loads == 2)
        #expect(cache.statistics.unmodifiedLoads == 1)
    }

    @Test func notModifiedMayBringNewTagsValidatorAndPolicy() async throws {
        try await becomeStale()
        _ = try await ask(.notModified(tags: ["w"], validator: "v2", policy: CachePolicy(freshFor: .seconds(33))))
        let inMemory = try #require(cache.memoryLookup(forKey: "a"))
        #expect(inMemory.tags == ["w"])
        #expect(inMemory.validator == "v2")
        #expect(inMemory.freshUntil == time.now().addingTimeInterval(33))
        #expect(try await fixture.lowerBase.record(forKey: "a")?.tags == ["w"])
        await cache.removeValues(taggedWith: "t")
        #expect(await cache.value(forKey: "a") == 1)
        await cache.removeValues(taggedWith: "w")
        #expect(await cache.lookup(forKey: "a")?.value == nil)
    }

    @Test func notModifiedMayTakeAllTagsAway() async throws {
        try await becomeStale()
        _ = try await ask(.notModified(tags: []))
        #expect(try await fixture.upperBase.record(forKey: "a")?.tags == [])
        await cache.removeValues(taggedWith: "t")
        #expect(await cache.value(forKey: "a") == 1)
    }

    @Test func newValueDoesNotInheritTagsOrValidator() async throws {
        try await becomeStale()
        _ = try await ask(.value(2))
        let inMemory = try #require(cache.memoryLookup(forKey: "a"))
        #expect(inMemory.value == 2)
        #expect(inMemory.tags.isEmpty)
        #expect(inMemory.validator == nil)
    }

    @Test func staleValueOfTheFartherStoreWillDo() async throws {
        try await becomeStale()
        fixture.evict()
        try await fixture.upperBase.removeRecord(forKey: "a")
        _ = try await ask(.notModified())
        #expect(requests.value.last?.staleValue?.validator == "v1")
        await cache.flush()
        #expect(try await fixture.upperBase.record(forKey: "a")?.freshUntil == time.now().addingTimeInterval(10))
    }

    @Test func newestOfTheStaleValuesIsRevalidated() async throws {
        try await fixture.put(4, forKey: "a", in: fixture.upperBase, age: .seconds(30), freshFor: .zero, keptFor: .seconds(100))
        try await fixture.put(5, forKey: "a", in: fixture.lowerBase, age: .seconds(20), freshFor: .zero, keptFor: .seconds(100))
        let found = try await ask(.notModified())
        #expect(found?.value == 5)
        #expect(try await fixture.stored("a", in: fixture.upperBase) == 5)
    }

    @Test func notModifiedWithoutAValueIsAnError() async throws {
        #expect((await error { try await ask(.notModified()) } as? CacheError)?.code == .notModified)
        #expect(cache.statistics.loadFailures == 1)
        #expect(cache.statistics.loads == 0)
        #expect(cache.fences.withLock { $0.count } == 0)
        #expect(try await fixture.lowerBase.record(forKey: "a") == nil)
        // A call that wants a new value does not give one to the loader either.
        try await becomeStale()
        #expect(
            (await error { try await ask(.notModified(), policy: Self.policy.with { $0.skipping = .reads }) } as? CacheError)?.code == .notModified
        )
        #expect(requests.value.last?.staleValue == nil)
        #expect(requests.value.last?.reason == .requested)
        #expect(await cache.lookup(forKey: "a")?.value == 1)
    }

    @Test func valueMarkedStaleIsRevalidated() async throws {
        _ = try await ask(.value(1, tags: ["t"], validator: "v1"))
        await cache.markStale(taggedWith: "t")
        let found = try await ask(.notModified())
        #expect(found?.value == 1)
        #expect(requests.value.last?.reason == .stale)
        #expect(requests.value.last?.staleValue?.validator == "v1")
        // The value is fresh again despite the mark.
        #expect(await cache.value(forKey: "a") == 1)
        fixture.evict()
        #expect(await cache.value(forKey: "a") == 1)
    }

    @Test(arguments: [false, true]) func renewalDoesNotBringBackWhatIsRemovedMeanwhile(_ byTag: Bool) async throws {
        try await becomeStale()
        let gate = Gate()
        let caller = Task {
            try await cache.valueIfExists(forKey: "a") { _ in
                await gate.pass()
                return .notModified()
            }
        }
        await gate.arrivals(1)
        if byTag { await cache.removeValues(taggedWith: "u") } else { await cache.removeValue(forKey: "a") }
        gate.open()
        #expect(try await caller.value == 1)
        #expect(await cache.lookup(forKey: "a")?.value == nil)
        for store in [fixture.upperBase, fixture.lowerBase] { #expect(try await store.record(forKey: "a") == nil) }
        #expect(cache.fences.withLock { $0.count } == 0)
    }

    @Test func markDuringTheRevalidationKeepsItFromRenewing() async throws {
        try await becomeStale()
        let gate = Gate()
        let caller = Task {
            try await cache.valueIfExists(forKey: "a") { _ in
                await gate.pass()
                return .notModified()
            }
        }
        await gate.arrivals(1)
        await cache.markStale(forKey: "a")
        gate.open()
        _ = try await caller.value
        #expect(await cache.value(forKey: "a") == nil)
        #expect(await cache.lookup(forKey: "a")?.value == 1)
    }

    @Test func valueOfACallerThatIsCancelledIsNotRenewed() async throws {
        try await becomeStale()
        let gate = Gate()
        let caller = Task {
            try await cache.valueIfExists(forKey: "a") { _ in
                await gate.pass()
                try Task.checkCancellation()
                return .notModified()
            }
        }
        await gate.arrivals(1)
        caller.cancel()
        #expect(await error { try await caller.value } is CancellationError)
        gate.open()
        try await waitUntil { cache.loads.flightCount == 0 }
        #expect(await cache.value(forKey: "a") == nil)
        #expect(cache.statistics.unmodifiedLoads == 0)
    }
}
