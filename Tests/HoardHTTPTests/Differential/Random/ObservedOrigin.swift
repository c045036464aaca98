// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardHTTP
import HoardHTTPTestSupport
import HoardTesting
import Synchronization

/// A ``RandomOrigin`` in time that it may use up, with a list of its requests.
final class ObservedOrigin: Sendable {
    private struct State: Sendable {
        var origin: RandomOrigin
        var now: Int
        var delay = 0
        var calls: [PlainCall] = []
    }

    private let time: TestTime
    private let state: Mutex<State>

    init(seed: UInt64, time: TestTime, now: Int) {
        self.time = time
        state = Mutex(State(origin: RandomOrigin(seed: seed, now: now), now: now))
    }

    var now: Int { state.withLock { $0.now } }

    /// Sets how many seconds each answer takes from now on.
    func setDelay(_ seconds: Int) { state.withLock { $0.delay = seconds } }

    /// Lets time pass.
    func advance(_ seconds: Int) {
        guard seconds > 0 else { return }
        state.withLock { $0.now += seconds }
        time.advance(seconds: Int64(seconds))
    }

    func change(_ uri: String) {
        state.withLock { $0.origin.change(uri, now: $0.now) }
    }

    /// Takes the list of requests since the last time.
    func takeCalls() -> [PlainCall] {
        state.withLock { state in
            defer { state.calls = [] }
            return state.calls
        }
    }

    @Sendable func handle(_ request: FakeTransport.Request) -> FakeTransport.Answer {
        let plain = PlainRequest(request.head)
        let (requestTime, delay) = state.withLock { ($0.now, $0.delay) }
        advance(delay)
        let response = state.withLock { state in
            let response = state.origin.answer(plain, now: state.now)
            state.calls.append(PlainCall(request: plain, requestTime: requestTime, responseTime: state.now, response: response))
            return response
        }
        guard let response else { return .failure(TransportError(.cannotConnect, "Nothing listens.")) }
        return .text(response.body, status: .init(code: response.status), fields: HTTPFields(response.fields))
    }
}

extension PlainRequest {
    init(_ head: HTTPRequest) {
        self.init(method: head.method.rawValue, uri: head.path ?? "", fields: PlainFields(head.headerFields))
    }
}

extension PlainFields {
    init(_ fields: HTTPFields) {
        self.init(fields.map { ($0.name.canonicalName, $0.value) })
    }
}

extension HTTPFields {
    init(_ fields: PlainFields) {
        self.init()
        for line in fields.lines {
            if let name = HTTPField.Name(line.name) { append(HTTPField(name: name, value: line.value)) }
        }
    }
}
