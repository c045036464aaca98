// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import HoardHTTP
import NIOCore
import Testing

extension HTTPCacheStateMachine {
    init(_ request: HTTPRequest, hasContent: Bool = false, mode: CacheMode = .private, maximumObjectBytes: Int = 1_000) {
        self.init(
            request: request,
            hasContent: hasContent,
            rules: Rules(cacheName: "hoard", mode: mode, maximumObjectBytes: maximumObjectBytes)
        )
    }

    /// A machine that has looked up and must forward, with the request that it forwards.
    static func forwarding(
        _ request: HTTPRequest = .test(),
        stored: StoredResponse? = nil,
        isVaryMiss: Bool = false,
        mode: CacheMode = .private,
        maximumObjectBytes: Int = 1_000,
        now: Date = .test(100)
    ) throws -> (machine: HTTPCacheStateMachine, forwarded: HTTPRequest) {
        var machine = HTTPCacheStateMachine(request, mode: mode, maximumObjectBytes: maximumObjectBytes)
        _ = try machine.start().lookedUpFields()
        let forwarded = try machine.lookedUp(stored, isVaryMiss: isVaryMiss, now: now).forwarded()
        return (machine, forwarded)
    }

    /// The answer from the cache to a request for which `stored` was found.
    static func answer(_ request: HTTPRequest, from stored: StoredResponse?, now: Date) throws -> Answer {
        var machine = HTTPCacheStateMachine(request)
        _ = try machine.start().lookedUpFields()
        return try machine.lookedUp(stored, isVaryMiss: false, now: now).answer()
    }

    mutating func received(_ response: HTTPResponse, bodyLength: Int? = nil, at seconds: Double = 101) -> ResponseAction {
        received(response, bodyLength: bodyLength, requestTime: .test(seconds - 1), responseTime: .test(seconds))
    }
}

extension StoredResponse {
    /// A response that was received at the start of a test's time.
    static func test(_ code: Int = 200, _ fields: HTTPFields, body: String = "stored") -> StoredResponse {
        StoredResponse(head: .test(code, fields), body: ByteBuffer(string: body), requestTime: .test(0), responseTime: .test(0))
    }
}

extension HTTPResponse {
    /// What the last cache on the way, which is the one under test, says it did.
    var cacheStatus: String? { headerFields[values: .cacheStatus].last }
}

extension HTTPCacheStateMachine.Answer {
    var text: String { String(buffer: body) }
}

/// The action is not the one that the test is about.
struct UnexpectedAction: Error {
    let action: String
}

extension HTTPCacheStateMachine.StartAction {
    func lookedUpFields() throws -> HTTPFields {
        guard case .lookUp(let fields) = self else { throw UnexpectedAction(action: "\(self)") }
        return fields
    }

    func forwarded() throws -> HTTPRequest {
        guard case .forward(let request) = self else { throw UnexpectedAction(action: "\(self)") }
        return request
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

    func forwarded() throws -> HTTPRequest {
        guard case .forward(let request) = self else { throw UnexpectedAction(action: "\(self)") }
        return request
    }
}

extension HTTPCacheStateMachine.ResponseAction {
    struct Delivery {
        let head: HTTPResponse
        let invalidating: [String]
        let isSuperseding: Bool
    }

    func delivered() throws -> Delivery {
        guard case .deliver(let head, let invalidating, let superseding) = self else { throw UnexpectedAction(action: "\(self)") }
        return Delivery(head: head, invalidating: invalidating, isSuperseding: superseding)
    }

    func stored() throws -> (head: HTTPResponse, storing: StoredResponse) {
        guard case .deliverAndStore(let head, let storing) = self else { throw UnexpectedAction(action: "\(self)") }
        return (head, storing)
    }

    func confirmed() throws -> (answer: HTTPCacheStateMachine.Answer, storing: StoredResponse?) {
        guard case .respond(let answer, let storing) = self else { throw UnexpectedAction(action: "\(self)") }
        return (answer, storing)
    }

    func forwardedAgain() throws -> HTTPRequest {
        guard case .forwardAgain(let request) = self else { throw UnexpectedAction(action: "\(self)") }
        return request
    }
}
