// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardHTTP
import HoardMessages
import HoardNIO
import HoardNIOTestSupport
import HoardTesting
import NIOCore
import Testing

@testable import HoardTransports

/// Requests for WebSockets, which are given in the form of HTTP/2 and go out in that of HTTP/1.1.
@Suite(.timeLimit(.minutes(5)))
struct NIOTransportWebSocketTests {
    private static let opened = "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: WebSocket\r\nSec-WebSocket-Accept: y\r\n\r\n"

    private static func request(port: Int) -> HTTPRequest {
        HTTPRequest(
            method: .get,
            scheme: "http",
            authority: "127.0.0.1:\(port)",
            path: "/chat?a=b",
            headerFields: [
                .secWebSocketKey: "k", .secWebSocketVersion: "13", .connection: "X-Own", .upgrade: "h2c", .contentLength: "0", .cookie: "c=d",
            ]
        ).openingWebSocket()
    }

    /// A body that yields the parts that the test gives it, when the test gives them.
    private static func speech() -> (HTTPBody, AsyncStream<ByteBuffer>.Continuation) {
        let (parts, continuation) = AsyncStream.makeStream(of: ByteBuffer.self)
        return (HTTPBody(parts, length: nil), continuation)
    }

    @Test func requestGoesOutInTheFormOfHTTP1() async throws {
        try await withRawOrigin(reply: { _ in .send(Self.opened) }) { origin in
            try await withNIOTransport { transport in
                let (body, speaker) = Self.speech()
                let response = try await transport.send(Self.request(port: origin.port), body: body)
                #expect(response.head.status == .switchingProtocols && response.head.headerFields[.secWebSocketAccept] == "y")
                let head = try #require(origin.received.first).split(separator: "\r\n").map(String.init)
                #expect(
                    head == [
                        "GET /chat?a=b HTTP/1.1", "Host: 127.0.0.1:\(origin.port)", "Sec-WebSocket-Key: k", "Sec-WebSocket-Version: 13",
                        "Cookie: c=d",
                        "Connection: Upgrade", "Upgrade: websocket",
                    ]
                )
                speaker.finish()
            }
        }
    }

    @Test func bytesGoBothWaysAndTheEndOfEitherEndsTheOther() async throws {
        var configuration = HTTPServer.Configuration()
        configuration.webSockets = .init()
        let echo: HTTPServer.Handler = { request in
            request.opensWebSocket ? HTTPServerResponse(head: HTTPResponse(status: .switchingProtocols), body: request.body) : .text("no")
        }
        try await withServer(configuration, handler: echo) { server in
            try await withNIOTransport { transport in
                let (body, speaker) = Self.speech()
                let response = try await transport.send(Self.request(port: server.port), body: body)
                var heard = response.body.makeAsyncIterator()
                for text in ["HTTP/1.1 200 OK\r\n\r\n", "x"] {
                    speaker.yield(ByteBuffer(string: text))
                    #expect(try await heard.next() == ByteBuffer(string: text))
                }
                speaker.finish()
                #expect(try await heard.next() == nil)
                // The body ends before the connection that carried it has closed.
                let origin = try OriginServer(scheme: "http", authority: "127.0.0.1:\(server.port)")
                try await waitUntil { transport.connectionCount(to: origin) == 0 }
            }
        }
    }

    @Test func nothingIsSentBeforeTheOriginHasAgreed() async throws {
        try await withRawOrigin(reply: { $0.hasPrefix("GET") ? .nothing : .send("unexpected") }) { origin in
            try await withNIOTransport { transport in
                let (body, speaker) = Self.speech()
                speaker.yield(ByteBuffer(string: "early\r\n\r\n"))
                let sending = Task { try await transport.send(Self.request(port: origin.port), body: body) }
                try await waitUntil { !origin.received.isEmpty }
                sending.cancel()
                await #expect(throws: TransportError.self) { try await sending.value }
                #expect(origin.received.first?.hasSuffix("Upgrade: websocket\r\n\r\n") == true)
            }
        }
    }

    @Test func bytesBehindTheHeadAreTheFirstOfTheOrigin() async throws {
        try await withRawOrigin(reply: { _ in .sendAndClose(Self.opened + "HTTP/1.1 200 OK\r\n\r\nat once") }) { origin in
            try await withNIOTransport { transport in
                let (body, speaker) = Self.speech()
                let response = try await transport.send(Self.request(port: origin.port), body: body)
                #expect(try await response.text() == "HTTP/1.1 200 OK\r\n\r\nat once")
                speaker.finish()
            }
        }
    }

    @Test(arguments: [
        "HTTP/1.1 101 Switching Protocols\r\n\r\n",
        "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n",
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n",
        "HTTP/1.0 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
    ])
    func answerThatSwitchesToSomethingElseIsNone(_ answer: String) async throws {
        try await withRawOrigin(reply: { _ in .send(answer) }) { origin in
            try await withNIOTransport { transport in
                let error = await #expect(throws: TransportError.self) {
                    try await transport.send(Self.request(port: origin.port), body: Self.speech().0)
                }
                #expect(error?.code == .invalidResponse)
            }
        }
    }

    @Test func refusalIsAResponseLikeAnyAndItsConnectionServesNothingElse() async throws {
        try await withRawOrigin(reply: { _ in .send("HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno") }) { origin in
            try await withNIOTransport { transport in
                let (body, speaker) = Self.speech()
                speaker.yield(ByteBuffer(string: "unwanted"))
                let response = try await transport.send(Self.request(port: origin.port), body: body)
                #expect(response.head.status == .forbidden)
                #expect(try await response.text() == "no")
                await origin.closedCount.wait(for: 1)
                #expect(origin.received.count == 1 && origin.received[0].hasSuffix("\r\n\r\n"))
            }
        }
    }

    @Test func nobodyElseGetsA101() async throws {
        try await withRawOrigin(reply: { _ in .send(Self.opened) }) { origin in
            try await withNIOTransport { transport in
                let error = await #expect(throws: TransportError.self) { try await transport.send(.get(port: origin.port)) }
                #expect(error?.code == .invalidResponse)
            }
        }
    }

    @Test func readerThatLeavesEndsTheConnection() async throws {
        try await withRawOrigin(reply: { _ in .send(Self.opened) }) { origin in
            try await withNIOTransport { transport in
                let (body, speaker) = Self.speech()
                do {
                    let response = try await transport.send(Self.request(port: origin.port), body: body)
                    #expect(response.head.status == .switchingProtocols)
                }
                await origin.closedCount.wait(for: 1)
                speaker.finish()
            }
        }
    }

    @Test func transportOfHTTP2OpensNone() async throws {
        var configuration = NIOTransport.Configuration()
        configuration.version = .http2
        let transport = try NIOTransport(configuration: configuration)
        let error = await #expect(throws: TransportError.self) { try await transport.send(Self.request(port: 1), body: .empty) }
        #expect(error?.code == .invalidURL)
        await transport.shutdown()
    }
}
