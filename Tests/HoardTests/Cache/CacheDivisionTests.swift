// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import Testing

@testable import Hoard

/// A cache limited by weight begins with one shard and is divided once it holds 1,024 entries.
@Suite(.timeLimit(.minutes(5))) struct CacheDivisionTests {
    private func shardCount(_ cache: Cache<Int, Int>) -> Int { cache.cells.count }

    @Test(arguments: [(1_500, 1, 2), (20_000, 1, 32), (100_000, 1, 64), (1_000_000, 100, 16), (1_000_000, 900, 2), (1_000_000, 1_100, 1)])
    func shardsAreAsManyAsTheWeightsOfTheFirstEntriesMakeWorth(limit: Int, weight: Int, shards: Int) {
        let cache = Cache<Int, Int>(maximumWeight: limit) { _, _ in weight }
        for key in 0..<1_024 { cache.insert(key, forKey: key) }
        #expect(shardCount(cache) == 1)
        for key in 1_024..<2_000 { cache.insert(key, forKey: key) }
        #expect(shardCount(cache) == shards)
        cache.checkInvariants()
    }

    @Test(arguments: [2_000, 20_000, 100_003]) func limitIsUsedToTheLastUnitAndNeverExceeded(limit: Int) {
        let cache = Cache<Int, Int>(maximumWeight: limit) { _, _ in 1 }
        for key in 0..<limit { cache.insert(key, forKey: key) }
        #expect(cache.count == limit)
        #expect(cache.statistics.evictions == 0)
        #expect((0..<limit).allSatisfy { cache.peek($0) == $0 })
        for key in limit..<limit * 2 { cache.insert(key, forKey: key) }
        #expect(cache.count == limit)
        #expect(cache.totalWeight == limit)
        cache.checkInvariants()
    }

    @Test(arguments: UInt64(0)..<12) func entriesStayWhatTheyAreWhenTheCacheIsDivided(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let ticker = ManualTicker()
        let cache = Cache<Int, Int>(configuration: .init(maximumCount: seed % 2 == 0 ? nil : 30_000, maximumWeight: 400_000), ticker: ticker)
        var (expected, tagged): ([Int: Int64], Set<Int>) = ([:], [])
        for key in 0..<1_024 {
            let lifetime = Int64.random(in: 1...20_000_000_000, using: &generator)
            let expires = Bool.random(using: &generator)
            let isTagged = Int.random(in: 0..<5, using: &generator) == 0
            cache.insert(
                key,
                forKey: key,
                weight: Int.random(in: 0...20, using: &generator),
                expiresAfter: expires ? .nanoseconds(lifetime) : nil,
                tags: isTagged ? ["tag"] : []
            )
            expected[key] = expires ? lifetime : .max
            if isTagged { tagged.insert(key) }
            for _ in 0..<Int.random(in: 0...4, using: &generator) { _ = cache.value(forKey: key) }
        }
        let before = (weight: cache.totalWeight, statistics: cache.statistics, heat: heat(in: cache))
        cache.insert(-1, forKey: -1, weight: 5)
        #expect(shardCount(cache) > 1, "seed \(seed)")
        cache.checkInvariants()
        #expect(cache.count == 1_025)
        #expect(cache.totalWeight == before.weight + 5)
        #expect(cache.statistics.insertions == before.statistics.insertions + 1)
        #expect(cache.statistics.hits == before.statistics.hits)
        let after = heat(in: cache)
        #expect(before.heat.allSatisfy { after[$0.key] ?? 0 >= min($0.value, 3) }, "seed \(seed)")
        for _ in 0..<30 {
            for (key, deadline) in expected { #expect(cache.peek(key) == (deadline > ticker.nanoseconds() ? key : nil), "seed \(seed)") }
            ticker.advance(by: .milliseconds(700))
        }
        let alive = tagged.count { (expected[$0] ?? 0) > ticker.nanoseconds() }
        #expect(cache.removeValues(taggedWith: "tag") == alive)
        cache.removeExpired()
        cache.checkInvariants()
    }

    private func heat(in cache: Cache<Int, Int>) -> [Int: Int] {
        cache.forEachShard([:]) { heat, shard in
            for slot in shard.table.slots.usedSlots { heat[shard.table.key(at: slot)] = shard.policy.rating(slot, in: shard.table.slots.links) }
        }
    }

    @Test func anEntryMayWeighAsMuchAsTheWholeLimit() {
        let removals = Counter()
        let cache = Cache<Int, Int>(configuration: .init(maximumWeight: 100_000, removalListener: { _, _, _ in removals.increment() }))
        for key in 0..<50_000 { cache.insert(key, forKey: key, weight: 2) }
        #expect(shardCount(cache) > 16)
        cache.insert(-1, forKey: -1, weight: 60_000)
        #expect(cache.peek(-1) == -1)
        #expect((19_900...20_000).contains(cache.count - 1), "no more leave than must")
        #expect(cache.totalWeight <= 100_000)
        cache.checkInvariants()
        cache.insert(-2, forKey: -2, weight: 100_000)
        #expect(cache.keys == [-2])
        cache.insert(-3, forKey: -3, weight: 100_001)
        #expect(cache.keys == [-2], "it is refused")
        #expect(removals.value == 50_001)
        cache.checkInvariants()
        cache.insert(1, forKey: 1, weight: 1)
        #expect(cache.peek(1) == 1, "what was just written can be read")
        cache.removeValue(forKey: -2)
        for key in 0..<100_000 { cache.insert(key, forKey: key, weight: 1) }
        #expect(cache.totalWeight == 100_000)
        #expect(cache.count == 100_000)
        cache.checkInvariants()
    }

    private func cacheWithAHeavyEntry(ticker: ManualTicker = ManualTicker()) -> Cache<Int, Int> {
        let cache = Cache<Int, Int>(configuration: .init(maximumWeight: 100_000), ticker: ticker)
        for key in 0..<50_000 { cache.insert(key, forKey: key, weight: 2) }
        cache.insert(-1, forKey: -1, weight: 60_000)
        return cache
    }

    @Test func replacingAHeavyEntryFreesItsWeightFirst() {
        let cache = cacheWithAHeavyEntry()
        let count = cache.count
        for weight in [60_000, 59_000, 30_000] {
            cache.insert(weight, forKey: -1, weight: weight)
            #expect(cache.peek(-1) == weight)
            #expect(cache.count == count, "nothing has to leave")
            cache.checkInvariants()
        }
    }

    @Test func heavyValueThatIsNotKeptMakesNobodyLeave() {
        let cache = cacheWithAHeavyEntry()
        let count = cache.count
        cache.insert(1, forKey: -2, weight: 90_000, expiresAfter: .zero)
        #expect(cache.count == count)
        let hash = cache.hasher(-2)
        let fence = cache.cells.withShard(for: hash) { $0.openFence(forKey: -2) }
        cache.removeValue(forKey: -2)
        cache.publish(.value(1, weight: 90_000), forKey: -2, hash: hash, fence: fence)
        #expect(cache.statistics.fencedLoads == 1)
        #expect(cache.count == count)
    }

    @Test func heavyEntryThatIsNotRestoredMakesNobodyLeave() {
        let cache = cacheWithAHeavyEntry()
        var snapshot = cache.snapshot()
        snapshot.entries.removeAll { $0.key != -1 }
        #expect(snapshot.entries.count == 1)
        cache.insert(0, forKey: -1, weight: 0)
        for key in 50_000..<100_000 { cache.insert(key, forKey: key, weight: 2) }
        let count = cache.count
        #expect(cache.restore(snapshot) == 0)
        #expect(cache.peek(-1) == 0)
        #expect(cache.count == count)
    }

    @Test func expiredEntriesOfOtherShardsMakeRoomBeforeLivingOnes() {
        let ticker = ManualTicker()
        let cache = Cache<Int, Int>(configuration: .init(maximumWeight: 100_000), ticker: ticker)
        for key in 0..<50_000 { cache.insert(key, forKey: key, weight: 2, expiresAfter: key % 2 == 0 ? .seconds(1) : nil) }
        ticker.advance(by: .seconds(2))
        let own = cache.cells.number(for: cache.hasher(-1))
        let others = (0..<50_000).filter { cache.contains($0) && cache.cells.number(for: cache.hasher($0)) != own }
        #expect(others.count > 20_000)
        cache.insert(-1, forKey: -1, weight: 20_000)
        #expect(cache.peek(-1) == -1)
        #expect(others.allSatisfy { cache.contains($0) })
        cache.checkInvariants()
    }

    @Test func roomForAHeavyEntryStaysThoughOthersOfItsShardLeave() {
        let ticker = ManualTicker()
        let cache = cacheWithAHeavyEntry(ticker: ticker)
        let hash = cache.hasher(-2)
        let neighbour = (1...).first { cache.cells.number(for: cache.hasher(-2 - $0)) == cache.cells.number(for: hash) } ?? 0
        cache.insert(0, forKey: -2 - neighbour, weight: 2, expiresAfter: .seconds(1))
        ticker.advance(by: .seconds(1))
        var departures = Departures<Int, Int>()
        let canHold = cache.withRoom(for: 50_000, -2, hash, &departures) { shard, departures in
            shard.reclaimAll(now: ticker.nanoseconds(), departures: &departures)
            return shard.policy.canHold(50_000)
        }
        #expect(canHold == true)
        cache.checkInvariants()
    }

    @Test(arguments: UInt64(0)..<8) func randomWeightsStayWithinRandomLimits(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let cache = Cache<Int, Int>(configuration: .init(maximumWeight: 40_000))
        var limit = 40_000
        for key in 10_000..<12_000 { cache.insert(key, forKey: key) }
        #expect(shardCount(cache) > 1)
        for step in 0..<6_000 {
            let key = Int.random(in: 0..<4_000, using: &generator)
            switch Int.random(in: 0..<100, using: &generator) {
            case 0:
                let weight = Int.random(in: 0...(limit + 100), using: &generator)
                cache.insert(step, forKey: key, weight: weight)
                #expect(cache.peek(key) == (weight <= limit ? step : nil), "seed \(seed), step \(step)")
            case 1 where step % 4 == 0:
                limit = Int.random(in: 10_000...60_000, using: &generator)
                cache.resize(maximumWeight: limit)
            case 2..<10: cache.removeValue(forKey: key)
            default:
                cache.insert(step, forKey: key, weight: Int.random(in: 0...30, using: &generator))
                #expect(cache.peek(key) == step, "seed \(seed), step \(step)")
            }
            #expect(cache.totalWeight <= limit, "seed \(seed), step \(step)")
            if step % 100 == 0 { cache.checkInvariants() }
        }
        cache.checkInvariants()
    }

    @Test func noShardIsHeavierThanItsPartWhileManyWriteAndTheLimitChanges() async {
        let cache = Cache<Int, Int>(configuration: .init(maximumWeight: 50_000))
        await withTaskGroup(of: Void.self) { group in
            for writer in 0..<3 {
                group.addTask {
                    var generator = SeededGenerator(seed: UInt64(writer))
                    for number in 0..<8_000 {
                        let weight = number % 500 == 0 ? Int.random(in: 0...50_000, using: &generator) : Int.random(in: 1...8, using: &generator)
                        cache.insert(number, forKey: number &* 3 &+ writer, weight: weight)
                    }
                }
            }
            group.addTask {
                for round in 0..<40 {
                    cache.resize(maximumWeight: round % 2 == 0 ? 20_000 : 50_000)
                    for number in 0..<cache.cells.count {
                        let isWithinLimit = cache.cells.withShard(number) { $0.policy.totalWeight <= $0.policy.maximumWeight ?? 0 }
                        #expect(isWithinLimit)
                    }
                    await Task.yield()
                }
            }
        }
        #expect(cache.totalWeight <= 50_000)
        cache.checkInvariants()
    }

    @Test(arguments: [1, Int.max / 4_096]) func greatestLimitsDoNotOverflow(weight: Int) {
        let cache = Cache<Int, Int>(configuration: .init(maximumWeight: .max))
        for key in 0..<3_000 { cache.insert(key, forKey: key, weight: weight) }
        #expect(shardCount(cache) == (weight == 1 ? 64 : 8))
        #expect(cache.count == 3_000)
        cache.checkInvariants()
        cache.insert(-1, forKey: -1, weight: .max)
        #expect(cache.keys == [-1])
        cache.resize(maximumWeight: 1_000)
        #expect(cache.count == 0)
        cache.resize(maximumWeight: .max)
        for key in 0..<100 { cache.insert(key, forKey: key, weight: .max / 200) }
        #expect(cache.count == 100)
        cache.checkInvariants()
    }

    @Test(arguments: [true, false]) func tunerWatchesOneShardWhetherTheCacheWasFullBeforeOrNot(wasFull: Bool) {
        let cache = Cache<Int, Int>(configuration: .init(maximumWeight: 40_000))
        if wasFull { for key in 0..<100 { cache.insert(key, forKey: -key - 1, weight: 20_000) } }
        for key in 0..<100_000 { cache.insert(key, forKey: key) }
        #expect(shardCount(cache) > 1)
        let watched = cache.forEachShard(0) { count, shard in count += shard.sampleThreshold > 0 ? 1 : 0 }
        #expect(watched == 1)
    }

    @Test func cacheIsNotDividedWhileSomebodyWalksOverIt() {
        let cache = Cache<Int, Int>(configuration: .init(maximumWeight: 100_000))
        for key in 0..<1_000 { cache.insert(key, forKey: key) }
        var visits: [Int: Int] = [:]
        cache.forEach { key, _ in
            visits[key, default: 0] += 1
            if key < 1_000 { cache.insert(key, forKey: key + 1_000) }
            #expect(shardCount(cache) == 1)
        }
        #expect((0..<1_000).allSatisfy { visits[$0] == 1 })
        #expect(visits.values.allSatisfy { $0 == 1 })
        cache.insert(-1, forKey: -1)
        #expect(shardCount(cache) == 64)
        cache.checkInvariants()
    }

    @Test(arguments: [true, false]) func loadThatGoesOnWhileTheCacheIsDividedIsStillFenced(isRemoved: Bool) async throws {
        let cache = Cache<Int, Int>(configuration: .init(maximumWeight: 100_000))
        let gate = Gate()
        try await withThrowingTaskGroup(of: Int.self) { group in
            for key in 0..<20 {
                group.addTask {
                    try await cache.value(forKey: key) { _ in
                        await gate.pass()
                        return key
                    }
                }
            }
            await gate.arrivals(20)
            for key in 1_000..<3_000 { cache.insert(key, forKey: key) }
            #expect(shardCount(cache) == 64)
            if isRemoved { for key in 0..<10 { cache.removeValue(forKey: key) } }
            gate.open()
            for try await _ in group {}
        }
        for key in 0..<20 { #expect(cache.peek(key) == (isRemoved && key < 10 ? nil : key)) }
        #expect(cache.openFenceCount == 0)
        cache.checkInvariants()
    }

    @Test func whatIsKnownToBeAbsentStaysKnown() async throws {
        let cache = Cache<Int, Int>(configuration: .init(maximumWeight: 100_000))
        let loads = Counter()
        func load(_ key: Int) async throws -> Int? {
            try await cache.valueIfExists(forKey: key) { _ in
                loads.increment()
                return .absent(expiresAfter: .seconds(3_600))
            }
        }
        for key in 0..<100 { #expect(try await load(key) == nil) }
        for key in 1_000..<3_000 { cache.insert(key, forKey: key) }
        #expect(shardCount(cache) == 64)
        for key in 0..<100 { #expect(try await load(key) == nil) }
        #expect(loads.value == 100)
        cache.checkInvariants()
    }

    @Test func updateDuringWhichTheCacheIsDividedSeesWhatWasWrittenMeanwhile() {
        let cache = Cache<Int, Int>(configuration: .init(maximumWeight: 100_000))
        for key in 0..<50 { cache.insert(0, forKey: key) }
        for key in 0..<50 {
            var calls = 0
            cache.update(forKey: key) { old in
                calls += 1
                if calls == 1 {
                    if key == 25 { for other in 1_000..<3_000 { cache.insert(other, forKey: other) } }
                    cache.removeValue(forKey: key)
                }
                return (old ?? 10) + 1
            }
            #expect(cache.peek(key) == 11, "the value left, so that it was computed again")
            #expect(calls == 2)
        }
        #expect(shardCount(cache) == 64)
        #expect(cache.forEachShard(0) { $0 += $1.updates.updates.count } == 0)
    }
}
