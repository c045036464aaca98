// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HoardSimulator

@Suite("Trace generators", .timeLimit(.minutes(5)))
struct TraceGeneratorTests {
    private func keys(_ family: TraceFamily, capacity: Int = 256, seed: UInt64, count: Int = 20_000) throws -> [UInt64] {
        var generator = try TraceGenerator(family, capacity: capacity, seed: seed, length: count)
        return (0..<count).map { _ in generator.next() }
    }

    @Test(arguments: TraceFamily.all)
    func sameSeedGivesTheSameTraceAndAnotherSeedAnotherOne(family: TraceFamily) throws {
        let first = try keys(family, seed: 1)
        #expect(try keys(family, seed: 1) == first)
        #expect(try keys(family, seed: 2) != first)
    }

    @Test func lengthFollowsTheCapacity() throws {
        let lengths = try [16, 10_000, 1 << 20].map { try TraceGenerator(.loop, capacity: $0, seed: 1).length }
        #expect(lengths == [200_000, 600_000, 2_000_000])
    }

    @Test func familiesHaveNames() {
        for family in TraceFamily.all { #expect(TraceFamily(name: family.name) == family) }
        #expect(TraceFamily(name: "Loop") == nil)
        #expect(Set(TraceFamily.all.map(\.name)).count == 9)
    }

    @Test func numbersOutOfRangeAreRefused() {
        let capacity = #expect(throws: TraceGeneratorError.self) { try TraceGenerator(.loop, capacity: 15, seed: 1) }
        #expect(capacity?.code == .capacityOutOfRange)
        let length = #expect(throws: TraceGeneratorError.self) { try TraceGenerator(.loop, capacity: 16, seed: 1, length: 0) }
        #expect(length?.code == .lengthOutOfRange)
    }

    // MARK: Shapes

    /// The number of times that each key comes.
    private func counts(_ keys: [UInt64]) -> [UInt64: Int] { keys.reduce(into: [:]) { $0[$1, default: 0] += 1 } }

    @Test(arguments: UInt64(0)..<8)
    func loopIsSlightlyLargerThanTheCache(seed: UInt64) throws {
        let repeated = counts(try keys(.loop, seed: seed)).values.count { $0 > 1 }
        #expect((257...358).contains(repeated))
    }

    @Test(arguments: [TraceFamily.trickle, .whisper], UInt64(0)..<4)
    func manyKeysComeTwiceInATrickleAndFewInAWhisper(family: TraceFamily, seed: UInt64) throws {
        let keys = try keys(family, seed: seed)
        let pairs = counts(keys).values.count { $0 == 2 }
        let share = Double(2 * pairs) / Double(keys.count)
        #expect(family == .trickle ? share > 0.08 : (0.005...0.04).contains(share), "share of pairs: \(share)")
    }

    @Test(arguments: UInt64(0)..<8)
    func crashLeavesNoKeyOfTheOldWorkingSet(seed: UInt64) throws {
        let keys = try keys(.crash, seed: seed)
        #expect(Set(keys.prefix(500)).isDisjoint(with: keys.suffix(2_000)))
    }

    @Test(arguments: UInt64(0)..<8)
    func keysOfABandComeAgainAtNearlyTheSameDistance(seed: UInt64) throws {
        var stream = PairedKeys(space: 0, distances: 40...44)
        var random = SplitMix64(state: seed)
        var places: [UInt64: Int] = [:]
        var newKeys = 0
        for _ in 0..<2_000 {
            let key = stream.next(&random)
            if let place = places[key] {
                #expect((40...44).contains(newKeys - place))
            } else {
                newKeys += 1
                places[key] = newKeys
            }
        }
    }

    @Test func phasesTakeTurns() {
        var random = SplitMix64(state: 1)
        var phases = Phases([LoopKeys(space: 0, size: 3), OneShotKeys(space: 100)], lengths: [4, 2])
        #expect((0..<12).map { _ in phases.next(&random) } == [1, 2, 0, 1, 101, 102, 2, 0, 1, 2, 103, 104])
    }

    @Test func sharesOfAMixtureGoFromOneListToTheOther() {
        var random = SplitMix64(state: 1)
        var mixture = Mixture([LoopKeys(space: 0, size: 1), OneShotKeys(space: 100)], from: [1, 0], to: [0, 1], period: 64_000)
        let keys = (0..<64_000).map { _ in mixture.next(&random) }
        #expect(keys.prefix(6_400).count { $0 == 0 } > 5_800)
        #expect(keys.suffix(6_400).count { $0 == 0 } < 600)
    }

    // MARK: The cache on them

    /// After 30 capacities of accesses, a cache knows the keys that a loop or a whisper asks for.
    @Test(arguments: [TraceFamily.whisper, .loop], UInt64(0)..<4)
    func afterThirtyCapacitiesTheCacheIsAtMostTwoPointsUnderLRU(family: TraceFamily, seed: UInt64) throws {
        let capacity = 256
        let keys = try keys(family, capacity: capacity, seed: seed, count: 60 * capacity)
        var (cache, lru) = (HoardPolicy(capacity: capacity), LRUPolicy(capacity: capacity))
        var lead = 0
        for (number, key) in keys.enumerated() {
            let (hit, lruHit) = (cache.access(key), lru.access(key))
            if number >= 30 * capacity { lead += (hit ? 1 : 0) - (lruHit ? 1 : 0) }
        }
        #expect(lead * 100 >= -2 * 30 * capacity, "\(family) \(seed): \(lead) hits")
    }
}
