// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardTestSupport
import HoardTesting
import Testing

@testable import Hoard

@Suite struct FenceTableTests {
    private var table = FenceTable<String>()

    @Test mutating func fenceIsIntactUntilItsKeyIsBroken() {
        let fence = table.open("a")
        #expect(fence.key == "a")
        #expect(table.isIntact(fence))
        table.breakFences(forKey: "a")
        #expect(!table.isIntact(fence))
        #expect(table.count == 0)
    }

    @Test mutating func breakingOneKeyLeavesTheOthers() {
        let other = table.open("b")
        let fence = table.open("a")
        table.breakFences(forKey: "a")
        #expect(table.isIntact(other))
        #expect(!table.isIntact(fence))
    }

    @Test mutating func allFencesOfAKeyBreakTogether() {
        let fences = (0..<3).map { _ in table.open("a") }
        #expect(table.count == 3)
        table.breakFences(forKey: "a")
        #expect(fences.allSatisfy { !table.isIntact($0) })
    }

    @Test mutating func removalBreaksFencesAtItsBeginningAndAtItsEnd() {
        let before = table.open("a")
        let spared = table.open("a")
        table.beginRemoval(ofKey: "a", sparing: spared)
        #expect(!table.isIntact(before) && table.isIntact(spared) && table.isBeingChanged("a"))
        let during = table.open("a")
        #expect(table.isIntact(during) && table.isIntact(during, tags: []))
        #expect(!table.isIntact(during, tags: [], isCopy: true), "what the tiers have may be what is being removed")
        table.endRemoval(ofKey: "a", sparing: spared)
        #expect(!table.isIntact(during) && table.isIntact(spared) && !table.isBeingChanged("a"))
        let after = table.open("a")
        #expect(table.isIntact(after, tags: [], isCopy: true))
    }

    @Test mutating func copyIsOutdatedByWhatWasBeingChangedWhenItsFenceWasOpened() {
        let tags = table.beginChange(ofTags: ["t"])
        let everything = table.beginChangeOfEverything()
        _ = everything
        let (_, condition) = table.beginChange { $0.hasPrefix("in/") }
        let fence = table.open("in/a")
        let other = table.open("out")
        #expect(table.isIntact(fence, tags: ["t"]), "no copy, no matter")
        #expect(!table.isIntact(fence, tags: [], isCopy: true))
        table.endChangeOfEverything()
        #expect(!table.isIntact(other, tags: [], isCopy: true), "it may have been read before the end")
        let later = table.open("out")
        #expect(table.isIntact(later, tags: [], isCopy: true))
        #expect(!table.isIntact(later, tags: ["t"], isCopy: true))
        table.endChange(tags)
        #expect(!table.isIntact(later, tags: ["t"], isCopy: true) && table.isIntact(later, tags: ["t"]))
        let within = table.open("in/b")
        #expect(!table.isIntact(within, tags: [], isCopy: true))
        let broken = table.endChange(where: condition)
        #expect(broken == ["in/a", "in/b"])
    }

    @Test mutating func noCopyOfAKeyBeginsWhileAChangeByConditionThatMatchesItIsUnderWay() {
        let (_, first) = table.beginChange { $0.hasPrefix("in/") }
        let (_, second) = table.beginChange { $0 == "in/a" }
        var copies = ["in/a", "in/b", "out"].map { table.openForCopy($0) != nil }
        #expect(copies == [false, false, true])
        _ = table.endChange(where: first)
        copies = ["in/a", "in/b"].map { table.openForCopy($0) != nil }
        #expect(copies == [false, true])
        _ = table.endChange(where: second)
        copies = [table.openForCopy("in/a") != nil]
        #expect(copies == [true])
    }

    @Test mutating func fencesOfTheKeysThatMatchBreak() {
        let fences = ["in/a", "in/a", "in/b"].map { table.open($0) }
        let copy = table.openForCopy("in/c")
        let other = table.open("out")
        let changed = table.open("in/changed")
        var isBegun = table.beginChange(changed, tags: [])
        #expect(isBegun)
        let elsewhere = table.open("out/changed")
        isBegun = table.beginChange(elsewhere, tags: [])
        #expect(isBegun)
        var broken = table.breakFences { $0.hasPrefix("in/") }
        #expect(broken == ["in/a", "in/b", "in/c", "in/changed"])
        #expect(fences.allSatisfy { !table.isIntact($0) })
        #expect(copy.map { table.isIntact($0) } == false)
        #expect(table.isIntact(other) && table.isIntact(elsewhere))
        // A change goes on to its end, and the table knows of it until then.
        #expect(table.isBeingChanged("in/changed"))
        broken = table.breakFences { $0.hasPrefix("in/") }
        #expect(broken == ["in/changed"])
        table.endChange(changed)
        broken = table.breakFences { $0.hasPrefix("in/") }
        #expect(broken.isEmpty)
        #expect(table.count == 2)
    }

    @Test mutating func breakingWhereNothingIsOpenDoesNothing() {
        table.breakFences(forKey: "a")
        let fence = table.open("a")
        #expect(table.isIntact(fence))
    }

    @Test mutating func closedFenceIsForgotten() {
        let first = table.open("a")
        let second = table.open("a")
        table.close(first)
        #expect(!table.isIntact(first))
        #expect(table.isIntact(second))
        #expect(table.count == 1)
        table.close(first)
        table.close(second)
        #expect(table.count == 0)
    }

    /// This would take minutes if the work for each fence grew with the number of fences.
    @Test(.timeLimit(.minutes(5))) mutating func manyFencesOfAKeyOpenAndCloseQuickly() {
        var fences = (0..<20_000).map { _ in table.open("a") }
        let allIntact = fences.allSatisfy { table.isIntact($0) }
        #expect(allIntact && table.count == 20_000)
        let start = Self.computingTime()
        for _ in 1...5 {
            // The number of open fences stays the same, and they close in another order than they were opened.
            for index in fences.indices {
                let other = index * 7_919 % fences.count
                table.close(fences[other])
                fences[other] = table.open("a")
            }
        }
        for fence in fences.dropFirst(10_000) { table.close(fence) }
        for fence in fences.prefix(10_000) { table.closeAndBreakOlder(than: fence) }
        let time = Self.computingTime() - start
        #expect(time < 10_000_000_000, "\(time) ns")
        #expect(table.isEmpty)
    }

    /// The computing time of this thread, in nanoseconds, so that a busy machine does not matter.
    private static func computingTime() -> Int {
        var now = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now)
        return now.tv_sec * 1_000_000_000 + now.tv_nsec
    }

    /// The set does the same as an array of the same numbers.
    @Test func setOfFencesIsWhatAnArrayWouldBe() {
        let seed = UInt64.random(in: 0 ... .max)
        var random = SeededGenerator(seed: seed)
        var (set, array, last) = (FenceSet(), [UInt64](), UInt64(0))
        for _ in 1...20_000 {
            // Sometimes so many fences close that the set forgets closed ones in between.
            switch Int.random(in: 0...20, using: &random) {
            case 0...10:
                last += 1
                set.insert(last)
                array.append(last)
            case 11...19:
                let id = UInt64(Int.random(in: 0...Int(last), using: &random))
                let chosen = Int.random(in: 0...1, using: &random) == 0 ? id : array.first ?? id
                set.remove(chosen)
                array.removeAll { $0 == chosen }
            default:
                let id = array.isEmpty ? last : array[Int.random(in: 0...array.count - 1, using: &random)]
                set.removeAll(through: id)
                array.removeAll { $0 <= id }
            }
            let asked = UInt64(Int.random(in: 0...Int(last), using: &random))
            #expect(set.count == array.count && set.isEmpty == array.isEmpty && set.contains(asked) == array.contains(asked), "seed \(seed)")
        }
    }

    @Test mutating func publishingBreaksOlderFencesAndKeepsYoungerOnes() {
        let fences = (0..<4).map { _ in table.open("a") }
        let other = table.open("b")
        table.closeAndBreakOlder(than: fences[2])
        #expect(fences.map { table.isIntact($0) } == [false, false, false, true])
        #expect(table.isIntact(other))
        table.closeAndBreakOlder(than: fences[3])
        #expect(table.count == 1)
    }

    @Test mutating func breakingAllBreaksEveryKey() {
        let fences = ["a", "b", "b"].map { table.open($0) }
        table.breakAll()
        #expect(fences.allSatisfy { !table.isIntact($0) })
        #expect(table.count == 0)
        let later = table.open("a")
        #expect(table.isIntact(later))
    }
}

/// Changes: writes and removals that take time.
@Suite struct FenceTableChangeTests {
    private var table = FenceTable<String>()

    private mutating func beginChange(_ key: String) throws -> FenceTable<String>.Fence {
        let fence = table.open(key)
        guard table.beginChange(fence) else { throw TestError() }
        return fence
    }

    private mutating func canCopy(_ key: String) -> Bool {
        guard let fence = table.openForCopy(key) else { return false }
        table.close(fence)
        return true
    }

    @Test mutating func changeBreaksAllFencesButItsOwn() throws {
        let older = table.open("a")
        let own = table.open("a")
        let younger = table.open("a")
        let other = table.open("b")
        #expect(table.beginChange(own) == true)
        #expect([older, own, younger, other].map { table.isIntact($0) } == [false, true, false, true])
    }

    @Test mutating func changeWithABrokenFenceDoesNotBegin() {
        let broken = table.open("a")
        table.breakFences(forKey: "a")
        let fence = table.open("a")
        #expect(table.beginChange(broken) == false)
        #expect(table.isIntact(fence))
        #expect(canCopy("a") == true)
    }

    @Test mutating func nobodyCopiesWhileAKeyIsBeingChanged() throws {
        let change = try beginChange("a")
        #expect(canCopy("a") == false)
        #expect(canCopy("b") == true)
        let load = table.open("a")
        #expect(table.isIntact(load), "a load may begin")
        table.endChange(change)
        #expect(canCopy("a") == true)
        #expect(table.count == 1)
    }

    @Test mutating func copyThatBeganBeforeAChangeIsFenced() throws {
        let copy = table.openForCopy("a")
        _ = try beginChange("a")
        #expect(copy.map { table.isIntact($0) } == false)
    }

    @Test mutating func nobodyCopiesUntilTheLastOfSeveralChangesHasEnded() throws {
        let earlier = try beginChange("a")
        let later = try beginChange("a")
        #expect(!table.isIntact(earlier))
        table.endChange(later)
        #expect(canCopy("a") == false)
        table.endChange(earlier)
        #expect(canCopy("a") == true)
        #expect(table.count == 0)
    }

    @Test mutating func changeGoesOnThoughItsFenceIsBroken() throws {
        let change = try beginChange("a")
        table.breakFences(forKey: "a")
        #expect(canCopy("a") == false)
        #expect(table.mayReach(tier: 0, change: change) == true)
        table.endChange(change)
        #expect(canCopy("a") == true)
    }

    @Test mutating func tierThatANewerChangeHasReachedIsNotChangedByAnOlderOne() throws {
        let older = try beginChange("a")
        let newer = try beginChange("a")
        let other = try beginChange("b")
        #expect(table.mayReach(tier: 0, change: older) == true)
        #expect(table.mayReach(tier: 0, change: newer) == true)
        #expect(table.mayReach(tier: 1, change: newer) == true)
        #expect(table.mayReach(tier: 1, change: older) == false)
        #expect(table.mayReach(tier: 1, change: other) == true)
        table.endChange(newer)
        #expect(table.mayReach(tier: 1, change: older) == false, "not even when the newer one has ended")
    }

    @Test mutating func changesOfEverythingKeepEveryKeyFromBeingCopied() {
        let fence = table.open("a")
        _ = table.beginChangeOfEverything()
        #expect(!table.isIntact(fence))
        _ = table.beginChangeOfEverything()
        #expect(canCopy("a") == false)
        table.endChangeOfEverything()
        #expect(canCopy("b") == false, "one of the two goes on")
        table.endChangeOfEverything()
        #expect(canCopy("a") == true)
    }

    @Test mutating func valueIsOutdatedInATierThatAYoungerChangeOfEverythingHasReached() throws {
        let older = try beginChange("a")
        let everything = table.beginChangeOfEverything()
        let newer = try beginChange("a")
        #expect(!table.isOutdated(older, tags: [], inTier: 0), "everything is removed there later")
        table.reach(tier: 1, change: everything)
        table.endChangeOfEverything()
        #expect(table.isOutdated(older, tags: [], inTier: 1))
        #expect(table.mayReach(tier: 1, change: older) == true, "the record that it was to replace must go all the same")
        #expect(!table.isOutdated(newer, tags: [], inTier: 1))
    }

    @Test mutating func olderChangeOfEverythingDoesNotStandForANewerOne() throws {
        let first = table.beginChangeOfEverything()
        let change = try beginChange("a")
        let second = table.beginChangeOfEverything()
        table.reach(tier: 0, change: second)
        table.reach(tier: 0, change: first)
        #expect(table.isOutdated(change, tags: [], inTier: 0))
    }

    @Test mutating func endOfARemovalLeavesWhatIsKnownOfAWriteUntilEverythingIsChanged() {
        _ = table.beginChangeOfEverything()
        let write = table.open("a")
        _ = table.beginChange(write, isWrite: true)
        table.endChange(write)
        table.beginRemoval(ofKey: "a")
        table.endRemoval(ofKey: "a")
        #expect(table.isBeingWritten("a"))
        table.endChangeOfEverything()
        #expect(!table.isBeingWritten("a"))
    }
}

/// Invalidations of tags. They concern loads and writes under way of values that have one of these tags.
@Suite struct FenceTableTagTests {
    private var table = FenceTable<String>()

    private mutating func invalidate(_ tags: Set<String>, inTiers tiers: Range<Int> = 0..<0) {
        let change = table.beginChange(ofTags: tags)
        for tier in tiers { table.reach(tier: tier, change: change) }
        table.endChange(change)
    }

    private mutating func copyFence() throws -> FenceTable<String>.Fence {
        guard let fence = table.openForCopy("a") else { throw TestError() }
        return fence
    }

    @Test mutating func onlyValuesWithTheTagAreFenced() {
        let fence = table.open("a")
        invalidate(["t", "u"])
        #expect(table.isIntact(fence), "the key has not been changed")
        #expect(!table.isIntact(fence, tags: ["t"]))
        #expect(!table.isIntact(fence, tags: ["u", "x"]))
        #expect(table.isIntact(fence, tags: ["x"]))
        #expect(table.isIntact(fence, tags: []))
    }

    @Test mutating func fencesOpenedAfterwardsAreNotConcerned() {
        let keepsTags = table.open("b")
        invalidate(["t"])
        let fence = table.open("a")
        #expect(table.isIntact(fence, tags: ["t"]))
        #expect(!table.isIntact(keepsTags, tags: ["t"]))
    }

    @Test mutating func loadMayBeginWhileATagIsBeingInvalidated() {
        let change = table.beginChange(ofTags: ["t"])
        let fence = table.open("a")
        #expect(table.isIntact(fence, tags: ["t"]))
        table.endChange(change)
        #expect(table.isIntact(fence, tags: ["t"]))
    }

    @Test mutating func whatIsReadDuringAnInvalidationIsNotCopied() throws {
        let first = table.beginChange(ofTags: ["t"])
        let second = table.beginChange(ofTags: ["t"])
        let copy = try copyFence()
        #expect(!table.isIntact(copy, tags: ["t"]))
        #expect(table.isIntact(copy, tags: ["u"]))
        table.endChange(second)
        let later = try copyFence()
        #expect(!table.isIntact(later, tags: ["t"]), "one of the two goes on")
        table.endChange(first)
        #expect(!table.isIntact(copy, tags: ["t"]))
        #expect(!table.isIntact(later, tags: ["t"]))
        let last = try copyFence()
        #expect(table.isIntact(last, tags: ["t"]))
    }

    @Test mutating func invalidationIsRememberedWhileAChangeIsUnderWay() {
        let fence = table.open("a")
        #expect(table.beginChange(fence) == true)
        table.breakFences(forKey: "a")
        invalidate(["t"], inTiers: 0..<1)
        #expect(table.isOutdated(fence, tags: ["t"], inTier: 0))
        #expect(!table.isOutdated(fence, tags: ["t"], inTier: 1), "not there yet")
        #expect(!table.isOutdated(fence, tags: ["u"], inTier: 0))
        #expect(!table.isOutdated(fence, tags: [], inTier: 0))
        table.endChange(fence)
        #expect(!table.isOutdated(fence, tags: ["t"], inTier: 0), "nobody asks any more, and all is forgotten")
    }

    @Test mutating func youngerWriteIsNotOutdated() {
        let keepsTags = table.open("b")
        let change = table.beginChange(ofTags: ["t"])
        let fence = table.open("a")
        table.reach(tier: 0, change: change)
        #expect(table.isOutdated(keepsTags, tags: ["t"], inTier: 0))
        #expect(!table.isOutdated(fence, tags: ["t"], inTier: 0))
    }

    @Test mutating func olderInvalidationDoesNotStandForANewerOne() {
        let first = table.beginChange(ofTags: ["t"])
        let fence = table.open("a")
        let second = table.beginChange(ofTags: ["t"])
        table.reach(tier: 0, change: second)
        table.reach(tier: 0, change: first)
        #expect(table.isOutdated(fence, tags: ["t"], inTier: 0))
    }

    @Test mutating func everythingIsATagOfEveryValue() {
        let fence = table.open("a")
        invalidate([FenceTable<String>.tagOfEverything], inTiers: 0..<1)
        #expect(!table.isIntact(fence, tags: []))
        #expect(!table.isIntact(fence, tags: ["t"]))
        #expect(table.isOutdated(fence, tags: [], inTier: 0))
        #expect(table.beginChange(fence, tags: []) == false)
        #expect(table.beginChange(fence) == true, "whoever does not ask for tags is not kept")
    }

    @Test mutating func changeBeginsOnlyIfItsTagsHaveNotBeenInvalidated() {
        let fence = table.open("a")
        let other = table.open("a")
        invalidate(["t"])
        #expect(table.beginChange(fence, tags: ["t"]) == false)
        #expect(table.isIntact(other), "nothing has begun")
        #expect(table.beginChange(fence, tags: ["u"]) == true)
        #expect(!table.isIntact(other))
    }

    @Test mutating func tagCanBeBrokenWithoutAChange() {
        table.breakFences(taggedWith: "t")
        let fence = table.open("a")
        #expect(table.isIntact(fence, tags: ["t"]))
        table.breakFences(taggedWith: "t")
        #expect(!table.isIntact(fence, tags: ["t"]))
        #expect(table.isIntact(fence, tags: ["u"]))
    }

    @Test(arguments: [1, 700, 5_000])
    mutating func tooManyTagsFenceTooMuchButNothingWithoutTags(_ countAtATime: Int) {
        let fence = table.open("a")
        for number in 0..<(6_000 / countAtATime) {
            invalidate(Set((0..<countAtATime).map { "\(number) \($0)" }), inTiers: 0..<1)
        }
        #expect(!table.isIntact(fence, tags: ["0 0"]))
        #expect(table.isOutdated(fence, tags: ["0 0"], inTier: 0))
        #expect(!table.isIntact(fence, tags: ["never invalidated"]), "the safe side")
        #expect(table.isIntact(fence, tags: []))
        #expect(!table.isOutdated(fence, tags: [], inTier: 0))
        let later = table.open("a")
        #expect(table.isIntact(later, tags: ["0 0", "never invalidated"]))
        #expect(!table.isOutdated(later, tags: ["0 0"], inTier: 0))
    }

    @Test mutating func tooManyTagsDoNotHideTheOneOfEverything() {
        let fence = table.open("a")
        invalidate([FenceTable<String>.tagOfEverything], inTiers: 0..<1)
        for number in 0..<5_000 { invalidate(["\(number)"]) }
        #expect(!table.isIntact(fence, tags: []))
        #expect(table.isOutdated(fence, tags: [], inTier: 0))
    }

    /// The second invalidation comes from elsewhere and does not go through the tiers.
    @Test mutating func whatWasForgottenOfATagIsNotContradictedByANewMark() {
        let fence = table.open("a")
        invalidate(["t"], inTiers: 0..<1)
        for number in 0..<2_000 { invalidate(["\(number)"]) }
        invalidate(["t"])
        #expect(table.isOutdated(fence, tags: ["t"], inTier: 0))
    }

    @Test mutating func nothingIsRememberedWhenNobodyIsUnderWay() {
        for number in 0..<2_000 { invalidate(["\(number)"]) }
        let fence = table.open("a")
        #expect(table.isIntact(fence, tags: ["0", "1999"]))
        table.close(fence)
        #expect(table.isEmpty)
    }
}
