// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import HoardHTTP
import HoardHTTPTestSupport
import HoardTesting
import Synchronization

/// The origin of one run of a behaviour test. It answers as the script says, and remembers the requests that it got.
final class ScriptedOrigin: Sendable {
    /// A request as the origin received it.
    struct Arrival: Sendable {
        /// The number of the step to which the request belongs, if it says so.
        let number: Int?
        let method: String
        let fields: ScriptedFields
        /// The fields of the answer that have to come back to the client.
        var promised: [(name: String, value: String)] = []
    }

    private struct ScriptedLine {
        let name: String
        let value: String
        let isPromised: Bool
    }

    private struct State {
        var arrivals: [Arrival] = []
        /// The fields of each step's answer, fixed when they are first sent.
        var scripted: [Int: [ScriptedLine]] = [:]
    }

    /// Names the run: part of its URL, and the content of every answer that has none in the script.
    let token = UUID().uuidString
    private let steps: [BehaviourStep]
    private let time: TestTime
    private let isStreaming: Bool
    private let state = Mutex(State())

    /// - Parameter isStreaming: Whether content arrives in two parts, as from a network, or is there at once.
    init(steps: [BehaviourStep], time: TestTime, isStreaming: Bool) {
        self.steps = steps
        self.time = time
        self.isStreaming = isStreaming
    }

    /// The requests that have reached the origin, in the order of arrival.
    var arrivals: [Arrival] { state.withLock { $0.arrivals } }

    @Sendable func answer(_ request: FakeTransport.Request) -> FakeTransport.Answer {
        let fields = ScriptedFields(request.head.headerFields)
        let number = fields.leadingNumber("Req-Num")
        return state.withLock { state in
            let index = (number ?? state.arrivals.count + 1) - 1
            guard steps.indices.contains(index) else { return .text(status: .notFound) }
            do {
                return try answer(request.head, fields, number: number, index: index, &state)
            } catch {
                return .failure(TransportError(.failed, "\(error)"))
            }
        }
    }

    private func answer(
        _ request: HTTPRequest,
        _ fields: ScriptedFields,
        number: Int?,
        index: Int,
        _ state: inout State
    ) throws -> FakeTransport.Answer {
        let step = steps[index]
        let status = status(of: step, index, fields, state)
        let hasNoContent = status.code == 204 || status.code == 304 || request.method == .head
        let content = hasNoContent ? "" : step.text("response_body") ?? token
        let arrival = Arrival(number: number, method: request.method.rawValue, fields: fields)
        let reply = compose(index, arrival, target: request.path ?? "", content: hasNoContent ? nil : content, &state)
        if step.isTrue("disconnect") {
            return .failure(TransportError(.connectionClosed, "The origin closed the connection without a response."))
        }
        let head = HTTPResponse(status: status, headerFields: try reply.httpFields())
        var answer = framed(head, content, reply)
        for entry in step.list("interim_responses") {
            var hints = ScriptedFields()
            for line in entry.list?.dropFirst().first?.list ?? [] {
                hints.append(line.list?.first?.text ?? "", line.list?.last?.text ?? "")
            }
            let code = entry.list?.first?.number ?? 103
            answer = answer.after(HTTPResponse(status: .init(code: code), headerFields: try hints.httpFields()))
        }
        return answer
    }

    /// The answer as a transport hands it over: as long as `Content-Length` says, broken off if there is less.
    private func framed(_ head: HTTPResponse, _ content: String, _ reply: ScriptedFields) -> FakeTransport.Answer {
        guard !content.isEmpty else { return .response(head) }
        let length = reply.leadingNumber("Content-Length") ?? content.utf8.count
        let broken = TransportError(.connectionClosed, "The connection was closed in the middle of the body.")
        let isBroken = length > content.utf8.count
        let received = String(content.prefix(length))
        guard isStreaming || isBroken else { return .response(head, body: HTTPBody(received)) }
        let parts = [String(received.prefix(received.count / 2)), String(received.dropFirst(received.count / 2))]
        return .parts(parts, length: length, breakingOffWith: isBroken ? broken : nil, status: head.status, fields: head.headerFields)
    }

    /// The scripted status; where the cache should validate, 304 if the request has the validator of the answer before, else 999.
    private func status(of step: BehaviourStep, _ index: Int, _ fields: ScriptedFields, _ state: State) -> HTTPResponse.Status {
        guard step.expectedType.hasSuffix("validated") else {
            let scripted = step.list("response_status")
            return .init(code: scripted.first?.number ?? 200, reasonPhrase: scripted.dropFirst().first?.text ?? "OK")
        }
        let previous = previousLines(index, state)
        for (validator, condition) in [("last-modified", "If-Modified-Since"), ("etag", "If-None-Match")] {
            if let line = previous.last(where: { $0.name.lowercased() == validator }), line.value == fields[condition] {
                return .notModified
            }
        }
        return .init(code: 999, reasonPhrase: "304 Not Generated")
    }

    /// The fields of the answer of the step before; as the script has them, if the origin has not been asked at that step.
    private func previousLines(_ index: Int, _ state: State) -> [(name: String, value: String?)] {
        if let sent = state.scripted[index - 1], !sent.isEmpty { return sent.map { ($0.name, $0.value) } }
        guard index > 0 else { return [] }
        return steps[index - 1].expectations("response_headers").map { ($0.name, $0.rest.first?.text) }
    }

    /// Puts a request on record and makes the fields of its answer.
    private func compose(_ index: Int, _ arrival: Arrival, target: String, content: String?, _ state: inout State) -> ScriptedFields {
        let now = time.now()
        var arrival = arrival
        var reply = ScriptedFields()
        let numbers = state.arrivals.map(\.number) + [arrival.number]
        reply.append("Server-Base-Url", target)
        reply.append("Server-Request-Count", numbers.count)
        reply.append("Client-Request-Count", arrival.number.map { String($0) } ?? "NaN")
        reply.append("Server-Now", Int(now.timeIntervalSince1970 * 1_000))
        reply.append("Request-Numbers", numbers.map { $0.map { String($0) } ?? "NaN" }.joined(separator: " "))
        let lines = state.scripted[index] ?? scriptedLines(of: steps[index], now: now, base: target)
        state.scripted[index] = lines
        for line in lines {
            reply.append(line.name, line.value)
            if line.isPromised, let value = reply[line.name] {
                arrival.promised.removeAll { $0.name == line.name }
                arrival.promised.append((line.name, value))
            }
        }
        state.arrivals.append(arrival)
        if !reply.contains("Content-Type") { reply.append("Content-Type", "text/plain") }
        if !reply.contains("Date") { reply.append("Date", steps[index].fieldValue("Date", .number(0), now: now, base: nil)) }
        if !reply.contains("Connection") {
            reply.append("Connection", "keep-alive")
            if !reply.contains("Keep-Alive") { reply.append("Keep-Alive", "timeout=5") }
        }
        if let content, !reply.contains("Transfer-Encoding"), !reply.contains("Content-Length") {
            reply.append("Content-Length", content.utf8.count)
        }
        return reply
    }

    private func scriptedLines(of step: BehaviourStep, now: Date, base: String) -> [ScriptedLine] {
        step.expectations("response_headers").map { name, rest in
            let value = step.fieldValue(name, rest.first ?? .null, now: now, base: base)
            return ScriptedLine(name: name, value: value, isPromised: rest.dropFirst().first?.bool != false)
        }
    }
}
