// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardTesting
import Synchronization
import Testing

@testable import Hoard

@Suite struct CacheSnapshotTests {
    private let time = ManualTicker()

    private func makeCache(_ maximumCount: Int = 100, expiration: Expiration = .never) -> Cache<Int, Int> {
        Cache(maximumCount: maximumCount, expiration: expiration, ticker: time)
    }

    @Test func entriesSurviveWithAllTheyHave() {
        let cache = Cache<String, Int>(maximumWeight: 100, expiration: .afterWrite(.seconds(60)), ticker: time) { _, value in value }
        cache.insert(7, forKey: "a", tags: ["t"])
        cache.insert(8, forKey: "pinned", weight: 0)
        cache.insert(9, forKey: "short", expiresAfter: .seconds(5))
        time.advance(by: .seconds(2))
        let snapshot = cache.snapshot(clock: time)
        #expect(snapshot.date == time.now())

        let other = Cache<String, Int>(maximumWeight: 100, expiration: .afterWrite(.seconds(60)), ticker: time) { _, _ in 50 }
        #expect(other.restore(snapshot, clock: time) == 3)
        #expect(other.totalWeight == 16)
        #expect(other.explain("a").entry?.timeLeft == .seconds(58))
        #expect(other.explain("a").entry?.age == .seconds(2))
        #expect(other.explain("pinned").entry?.segment == .pinned)
        #expect(other.explain("short").entry?.timeLeft == .seconds(3))
        #expect(other.removeValues(taggedWith: "t") == 1)
        #expect(other.peek("pinned") == 8)
        #expect(other.statistics.insertions == 3)
        other.checkInvariants()
    }

    @Test func snapshotIsNoUse() {
        let cache = makeCache()
        cache.insert(1, forKey: 1)
        let statistics = cache.statistics
        #expect(cache.snapshot().entries.count == 1)
        #expect(cache.statistics == statistics)
        #expect(cache.explain(1).entry?.recentUses == 0)
    }

    @Test func expiredAndNegativeEntriesAreLeftOut() async throws {
        let cache = makeCache()
        cache.insert(1, forKey: 1, expiresAfter: .seconds(1))
        cache.insert(2, forKey: 2, expiresAfter: .seconds(2))
        _ = try await cache.valueIfExists(forKey: 3) { _ in .absent(expiresAfter: .seconds(100)) }
        time.advance(by: .seconds(1))
        #expect(cache.snapshot().entries.map(\.key) == [2])
    }

    @Test func timeBetweenSnapshotAndRestoreCountsAsLived() {
        let cache = makeCache(expiration: .afterWrite(.seconds(60)))
        cache.insert(1, forKey: 1, expiresAfter: .seconds(30))
        cache.insert(2, forKey: 2)
        let snapshot = cache.snapshot(clock: time)
        // Another process, whose ticker began anew.
        let later = ManualTicker(nanoseconds: 5, date: time.now().addingTimeInterval(30))
        let other = Cache<Int, Int>(maximumCount: 100, expiration: .afterWrite(.seconds(60)), ticker: later)
        #expect(other.restore(snapshot, clock: later) == 1)
        #expect(other.explain(2).entry?.timeLeft == .seconds(30))
        #expect(other.explain(2).entry?.age == .seconds(30))
        later.advance(by: .seconds(30))
        #expect(other.peek(2) == nil)
        other.checkInvariants()
    }

    @Test func ifTheWallClockHasGoneBackNoTimeHasPassed() {
        let cache = makeCache()
        cache.insert(1, forKey: 1, expiresAfter: .seconds(30))
        let snapshot = cache.snapshot(clock: time)
        time.setWallClock(to: Date(timeIntervalSince1970: 0))
        let other = makeCache()
        #expect(other.restore(snapshot, clock: time) == 1)
        #expect(other.explain(1).entry?.timeLeft == .seconds(30))
    }

    @Test(arguments: [-1e300, -1e19, -1e11, 0, 1e19, 1e300])
    func datesFarAwayDoNotOverflow(_ seconds: Double) {
        var snapshot = makeCache().snapshot()
        snapshot.date = Date(timeIntervalSince1970: seconds)
        snapshot.entries = [
            .init(key: 1, value: 1, weight: .max, nanosecondsLeft: .min, age: .max, tags: [], frequency: .min),
            .init(key: 2, value: 2, weight: .min, nanosecondsLeft: nil, age: .min, tags: [], frequency: .max),
        ]
        let cache = makeCache(expiration: .afterWrite(.seconds(10)))
        #expect(cache.restore(snapshot, clock: time) == 1)
        #expect(cache.peek(1) == nil)
        #expect(cache.peek(2) == 2)
        cache.checkInvariants()
    }

    @Test func entriesThatNeverExpireStayForEver() {
        let cache = makeCache()
        cache.insert(1, forKey: 1)
        let snapshot = cache.snapshot(clock: time)
        #expect(snapshot.entries.first?.nanosecondsLeft == nil)
        time.setWallClock(to: .distantFuture)
        let other = makeCache()
        #expect(other.restore(snapshot, clock: time) == 1)
        let usesTimes = other.usesTimes.load(ordering: .relaxed)
        #expect(!usesTimes, "nothing in this cache can expire")
    }

    @Test func keysThatAreThereAlreadyAreNewer() {
        let cache = makeCache()
        for key in 0..<10 { cache.insert(key, forKey: key) }
        let snapshot = cache.snapshot()
        let other = makeCache()
        other.insert(-1, forKey: 1)
        #expect(other.restore(snapshot) == 9)
        #expect(other.peek(1) == -1)
        #expect(other.restore(snapshot) == 0)
    }

    @Test func loadUnderWayPublishesOverWhatIsRestored() async throws {
        let cache = makeCache()
        cache.insert(1, forKey: 1)
        let snapshot = cache.snapshot()
        cache.removeAll()
        let gate = Gate()
        async let loaded = cache.value(forKey: 1) { _ in
            await gate.pass()
            return 2
        }
        await gate.arrivals(1)
        #expect(cache.restore(snapshot) == 1)
        #expect(cache.peek(1) == 1)
        gate.open()
        #expect(try await loaded == 2)
        #expect(cache.peek(1) == 2)
    }

    @Test func smallerCacheKeepsTheHottest() {
        let cache = makeCache(1_000)
        warm(cache)
        let other = makeCache(150)
        other.restore(cache.snapshot())
        #expect(other.count == 150)
        #expect((0..<100).allSatisfy { other.contains($0) })
        other.checkInvariants()
    }

    @Test func maximumCountTakesTheHottest() {
        let cache = makeCache(1_000)
        warm(cache)
        let entries = cache.snapshot(maximumCount: 150).entries
        #expect(entries.count == 150)
        #expect(entries.count { $0.key < 100 } >= 95)
        #expect(cache.snapshot(maximumCount: 0).entries.isEmpty)
        #expect(cache.snapshot(maximumCount: -1).entries.isEmpty)
    }

    /// The hot set of a warmed cache hits at once, and is as hard to displace as it was before.
    @Test(arguments: [1_000, 4_096])
    func policyFormsTheOpinionAgainThatItHad(_ capacity: Int) {
        let cache = makeCache(capacity)
        warm(cache)
        let other = makeCache(capacity)
        #expect(other.restore(cache.snapshot()) == cache.count)
        // The new cache's shards are others, and not all of them full.
        #expect(other.count >= cache.count * 95 / 100)
        #expect((0..<100).allSatisfy { other.value(forKey: $0) == $0 })
        for key in 100_000..<(100_000 + 2 * capacity) { other.insert(key, forKey: key) }
        let survivors = (0..<100).count { other.contains($0) }
        for key in 100_000..<(100_000 + 2 * capacity) { cache.insert(key, forKey: key) }
        #expect(survivors >= (0..<100).count { cache.contains($0) } - 10)
        #expect(survivors >= 80)
    }

    /// Uses a hundred keys again and again, among other keys that come once.
    private func warm(_ cache: Cache<Int, Int>) {
        for key in 0..<100 { cache.insert(key, forKey: key) }
        for round in 0..<20 {
            for key in 0..<100 where cache.value(forKey: key) == nil { cache.insert(key, forKey: key) }
            for key in 0..<(cache.configuration.maximumCount ?? 0) / 8 { cache.insert(key, forKey: 1_000 + round * 10_000 + key) }
        }
        for key in 0..<100 where cache.value(forKey: key) == nil { cache.insert(key, forKey: key) }
    }
}
