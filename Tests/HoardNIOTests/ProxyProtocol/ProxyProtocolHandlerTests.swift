// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardNIOTestSupport
import NIOCore
import NIOEmbedded
import Testing

@testable import HoardNIO

@Suite struct ProxyProtocolHandlerTests {
    private final class Events: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        var isActive = false
        var text = ""

        func channelActive(context: ChannelHandlerContext) { isActive = true }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) { text += String(buffer: Self.unwrapInboundIn(data)) }
    }

    private struct Connection {
        let channel = EmbeddedChannel()
        let events = Events()
        let headers: Headers

        final class Headers { var all: [ProxyProtocolHeader] = [] }

        init() throws {
            let headers = Headers()
            self.headers = headers
            let events = events
            let handler = ProxyProtocolHandler { header, channel in
                headers.all.append(header)
                try? channel.pipeline.syncOperations.addHandler(events)
            }
            try channel.pipeline.syncOperations.addHandler(handler)
            try channel.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 80)).wait()
        }
    }

    @Test func headerInPiecesIsTakenOffAndTheRestGoesOn() throws {
        let connection = try Connection()
        defer { _ = try? connection.channel.finish(acceptAlreadyClosed: true) }
        for byte in "PROXY TCP4 192.0.2.7 198.51.100.1 1 2\r".utf8 { try connection.channel.writeInbound(ByteBuffer(bytes: [byte])) }
        #expect(connection.headers.all.isEmpty)
        try connection.channel.writeInbound(ByteBuffer(string: "\nGET"))
        #expect(connection.headers.all == [.client("192.0.2.7")])
        #expect(connection.events.isActive)
        #expect(connection.events.text == "GET")
        connection.channel.embeddedEventLoop.run()
        try connection.channel.writeInbound(ByteBuffer(string: " /"))
        #expect(connection.events.text == "GET /")
        #expect(throws: (any Error).self) { try connection.channel.pipeline.syncOperations.handler(type: ProxyProtocolHandler.self) }
    }

    @Test func connectionThatBeginsOtherwiseIsClosedWithoutAWord() throws {
        let connection = try Connection()
        defer { _ = try? connection.channel.finish(acceptAlreadyClosed: true) }
        try connection.channel.writeInbound(ByteBuffer(string: "GET / HTTP/1.1\r\n"))
        #expect(!connection.channel.isActive)
        #expect(connection.headers.all.isEmpty)
        #expect(try connection.channel.readOutbound(as: ByteBuffer.self) == nil)
    }

    @Test func connectionThatEndsBeforeItsHeaderIsClosed() throws {
        let connection = try Connection()
        defer { _ = try? connection.channel.finish(acceptAlreadyClosed: true) }
        try connection.channel.writeInbound(ByteBuffer(string: "PROXY"))
        connection.channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        #expect(!connection.channel.isActive)
    }
}

/// Over sockets, with the bytes behind the header.
@Suite(.timeLimit(.minutes(1)))
struct ProxyProtocolServerTests {
    private static func configuration(_ change: (inout HTTPServer.Listener) -> Void = { _ in }) -> HTTPServer.Configuration {
        var listener = HTTPServer.Listener(.tcp(host: "127.0.0.1", port: 0), expectsProxyProtocol: true)
        change(&listener)
        return .init(listeners: [listener])
    }

    private static let request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

    @Test(arguments: [false, true])
    func handlerSeesTheClientsAddress(withHTTP2: Bool) async throws {
        try await withServer(
            Self.configuration { $0.isHTTP2Enabled = withHTTP2 },
            handler: { .text($0.remoteAddress) },
            body: { server in
                for (line, address) in [("PROXY TCP4 192.0.2.7 198.51.100.1 1 2\r\n", "192.0.2.7"), ("PROXY UNKNOWN\r\n", "127.0.0.1")] {
                    let client = try await RawClient.connect(port: server.port)
                    try await client.send(line + Self.request)
                    #expect(try await client.receiveResponse().content == address)
                    try await client.send(Self.request)
                    #expect(try await client.receiveResponse().content == address)
                }
            }
        )
    }

    @Test func headerComesBeforeEncryption() async throws {
        let configuration = Self.configuration {
            $0.tls = TestCertificate.first.credentials
            $0.isHTTP2Enabled = true
        }
        try await withServer(
            configuration,
            handler: { .text("\($0.remoteAddress) \($0.version) \($0.head.scheme ?? "")") },
            body: { server in
                let address = try SocketAddress(ipAddress: "127.0.0.1", port: server.port)
                let line = "PROXY TCP6 2001:db8::7 ::1 1 2\r\n"
                let client = try await RawClient.connect(to: address, tls: try TestCertificate.clientContext(), beginning: line)
                try await client.send(Self.request)
                #expect(try await client.receiveResponse().content == "2001:db8::7 HTTP/1.1 https")
                let other = try await RawClient.connect(to: address, tls: try TestCertificate.clientContext(protocols: ["h2"]), beginning: line)
                #expect(try await FrameClient(other).exchange(1, FrameClient.get("/")).text == "2001:db8::7 HTTP/2.0 https")
            }
        )
    }

    @Test func connectionWithoutHeaderGetsNoAnswer() async throws {
        try await withServer(
            Self.configuration(),
            handler: { _ in .text("") },
            body: { server in
                let client = try await RawClient.connect(port: server.port)
                try await client.send(Self.request)
                #expect((try? await client.receiveUntilClosed()) ?? "" == "")
            }
        )
    }

    @Test func silentConnectionIsClosedAfterAWhile() async throws {
        var configuration = Self.configuration()
        configuration.headTimeout = .milliseconds(50)
        try await withServer(
            configuration,
            handler: { _ in .text("") },
            body: { server in
                let client = try await RawClient.connect(port: server.port)
                try await client.send("PROXY")
                #expect((try? await client.receiveUntilClosed()) ?? "" == "")
            }
        )
    }
}
