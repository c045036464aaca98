// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardTestSupport
import HoardTesting
import Synchronization
import Testing

@testable import Hoard

@Suite(.timeLimit(.minutes(5))) struct TieredCacheWritingTests {
    private let fixture = TieredFixture()
    private var cache: TieredCache<String, Int> { fixture.cache }

    @Test func writeReachesEveryTierBeforeItReturns() async throws {
        await cache.insert(1, forKey: "a")
        #expect(cache.memoryLookup(forKey: "a")?.value == 1)
        #expect(try await fixture.stored("a", in: fixture.upperBase) == 1)
        #expect(try await fixture.stored("a", in: fixture.lowerBase) == 1)
    }

    @Test func recordHoldsWhatWasWritten() async throws {
        await cache.insert(1, forKey: "a", policy: .lasting(.seconds(10), staleFor: .seconds(20)), tags: ["t"], validator: "v")
        let now = fixture.time.now()
        let record = try #require(try await fixture.lowerBase.record(forKey: "a"))
        #expect(record.created == now)
        #expect(record.freshUntil == now.addingTimeInterval(10))
        #expect(record.staleUntil == now.addingTimeInterval(30))
        #expect(record.tags == ["t"])
        #expect(record.validator == "v")
        #expect(record.contentType == "application/json")
        #expect(record.schemaFingerprint == Codec<Int>.json.schemaFingerprint)
    }

    @Test func configurationDecidesWhatAWriteLeavesOpen() async throws {
        let fixture = TieredFixture(freshFor: .seconds(7), staleFor: .seconds(3))
        await fixture.cache.insert(1, forKey: "a")
        let now = fixture.time.now()
        var record = try await fixture.lowerBase.record(forKey: "a")
        #expect(record?.freshUntil == now.addingTimeInterval(7))
        #expect(record?.staleUntil == now.addingTimeInterval(10))

        let endless = TieredFixture(freshFor: nil, staleFor: .seconds(3))
        await endless.cache.insert(1, forKey: "a")
        record = try await endless.lowerBase.record(forKey: "a")
        #expect(record != nil)
        #expect(record?.freshUntil == nil)
        #expect(record?.staleUntil == nil)
        endless.time.advance(by: .seconds(1_000_000_000))
        #expect(await endless.cache.value(forKey: "a") == 1)
    }

    /// NaN does not equal itself, so that nothing under it is ever found again.
    @Test func valueOfAKeyThatDoesNotEqualItselfIsNotKept() async throws {
        let store = MemoryStore(clock: fixture.time)
        let cache = TieredCache<Double, Int>(configuration: .init(maximumCount: 10), stores: [store], codec: .json, ticker: fixture.time)
        await cache.insert(1, forKey: .nan)
        await cache.insert(contentsOf: [.nan: 1, 0: 2])
        #expect(try await cache.value(forKey: .nan) { _ in 3 } == 3)
        await cache.removeValue(forKey: .nan)
        #expect(cache.memoryCount == 1)
        #expect(try await store.statistics().count == 1)
        #expect(cache.fences.withLock { $0.isEmpty && !$0.isBeingChanged(.nan) })
    }

    @Test func longestDurationsDoNotOverflow() async {
        await cache.insert(1, forKey: "a", policy: .lasting(.seconds(Int64.max), staleFor: .seconds(Int64.max)))
        fixture.time.advance(by: .seconds(1_000_000_000))
        #expect(await cache.value(forKey: "a") == 1)
        fixture.evict()
        #expect(await cache.value(forKey: "a") == 1)
    }

    @Test func valueThatWasNeverFreshIsNotReturned() async {
        await cache.insert(1, forKey: "a")
        await cache.insert(2, forKey: "a", policy: .lasting(.zero))
        #expect(await cache.lookup(forKey: "a")?.value == nil)
        await cache.insert(3, forKey: "b", policy: .lasting(.zero, staleFor: .seconds(10)))
        #expect(await cache.lookup(forKey: "b")?.isFresh == false)
        #expect(await cache.value(forKey: "b") == nil)
    }

    @Test func valueThatStoppedBeingFreshLongBeforeTheClockBeganIsNotFresh() async {
        let time = ManualTicker(nanoseconds: -10)
        let cache = TieredCache<String, Int>(configuration: .init(maximumCount: 1), stores: [], codec: .json, clock: time, ticker: time)
        let cached = CachedValue(1, created: .distantPast, freshUntil: Date(timeIntervalSince1970: -1e11), staleUntil: .forever)
        await cache.publish(cached, forKey: "a", fence: cache.openFence(forKey: "a"))
        #expect(await cache.lookup(forKey: "a")?.isFresh == false)
    }

    @Test func removalReachesEveryTierBeforeItReturns() async throws {
        await cache.insert(1, forKey: "a")
        await cache.insert(2, forKey: "b")
        await cache.removeValue(forKey: "a")
        #expect(await cache.lookup(forKey: "a")?.value == nil)
        #expect(try await fixture.stored("a", in: fixture.upperBase) == nil)
        #expect(try await fixture.stored("a", in: fixture.lowerBase) == nil)
        #expect(await cache.value(forKey: "b") == 2)
    }

    @Test func removalOfEverythingReachesEveryTierBeforeItReturns() async throws {
        for key in ["a", "b", "c"] { await cache.insert(1, forKey: key) }
        await cache.removeAll()
        #expect(cache.memory.count == 0)
        #expect(try await fixture.upperBase.statistics().count == 0)
        #expect(try await fixture.lowerBase.statistics().count == 0)
        await cache.insert(2, forKey: "a")
        #expect(await cache.value(forKey: "a") == 2)
    }

    @Test func keysAreNamedByTheirDescriptionOrAsTheUserSays() async throws {
        let store = MemoryStore()
        let numbers = TieredCache<Int, Int>(configuration: .init(maximumCount: 1), stores: [store], codec: .json, ticker: ManualTicker())
        await numbers.insert(1, forKey: -42)
        #expect(try await store.record(forKey: "-42") != nil)
        struct Key: Hashable, Sendable {
            let user: Int
            let page: Int
        }
        let pages = TieredCache<Key, Int>(
            configuration: .init(maximumCount: 1),
            stores: [store],
            codec: .json,
            recordKey: { RecordKey("user \($0.user) page \($0.page)") },
            ticker: ManualTicker()
        )
        await pages.insert(2, forKey: Key(user: 7, page: 1))
        await pages.insert(3, forKey: Key(user: 7, page: 2))
        #expect(try await store.record(forKey: "user 7 page 1") != nil)
        #expect(await pages.value(forKey: Key(user: 7, page: 1)) == 2, "memory has room for one only")
    }

    @Test func keyThatIsTooLongForStoresIsKeptInMemory() async throws {
        let key = String(repeating: "k", count: RecordKey.maximumByteCount + 1)
        #expect(try await cache.value(forKey: key) { _ in 1 } == 1)
        #expect(await cache.lookup(forKey: key)?.tier == .memory)
        await cache.removeValue(forKey: key)
        #expect(await cache.value(forKey: key) == nil)
        #expect(cache.statistics.storeFailures == 0)
        #expect(fixture.events.value.isEmpty)
    }

    @Test func memoryHasItsOwnLimits() async {
        let fixture = TieredFixture(maximumCount: 2)
        for number in 0..<10 { await fixture.cache.insert(number, forKey: "\(number)") }
        #expect(fixture.cache.memory.count == 2)
        #expect(fixture.cache.memoryStatistics.evictions == 8)
        for number in 0..<10 where !fixture.cache.memory.contains("\(number)") {
            let found = await fixture.cache.lookup(forKey: "\(number)")
            #expect(found?.value == number)
            #expect(found?.tier == .store("upper"))
            break
        }
    }

    @Test func weigherSeesKeyAndValue() async {
        let cache = TieredCache<String, Int>(
            configuration: .init(maximumWeight: 10, weigher: { key, value in key == "a" ? value : 0 }),
            stores: [],
            codec: .json
        )
        await cache.insert(10, forKey: "a")
        #expect(cache.memory.totalWeight == 10)
        await cache.insert(11, forKey: "a")
        #expect(await cache.value(forKey: "a") == nil)
        #expect(cache.memory.totalWeight == 0)
    }

    enum Interruption: CaseIterable, Sendable {
        case foreignChange, foreignChangeOfEverything, load
    }

    @Test(arguments: Interruption.allCases) func aWriteIsNotKeptBackByWhatComesAMomentBefore(interruption: Interruption) async throws {
        // The cache asks the weigher after the write has begun and before it is published.
        let interrupt = Mutex<(@Sendable () -> Void)?>(nil)
        let store = MemoryStore()
        let cache = TieredCache<String, Int>(
            configuration: .init(maximumWeight: 10) { _, value in
                if value == 2 { interrupt.withLock { $0.take() }?() }
                return 1
            },
            stores: [store],
            codec: .json,
            ticker: ManualTicker()
        )
        await cache.insert(1, forKey: "a")
        let fence = cache.openFence(forKey: "a")
        let hasInterrupted = Mutex(false)
        interrupt.withLock { interrupt in
            interrupt = {
                switch interruption {
                case .foreignChange: cache.drop(StoreInvalidation(key: "a"), changedIn: 0)
                case .foreignChangeOfEverything: cache.drop(.everything, changedIn: 0)
                case .load: cache.breakFences(forKey: "a")
                }
                hasInterrupted.withLock { $0 = true }
            }
        }
        await cache.insert(2, forKey: "a")
        #expect(hasInterrupted.withLock { $0 })
        #expect(cache.memoryLookup(forKey: "a")?.value == 2)
        #expect(try await store.record(forKey: "a").map { String(decoding: $0.payload, as: UTF8.self) } == "2")
        // The load began before the write, so it is not published.
        #expect(!cache.isIntact(fence))
        cache.closeFence(fence)
    }

    @Test func closeDropsMemoryAndClosesTheStores() async throws {
        await cache.insert(1, forKey: "a")
        await cache.close()
        #expect(fixture.upper.callCount(.close) == 1)
        #expect(fixture.lower.callCount(.close) == 1)
        #expect(await cache.value(forKey: "a") == nil)
        #expect(await error { try await fixture.upperBase.statistics() } is StoreError)
        #expect(try await cache.value(forKey: "a") { _ in 2 } == 2, "loads still work")
    }

    @Test func closeFinishesWhatIsWrittenBehind() async throws {
        let gate = fixture.upper.hold(.insert)
        let published = await cache.publish(
            CachedValue(1, created: fixture.time.now()),
            forKey: "a",
            fence: cache.openFence(forKey: "a"),
            behind: true
        )
        #expect(published)
        #expect(cache.memoryLookup(forKey: "a")?.value == 1)
        await gate.arrivals(1)
        async let closing: Void = cache.close()
        gate.open()
        await closing
        #expect(fixture.upper.callCount(.insert) == 1)
        #expect(fixture.lower.callCount(.insert) == 1)
    }

    @Test func closeFinishesTheWritesAndRemovalsUnderWay() async throws {
        let gate = fixture.upper.hold(.insert)
        defer { gate.open() }
        let writing = Task { [cache] in await cache.insert(1, forKey: "a") }
        await gate.arrivals(1)
        let removing = Task { [cache] in _ = await cache.removeValue(forKey: "a") }
        try await waitUntil { cache.tiers[0].waiterCount(for: "a") == 1 }
        let closing = Task { [cache] in await cache.close() }
        try await waitUntil { cache.storeChanges.waiterCount == 1 }
        gate.open()
        for task in [writing, removing, closing] { await task.value }
        #expect(fixture.upper.callCount(.removeRecord) == 1)
        #expect(fixture.lower.callCount(.removeRecord) == 1)
        #expect(cache.storeHealth.map(\.pendingInvalidations) == [0, 0])
    }

    @Test func flushWaitsForWhatIsWrittenBehind() async throws {
        let gate = fixture.lower.hold(.insert)
        for number in 0..<100 {
            await cache.publish(
                CachedValue(number, created: fixture.time.now()),
                forKey: "\(number)",
                fence: cache.openFence(forKey: "\(number)"),
                behind: number < 64
            )
            if number == 63 { gate.open() }
        }
        await cache.flush()
        #expect(try await fixture.lowerBase.statistics().count == 100)
        #expect(fixture.cache.fences.withLock { $0.count } == 0)
    }

    @Test func valuesThatLeaveAreReleasedOutsideTheLocks() async throws {
        let time = ManualTicker()
        let holder = Shared<TieredCache<String, Witness>?>(nil)
        let releases = Shared<[Int: Bool]>([:])
        @Sendable func witness(_ number: Int) -> Witness {
            Witness(number) { number in
                guard let cache = holder.value else { return }
                let wasUnlocked = cache.fences.withLockIfAvailable { _ in true } ?? false
                releases.update { $0[number] = wasUnlocked && cache.memory.allLocksAreFree }
            }
        }
        let cache = TieredCache<String, Witness>(
            configuration: .init(maximumCount: 1, freshFor: .seconds(10)),
            stores: [],
            codec: Codec(schema: "none", encode: { _ in throw TestError() }, decode: { _ in throw TestError() }),
            clock: time,
            ticker: time
        )
        holder.update { $0 = cache }
        await cache.insert(witness(1), forKey: "a")
        await cache.insert(witness(2), forKey: "a")  // replaces
        await cache.insert(witness(3), forKey: "b")  // evicts
        await cache.removeValue(forKey: "b")
        await cache.insert(witness(4), forKey: "c")
        time.advance(by: .seconds(10))
        await cache.removeValue(forKey: "c")  // expired already
        await cache.insert(witness(5), forKey: "d")
        await cache.removeAll()
        await cache.insert(witness(6), forKey: "e")
        await cache.close()
        holder.update { $0 = nil }
        #expect(releases.value == [1: true, 2: true, 3: true, 4: true, 5: true, 6: true])
    }

    @Test func contradictoryConfigurationsAreRefused() async {
        await #expect(processExitsWith: .failure) { _ = TieredCache<String, Int>.Configuration() }
        await #expect(processExitsWith: .failure) { _ = TieredCache<String, Int>.Configuration(maximumCount: -1) }
    }
}
