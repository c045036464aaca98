// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

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

    @Test mutating func tierThatAChangeOfEverythingHasReachedIsNotChangedByAnOlderOne() throws {
        let older = try beginChange("a")
        let everything = table.beginChangeOfEverything()
        let newer = try beginChange("a")
        #expect(table.mayReach(tier: 0, change: older) == true, "everything is removed there later")
        table.reach(tier: 1, change: everything)
        table.endChangeOfEverything()
        #expect(table.mayReach(tier: 1, change: older) == false)
        #expect(table.mayReach(tier: 1, change: newer) == true)
    }

    @Test mutating func olderChangeOfEverythingDoesNotStandForANewerOne() throws {
        let first = table.beginChangeOfEverything()
        let change = try beginChange("a")
        let second = table.beginChangeOfEverything()
        table.reach(tier: 0, change: second)
        table.reach(tier: 0, change: first)
        #expect(table.mayReach(tier: 0, change: change) == false)
    }
}
