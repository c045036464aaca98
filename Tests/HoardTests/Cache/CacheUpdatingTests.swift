// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTestSupport
import HoardTesting
import Testing

@testable import Hoard

@Suite(.timeLimit(.minutes(2))) struct CacheUpdatingTests {
    private struct Refusal: Error {}

    @Test func updateInsertsChangesAndRemoves() {
        let cache = Cache<String, Int>(maximumCount: 10)
        #expect(cache.update(forKey: "a") { ($0 ?? 0) + 1 } == 1)
        #expect(cache.update(forKey: "a") { ($0 ?? 0) + 1 } == 2)
        #expect(cache.peek("a") == 2)
        #expect(cache.update(forKey: "a") { _ in nil } == nil)
        #expect(cache.update(forKey: "a") { $0 } == nil && !cache.contains("a"))
        let statistics = cache.statistics
        #expect(statistics.insertions == 2 && statistics.replacements == 1 && statistics.removals == 1 && statistics.hits + statistics.misses == 0)
        cache.checkInvariants()
    }

    @Test func whatBodyThrowsChangesNothing() {
        let cache = Cache<String, Int>(maximumCount: 10)
        cache.insert(1, forKey: "a")
        #expect(throws: Refusal.self) { try cache.update(forKey: "a") { (_) throws(Refusal) in throw Refusal() } }
        #expect(throws: Refusal.self) { try cache.removeValue(forKey: "a") { (_) throws(Refusal) in throw Refusal() } }
        #expect(cache.peek("a") == 1)
        #expect(cache.update(forKey: "a") { $0.map { $0 + 1 } } == 2)
        cache.checkInvariants()
    }

    @Test func entriesThatMadeRoomForAnUpdateThatThenThrowsAreReported() {
        let left = Counter()
        let cache = Cache<Int, Int>(configuration: .init(maximumWeight: 20_000, removalListener: { _, _, _ in left.increment() }))
        for key in 0..<2_000 { cache.insert(key, forKey: key, weight: 10) }
        #expect(cache.cells.count > 1 && cache.count == 2_000)
        let runs = Counter()
        #expect(throws: Refusal.self) {
            // So heavy that all shards make room for it.
            try cache.update(forKey: 0, weight: 15_000) { (_: Int?) throws(Refusal) -> Int? in
                guard runs.increment() == 1 else { throw Refusal() }
                cache.removeValue(forKey: 0)
                return 1
            }
        }
        #expect(runs.value == 2 && cache.count < 1_999)
        #expect(left.value == 2_000 - cache.count)
        cache.checkInvariants()
    }

    @Test func weightTimeAndTagsAreThoseOfTheNewValue() {
        let ticker = ManualTicker()
        let cache = Cache<String, Int>(maximumWeight: 10, ticker: ticker) { _, value in value }
        cache.insert(1, forKey: "a", tags: ["old"])
        cache.update(forKey: "a", expiresAfter: .seconds(5), tags: ["new"]) { ($0 ?? 0) + 3 }
        #expect(cache.totalWeight == 4 && cache.removeValues(taggedWith: "old") == 0)
        ticker.advance(by: .seconds(4))
        cache.update(forKey: "a", weight: 2, expiresAfter: .seconds(5), tags: ["new"]) { $0 }
        #expect(cache.totalWeight == 2)
        ticker.advance(by: .seconds(4))
        #expect(cache.peek("a") == 4)
        ticker.advance(by: .seconds(1))
        #expect(cache.update(forKey: "a") { $0.map { $0 + 1 } ?? 9 } == 9)
        #expect(cache.update(forKey: "a") { _ in 11 } == 11 && !cache.contains("a"))
        #expect(cache.insertIfAbsent(5, forKey: "a", tags: ["x"]) == nil && cache.removeValues(taggedWith: "x") == 1)
        cache.checkInvariants()
    }

    @Test func insertionIfAbsentLeavesWhatIsThere() async throws {
        let ticker = ManualTicker()
        let cache = Cache<String, Int>(maximumCount: 10, expiration: .afterAccess(.seconds(2)), ticker: ticker)
        #expect(cache.insertIfAbsent(1, forKey: "a") == nil)
        #expect(cache.insertIfAbsent(2, forKey: "a") == 1)
        ticker.advance(by: .milliseconds(1_500))
        // The failed insertion is a use, and the lifetime counts anew from it.
        #expect(cache.insertIfAbsent(3, forKey: "a") == 1)
        ticker.advance(by: .milliseconds(1_500))
        #expect(cache.peek("a") == 1)
        ticker.advance(by: .seconds(1))
        #expect(cache.insertIfAbsent(4, forKey: "a") == nil && cache.peek("a") == 4)
        _ = try await cache.valueIfExists(forKey: "b") { _ in .absent(expiresAfter: .seconds(5)) }
        #expect(cache.insertIfAbsent(5, forKey: "b") == nil && cache.peek("b") == 5)
        #expect(cache.statistics.hits == 0)
    }

    @Test func removalByAPredicateLooksOnce() {
        let cache = Cache<String, Int>(maximumCount: 10)
        #expect(cache.removeValue(forKey: "a") { _ in true } == nil)
        cache.insert(1, forKey: "a")
        #expect(cache.removeValue(forKey: "a") { $0 == 2 } == nil && cache.peek("a") == 1)
        #expect(cache.removeValue(forKey: "a") { $0 == 1 } == 1 && !cache.contains("a"))
        #expect(cache.statistics.removals == 1)
    }

    @Test func valueThatIsInsertedMeanwhileStaysAndBodyRunsOnce() {
        let cache = Cache<String, Int>(maximumCount: 10)
        cache.insert(1, forKey: "a")
        var count = 0
        let new = cache.update(forKey: "a") { old in
            count += 1
            cache.insert(100, forKey: "a")
            return (old ?? 0) + 1
        }
        #expect(new == 2 && count == 1 && cache.peek("a") == 100)
    }

    @Test(arguments: ["removal", "trim", "everything", "expiration", "restoration", "tag"])
    func bodyRunsAgainIfTheValueHasLeft(_ cause: String) {
        let ticker = ManualTicker()
        let cache = Cache<String, Int>(maximumCount: 10, ticker: ticker)
        cache.insert(7, forKey: "a")
        let snapshot = cache.snapshot()
        cache.removeAll()
        if cause != "restoration" { cache.insert(1, forKey: "a", expiresAfter: .seconds(1), tags: ["t"]) }
        var seen: [Int?] = []
        let new = cache.update(forKey: "a") { old in
            seen.append(old)
            if seen.count == 1 {
                switch cause {
                case "removal": #expect(cache.removeValue(forKey: "a") == 1)
                case "trim": cache.trim(toFraction: 0)
                case "everything": cache.removeAll()
                case "expiration": ticker.advance(by: .seconds(1))
                case "tag": cache.removeValues(taggedWith: "t")
                default: cache.restore(snapshot)
                }
            }
            return (old ?? 0) + 10
        }
        #expect(seen == (cause == "restoration" ? [nil, 7] : [1, nil]) && new == (cause == "restoration" ? 17 : 10) && cache.peek("a") == new)
    }

    @Test func loadThatBeganBeforeDoesNotPublishOverAnUpdate() async throws {
        let cache = Cache<String, Int>(maximumCount: 10)
        for isUpdate in [true, false] {
            cache.removeAll()
            let (begun, gate) = (Gate(), Gate())
            async let loaded = cache.value(forKey: "a") { _ in
                begun.open()
                await gate.pass()
                return 1
            }
            await begun.pass()
            if isUpdate { cache.update(forKey: "a") { _ in 2 } } else { cache.insertIfAbsent(2, forKey: "a") }
            gate.open()
            #expect(try await loaded == 1)
            #expect(cache.peek("a") == 2)
        }
    }

    @Test func updateThatFindsNothingToRemoveIsARemovalForLoads() {
        let cache = Cache<String, Int>(maximumCount: 10)
        let hash = cache.hasher("a")
        let fence = cache.cells.withShard(for: hash) { $0.openFence(forKey: "a") }
        #expect(cache.update(forKey: "a") { $0.map { $0 + 1 } } == nil)
        cache.publish(.value(1), forKey: "a", hash: hash, fence: fence)
        #expect(cache.peek("a") == nil)
        #expect(cache.statistics.fencedLoads == 1)
        #expect(cache.openFenceCount == 0)
    }

    /// The load may have asked the source before the change for which the update is made.
    @Test(arguments: [true, false]) func loadThatEndsMeanwhileDoesNotWinOverAnUpdate(_ removes: Bool) {
        let cache = Cache<String, Int>(maximumCount: 10)
        cache.insert(0, forKey: "a")
        let hash = cache.hasher("a")
        let fence = cache.cells.withShard(for: hash) { $0.openFence(forKey: "a") }
        var seen: [Int?] = []
        func look(_ old: Int?) {
            seen.append(old)
            if seen.count == 1 { cache.publish(.value(1), forKey: "a", hash: hash, fence: fence) }
        }
        let result: Int?
        if removes {
            result = cache.removeValue(forKey: "a") { old in
                look(old)
                return true
            }
        } else {
            result = cache.update(forKey: "a") { old in
                look(old)
                return 2
            }
        }
        #expect(seen == [0, 1])
        #expect(result == (removes ? 1 : 2) && cache.peek("a") == (removes ? nil : 2))
        #expect(cache.openFenceCount == 0)
    }

    @Test func listenerIsToldOutsideTheTurn() {
        let box = Shared<Cache<String, Int>?>(nil)
        let cache = Cache<String, Int>(
            configuration: .init(
                maximumCount: 10,
                removalListener: { key, value, cause in
                    if value == 1, cause == .replaced { box.value?.update(forKey: key) { ($0 ?? 0) + 10 } }
                }
            )
        )
        box.update { $0 = cache }
        cache.insert(1, forKey: "a")
        cache.update(forKey: "a") { ($0 ?? 0) + 1 }
        #expect(cache.peek("a") == 12)
        box.update { $0 = nil }
    }

    @Test func valueThatIsComputedInVainIsReleasedOutsideTheTurn() {
        let cache = Cache<Int, Witness>(maximumCount: 10)
        let released = Counter()
        cache.insert(Witness { _ in }, forKey: 1)
        cache.update(forKey: 1) { old in
            guard old != nil else { return Witness { _ in } }
            cache.removeValue(forKey: 1)
            return Witness { [weak cache] _ in
                cache?.update(forKey: 1) { $0 }
                released.increment()
            }
        }
        #expect(released.value == 1)
        #expect(cache.contains(1))
    }

    @Test func concurrentUpdatesLoseNothingAndRunOnce() async {
        let cache = Cache<Int, Int>(maximumCount: 10_000)
        let runs = Counter()
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for step in 0..<5_000 {
                        cache.update(forKey: step % 3) { old in
                            runs.increment()
                            return (old ?? 0) + 1
                        }
                        // A write of a key that the test does not count.
                        cache.insert(step, forKey: 100 + task)
                    }
                }
            }
        }
        #expect((0..<3).reduce(0) { $0 + (cache.peek($1) ?? 0) } == 40_000 && runs.value == 40_000)
        cache.checkInvariants()
    }

    @Test func whatIsTakenOutAndWhatIsLeftAddUp() async {
        let cache = Cache<Int, Int>(maximumCount: 10_000)
        let (added, taken) = (Counter(), Counter())
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<6 {
                group.addTask {
                    for step in 0..<4_000 {
                        switch (task + step) % 6 {
                        case 0: taken.add(cache.removeValue(forKey: 0) ?? 0)
                        case 1: taken.add(cache.removeValue(forKey: 0) { $0.isMultiple(of: 2) } ?? 0)
                        case 2: if cache.insertIfAbsent(1, forKey: 0) == nil { added.increment() }
                        default:
                            cache.update(forKey: 0) { ($0 ?? 0) + 1 }
                            added.increment()
                        }
                    }
                }
            }
        }
        #expect((cache.peek(0) ?? 0) + taken.value == added.value)
        cache.checkInvariants()
    }
}
