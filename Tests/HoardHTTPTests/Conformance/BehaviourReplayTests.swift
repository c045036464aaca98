// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardHTTP
import HoardHTTPTestSupport
import Testing

/// The replay judges as it should: it finds each mistake, and names it rightly.
@Suite(.timeLimit(.minutes(5))) struct BehaviourReplayTests {
    private func tests(_ requests: String, id: String = "a", kind: String = "required", dependsOn: [String] = []) throws -> [BehaviourTest] {
        let dependencies = dependsOn.map { "\"\($0)\"" }.joined(separator: ", ")
        let test = #"{"id": "\#(id)", "kind": "\#(kind)", "depends_on": [\#(dependencies)], "requests": \#(requests)}"#
        return try BehaviourTest.read(Data(#"[{"id": "suite", "tests": [\#(test)]}]"#.utf8))
    }

    private func outcome(_ requests: String) async throws -> BehaviourReplay.Outcome {
        await BehaviourReplay(mode: .shared).outcome(of: try #require(try tests(requests).first))
    }

    private static let fresh = #"{"response_headers": [["Cache-Control", "max-age=60"]], "setup": true, "pause_after": true}"#

    @Test func reuseThatIsExpectedPasses() async throws {
        let outcome = try await outcome(#"[\#(Self.fresh), {"expected_type": "cached"}]"#)
        #expect(outcome.verdict == .passed)
        #expect(outcome.reason.isEmpty)
    }

    @Test func reuseThatIsNotExpectedFails() async throws {
        let outcome = try await outcome(#"[\#(Self.fresh), {"expected_type": "not_cached"}]"#)
        #expect(outcome.verdict == .failed)
        #expect(outcome.reason == "Request 2: expected a new response from the origin, but got the stored response number 1.")
    }

    @Test func timePassesInPauses() async throws {
        let short = #"{"response_headers": [["Cache-Control", "max-age=2"]], "pause_after": true}"#
        #expect(try await outcome(#"[\#(short), {"expected_type": "not_cached"}]"#).verdict == .passed)
        let aged = #"{"expected_type": "cached", "expected_response_headers": [["Age", ">", 2]]}"#
        #expect(try await outcome(#"[\#(Self.fresh), \#(aged)]"#).verdict == .passed)
        let older = #"{"expected_type": "cached", "expected_response_headers": [["Age", ">", 3]]}"#
        #expect(try await outcome(#"[\#(Self.fresh), \#(older)]"#).verdict == .failed)
    }

    @Test func whatFailsInTheSetupIsNoFailure() async throws {
        let unstored = #"{"response_headers": [["Cache-Control", "no-store"]]}"#
        #expect(try await outcome(#"[\#(unstored), {"setup": true, "expected_type": "cached"}]"#).verdict == .setUp)
        #expect(try await outcome(#"[\#(unstored), {"setup_tests": ["expected_type"], "expected_type": "cached"}]"#).verdict == .setUp)
        #expect(try await outcome(#"[\#(unstored), {"expected_type": "cached"}]"#).verdict == .failed)
    }

    @Test(arguments: [
        #""expected_response_headers": ["Absent"]"#,
        #""expected_response_headers": [["Date", "="]]"#,
        #""expected_response_headers": [["A", "=", "B"]]"#,
        #""expected_response_headers": [["A", "2"]]"#,
        #""expected_response_headers_missing": ["A"]"#,
        #""expected_response_headers_missing": [["A", "1"]]"#,
        #""expected_status": 201"#,
        #""expected_response_text": "other""#,
        #""expected_interim_responses": [[103]]"#,
        #""expected_request_headers": ["Absent"]"#,
        #""expected_request_headers_missing": ["Req-Num"]"#,
        #""expected_method": "PUT""#,
        #""expected_type": "etag_validated", "expected_status": 200, "response_status": [200, "OK"]"#,
        #""request_method": "HEAD", "response_status": [200, "OK"], "expected_response_text": "any""#,
    ])
    func everyKindOfExpectationCanFail(expectation: String) async throws {
        let outcome = try await outcome(#"[{"response_headers": [["A", "1"], ["B", "2"]], \#(expectation)}]"#)
        #expect(outcome.verdict == .failed, "\(outcome.reason)")
    }

    @Test(arguments: [
        #""response_headers": [["A", "1"]], "expected_response_headers": ["a", ["A", "1"]]"#,
        #""response_headers": [["A", "1"], ["B", "1"]], "expected_response_headers": [["A", "=", "B"]]"#,
        #""response_headers": [["Date", 0], ["Expires", 60]], "expected_response_headers": [["Expires", 60], ["Date", 0]]"#,
        #""response_headers": [["Location", "x"]], "magic_locations": true, "expected_response_headers": [["Location", "x"]]"#,
        #""request_headers": [["A", "\u00fc"]], "expected_request_headers": [["A", "\u00fc"]]"#,
        #""response_headers": [["A", "\u00fc"]], "expected_response_headers": [["A", "\u00fc"]]"#,
        #""response_body": "text", "expected_response_text": "text""#,
        #""response_status": [404, "Not Found"]"#,
        #""response_status": [404, "Not Found"], "expected_status": null, "expected_response_text": null"#,
        #""disconnect": true, "expected_status": 502, "check_body": false"#,
    ])
    func everyKindOfExpectationCanBeMet(expectation: String) async throws {
        let outcome = try await outcome("[{\(expectation)}]")
        #expect(outcome.verdict == .passed, "\(outcome.reason)")
    }

    @Test func contentThatBreaksOffIsAFailure() async throws {
        let outcome = try await outcome(#"[{"response_headers": [["Content-Length", "100"]], "response_body": "short"}]"#)
        #expect(outcome.verdict == .failed)
        #expect(outcome.reason.contains("closed in the middle"))
    }

    @Test func fieldsThatWereSentMustComeBack() async throws {
        // The cache removes fields of the connection: a script that promises one cannot be done.
        let promised = #"[{"response_headers": [["Proxy-Authenticate", "x", true]]}]"#
        #expect(try await outcome(promised).verdict == .setUp)
        #expect(try await outcome(promised.replacing("true", with: "false")).verdict == .passed)
    }

    @Test func testsAreBlockedByWhatTheyDependOn() async throws {
        let failing = try tests(#"[{"expected_status": 201}]"#, id: "base")
        let passing = try tests("[{}]", id: "dependent", kind: "optimal", dependsOn: ["base", "elsewhere"])
        let asking = try tests("[{}]", id: "question", kind: "check", dependsOn: ["dependent"])
        let all = failing + passing + asking
        let score = BehaviourScore(all, await BehaviourReplay(mode: .private).outcomes(of: all))
        #expect(score.failures(.required).map(\.test.id) == ["base"])
        #expect(score.failures(.optimal).map(\.reason) == ["blocked by base, failed: Request 1: expected status 201, but got 200."])
        #expect(score.report.hasSuffix("required 0/1, optimal 0/1, check 0/1"))
        #expect(BehaviourScore(passing, await BehaviourReplay(mode: .private).outcomes(of: passing)).failures(.optimal).isEmpty)
    }

    @Test func scriptsWithUnknownWordsAreRefused() {
        #expect(throws: UnreadableScript.self) { try tests(#"[{"expected_weather": "fine"}]"#) }
        #expect(throws: UnreadableScript.self) { try tests("[{}]", kind: "nice") }
    }

    @Test func datesHaveTheFormsOfTheirTime() throws {
        let step = try #require(try tests(#"[{"rfc850date": ["expires"]}]"#).first?.steps.first)
        let now = Date(timeIntervalSince1970: 784_111_770)
        #expect(step.fieldValue("Date", .number(7), now: now, base: nil) == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(step.fieldValue("Expires", .number(7), now: now, base: nil) == "Sunday, 06-Nov-94 08:49:37 GMT")
        #expect(step.fieldValue("Age", .number(7), now: now, base: nil) == "7")
    }
}
