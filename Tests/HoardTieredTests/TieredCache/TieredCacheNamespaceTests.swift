// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTestSupport
import HoardTesting
import Testing

@testable import Hoard

/// Several caches over the same stores, kept apart by their names.
@Suite(.timeLimit(.minutes(5))) struct TieredCacheNamespaceTests {
    private let time: ManualTicker
    private let upper: FaultyStore
    private let lower: FaultyStore
    private let lowerBase: MemoryStore
    private let stack: StoreStack
    private let users: TieredCache<String, Int>
    private let teams: TieredCache<String, Int>

    init() {
        time = ManualTicker()
        lowerBase = MemoryStore(name: "lower", clock: time)
        upper = FaultyStore(MemoryStore(name: "upper", clock: time))
        lower = FaultyStore(lowerBase)
        stack = StoreStack([upper, lower], ticker: time)
        users = Self.makeCache("users", maximumCount: 10, stack, time)
        teams = Self.makeCache("teams", maximumCount: 2, stack, time)
    }

    private static func makeCache(_ name: String, maximumCount: Int = 10, _ stack: StoreStack, _ time: ManualTicker) -> TieredCache<String, Int> {
        TieredCache(
            name: name,
            configuration: .init(maximumCount: maximumCount, policy: .lasting(.seconds(60), staleFor: .seconds(60))),
            stores: stack,
            codec: .json,
            clock: time,
            ticker: time
        )
    }

    private func callCounts(_ store: FaultyStore) -> [FaultyStore.Operation: Int] {
        Dictionary(uniqueKeysWithValues: FaultyStore.Operation.all.map { ($0, store.callCount($0)) }).filter { $0.value > 0 && $0.key != .insertMany }
    }

    private func evict() {
        users.memory.removeAll()
        teams.memory.removeAll()
    }

    private func fill() async {
        await users.insert(contentsOf: ["a": 1, "b": 2], tags: ["t"])
        await teams.insert(contentsOf: ["a": 10, "b": 20], tags: ["t"])
    }

    @Test func sameKeysDoNotCollide() async throws {
        await fill()
        evict()
        #expect(await users.values(forKeys: ["a", "b"]) == ["a": 1, "b": 2])
        #expect(await teams.values(forKeys: ["a", "b"]) == ["a": 10, "b": 20])
        await users.removeValue(forKey: "a")
        evict()
        #expect(await users.value(forKey: "a") == nil)
        #expect(await teams.value(forKey: "a") == 10)
        #expect(users.name == "users" && teams.name == "teams")
    }

    @Test func eachHasItsOwnLimits() async {
        for number in 0..<10 {
            await users.insert(number, forKey: "\(number)")
            await teams.insert(number, forKey: "\(number)")
        }
        #expect(users.memoryCount == 10)
        #expect(teams.memoryCount <= 2)
        #expect(await teams.value(forKey: "0") == 0, "from the stores")
    }

    @Test func lookupsShowTheTagsAsTheyWereGiven() async {
        await fill()
        #expect(await users.lookup(forKey: "a")?.tags == ["t"])
        evict()
        #expect(await users.lookup(forKey: "a")?.tags == ["t"])
        #expect(await users.explain("a").stores.last?.holding?.tags == ["t"])
    }

    @Test func removingEverythingFromOneIsOneCallOfEachStoreAndLeavesTheOtherAlone() async {
        await fill()
        await users.removeAll()
        #expect(callCounts(upper) == [.removeTagged: 1])
        #expect(callCounts(lower) == [.removeTagged: 1])
        #expect(teams.memoryLookup(forKey: "a")?.value == 10)
        evict()
        #expect(await users.lookups(forKeys: ["a", "b"]).isEmpty)
        #expect(await teams.values(forKeys: ["a", "b"]) == ["a": 10, "b": 20])
    }

    @Test func markingEverythingOfOneStaleIsOneCallOfEachStoreAndLeavesTheOtherAlone() async {
        await fill()
        await users.markAllStale()
        #expect(callCounts(upper) == [.markTaggedStale: 1])
        #expect(callCounts(lower) == [.markTaggedStale: 1])
        for _ in 0..<2 {
            #expect(await users.lookups(forKeys: ["a", "b"]).values.map(\.isFresh) == [false, false])
            #expect(await teams.lookups(forKeys: ["a", "b"]).values.map(\.isFresh) == [true, true])
            evict()
        }
    }

    @Test func tagsOfTheSameNameDoNotCollide() async {
        await fill()
        await users.removeValues(taggedWith: "t")
        await teams.markStale(taggedWith: "x")
        evict()
        #expect(await users.lookup(forKey: "a") == nil)
        #expect(await teams.value(forKey: "a") == 10)
        await teams.markStale(taggedWith: "t")
        evict()
        #expect(await teams.lookup(forKey: "a")?.isFresh == false)
    }

    /// No key or tag that a user may choose reaches the records of another cache.
    @Test func tagsAndKeysThatLookLikeThoseOfOthersDoNotReachThem() async {
        await fill()
        let user = Self.makeCache("user", stack, time)
        await user.removeValues(taggedWithAny: ["s\u{0}t", "\u{0}users", "users\u{0}t", "", "\u{0}"])
        await user.removeValues(forKeys: ["s\u{0}a", "users\u{0}a", ""])
        await user.removeAll()
        evict()
        #expect(await users.values(forKeys: ["a", "b"]) == ["a": 1, "b": 2])
    }

    @Test func oddTagsAndKeysWork() async {
        let odd: Set<String> = ["", "\u{0}", "\u{301}", "users", "\u{0}users", "a\u{0}b", "é", "\r\n"]
        for tag in odd { await users.insert(1, forKey: "key \(tag)", tags: [tag]) }
        await users.insert(2, forKey: "other", tags: odd)
        await users.insert(3, forKey: "")
        evict()
        for tag in odd { #expect(await users.lookup(forKey: "key \(tag)")?.tags == [tag]) }
        #expect(await users.lookup(forKey: "other")?.tags == odd)
        for tag in odd {
            await users.removeValues(taggedWith: tag)
            #expect(await users.value(forKey: "key \(tag)") == nil)
        }
        #expect(await users.value(forKey: "other") == nil)
        #expect(await users.value(forKey: "") == 3)
    }

    @Test func cachesOfTheSameNameSeeTheSameRecords() async {
        await fill()
        let later = Self.makeCache("users", stack, time)
        #expect(await later.value(forKey: "a") == 1)
    }

    @Test func removedNamespaceIsOneCallOfEachStore() async throws {
        await fill()
        evict()
        await stack.removeNamespace("users")
        #expect(callCounts(upper) == [.removeTagged: 1] && callCounts(lower) == [.removeTagged: 1])
        #expect(await users.value(forKey: "a") == nil)
        #expect(await teams.value(forKey: "a") == 10)
        #expect(try await lowerBase.record(forKey: "users\u{0}b") == nil)
        await stack.removeNamespace("nobody")
        #expect(try await lowerBase.record(forKey: "teams\u{0}b") != nil)
    }

    @Test func closingACacheLeavesSharedStoresOpen() async {
        await fill()
        await users.close()
        #expect(users.memoryCount == 0)
        #expect(upper.callCount(.close) == 0 && lower.callCount(.close) == 0)
        teams.memory.removeAll()
        #expect(await teams.value(forKey: "a") == 10)
        #expect(await users.value(forKey: "a") == 1, "its records are still there")
        await stack.close()
        #expect(upper.callCount(.close) == 1 && lower.callCount(.close) == 1)
        evict()
        #expect(await teams.value(forKey: "a") == nil)
        #expect(await error { try await teams.value(forKey: "a") { _ in 5 } } == nil)
        #expect(teams.memoryLookup(forKey: "a")?.value == 5)
    }

    @Test func loadUnderWayInOneIsNotHitByWhatTheOtherDoes() async throws {
        let gate = Gate()
        async let loaded = users.value(forKey: "a", tags: ["t"]) { _ in
            await gate.pass()
            return 1
        }
        await gate.arrivals(1)
        await teams.removeAll()
        await teams.removeValues(taggedWith: "t")
        await teams.removeValue(forKey: "a")
        gate.open()
        #expect(try await loaded == 1)
        evict()
        #expect(await users.value(forKey: "a") == 1)
    }

    @Test func storeThatMissesTheRemovalOfOneIsStillReadForTheOther() async {
        await fill()
        for store in [upper, lower] { store.fail(.removeTagged) }
        await users.removeAll()
        evict()
        #expect(await users.lookups(forKeys: ["a", "b"]).isEmpty)
        #expect(await teams.values(forKeys: ["a", "b"]) == ["a": 10, "b": 20])
        #expect(stack.health.map(\.pendingInvalidations) == [1, 1])
    }

    @Test func cacheWithoutANameRemovesEverythingFromItsStores() async throws {
        let base = MemoryStore(clock: time)
        let store = FaultyStore(base)
        let cache = TieredCache<String, Int>(configuration: .init(maximumCount: 10), stores: [store], codec: .json, clock: time, ticker: time)
        await cache.insert(1, forKey: "a", tags: ["t"])
        let record = try #require(try await base.record(forKey: "a"))
        #expect(record.tags == ["t"], "keys and tags as they are")
        #expect(cache.name == nil)
        await cache.markAllStale()
        #expect(store.callCount(.markAllStale) == 1 && store.callCount(.markTaggedStale) == 0)
        await cache.removeAll()
        #expect(store.callCount(.removeAll) == 1 && store.callCount(.removeTagged) == 0)
        #expect(try await base.statistics().count == 0)
        await cache.close()
        #expect(store.callCount(.close) == 1)
    }
}
