// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import Testing

@testable import Hoard

@Suite struct TagMarksTests {
    @Test func whatWasPublishedBeforeTheRemovalOfItsTagIsGone() {
        var marks = TagMarks()
        let before = marks.era
        marks.remove(["a", "b"])
        let after = marks.era
        #expect(marks.verdict(onEntryBornIn: before, tags: ["b", "c"]).isRemoved)
        #expect(marks.verdict(onEntryBornIn: before, tags: ["c"]) == .init())
        #expect(marks.verdict(onEntryBornIn: before, tags: []) == .init())
        #expect(marks.verdict(onEntryBornIn: after, tags: ["a"]) == .init())
    }

    @Test func staleMarkSaysSinceWhen() {
        var marks = TagMarks()
        let before = marks.era
        marks.markStale(["a"], at: 100)
        marks.markStale(["b"], at: 90)
        #expect(marks.verdict(onEntryBornIn: before, tags: ["a"]).staleSince == 100)
        #expect(marks.verdict(onEntryBornIn: before, tags: ["a", "b"]).staleSince == 90)
        #expect(marks.verdict(onEntryBornIn: before, tags: []).staleSince == nil)
        #expect(marks.verdict(onEntryBornIn: marks.era, tags: ["a"]).staleSince == nil)
    }

    @Test func ofSeveralStaleMarksTheFirstAfterItsBirthCounts() {
        var marks = TagMarks()
        var births: [UInt64] = []
        for tick in 0..<TagMarks.maximumStaleCount {
            births.append(marks.era)
            marks.markStale(["a"], at: Int64(tick))
        }
        #expect(births.map { marks.verdict(onEntryBornIn: $0, tags: ["a"]).staleSince } == births.indices.map { Int64($0) })
        marks.markStale(["a"], at: 100)
        #expect(births.map { marks.verdict(onEntryBornIn: $0, tags: ["a"]).staleSince } == [0, 0] + births.indices.dropFirst(2).map { Int64($0) })
        #expect(marks.verdict(onEntryBornIn: marks.era, tags: ["a"]).staleSince == nil)
    }

    @Test func everythingCanBeMarkedStale() {
        var marks = TagMarks()
        let before = marks.era
        let untaggedBefore = marks.eraOfEverything
        marks.remove(["a"])
        #expect(marks.eraOfEverything == untaggedBefore)
        marks.markAllStale(at: 7)
        #expect(marks.eraOfEverything > untaggedBefore)
        #expect(marks.verdict(onEntryBornIn: before, tags: []).staleSince == 7)
    }

    @Test func whatWasPublishedBeforeARemovalOfEverythingIsGoneThoughItsTagsAreForgotten() {
        var marks = TagMarks()
        let before = marks.era
        let untaggedBefore = marks.eraOfEverything
        marks.remove(["a"])
        marks.removeAll()
        #expect(marks.count == 0)
        #expect(marks.eraOfEverything > untaggedBefore)
        // A reader may have found an entry before it left memory, and judges it now.
        #expect(marks.verdict(onEntryBornIn: before, tags: ["a"]).isRemoved)
        #expect(marks.verdict(onEntryBornIn: before, tags: ["b"]).isRemoved)
        #expect(marks.verdict(onEntryBornIn: untaggedBefore, tags: []).isRemoved)
        #expect(marks.verdict(onEntryBornIn: marks.era, tags: ["a"]) == .init())
        #expect(marks.verdict(onEntryBornIn: marks.eraOfEverything, tags: []) == .init())
    }

    @Test func tooManyTagsAreForgottenOnTheSafeSide() {
        var marks = TagMarks(maximumCount: 10)
        let before = marks.era
        var eras: [UInt64] = []
        for number in 0..<25 {
            marks.remove(["tag \(number)"])
            eras.append(marks.era)
        }
        #expect(marks.count <= 10)
        for number in 0..<25 {
            #expect(marks.verdict(onEntryBornIn: before, tags: ["tag \(number)"]).isRemoved)
            #expect(!marks.verdict(onEntryBornIn: marks.era, tags: ["tag \(number)"]).isRemoved)
        }
        // The removal by tag never concerns an entry without tags.
        #expect(!marks.verdict(onEntryBornIn: before, tags: []).isRemoved)
    }

    @Test(arguments: 0..<50) func verdictsAgreeWithALog(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var marks = TagMarks(maximumCount: 1_000)
        /// Every invalidation, in order: its era, its tags (`nil`: everything), the tick of a stale mark.
        var log: [(era: UInt64, tags: Set<String>?, staleTick: Int64?)] = []
        let tags = ["a", "b", "c", "d"]
        var births: [UInt64] = [marks.era]
        for step in 0..<(seed.isMultiple(of: 2) ? 40 : 10) {
            let chosen = Set(tags.filter { _ in Bool.random(using: &generator) })
            switch Int.random(in: 0..<5, using: &generator) {
            case 0..<2:
                marks.remove(chosen)
                log.append((marks.era, chosen, nil))
            case 2..<4:
                marks.markStale(chosen, at: Int64(step))
                log.append((marks.era, chosen, Int64(step)))
            default:
                marks.markAllStale(at: Int64(step))
                log.append((marks.era, nil, Int64(step)))
            }
            births.append(marks.era)
        }
        for birth in births {
            let entryTags = Set(tags.filter { _ in Bool.random(using: &generator) })
            let hits = log.filter { $0.era > birth && ($0.tags.map { !$0.isDisjoint(with: entryTags) } ?? true) }
            let verdict = marks.verdict(onEntryBornIn: birth, tags: entryTags)
            #expect(verdict.isRemoved == hits.contains { $0.staleTick == nil }, "seed \(seed)")
            // After 40 invalidations some tags have more marks than are remembered. The verdict may then give
            // an earlier time than the exact one.
            let exact = hits.compactMap(\.staleTick).first
            #expect((verdict.staleSince == nil) == (exact == nil), "seed \(seed)")
            if let exact, let staleSince = verdict.staleSince { #expect(staleSince <= exact, "seed \(seed)") }
            if log.count(where: { $0.staleTick != nil }) <= TagMarks.maximumStaleCount { #expect(verdict.staleSince == exact, "seed \(seed)") }
        }
    }
}
