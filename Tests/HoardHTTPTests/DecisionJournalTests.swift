// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HoardHTTP

@Suite struct DecisionJournalTests {
    private func key(_ number: Int) -> HTTPCacheKey { HTTPCacheKey(scope: "http-private", targetURI: "http://example.com/\(number)") }

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

    @Test func oldestKeyIsForgottenWhenThereAreTooMany() throws {
        let journal = DecisionJournal()
        let decision = try #require(HTTPDecision.catalogue.first)
        for number in 0...DecisionJournal.maximumCount { journal.note(decision, for: key(number)) }
        #expect(journal.decision(for: key(0)) == nil)
        #expect((1...DecisionJournal.maximumCount).allSatisfy { journal.decision(for: key($0)) == decision })
    }
}
