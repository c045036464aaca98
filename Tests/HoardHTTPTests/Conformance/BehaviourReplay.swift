// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardHTTP
import HoardHTTPTestSupport
import HoardTesting
import NIOCore

/// Runs behaviour tests through a client and its cache without a network, in time that it moves itself.
struct BehaviourReplay: Sendable {
    /// The result of one test by itself.
    struct Outcome: Sendable {
        enum Verdict: String, Sendable {
            case passed
            case failed
            /// A precondition was not met: the test could not be done.
            case setUp = "not done"
            /// The cache sent a request to the origin twice, which spoils the script.
            case repeated = "spoilt"
        }

        let verdict: Verdict
        let reason: String
    }

    /// The seconds of a `pause_after`.
    private static let pause: Int64 = 3

    let mode: CacheMode
    /// Whether the origin's content arrives part by part.
    var isStreaming = false
    /// How the client is asked.
    var route: any BehaviourRoute.Type = ClientRoute.self

    /// Runs all tests at once.
    func outcomes(of tests: [BehaviourTest]) async -> [String: Outcome] {
        await withTaskGroup(of: (String, Outcome).self) { group in
            for test in tests {
                group.addTask { (test.id, await outcome(of: test)) }
            }
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
    }

    func outcome(of test: BehaviourTest) async -> Outcome {
        let time = TestTime()
        let origin = ScriptedOrigin(steps: test.steps, time: time, isStreaming: isStreaming)
        let client = CachingClient(transport: FakeTransport { origin.answer($0) }, cache: makeCache(time: time), ticker: time)
        let route = route.init(client)
        var replies: [ScriptedReply] = []
        for (number, step) in zip(1..., test.steps) {
            let reply: ScriptedReply
            do {
                reply = try await exchange(step, number: number, previous: replies.last, test.id, origin, route)
            } catch {
                return Outcome(verdict: .failed, reason: "Request \(number): expected a response, but: \(error)")
            }
            replies.append(reply)
            let arrived = reply.fields["Request-Numbers"]?.split(separator: " ") ?? []
            guard Set(arrived).count == arrived.count else {
                return Outcome(verdict: .repeated, reason: "Request \(number): the origin received \(arrived.joined(separator: ", ")).")
            }
            if let problem = judge(step, number, step.findings(number: number, token: origin.token, reply)) { return problem }
            await client.cache.flush()
            if step.isTrue("pause_after") { time.advance(seconds: Self.pause) }
        }
        var arrivals = origin.arrivals.makeIterator()
        for (number, (step, reply)) in zip(1..., zip(test.steps, replies)) where step.expectedType != "cached" {
            // The origin does not see the requests that are answered from the cache.
            if let problem = judge(step, number, step.findings(number: number, arrival: arrivals.next(), reply)) { return problem }
        }
        return Outcome(verdict: .passed, reason: "")
    }

    private func makeCache(time: TestTime) -> HTTPCache {
        var configuration = HTTPCache.Configuration()
        configuration.mode = mode
        configuration.maximumMemoryBytes = 1 << 20
        return HTTPCache(configuration: configuration, clock: time, ticker: time)
    }

    /// Sends the request of a step and reads the whole response. An origin that cannot be reached is a 502, as a proxy answers it.
    private func exchange(
        _ step: BehaviourStep,
        number: Int,
        previous: ScriptedReply?,
        _ testID: String,
        _ origin: ScriptedOrigin,
        _ route: any BehaviourRoute
    ) async throws -> ScriptedReply {
        guard let method = HTTPRequest.Method(step.method) else { throw UnreadableScript("\(step.method) is no method.") }
        var path = "/test/\(origin.token)"
        if let name = step.text("filename") { path += "/\(name)" }
        if let query = step.text("query_arg") { path += "?\(query)" }
        var fields = ScriptedFields()
        for (name, rest) in step.expectations("request_headers") {
            fields.append(name, step.fieldValue(name, rest.first ?? .null, now: previous?.originTime, base: nil))
        }
        fields.append("Test-ID", testID)
        fields.append("Req-Num", number)
        let request = try HTTPRequest(method: method, scheme: "http", authority: "origin.example", path: path, headerFields: fields.httpFields())
        return try await route.reply(to: request, content: step.text("request_body") ?? "")
    }

    private func judge(_ step: BehaviourStep, _ number: Int, _ findings: [BehaviourFinding]) -> Outcome? {
        for finding in findings {
            guard let problem = finding.problem else { continue }
            let reason = "Request \(number): expected \(finding.expectation), but \(problem)."
            return Outcome(verdict: step.isPrecondition(finding.member) ? .setUp : .failed, reason: reason)
        }
        return nil
    }
}
