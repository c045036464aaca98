// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import Testing

@testable import Hoard

/// A sample of keys that no workload asks for.
private func emptySample(_ count: Int) -> [SampledEntry] {
    (0..<count).map { SampledEntry(hash: PolicyFixture.hash(-1 - $0), uses: 0) }
}

@Suite struct WindowTunerTests {
    /// A stream of keys.
    enum Workload: Sendable {
        /// Half of the accesses go to a few keys, the others to keys that never come again.
        case frequentKeysAndAScan
        /// Each key comes a second time soon after the first, and then never again.
        case recentKeys
        /// No key comes twice.
        case scan

        func key(_ number: Int, _ generator: inout SeededGenerator) -> Int {
            switch self {
            case .frequentKeysAndAScan:
                Bool.random(using: &generator) ? Int.random(in: 0..<50, using: &generator) : 1_000 + number
            case .recentKeys:
                1_000 + (number % 2 == 0 ? number / 2 : number / 2 - 25)
            case .scan:
                1_000 + number
            }
        }
    }

    /// A cache. The state that tunes it takes each access as a sample.
    private struct TunedCache: ~Copyable {
        var fixture: PolicyFixture
        var state: WindowTuner.State
        var generator = SeededGenerator(seed: 1)
        var choices: [Int] = []

        /// A cache whose state has a sample of other keys.
        init(maximumCount: Int = 64) {
            fixture = PolicyFixture(maximumCount: maximumCount, tuning: WindowTuner.candidates[WindowTuner.initialChoice])
            state = WindowTuner.State(emptySample(maximumCount))
        }

        deinit { fixture.deallocate() }

        mutating func run(_ workload: Workload, _ numbers: Range<Int>, reportingHits: Bool = true) {
            for number in numbers { access(workload.key(number, &generator), reportingHits: reportingHits) }
            state.checkInvariants()
        }

        mutating func access(_ key: Int, reportingHits: Bool = true) {
            let wasHit = fixture.access(key) && reportingHits
            if let choice = state.access(PolicyFixture.hash(key) & ~1 | (wasHit ? 1 : 0)) {
                choices.append(choice)
                fixture.tune(WindowTuner.candidates[choice])
            }
        }
    }

    @Test func smallWindowIsChosenForFrequentKeysAndAScan() {
        var cache = TunedCache()
        cache.run(.frequentKeysAndAScan, 0..<10_000)
        #expect(cache.state.choice <= 1, "chosen: \(cache.choices)")
    }

    @Test func largeWindowIsChosenForRecentKeys() {
        var cache = TunedCache()
        cache.run(.recentKeys, 0..<10_000)
        #expect(cache.state.choice >= 3, "chosen: \(cache.choices)")
        #expect(cache.state.choice == cache.choices.last)
    }

    @Test func choiceFollowsAChangeOfWorkload() {
        var cache = TunedCache()
        cache.run(.recentKeys, 0..<10_000)
        cache.run(.frequentKeysAndAScan, 10_000..<30_000)
        #expect(cache.state.choice <= 1, "chosen: \(cache.choices)")
    }

    @Test func nothingIsChosenWhereNothingHits() {
        var cache = TunedCache()
        cache.run(.scan, 0..<5_000)
        #expect(cache.choices.isEmpty)
        #expect(cache.state.choice == WindowTuner.initialChoice)
    }

    @Test func choiceChangesAfterAQuarterOfAnEpochAtTheEarliest() {
        // Shadows of 64 entries; an epoch has 100 accesses.
        var state = WindowTuner.State(emptySample(64))
        var generator = SeededGenerator(seed: 1)
        var changes = 0
        for number in 0..<5_000 {
            guard state.access(PolicyFixture.hash(Workload.recentKeys.key(number, &generator)) & ~1) != nil else { continue }
            changes += 1
            #expect((number + 1) % 25 == 0, "access \(number)")
        }
        #expect(changes > 0)
    }

    @Test func epochIsNotWaitedForWhenAllHotKeysChange() {
        var cache = TunedCache(maximumCount: 1_000)
        // The cache is full, and every key has been used often.
        for number in 0..<6_000 { _ = cache.fixture.access(number % 1_000) }
        cache.state = WindowTuner.State((0..<1_000).map { SampledEntry(hash: PolicyFixture.hash($0), uses: 3) })
        // The small windows hold on to the keys that nobody asks for any more. An epoch has 500 accesses.
        for _ in 0..<750 { cache.access(Int.random(in: 10_000..<10_500, using: &cache.generator)) }
        #expect(cache.state.choice >= 3, "chosen: \(cache.choices)")
        // The end of the epoch does not take the change back.
        for _ in 0..<5_000 { cache.access(Int.random(in: 10_000..<10_500, using: &cache.generator)) }
        #expect(cache.choices.allSatisfy { $0 >= 3 }, "chosen: \(cache.choices)")
    }

    @Test func longMemoryDoesNotTakeBackWhatTheRecentOneHasChosen() {
        var cache = TunedCache()
        cache.run(.recentKeys, 0..<10_000)
        let changes = cache.choices.count
        cache.run(.frequentKeysAndAScan, 10_000..<20_000)
        #expect(cache.state.choice <= 1, "chosen: \(cache.choices)")
        #expect(cache.choices.count - changes <= 3, "chosen: \(cache.choices)")
    }

    @Test func cacheThatDoesBetterThanAllShadowsKeepsItsTuning() {
        var state = WindowTuner.State(emptySample(64))
        var generator = SeededGenerator(seed: 1)
        for number in 0..<10_000 { _ = state.access(PolicyFixture.hash(Workload.recentKeys.key(number, &generator)) | 1) }
        let choice = state.choice
        #expect(choice >= 3)
        let changes = (10_000..<20_000).count { number in
            state.access(PolicyFixture.hash(Workload.frequentKeysAndAScan.key(number, &generator)) | 1) != nil
        }
        #expect(changes == 0)
    }

    @Test func tuningThatFailsInTheCacheIsBelievedLess() {
        var cache = TunedCache()
        cache.run(.recentKeys, 0..<10_000)
        let choice = cache.state.choice
        cache.run(.recentKeys, 10_000..<12_000)
        #expect(cache.state.choice == choice, "the choice is stable")
        // The shadow still hits, and the cache does not.
        cache.run(.recentKeys, 12_000..<22_000, reportingHits: false)
        #expect(cache.choices.contains { $0 != choice })
        #expect(cache.state.choice != choice, "chosen: \(cache.choices)")
    }

    @Test func smallCachesAreSampledMoreDensely() {
        let thresholds = [0, 1, 256, 512, 1_023].map { WindowTuner.sampleThreshold(forShardOf: $0, shardCount: 1) }
        #expect(thresholds == [16_384, 16_384, 16_384, 16_384, 16_384])
    }

    /// The sample of one of several shards has up to half of its keys.
    @Test(arguments: [(512, 2, 32_768), (512, 8, 32_768), (512, 64, 32_768), (1 << 20, 64, 23_301), (1 << 20, 1, 364), (.max, 1, 364)])
    func sampleOfAShardIsThatOfTheWholeCache(count: Int, shardCount: Int, threshold: Int) {
        #expect(WindowTuner.sampleThreshold(forShardOf: count, shardCount: shardCount) == UInt16(threshold))
    }

    @Test func trickleOfHitsIsSeenInTheLongRun() {
        var cache = TunedCache()
        // Nine of ten accesses hit in every shadow. Half of the others come back when the small
        // windows have let them go.
        var distant: [Int] = []
        for number in 0..<60_000 {
            let key: Int
            if number % 10 != 0 {
                key = number % 7
            } else if number % 20 == 0 {
                key = 1_000 + number
                distant.append(key)
            } else {
                key = distant.count > 28 ? distant[distant.count - 28] : 1
            }
            cache.access(key)
        }
        #expect(cache.state.choice >= 3, "chosen: \(cache.choices)")
    }

    // MARK: The tuner itself

    /// Feeds the tuner with accesses of a cache that hits wherever a large window would hit.
    private func feed(_ tuner: WindowTuner, _ numbers: Range<Int>) {
        var generator = SeededGenerator(seed: 1)
        var buffer = SampleBuffer()
        for number in numbers {
            let key = Workload.recentKeys.key(number, &generator)
            buffer.append(PolicyFixture.hash(key), wasHit: number % 2 == 1)
            if buffer.isFull { tuner.feed(buffer.take()) }
        }
    }

    @Test func feedingBeforeTheStartDoesNothing() {
        let tuner = WindowTuner()
        feed(tuner, 0..<5_000)
        #expect(tuner.currentChoice == WindowTuner.initialChoice)
    }

    @Test func tunerHandsOutWhatItHasChosen() {
        let tuner = WindowTuner()
        tuner.watch(emptySample(64))
        feed(tuner, 0..<10_000)
        #expect(tuner.currentChoice >= 3)
    }

    @Test func tunerWatchesTheFirstShardThatAsks() {
        let tuner = WindowTuner()
        #expect(tuner.choosesToWatch())
        #expect(!tuner.choosesToWatch())
    }

    @Test func watchingAgainKeepsTheChoice() {
        let tuner = WindowTuner()
        tuner.watch(emptySample(64))
        feed(tuner, 0..<10_000)
        let choice = tuner.currentChoice
        tuner.watch(emptySample(128))
        #expect(tuner.currentChoice == choice)
    }

    @Test func smallSamplesAreTolerated() {
        for count in [0, 1, 3] {
            let tuner = WindowTuner()
            tuner.watch(emptySample(count))
            feed(tuner, 0..<300)
            #expect(WindowTuner.candidates.indices.contains(tuner.currentChoice))
        }
    }

    @Test func onlyOneShardOfACacheIsWatched() {
        let cache = Cache<Int, Int>(maximumCount: 4_096, hashSeed: 1)
        for key in 0..<20_000 { cache.insert(key, forKey: key) }
        let watched = cache.forEachShard(0) { $0 += $1.sampleThreshold > 0 ? 1 : 0 }
        #expect(watched == 1)
    }

    /// The shadows begin with the entries that the shard holds.
    @Test func shadowsBeginWithWhatTheShardHolds() {
        var state = WindowTuner.State(emptySample(64))
        var hits = 0
        // An epoch of 100 accesses, all of them hits in every shadow: there is nothing to choose.
        for number in 0..<100 where state.access(PolicyFixture.hash(-1 - number % 64) | 1) == nil { hits += 1 }
        #expect(hits == 100)
    }
}

@Suite struct HitPatternsTests {
    @Test func cachesAreComparedByTheAccessesThatOnlyOneHit() {
        var patterns = HitPatterns(count: 3)
        for (pattern, times) in [(0b000, 5), (0b001, 3), (0b011, 2), (0b100, 4), (0b111, 1)] {
            for _ in 0..<times { patterns.add(pattern) }
        }
        let comparisons = HitPatterns.comparisons(in: patterns.new, with: 0)
        #expect(comparisons == [.init(hits: 6, differences: 0), .init(hits: 3, differences: 3), .init(hits: 5, differences: 9)])
    }

    @Test func memoriesFadeAtDifferentSpeeds() {
        var patterns = HitPatterns(count: 1)
        for _ in 0..<100 { patterns.add(1) }
        patterns.endEpoch()
        #expect(patterns.new == [0, 0])
        #expect(patterns.recent[1] == 100)
        #expect(patterns.long[1] == 100)
        patterns.endEpoch()
        #expect(patterns.recent[1] == 70)
        #expect(patterns.long[1] == 95)
    }
}

@Suite struct SampleBufferTests {
    @Test func samplesKeepTheirOrderAndTellHitsFromMisses() {
        var buffer = SampleBuffer()
        #expect(buffer.count == 0)
        for number in UInt32(0)..<32 {
            #expect(!buffer.isFull)
            buffer.append(.max - number, wasHit: number % 3 == 0)
        }
        #expect(buffer.isFull)
        for number in UInt32(0)..<32 {
            #expect(buffer.samples[Int(number)] == (.max - number) & ~1 | (number % 3 == 0 ? 1 : 0))
        }
    }

    @Test func fullBufferForgetsWhatComesLater() {
        var buffer = SampleBuffer()
        for number in UInt32(0)..<40 { buffer.append(number * 2, wasHit: false) }
        #expect(buffer.count == 32)
        #expect((0..<32).allSatisfy { buffer.samples[$0] == UInt32($0) * 2 })
    }

    @Test func takingEmptiesTheBuffer() {
        var buffer = SampleBuffer()
        buffer.append(6, wasHit: true)
        let taken = buffer.take()
        #expect(taken.count == 1)
        #expect(taken.samples[0] == 7)
        #expect(buffer.count == 0)
        buffer.append(8, wasHit: false)
        #expect(buffer.samples[0] == 8)
        #expect(taken.samples[0] == 7)
    }
}
