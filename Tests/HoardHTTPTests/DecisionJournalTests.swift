// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import Testing

@testable import HoardHTTP

@Suite struct DecisionJournalTests {
    private func key(_ number: Int) -> HTTPCacheKey { HTTPCacheKey(scope: "http-private", targetURI: "http://example.com/\(number)") }

    /// The same in each run, so that a seed repeats it. Some keys share one.
    private static func hash(_ number: Int) -> Int { number % 3_000 &* 0x9E37_79B9 }

    @Test func lastDecisionIsRemembered() throws {
        let journal = DecisionJournal()
        let decisions = HTTPDecision.catalogue
        let (first, second) = (try #require(decisions.first), try #require(decisions.last))
        journal.note(first, for: key(1))
        journal.note(second, for: key(1))
        journal.note(first, for: key(2))
        #expect(journal.decision(for: key(1)) == second)
        #expect(journal.decision(for: key(2)) == first)
        #expect(journal.decision(for: key(3)) == nil)
    }

    @Test func theTwoLatestKeysAreRememberedAndNoMoreThanThereIsRoomFor() throws {
        let journal = DecisionJournal()
        let decision = try #require(HTTPDecision.catalogue.first)
        for number in 0..<20_000 {
            journal.note(decision, for: key(number))
            #expect(journal.decision(for: key(number)) == decision)
            if number > 0 { #expect(journal.decision(for: key(number - 1)) == decision) }
        }
        let remembered = (0..<20_000).count { journal.decision(for: key($0)) != nil }
        #expect((1...DecisionJournal.maximumCount).contains(remembered))
    }

    @Test func keyThatIsNotedAgainAmongOthersHasItsLastDecision() throws {
        let journal = DecisionJournal()
        let decisions = HTTPDecision.catalogue
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        var last: [Int: HTTPDecision] = [:]
        for _ in 0..<20_000 {
            let number = Int.random(in: 0..<4_000, using: &generator)
            let decision = try #require(decisions.randomElement(using: &generator))
            journal.note(decision, for: key(number), hash: Self.hash(number))
            last[number] = decision
            // Another one may have been forgotten, but is never an earlier one's.
            let other = Int.random(in: 0..<4_000, using: &generator)
            if let remembered = journal.decision(for: key(other), hash: Self.hash(other)) { #expect(remembered == last[other], "seed \(seed)") }
        }
    }

    @Test func keysCanBeForgotten() throws {
        let journal = DecisionJournal()
        let decision = try #require(HTTPDecision.catalogue.first)
        journal.removeAll { _ in true }
        for number in 1...2 { journal.note(decision, for: key(number)) }
        journal.removeAll { $0 == key(1) }
        #expect(journal.decision(for: key(1)) == nil)
        #expect(journal.decision(for: key(2)) == decision)
    }
}
