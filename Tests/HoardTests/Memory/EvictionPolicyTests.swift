// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import Testing

@testable import Hoard

@Suite struct EvictionPolicyTests {
    /// A policy of 100 entries that all have this rating. The window holds the last ten.
    private func fullFixture(rating: Int, tuning: EvictionPolicy.Tuning = .init(windowShare: 0.1)) -> PolicyFixture {
        var fixture = PolicyFixture(maximumCount: 100, tuning: tuning)
        for key in 0..<100 {
            #expect(fixture.insert(key).isEmpty)
            fixture.note(key, times: rating - 1)
        }
        return fixture
    }

    // MARK: Admission

    @Test func whatWasSeenOftenTakesThePlaceOfWhatWasNot() {
        var fixture = fullFixture(rating: 1)
        defer { fixture.deallocate() }
        fixture.note(1_000, times: 4)
        // The entries before it in the window do not stay. Then its turn comes.
        var evicted: [Int] = []
        for key in 1_000...1_010 { evicted += fixture.insert(key) }
        #expect(evicted == Array(90..<100) + [0])
        #expect(fixture.segment(1_000) == .main)
        fixture.checkInvariants()
    }

    @Test func whatWasSeenOnceDoesNotTakeThePlaceOfWhatWasSeenOften() {
        var fixture = fullFixture(rating: 4)
        defer { fixture.deallocate() }
        var evicted: [Int] = []
        for key in 1_000..<1_110 { evicted += fixture.insert(key) }
        // All entries of the main part are still there.
        #expect(evicted == Array(90..<100) + Array(1_000..<1_100))
        #expect((0..<90).allSatisfy { fixture.segment($0) == .main })
        fixture.checkInvariants()
    }

    @Test(arguments: 1...6)
    func tiesAreDecidedForWhatIsThere(rating: Int) {
        var fixture = fullFixture(rating: 3)
        defer { fixture.deallocate() }
        fixture.note(1_000, times: rating - 1)
        for key in 1_000...1_010 { fixture.insert(key) }
        #expect(fixture.contains(1_000) == (rating > 3))
        fixture.checkInvariants()
    }

    @Test func usesInTheWindowCount() {
        var fixture = fullFixture(rating: 3)
        defer { fixture.deallocate() }
        fixture.insert(1_000)
        fixture.use(1_000, times: 3)
        #expect(fixture.rating(1_000) == 4)
        for key in 1_001...1_010 { fixture.insert(key) }
        #expect(fixture.segment(1_000) == .main)
        // The uses have been spent: the hand does not pass the entry over because of them.
        #expect(fixture.rating(1_000) == 1)
    }

    /// A candidate of weight 10 and rating 5 would displace two entries of weight 5.
    @Test(arguments: [(rating: 1, wins: true), (2, true), (3, false), (4, false)])
    func candidateMustBeatTheSumOfItsVictims(rating: Int, wins: Bool) {
        var fixture = PolicyFixture(maximumCount: 1_000, maximumWeight: 100)
        defer { fixture.deallocate() }
        for key in 0..<20 {
            #expect(fixture.insert(key, weight: 5).isEmpty)
            fixture.note(key, times: rating - 1)
        }
        #expect(fixture.policy.window.weight == 10)
        fixture.note(1_000, times: 4)
        #expect(fixture.insert(1_000, weight: 10) == [18, 19], "the window's entries lose against their like")
        #expect(fixture.insert(1_001, weight: 10) == (wins ? [0, 1] : [1_000]))
        #expect(fixture.segment(1_000) == (wins ? .main : nil))
        fixture.checkInvariants()
    }

    /// A candidate of weight 400 and rating 5 would displace 400 entries of weight 1, of which the first were not seen lately.
    @Test(arguments: [(unseen: 60, wins: false), (126, false), (200, true)])
    func onlySoManyVictimsAreLookedAt(unseen: Int, wins: Bool) {
        var fixture = PolicyFixture(maximumCount: 10_000, maximumWeight: 1_000)
        defer { fixture.deallocate() }
        for key in 0..<1_000 { fixture.insert(key) }
        // It takes the place of the window's entries and of the first ones in main.
        #expect(fixture.insert(1_000, weight: 400).count == 400)
        #expect(fixture.segment(1_000) == .window)
        let capacity = fixture.policy.sketch.capacity
        fixture.policy.sketch = FrequencySketch(capacity: capacity, ofTotal: capacity)
        let main = fixture.coldestFirst().filter { $0 < 1_000 }
        #expect(main.count == 600)
        for key in main.dropFirst(unseen) { fixture.note(key, times: 1) }
        fixture.note(1_000, times: 5)
        let evicted = fixture.insert(1_001, weight: 400)
        #expect(fixture.segment(1_000) == (wins ? .main : nil))
        #expect(evicted.count == (wins ? 400 : 1))
        fixture.checkInvariants()
    }

    @Test func lightCandidateNeedsToBeatOneHeavyVictimOnly() {
        var fixture = PolicyFixture(maximumCount: 1_000, maximumWeight: 100)
        defer { fixture.deallocate() }
        for key in 0..<9 { fixture.insert(key, weight: 10) }
        fixture.insert(10, weight: 2)
        fixture.note(10, times: 2)
        #expect(fixture.insert(11, weight: 10).isEmpty == false)
        #expect(fixture.contains(10))
        fixture.checkInvariants()
    }

    @Test func newcomerStaysHoweverHeavyAndRareItIs() {
        for weight in [1, 50, 99, 100] {
            var fixture = PolicyFixture(maximumCount: 1_000, maximumWeight: 100)
            defer { fixture.deallocate() }
            for key in 0..<50 {
                fixture.note(key, times: 15)
                fixture.insert(key, weight: 2)
                fixture.use(key, times: 3)
            }
            #expect(fixture.insert(1_000, weight: weight).count >= weight / 2)
            #expect(fixture.contains(1_000))
            fixture.checkInvariants()
        }
    }

    // MARK: Main

    @Test func handPassesOverWhatWasUsedOnceForEachUse() {
        var fixture = PolicyFixture(maximumCount: 10)
        defer { fixture.deallocate() }
        for key in 0..<10 { fixture.insert(key) }
        fixture.use(0, times: 1)
        fixture.use(1, times: 2)
        #expect(fixture.coldestFirst() == Array(0..<10))
        var evicted: [Int] = []
        while let key = fixture.evictColdest() {
            evicted.append(key)
            fixture.checkInvariants()
        }
        #expect(evicted == [2, 3, 4, 5, 6, 7, 8, 0, 1, 9])
    }

    @Test func sketchLearnsOfUsesWhenTheHandPasses() {
        var fixture = PolicyFixture(maximumCount: 10)
        defer { fixture.deallocate() }
        for key in 0..<10 { fixture.insert(key) }
        fixture.use(0, times: 3)
        #expect(fixture.rating(0) == 4)
        #expect(fixture.policy.sketch.estimate(PolicyFixture.hash(0)) == 1)
        #expect(fixture.evictColdest() == 1)
        #expect(fixture.rating(0) == 4)
        #expect(fixture.policy.sketch.estimate(PolicyFixture.hash(0)) == 2)
    }

    @Test func anOverfullWindowIsColderThanMain() {
        var fixture = fullFixture(rating: 1, tuning: .init(windowShare: 0.5))
        defer { fixture.deallocate() }
        fixture.tune(.init(windowShare: 0.1))
        let evicted = (0..<40).map { _ in fixture.evictColdest() }
        #expect(evicted == Array(50..<90))
        #expect(fixture.evictColdest() == 0)
        fixture.checkInvariants()
    }

    // MARK: Window

    @Test func windowTakesUpItsShare() {
        for (share, length) in [(0.0, 1), (0.01, 1), (0.1, 10), (0.3, 30), (0.98, 98), (1.0, 100)] {
            let fixture = fullFixture(rating: 1, tuning: .init(windowShare: share))
            defer { fixture.deallocate() }
            #expect(fixture.policy.window.count == length)
            #expect(fixture.policy.main.count == 100 - length)
        }
    }

    @Test func windowShrinksByAFewEntriesForEachInsertion() {
        var fixture = PolicyFixture(maximumCount: 500, tuning: .init(windowShare: 0.98))
        defer { fixture.deallocate() }
        for key in 0..<500 { fixture.insert(key) }
        #expect(fixture.policy.window.count == 490)
        fixture.tune(.init(windowShare: 0.02))
        #expect(fixture.policy.window.count == 490, "nothing moves before the next insertion")
        var (key, length) = (500, 490)
        while length > 10 {
            #expect(fixture.insert(key).count == 1)
            let newLength = fixture.policy.window.count
            #expect(newLength < length && newLength >= length - 8)
            fixture.checkInvariants()
            (key, length) = (key + 1, newLength)
        }
        #expect(length == 10)
        #expect(fixture.insert(key).count == 1)
        #expect(fixture.policy.window.count == 10)
    }

    @Test func windowGrowsByOneEntryForEachInsertion() {
        var fixture = PolicyFixture(maximumCount: 500, tuning: .init(windowShare: 0.02))
        defer { fixture.deallocate() }
        for key in 0..<500 { fixture.insert(key) }
        fixture.tune(.init(windowShare: 0.1))
        for length in 11...50 {
            #expect(fixture.insert(1_000 + length).count == 1)
            #expect(fixture.policy.window.count == length)
            fixture.checkInvariants()
        }
        fixture.insert(2_000)
        #expect(fixture.policy.window.count == 50)
    }

    @Test func windowGivesASecondChanceIfItIsTunedSo() {
        for hasSecondChance in [false, true] {
            var fixture = PolicyFixture(maximumCount: 10, tuning: .init(windowShare: 0.6, secondChance: hasSecondChance ? .forEachUse : .none))
            defer { fixture.deallocate() }
            for key in 0..<6 { fixture.insert(key) }
            fixture.use(0, times: 2)
            fixture.insert(6)
            #expect(fixture.segment(0) == (hasSecondChance ? .window : .main))
            #expect(fixture.segment(1) == (hasSecondChance ? .main : .window))
            // The entry has two uses, so it survives two rounds.
            var rounds = 0
            var key = 7
            while fixture.segment(0) == .window {
                fixture.insert(key)
                key += 1
                rounds += 1
            }
            #expect(rounds == (hasSecondChance ? 12 : 0))
            fixture.checkInvariants()
        }
    }

    // MARK: Pinned entries

    @Test func pinnedEntriesAreNeverEvicted() {
        var fixture = PolicyFixture(maximumCount: 10)
        defer { fixture.deallocate() }
        for key in 0..<9 { fixture.insert(key, weight: 0) }
        for key in 100..<200 {
            #expect(fixture.insert(key) == (key == 100 ? [] : [key - 1]))
            fixture.checkInvariants()
        }
        #expect((0..<9).allSatisfy { fixture.segment($0) == .pinned })
        #expect(fixture.evictColdest() == 199)
        #expect(fixture.evictColdest() == nil)
        #expect(fixture.coldestFirst() == Array(0..<9))
    }

    @Test(arguments: [0, 1])
    func newcomerLeavesIfAllOthersArePinned(weight: Int) {
        var fixture = PolicyFixture(maximumCount: 3, maximumWeight: 10)
        defer { fixture.deallocate() }
        for key in 0..<3 { fixture.insert(key, weight: 0) }
        #expect(fixture.insert(3, weight: weight) == [3])
        #expect(fixture.policy.pinnedCount == 3)
        fixture.checkInvariants()
    }

    @Test func pinningAndUnpinningMoveAnEntryOutOfAndIntoTheWindow() {
        for maximumWeight in [nil, 100] {
            var fixture = PolicyFixture(maximumCount: 10, maximumWeight: maximumWeight)
            defer { fixture.deallocate() }
            for key in 0..<10 { fixture.insert(key) }
            for key in [0, 9] {
                #expect(fixture.insert(key, weight: 0).isEmpty)
                #expect(fixture.segment(key) == .pinned)
                #expect(fixture.policy.evictableCount == 9)
                fixture.checkInvariants()
                #expect(fixture.insert(key, weight: 1).isEmpty)
                #expect(fixture.segment(key) == .window)
                #expect(fixture.policy.pinnedCount == 0)
                fixture.checkInvariants()
            }
        }
    }

    // MARK: Replacement

    @Test func heavierValueMakesTheOthersLeave() {
        var fixture = PolicyFixture(maximumCount: 1_000, maximumWeight: 100)
        defer { fixture.deallocate() }
        for key in 0..<10 { fixture.insert(key, weight: 10) }
        #expect(fixture.segment(0) == .main)
        #expect(Set(fixture.insert(0, weight: 95)) == Set(1..<10))
        #expect(fixture.contains(0))
        #expect(fixture.policy.totalWeight == 95)
        fixture.checkInvariants()
        #expect(fixture.insert(0, weight: 5).isEmpty)
        #expect(fixture.policy.totalWeight == 5)
        fixture.checkInvariants()
    }

    @Test func replacementCountsAsAUse() {
        var fixture = PolicyFixture(maximumCount: 10)
        defer { fixture.deallocate() }
        for key in 0..<10 { fixture.insert(key) }
        fixture.insert(0)
        #expect(fixture.rating(0) == 2)
        #expect(fixture.evictColdest() == 1)
    }

    // MARK: Limits

    @Test func weightsNearTheGreatestNumberDoNotOverflow() {
        for tuning in WindowTuner.candidates {
            var fixture = PolicyFixture(maximumCount: 1_000, maximumWeight: .max, tuning: tuning)
            defer { fixture.deallocate() }
            for key in 0..<5 {
                #expect(fixture.insert(key, weight: .max) == (key == 0 ? [] : [key - 1]))
                fixture.checkInvariants()
            }
            #expect(fixture.insert(4, weight: 1).isEmpty)
            #expect(fixture.insert(5, weight: .max - 1).isEmpty)
            fixture.checkInvariants()
            #expect(fixture.insert(4, weight: .max) == [5])
            #expect(fixture.policy.totalWeight == UInt(Int.max))
            fixture.checkInvariants()
        }
    }

    @Test func frequenciesOutliveGrowthAndRemoval() {
        var fixture = PolicyFixture(maximumCount: 1_000)
        defer { fixture.deallocate() }
        fixture.insert(0)
        fixture.note(0, times: 6)
        for key in 1..<1_000 { fixture.insert(key) }
        #expect(fixture.policy.sketch.capacity == 1_000)
        #expect((fixture.rating(0) ?? 0) >= 7)
        fixture.removeAll()
        fixture.checkInvariants()
        #expect(fixture.policy.totalWeight == 0)
        fixture.insert(0)
        #expect((fixture.rating(0) ?? 0) >= 8)
    }

    /// The policy notes a snapshot's frequencies before its entries are there.
    @Test func frequencyThatIsNotedBeforeAnEntryIsThereSurvivesTheGrowthThatTheEntryCauses() {
        var fixture = PolicyFixture(maximumCount: 200)
        defer { fixture.deallocate() }
        for key in 0..<200 {
            if [16, 32, 64, 128].contains(key) {
                let capacity = fixture.policy.sketch.capacity
                fixture.note(key, times: 6)
                fixture.insert(key)
                #expect(fixture.policy.sketch.capacity > capacity)
                #expect(fixture.rating(key) == 7, "key \(key)")
            } else {
                fixture.insert(key)
            }
        }
    }

    struct Limits: Sendable, CustomStringConvertible {
        let maximumCount: Int
        let maximumWeight: Int?

        var description: String { "count \(maximumCount), weight \(maximumWeight.map(String.init) ?? "–")" }

        static let all = [
            (0, nil), (1, nil), (2, nil), (8, nil), (40, nil), (1_000, 1), (1_000, 20), (1_000, 200), (3, 20), (8, 20), (20, 60), (1, 5),
        ].map { Limits(maximumCount: $0, maximumWeight: $1) }
    }

    @Test(arguments: Limits.all)
    func limitsHoldAndNothingLeavesInVain(_ limits: Limits) {
        for seed in UInt64(0)..<10 {
            var run = Run(limits: limits, seed: seed)
            defer { run.fixture.deallocate() }
            for step in 0..<150 {
                if let difference = run.step() {
                    Issue.record("\(limits), seed \(seed), step \(step): \(difference)")
                    return
                }
                run.fixture.checkInvariants()
            }
        }
    }
}

extension EvictionPolicyTests {
    /// Random operations on a policy, and the weights of the entries that should be there.
    private struct Run {
        let limits: Limits
        var fixture: PolicyFixture
        var weights: [Int: Int] = [:]
        var generator: SeededGenerator

        init(limits: Limits, seed: UInt64) {
            self.limits = limits
            generator = SeededGenerator(seed: seed)
            let tuning = WindowTuner.candidates.randomElement(using: &generator) ?? .init(windowShare: 0.1)
            fixture = PolicyFixture(maximumCount: limits.maximumCount, maximumWeight: limits.maximumWeight, tuning: tuning)
        }

        private var totalWeight: Int { weights.values.reduce(0, +) }

        private var isOverLimit: Bool {
            weights.count > limits.maximumCount || limits.maximumWeight.map { totalWeight > $0 } ?? false
        }

        /// Does one random operation. Returns a description of the mistake, if there is one.
        mutating func step() -> String? {
            let key = Int.random(in: 0..<60, using: &generator)
            switch Int.random(in: 0..<20, using: &generator) {
            case 0..<11:
                if let difference = insert(key) { return difference }
            case 11..<16:
                fixture.use(key, times: Int.random(in: 1...3, using: &generator))
            case 16, 17:
                fixture.remove(key)
                weights[key] = nil
            case 18:
                let evicted = fixture.evictColdest()
                let isRight = evicted.map { (weights[$0] ?? 0) > 0 } ?? weights.values.allSatisfy { $0 == 0 }
                if !isRight { return "\(String(describing: evicted)) was evicted as the coldest" }
                if let evicted { weights[evicted] = nil }
            default:
                if let tuning = WindowTuner.candidates.randomElement(using: &generator) { fixture.tune(tuning) }
            }
            if Set(fixture.coldestFirst()) != Set(weights.keys) || fixture.coldestFirst().count != weights.count { return "another content" }
            if fixture.policy.totalWeight != UInt(totalWeight) { return "weight \(fixture.policy.totalWeight), not \(totalWeight)" }
            return nil
        }

        private mutating func insert(_ key: Int) -> String? {
            let greatest = limits.maximumWeight.map { min($0, 12) } ?? 1
            let weight = Int.random(in: 0..<5, using: &generator) == 0 ? 0 : Int.random(in: 1...greatest, using: &generator)
            let wasPinned = weights[key] == 0
            weights[key] = weight
            for evicted in fixture.insert(key, weight: weight) {
                if !isOverLimit { return "\(evicted) was evicted in vain" }
                if evicted == key {
                    if weights.contains(where: { $0.key != key && $0.value > 0 }) { return "newcomer \(key) was evicted before others" }
                } else if weights[evicted] ?? 0 == 0 {
                    return "\(evicted) was evicted, and is pinned"
                }
                weights[evicted] = nil
            }
            if isOverLimit { return "over a limit after \(key), which was \(wasPinned ? "" : "not ")pinned" }
            return nil
        }
    }

    /// The newcomer is so heavy that the candidate would not fit even into an empty main part.
    @Test func candidateForWhichAllOfMainIsTooLittleLeavesMainAlone() {
        var fixture = PolicyFixture(maximumCount: 100, maximumWeight: 100)
        defer { fixture.deallocate() }
        for key in 0..<4 { fixture.insert(key, weight: 5) }
        fixture.insert(10, weight: 60)
        fixture.note(10, times: 10)
        let evicted = fixture.insert(11, weight: 80)
        #expect(evicted.first == 10)
        #expect((0..<4).allSatisfy { fixture.contains($0) })
        #expect(fixture.contains(11))
        fixture.checkInvariants()
    }
}
