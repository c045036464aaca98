// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardHTTP
import HoardNIO
import HoardNIOTestSupport
import HoardTransports
import NIOCore
import Testing

@Suite(.timeLimit(.minutes(5)))
struct NIOTransportUploadTests {
    @Test func responseMayBeginWhileTheRequestIsSent() async throws {
        let answered = Signal()
        let handler: HTTPServer.Handler = { request in
            HTTPServerResponse(head: HTTPResponse(status: .ok), body: request.body)
        }
        try await withServer(handler: handler) { server in
            try await withNIOTransport { transport in
                let parts = Parts {
                    var texts = ["first ", "second"][...]
                    return {
                        if texts.count == 1 { await answered.wait() }
                        return texts.popFirst().map { ByteBuffer(string: $0) }
                    }
                }
                let response = try await transport.send(.post(port: server.port), body: HTTPBody(parts, length: nil))
                var received = response.body.makeAsyncIterator()
                #expect(try await received.next() == ByteBuffer(string: "first "))
                answered.fire()
                #expect(try await received.next() == ByteBuffer(string: "second"))
                #expect(try await received.next() == nil)
            }
        }
    }

    @Test func responseThatDoesNotWaitForTheContentEndsTheSending() async throws {
        let released = Signal()
        try await withRawOrigin(reply: { _ in .send("HTTP/1.1 413 Content Too Large\r\nContent-Length: 2\r\n\r\nno") }) { origin in
            try await withNIOTransport { transport in
                let end = EndOfLife { released.fire() }
                let body = HTTPBody(Parts { { withExtendedLifetime(end) { ByteBuffer(repeating: 0, count: 1_024) } } }, length: nil)
                let response = try await transport.send(.post(port: origin.port), body: body)
                #expect(response.head.status.code == 413)
                #expect(try await response.text() == "no")
            }
        }
        await released.wait()
    }

    @Test func failureOfTheContentFailsTheResponseThatHasBegun() async throws {
        let answered = Signal()
        try await withRawOrigin(reply: { _ in .send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab") }) { origin in
            try await withNIOTransport { transport in
                let parts = Parts {
                    {
                        await answered.wait()
                        throw TestFailure()
                    }
                }
                var body = try await transport.send(.post(port: origin.port), body: HTTPBody(parts, length: nil)).body.makeAsyncIterator()
                answered.fire()
                #expect(try await body.next() == ByteBuffer(string: "ab"))
                let error = await #expect(throws: TransportError.self) { try await body.next() }
                #expect(error?.underlyingError is TestFailure)
            }
        }
    }
}
