// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardHTTP
import HoardNIOTestSupport
import HoardTesting
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOSSL
import Testing

@testable import HoardTransports

@Suite(.timeLimit(.minutes(5)))
struct AsyncHTTPClientTransportRetryTests {
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    /// Runs an origin that gives these replies, one after the other, and then answers everything.
    private static func withReplies(
        _ replies: RawOrigin.Reply...,
        to kind: TransportKind = .asyncHTTPClient,
        body: (RawOrigin, any ClosableTransport) async throws -> Void
    ) async throws {
        let count = Counter()
        let reply: @Sendable (String) -> RawOrigin.Reply = { _ in
            count.add()
            return count.value <= replies.count ? replies[count.value - 1] : .send(ok)
        }
        try await withRawOrigin(reply: reply) { origin in
            try await withTransport(kind) { transport in try await body(origin, transport) }
        }
    }

    /// Sends a request through a transport that only the response can keep.
    private static func send(_ request: HTTPRequest, _ watch: (AsyncHTTPClientTransport) -> Void) async throws -> TransportResponse {
        let transport = AsyncHTTPClientTransport()
        watch(transport)
        return try await transport.send(request)
    }

    /// The client ends all exchanges when its transport goes.
    @Test func bodyKeepsItsTransport() async throws {
        try await withRawOrigin(reply: { _ in .send(Self.ok) }) { origin in
            weak var transport: AsyncHTTPClientTransport?
            let response = try await Self.send(.get(port: origin.port)) { transport = $0 }
            #expect(transport != nil)
            #expect(try await response.text() == "ok")
        }
    }

    @Test func lossOnAKeptConnectionMayBeRetried() async throws {
        try await Self.withReplies(.send(Self.ok), .sendAndClose("")) { origin, transport in
            let first = try await transport.text(.get(port: origin.port))
            #expect(first == "ok")
            let error = await #expect(throws: TransportError.self) { try await transport.send(.get(port: origin.port)) }
            #expect(error?.code == .connectionClosed)
            #expect(error?.mayRetry == true)
            #expect(error?.message == "The connection to 127.0.0.1 port \(origin.port) was closed before the response was complete.")
            #expect(origin.received.count == 1)
        }
    }

    /// Many origins end an encrypted connection so.
    @Test func lossWithoutAGoodbyeMayBeRetriedToo() throws {
        let channel = EmbeddedChannel(handler: ReusedConnectionHandler())
        let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: "/")
        try channel.writeOutbound(HTTPClientRequestPart.head(head))
        try channel.writeInbound(HTTPClientResponsePart.head(HTTPResponseHead(version: .http1_1, status: .ok)))
        try channel.writeInbound(HTTPClientResponsePart.end(nil))
        try channel.writeOutbound(HTTPClientRequestPart.head(head))
        channel.pipeline.fireErrorCaught(NIOSSLError.uncleanShutdown)
        #expect(throws: NIOSSLError.self) { try channel.throwIfErrorCaught() }
        channel.pipeline.fireChannelInactive()
        #expect(throws: LostOnReusedConnection.self) { try channel.throwIfErrorCaught() }
        _ = try channel.finish(acceptAlreadyClosed: true)
    }

    @Test func lossOnANewConnectionMayNot() async throws {
        try await Self.withReplies(.sendAndClose("")) { origin, transport in
            let error = await #expect(throws: TransportError.self) { try await transport.send(.get(port: origin.port)) }
            #expect(error?.code == .connectionClosed)
            #expect(error?.mayRetry == false)
        }
    }

    @Test(arguments: ["H", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 103 Early Hints\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\no"])
    func lossAfterPartOfAResponseMayNot(part: String) async throws {
        try await Self.withReplies(.send(Self.ok), .sendAndClose(part)) { origin, transport in
            let first = try await transport.text(.get(port: origin.port))
            #expect(first == "ok")
            let error = await #expect(throws: TransportError.self) { try await transport.text(.get(port: origin.port)) }
            #expect(error?.mayRetry == false)
        }
    }

    @Test(arguments: TransportKind.allCases)
    func clientSendsALostRequestOnceMoreOnANewConnection(kind: TransportKind) async throws {
        try await Self.withReplies(.send(Self.ok), .sendAndClose(""), to: kind) { origin, transport in
            let client = CachingClient(transport: transport)
            for path in ["/1", "/2"] {
                let response = try await client.get("http://127.0.0.1:\(origin.port)\(path)")
                #expect(try await TransportResponse(head: response.head, body: response.body).text() == "ok")
            }
            #expect(origin.received.count == 2)
            #expect(
                origin.received.map { $0.split(separator: "\r\n").filter { $0.hasPrefix("GET ") } } == [
                    ["GET /1 HTTP/1.1", "GET /2 HTTP/1.1"], ["GET /2 HTTP/1.1"],
                ]
            )
        }
    }
}
