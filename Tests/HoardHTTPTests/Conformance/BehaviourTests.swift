// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardHTTP
import Testing

/// The public behaviour tests for HTTP caches, which are not part of the package.
private enum PublicBehaviourTests {
    static let path = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("shared/conformance/tests.public.json").path

    static var arePresent: Bool { FileManager.default.fileExists(atPath: path) }
    static var areReported: Bool { ProcessInfo.processInfo.environment["HOARD_BEHAVIOUR_REPORT"] == "1" }

    static func read() throws -> [BehaviourTest] {
        try BehaviourTest.read(Data(contentsOf: URL(fileURLWithPath: path)))
    }
}

/// All behaviour tests through the cache itself, without a network: every required and every optimal one passes.
///
/// `HOARD_BEHAVIOUR_REPORT=1` in the environment prints the answers to the questions among them.
@Suite("Behaviour tests of HTTP caches", .timeLimit(.minutes(5))) struct BehaviourTests {
    /// The optimal tests that Hoard does not pass, each with the rule that its data or its wish contradict.
    static let exceptions: [String: String] = [
        // The content of these is five bytes long, and the six of `bytes 4-9/10` are announced: RFC 9110 §14.4, §15.3.7.
        "partial-store-partial-reuse-partial": "RFC 9110 §14.4",
        "partial-store-partial-reuse-partial-byterange": "RFC 9110 §14.4",
        "partial-store-partial-reuse-partial-absent": "RFC 9110 §14.4",
        // Only the origin knows the response that it selects for a request: a cache compares fields, it does not negotiate.
        "vary-normalise-lang-select": "RFC 9111 §4.1",
    ]

    @Test(
        .enabled(if: PublicBehaviourTests.arePresent, "there is no ../shared/conformance beside the package"),
        arguments: [CacheMode.shared, .private],
        [false, true]
    )
    func publicTestsPass(mode: CacheMode, isStreaming: Bool) async throws {
        let tests = try PublicBehaviourTests.read()
        #expect(tests.count > 250)
        let score = await expectPasses(tests, mode, isStreaming)
        let failing = Set(score.failures(.optimal).map(\.test.id))
        #expect(failing.isSuperset(of: Self.exceptions.keys), "An exception is none any more.")
    }

    /// Further tests of the same form, derived from the specifications.
    @Test(arguments: [CacheMode.shared, .private], [false, true])
    func furtherTestsPass(mode: CacheMode, isStreaming: Bool) async throws {
        var tests: [BehaviourTest] = []
        for script in FurtherBehaviourTests.all { tests += try BehaviourTest.read(Data(script.utf8)) }
        #expect(Set(tests.map(\.id)).count == tests.count)
        await expectPasses(tests, mode, isStreaming)
    }

    /// The tests that need more than a `URLProtocol` can do.
    static let exceptionsOfSessions: [String: String] = [
        "interim-103": "Foundation shows no interim responses.",
        "interim-not-cached": "Foundation shows no interim responses.",
        "interim-no-header-reuse": "Foundation shows no interim responses.",
        "vary-normalise-combine": "Foundation makes one field of two lines before the cache sees them.",
    ]

    /// The tests through Foundation's `URLSession`, with a private cache.
    @Test(.enabled(if: PublicBehaviourTests.arePresent, "there is no ../shared/conformance beside the package"))
    func publicTestsPassThroughASession() async throws {
        let tests = try PublicBehaviourTests.read().map(\.forPrivateCache)
        let score = BehaviourScore(tests, await BehaviourReplay(mode: .private, route: SessionRoute.self).outcomes(of: tests))
        let failures = [BehaviourTest.Kind.required, .optimal].flatMap { score.failures($0) }
        for failure in failures where Self.exceptions[failure.test.id] == nil && Self.exceptionsOfSessions[failure.test.id] == nil {
            Issue.record("\(failure.test.kind): \(failure.test.id): \(failure.reason)")
        }
        #expect(Set(failures.map(\.test.id)).isSuperset(of: Self.exceptionsOfSessions.keys), "An exception is none any more.")
    }

    @discardableResult
    private func expectPasses(_ tests: [BehaviourTest], _ mode: CacheMode, _ isStreaming: Bool) async -> BehaviourScore {
        let tests = mode == .shared ? tests : tests.map(\.forPrivateCache)
        let score = BehaviourScore(tests, await BehaviourReplay(mode: mode, isStreaming: isStreaming).outcomes(of: tests))
        for kind in [BehaviourTest.Kind.required, .optimal] {
            for failure in score.failures(kind) where kind == .required || Self.exceptions[failure.test.id] == nil {
                Issue.record("\(mode), \(kind): \(failure.test.id): \(failure.reason)")
            }
        }
        if PublicBehaviourTests.areReported, !isStreaming { print("\(mode) cache\n\(score.report)") }
        return score
    }
}
