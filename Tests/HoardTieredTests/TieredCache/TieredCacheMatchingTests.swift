// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardTesting
import Synchronization
import Testing

@testable import Hoard

/// Removing, marking and listing the entries that meet a condition, over two stores that two caches share.
@Suite(.timeLimit(.minutes(5))) struct TieredCacheMatchingTests {
    private let time = ManualTicker()
    private let upper: FaultyStore
    private let lower: FaultyStore
    private let users: TieredCache<String, Int>
    private let teams: TieredCache<String, Int>

    init() {
        upper = FaultyStore(MemoryStore(name: "upper", clock: time))
        lower = FaultyStore(MemoryStore(name: "lower", clock: time))
        let stack = StoreStack([upper, lower], ticker: time)
        (users, teams) = (Self.makeCache("users", stack, time), Self.makeCache("teams", stack, time))
    }

    private static func makeCache(_ name: String, _ stack: StoreStack, _ time: ManualTicker) -> TieredCache<String, Int> {
        TieredCache(
            name: name,
            configuration: .init(maximumCount: 1_000, policy: .lasting(.seconds(60), staleFor: .seconds(60))),
            stores: stack,
            codec: .json,
            clock: time,
            ticker: time
        )
    }

    private func fill() async {
        for key in ["in/a", "in/b", "out"] {
            await users.insert(1, forKey: key)
            await teams.insert(2, forKey: key)
        }
    }

    private func evict() {
        users.memory.removeAll()
        teams.memory.removeAll()
    }

    private func keys(_ cache: TieredCache<String, Int>, fresh: Bool = false) async -> Set<String> {
        var keys: Set<String> = []
        for key in ["in/a", "in/b", "out"] {
            guard let lookup = await cache.lookup(forKey: key) else { continue }
            if !fresh || lookup.isFresh { keys.insert(key) }
        }
        return keys
    }

    /// Removes, or marks, the entries whose keys begin with `in/`. Returns their number.
    private func change(_ cache: TieredCache<String, Int>, marksStale: Bool = false) async -> Int {
        let count = Mutex(0)
        if marksStale {
            await cache.markStale(where: { $0.hasPrefix("in/") }) { matches in count.withLock { $0 += matches.count } }
        } else {
            await cache.removeValues(where: { $0.hasPrefix("in/") }) { matches in count.withLock { $0 += matches.count } }
        }
        return count.withLock { $0 }
    }

    @Test(arguments: [false, true])
    func whatMatchesGoesFromEveryTierOfThisCacheOnly(isInStoresOnly: Bool) async {
        await fill()
        if isInStoresOnly { evict() }
        #expect(await change(users) == 2)
        #expect(await keys(users) == ["out"])
        #expect(await keys(teams) == ["in/a", "in/b", "out"])
        evict()
        #expect(await keys(users) == ["out"])
        #expect(await keys(teams) == ["in/a", "in/b", "out"])
        #expect(await change(users) == 0)
    }

    @Test(arguments: [false, true])
    func whatMatchesIsMarkedInEveryTierOfThisCacheOnly(isInStoresOnly: Bool) async {
        await fill()
        if isInStoresOnly { evict() }
        #expect(await change(users, marksStale: true) == 2)
        for _ in 0..<2 {
            #expect(await keys(users) == ["in/a", "in/b", "out"], "it is kept")
            #expect(await keys(users, fresh: true) == ["out"])
            #expect(await keys(teams, fresh: true) == ["in/a", "in/b", "out"])
            evict()
        }
        #expect(await change(users, marksStale: true) == 0)
    }

    @Test(arguments: [false, true], [false, true])
    func storeThatFailsLosesAllThatTheCacheHasInIt(failsUpper: Bool, marksStale: Bool) async {
        await fill()
        evict()
        let store = failsUpper ? upper : lower
        store.fail(.recordPage)
        _ = await change(users, marksStale: marksStale)
        store.heal()
        #expect(await keys(users, fresh: true).isDisjoint(with: ["in/a", "in/b"]))
        #expect(await keys(teams, fresh: true) == ["in/a", "in/b", "out"])
    }

    @Test(arguments: [false, true])
    func storeThatDoesNotListAPageInTimeLosesAllThatTheCacheHasInIt(failsUpper: Bool) async {
        await fill()
        evict()
        let store = failsUpper ? upper : lower
        let gate = store.hold(.recordPage)
        let removal = Task { await change(users) }
        await gate.arrivals(1)
        await time.sleepers(1)
        time.advance(by: .seconds(8))
        _ = await removal.value
        #expect(await keys(users).isDisjoint(with: ["in/a", "in/b"]))
        #expect(await keys(teams) == ["in/a", "in/b", "out"])
        gate.open()
    }

    @Test func storeThatDoesNotListAPageInTimeIsPassedByInAListing() async {
        await fill()
        let gate = upper.hold(.recordPage)
        let listing = Task { await users.listing(from: .start, limit: 10) { _ in true } }
        await gate.arrivals(1)
        await time.sleepers(1)
        time.advance(by: .seconds(8))
        let page = await listing.value
        #expect(page.entries.isEmpty)
        #expect(page.next == .store(index: 1, nil))
        gate.open()
    }

    @Test func storeThatDoesNotAnswerInTimeIsAskedForOneEntryOfAPageOnly() async {
        await fill()
        let gate = Gate()
        upper.setScript { $0.operation == .peekRecord && $0.number == 1 ? .init(gate: gate) : .pass }
        let listing = Task { await users.listing(from: .memory(shard: 0, slot: 0), limit: 100) { _ in true } }
        await gate.arrivals(1)
        await time.sleepers(1)
        time.advance(by: .seconds(1))
        #expect(await listing.value.entries.isEmpty, "the lower store has them")
        #expect(upper.callCount(.peekRecord) == 1)
        gate.open()
    }

    @Test func recordsWhoseRemovalAStoreHasMissedAreNeitherListedNorShown() async {
        await fill()
        await users.insert(3, forKey: "in/b", tags: ["tag"])
        upper.fail(.removeRecord, .removeTagged)
        await users.removeValue(forKey: "in/a")
        await users.removeValues(taggedWith: "tag")
        let page = await users.listing(from: .start, limit: 100) { _ in true }
        #expect(page.entries.map(\.key) == ["out"])
        #expect(await users.peek(forKey: "in/a") == nil)
        #expect(await users.peek(forKey: "in/b") == nil)
        #expect(await users.peek(forKey: "out") == 1)
    }

    @Test func storeThatFailsAltogetherIsNotReadBeforeItHasDoneIt() async {
        await fill()
        evict()
        lower.fail()
        _ = await change(users)
        #expect(await keys(users) == ["out"], "from the store that works")
        lower.heal()
        upper.fail(.record, .records)
        evict()
        #expect(await keys(users).isDisjoint(with: ["in/a", "in/b"]))
    }

    /// A load that began before is returned to its caller, and no tier keeps it.
    @Test(arguments: [false, true])
    func loadsThatBeganBeforePublishNothing(marksStale: Bool) async throws {
        let gate = Gate()
        async let inside = users.value(forKey: "in/a") { _ in
            await gate.pass()
            return 7
        }
        async let outside = users.value(forKey: "out") { _ in
            await gate.pass()
            return 8
        }
        await gate.arrivals(2)
        _ = await change(users, marksStale: marksStale)
        gate.open()
        #expect(try await [inside, outside] == [7, 8])
        #expect(await keys(users) == ["out"])
        evict()
        #expect(await keys(users) == ["out"])
        #expect(users.fences.withLock { $0.isEmpty })
    }

    /// A copy to an upper tier that is under way during the walk over the stores does not bring
    /// back a removed record.
    @Test func copyThatIsUnderWayBringsNothingBack() async {
        await fill()
        evict()
        let gate = lower.hold(.record, afterwards: true)
        upper.fail(.record)
        async let reader = users.value(forKey: "in/a")
        await gate.arrivals(1)
        _ = await change(users)
        gate.open()
        _ = await reader
        upper.heal()
        await users.flush()
        #expect(await keys(users) == ["out"])
        evict()
        #expect(await keys(users) == ["out"])
    }

    /// A store that cannot list its records loses all of them, which breaks no fence of a key.
    @Test func recordReadBeforeItsRemovalIsNotCopiedBehindTheWalk() async throws {
        await fill()
        evict()
        try await upper.removeAll()
        lower.fail(.recordPage)
        let removal = lower.hold(.removeTagged)
        let reading = lower.hold(.record, afterwards: true)
        let page = upper.hold(.recordPage, afterwards: true)
        async let count = change(users)
        await removal.arrivals(1)
        async let found = users.lookup(forKey: "in/a", policy: users.policy.with { $0.skipping = .memoryWrites })
        await reading.arrivals(1)
        removal.open()
        // The upper store has listed its records, and the copy would come after that.
        await page.arrivals(1)
        reading.open()
        #expect(await found?.value == 1)
        await users.flush()
        page.open()
        #expect(await count == 0)
        #expect(await keys(users).isEmpty)
    }

    @Test func cacheWhoseRecordsDoNotTellTheirKeysLosesAll() async {
        let store = MemoryStore(clock: time)
        let cache = TieredCache<String, Int>(
            configuration: .init(maximumCount: 10),
            stores: [store],
            codec: .json,
            recordKey: { RecordKey($0) },
            clock: time,
            ticker: time
        )
        for key in ["in/a", "out"] { await cache.insert(1, forKey: key) }
        cache.memory.removeAll()
        await cache.removeValues(where: { $0.hasPrefix("in/") })
        #expect(await cache.value(forKey: "in/a") == nil)
    }

    // MARK: Listing

    @Test(arguments: [1, 2, 100])
    func everythingIsListedOnceWithItsTiers(limit: Int) async {
        await fill()
        users.memory.removeValue(forKey: "in/b")
        lower.fail(.insert, .insertMany)
        await users.insert(3, forKey: "upper only")
        lower.heal()
        var listed: [TieredCache<String, Int>.Listed] = []
        var position: TieredCache<String, Int>.ListingPosition? = .start
        while let start = position {
            let (entries, next) = await users.listing(from: start, limit: limit) { _ in true }
            listed += entries
            position = next
        }
        #expect(listed.map(\.key).sorted() == ["in/a", "in/b", "out", "upper only"])
        #expect(listed.filter { !$0.isInMemory }.map(\.key) == ["in/b"])
        #expect(listed.allSatisfy { $0.store == 0 && $0.freshUntil == time.now().addingTimeInterval(60) })
        #expect(await users.peek(forKey: "in/b") == 1)
        #expect(await users.peek(forKey: "absent") == nil)
        #expect(users.statistics.memoryHits + users.statistics.storeHits == 0)
    }
}
