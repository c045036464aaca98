// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import HoardHTTP
import HoardHTTPTestSupport
import NIOCore
import Testing

/// So many seconds after the new year, when stored responses of these tests have come.
func time(_ seconds: Double) -> Date { newYear2026.addingTimeInterval(seconds) }

extension HTTPCacheRules {
    static func test(_ mode: CacheMode = .private, maximumObjectBytes: Int = 1_000, staleIfUnreachable: Int64 = 0) -> Self {
        Self(mode: mode, maximumObjectBytes: maximumObjectBytes, staleIfUnreachable: staleIfUnreachable)
    }
}

extension StoredResponse {
    /// A response that came at the new year, with the content `0123456789` or some ranges of it.
    static func test(
        _ status: Int = 200,
        _ lines: String...,
        parts: [Range<Int>] = [0..<10],
        length: Int? = 10,
        requestTime: Double = 0,
        rules: HTTPCacheRules = .test()
    ) -> Self {
        let content = ByteBuffer(string: "0123456789")
        let extents = parts.filter { !$0.isEmpty }.map { part in
            let bytes = content.getSlice(at: part.lowerBound, length: part.count) ?? ByteBuffer()
            return StoredBody.Extent(offset: part.lowerBound, length: part.count, source: .bytes(bytes))
        }
        return StoredResponse(
            head: response(status, lines),
            body: StoredBody(extents: extents, completeLength: length),
            requestTime: time(requestTime),
            responseTime: time(0),
            rules: rules
        )
    }
}

extension HTTPCacheStateMachine {
    init(
        _ request: HTTPRequest,
        hasContent: Bool = false,
        mode: RequestCacheMode = .default,
        rules: HTTPCacheRules = .test(),
        policy: CompiledHTTPCachePolicy? = nil
    ) {
        self.init(request: request, hasContent: hasContent, rules: rules, requestMode: mode, policy: policy)
    }

    /// The outcome of a lookup.
    static func lookingUp(
        _ request: HTTPRequest,
        _ stored: StoredResponse?,
        at seconds: Double = 0,
        mode: RequestCacheMode = .default,
        isVaryMiss: Bool = false,
        rules: HTTPCacheRules = .test()
    ) -> (machine: HTTPCacheStateMachine, action: LookupAction) {
        var machine = HTTPCacheStateMachine(request, mode: mode, rules: rules)
        switch machine.start() {
        case .lookUp: break
        case .respond(let answer): return (machine, .respond(answer))
        case .forward(let forward): return (machine, .forward(forward))
        }
        let action = machine.lookedUp(stored, isVaryMiss: isVaryMiss, now: time(seconds))
        return (machine, action)
    }

    /// The answer from a stored response.
    static func answer(
        _ request: HTTPRequest,
        _ stored: StoredResponse?,
        at seconds: Double = 0,
        mode: RequestCacheMode = .default,
        rules: HTTPCacheRules = .test()
    ) throws -> Answer {
        try lookingUp(request, stored, at: seconds, mode: mode, rules: rules).action.answer()
    }

    /// A machine that has forwarded its request, and the request that it has sent.
    static func forwarding(
        _ request: HTTPRequest = request(),
        _ stored: StoredResponse? = nil,
        at seconds: Double = 100,
        mode: RequestCacheMode = .default,
        rules: HTTPCacheRules = .test()
    ) throws -> (machine: HTTPCacheStateMachine, forward: Forward) {
        let (machine, action) = lookingUp(request, stored, at: seconds, mode: mode, rules: rules)
        return (machine, try action.forwarded())
    }

    /// The origin's response a second after the request was sent.
    mutating func received(_ response: HTTPResponse, bodyLength: Int? = nil, at seconds: Double = 101) -> ResponseAction {
        received(response, bodyLength: bodyLength, requestTime: time(seconds - 1), responseTime: time(seconds))
    }
}

extension HTTPResponse {
    /// The action of the last cache on the way, which is the one under test.
    var cacheStatus: String? { headerFields[values: .cacheStatus].last }
}

extension HTTPCacheStateMachine.Answer {
    /// The status, and the bytes of the content.
    var summary: String {
        switch content {
        case .none: "\(head.status.code)"
        case .whole: "\(head.status.code) whole"
        case .range(let range): "\(head.status.code) \(range)"
        case .multipart(let parts): "\(head.status.code) \(parts.ranges)"
        }
    }
}

/// The action is not the one that the test is about.
struct UnexpectedAction: Error {
    let action: String
}

extension HTTPCacheStateMachine.StartAction {
    func forwarded() throws -> HTTPCacheStateMachine.Forward {
        guard case .forward(let forward) = self else { throw UnexpectedAction(action: "\(self)") }
        return forward
    }

    func answer() throws -> HTTPCacheStateMachine.Answer {
        guard case .respond(let answer) = self else { throw UnexpectedAction(action: "\(self)") }
        return answer
    }
}

extension HTTPCacheStateMachine.LookupAction {
    func answer() throws -> HTTPCacheStateMachine.Answer {
        guard case .respond(let answer) = self else { throw UnexpectedAction(action: "\(self)") }
        return answer
    }

    func forwarded() throws -> HTTPCacheStateMachine.Forward {
        guard case .forward(let forward) = self else { throw UnexpectedAction(action: "\(self)") }
        return forward
    }

    func refreshing() throws -> (answer: HTTPCacheStateMachine.Answer, forward: HTTPCacheStateMachine.Forward) {
        guard case .respondAndRefresh(let answer, let forward) = self else { throw UnexpectedAction(action: "\(self)") }
        return (answer, forward)
    }
}

extension HTTPCacheStateMachine.ResponseAction {
    typealias Machine = HTTPCacheStateMachine

    func delivered() throws -> (head: HTTPResponse, effects: Machine.Effects) {
        guard case .deliver(let head, let effects) = self else { throw UnexpectedAction(action: "\(self)") }
        return (head, effects)
    }

    func stored() throws -> (head: HTTPResponse, storing: Machine.Storing, effects: Machine.Effects) {
        guard case .deliverAndStore(let head, let storing, let effects) = self else { throw UnexpectedAction(action: "\(self)") }
        return (head, storing, effects)
    }

    func combined() throws -> (head: HTTPResponse, storing: Machine.Storing, effects: Machine.Effects) {
        guard case .deliverCombined(let head, _, let storing, let effects) = self else { throw UnexpectedAction(action: "\(self)") }
        return (head, storing, effects)
    }

    func answered() throws -> (answer: Machine.Answer, storing: StoredResponse?, effects: Machine.Effects) {
        guard case .respond(let answer, let storing, let effects) = self else { throw UnexpectedAction(action: "\(self)") }
        return (answer, storing, effects)
    }

    func forwardedAgain() throws -> Machine.Forward {
        guard case .forwardAgain(let forward) = self else { throw UnexpectedAction(action: "\(self)") }
        return forward
    }
}

extension HTTPCacheStateMachine.FailureAction {
    func answer() throws -> HTTPCacheStateMachine.Answer {
        guard case .respond(let answer) = self else { throw UnexpectedAction(action: "\(self)") }
        return answer
    }

    /// The prohibition of a stale answer.
    func prohibition() throws -> StaleProhibition? {
        guard case .fail(_, let prohibition) = self else { throw UnexpectedAction(action: "\(self)") }
        return prohibition
    }

    func failure() throws -> String {
        guard case .fail(let status, _) = self else { throw UnexpectedAction(action: "\(self)") }
        return status.fieldValue
    }
}
