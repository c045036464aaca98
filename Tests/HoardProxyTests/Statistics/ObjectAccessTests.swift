// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardHTTP
import HoardNIO
import Testing

@testable import HoardProxy

@Suite("ObjectAccess")
struct ObjectAccessTests {
    private func reference(_ report: ExchangeReport) -> ObjectAccess? {
        RequestIdentity(report.request, hasher: fixedHasher(), distinguishesHosts: true).flatMap { ObjectAccess(report, $0) }
    }

    @Test(arguments: [AnswerReport.Outcome.hit, .staleHit, .validatedHit, .collapsedHit])
    func hitsOfAllKindsAreUses(outcome: AnswerReport.Outcome) throws {
        let found = try #require(reference(report(bytes: 77, outcome: outcome)))
        #expect(!found.isMiss)
        #expect(found.bytes == 77)
        #expect(found.length == .whole)
        #expect(!found.isUnavoidable)
    }

    @Test(arguments: [AnswerReport.Outcome.generated, .failure, .bypass, nil])
    func whatWouldNotUseTheCacheIsNone(outcome: AnswerReport.Outcome?) {
        #expect(reference(report(outcome: outcome)) == nil)
    }

    @Test func missesCountOnlyIfWhatCameIsStored() throws {
        #expect(try #require(reference(report(outcome: .miss, tier: .origin))).isMiss)
        #expect(reference(report(outcome: .miss, tier: .origin, isStored: false)) == nil)
        #expect(reference(report(status: 503, outcome: .miss, tier: .origin)) == nil)
        #expect(try #require(reference(report(outcome: .miss, tier: .origin, foundUnusable: true))).isUnavoidable)
    }

    @Test func aHeadUsesWhatIsThereAndBringsNothingIn() throws {
        let head = "HEAD /a HTTP/1.1\r\nHost: a\r\n\r\n"
        #expect(try #require(reference(report(head, bytes: 0))).length == .unknown)
        #expect(reference(report(head, bytes: 0, outcome: .miss, tier: .origin)) == nil)
    }

    @Test(arguments: [
        (200, true, ObjectAccess.Length.whole), (200, false, .part), (206, true, .part), (304, true, .unknown), (412, true, .unknown),
        (416, true, .unknown), (404, true, .whole),
    ])
    func onlyWholeContentTellsTheLength(status: Int, isComplete: Bool, length: ObjectAccess.Length) throws {
        #expect(try #require(reference(report(status: status, isComplete: isComplete))).length == length)
    }
}
