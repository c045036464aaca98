// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardHTTP
import Testing

@Suite struct HTTPDecisionTests {
    @Test(arguments: HTTPDecision.catalogue)
    func reasonIsAConstantWithARuleAndASentence(decision: HTTPDecision) {
        #expect(decision.token.utf8.allSatisfy { ("A"..."Z").contains(Character(Unicode.Scalar($0))) || $0 == UInt8(ascii: "-") })
        #expect(decision.section.hasPrefix("RFC ") || ["Fetch, cache mode", "HTTPCachePolicy"].contains(decision.section))
        #expect(decision.sentence.hasSuffix(".") && decision.sentence.first?.isUppercase == true)
        #expect(!decision.sentence.contains("|"))
        #expect(decision.description == "\(decision.sentence) (\(decision.section))")
    }

    @Test func tokensAreUniqueInEachKind() {
        let all = HTTPDecision.catalogue
        #expect(Set(all).count == all.count)
        #expect(Set(all.map { "\($0.kind) \($0.token)" }).count == all.count)
    }

    @Test func everyKindHasReasons() {
        for kind in HTTPDecision.Kind.allCases {
            #expect(HTTPDecision.catalogue.contains { $0.kind == kind }, "\(kind)")
        }
    }

    @Test func reasonsOfTheRulesAreTakenOver() {
        #expect(HTTPDecision(.noStore).section == Storability.Reason.noStore.section)
        #expect(HTTPDecision(.noStore).sentence == Storability.Reason.noStore.explanation)
        #expect(HTTPDecision(StalePermission.maxStale).token == StalePermission.maxStale.token)
        #expect(HTTPDecision(ReuseDecision.Reason.requestMinFresh) == .requestMinFresh)
    }

    @Test func equalTokensOfDifferentKindsAreDifferent() {
        #expect(HTTPDecision.stale != HTTPDecision(.noStore))
        #expect(HTTPDecision.stale == HTTPDecision(ReuseDecision.Reason.stale))
    }
}
