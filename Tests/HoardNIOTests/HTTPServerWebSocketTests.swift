// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardMessages
import HoardNIOTestSupport
import HoardTesting
import NIOCore
import NIOHPACK
import Synchronization
import Testing

@testable import HoardNIO

/// Requests that open WebSockets, over HTTP/1.1 ([RFC 6455](https://www.rfc-editor.org/rfc/rfc6455)) and HTTP/2
/// ([RFC 8441](https://www.rfc-editor.org/rfc/rfc8441)). The server does not read the bytes that go through them,
/// so these tests send any bytes.
@Suite(.timeLimit(.minutes(5)))
struct HTTPServerWebSocketTests {
    private static let opening =
        "GET /chat HTTP/1.1\r\nHost: a\r\nConnection: keep-alive, Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\r\n"

    private static func configuration(_ change: (inout HTTPServer.Configuration.WebSockets) -> Void = { _ in }) -> HTTPServer.Configuration {
        var configuration = HTTPServer.Configuration(listeners: [.init(.tcp(host: "127.0.0.1", port: 0), isHTTP2Enabled: true)])
        var webSockets = HTTPServer.Configuration.WebSockets()
        change(&webSockets)
        configuration.webSockets = webSockets
        return configuration
    }

    /// Sends back all bytes that come through a WebSocket.
    private static let echo: HTTPServer.Handler = { request in
        guard request.opensWebSocket else { return .text("\(request.head.method) without a WebSocket") }
        return HTTPServerResponse(head: HTTPResponse(status: .switchingProtocols, headerFields: [.secWebSocketAccept: "x"]), body: request.body)
    }

    // MARK: HTTP/1.1

    @Test func bytesGoBothWaysAsTheyAreWhenTheHandlerHasOpenedIt() async throws {
        try await withServer(Self.configuration(), handler: Self.echo) { server in
            let client = try await RawClient.connect(port: server.port)
            try await client.send(Self.opening)
            let head = RawResponse(head: try await client.receive(through: "\r\n\r\n"))
            #expect(head.statusLine == "HTTP/1.1 101 Switching Protocols")
            #expect(head["connection"] == "Upgrade" && head["upgrade"] == "websocket" && head["sec-websocket-accept"] == "x")
            #expect(head["content-length"] == nil && head["transfer-encoding"] == nil)
            // Bytes that look like requests, and bytes that the parser would refuse or change.
            for text in ["GET / HTTP/1.1\r\nHost: a\r\n\r\n", "BREW / HTTP/1.1\r\n\r\n", "\u{0}\u{1}\r\n0\r\n\r\n", "x"] {
                try await client.send(text)
                #expect(try await client.receive(byteCount: text.utf8.count) == text)
            }
            try await client.closeOutput()
            #expect(try await client.receiveUntilClosed() == "")
        }
    }

    @Test func bytesThatComeWithTheRequestAreTheFirst() async throws {
        try await withServer(Self.configuration(), handler: Self.echo) { server in
            let client = try await RawClient.connect(port: server.port)
            try await client.send(Self.opening + "GET /early HTTP/1.1\r\n\r\n")
            _ = try await client.receive(through: "\r\n\r\n")
            #expect(try await client.receive(byteCount: 23) == "GET /early HTTP/1.1\r\n\r\n")
            try await client.send("late")
            #expect(try await client.receive(byteCount: 4) == "late")
        }
    }

    @Test(arguments: [
        "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc", "BREW /a HTTP/1.1\r\nHost: a\r\n\r\n", "GET /a HTTP/1.1\r\nHost: a\r\n\r\n",
    ])
    func connectionThatHasServedRequestsCanBecomeOne(_ before: String) async throws {
        try await withServer(Self.configuration(), handler: Self.echo) { server in
            for isPipelined in [false, true] {
                let client = try await RawClient.connect(port: server.port)
                try await client.send(before + (isPipelined ? Self.opening : ""))
                #expect(try await client.receiveResponse().status == 200)
                if !isPipelined { try await client.send(Self.opening) }
                #expect(RawResponse(head: try await client.receive(through: "\r\n\r\n")).status == 101)
                try await client.send("PUT it")
                #expect(try await client.receive(byteCount: 6) == "PUT it")
            }
        }
    }

    /// Bytes that look like the beginning of a request, and could be held back or changed as one.
    @Test(arguments: ["TOKEN", "BREW it", "\r\n"])
    func earlyBytesBehindPipelinedRequestsAreTheFirst(_ early: String) async throws {
        try await withServer(Self.configuration(), handler: Self.echo) { server in
            let client = try await RawClient.connect(port: server.port)
            try await client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n" + Self.opening + early)
            #expect(try await client.receiveResponse().status == 200)
            #expect(RawResponse(head: try await client.receive(through: "\r\n\r\n")).status == 101)
            #expect(try await client.receive(byteCount: early.utf8.count) == early)
        }
    }

    @Test func refusalIsAResponseLikeAnyAndClosesTheConnection() async throws {
        try await withServer(Self.configuration(), handler: { _ in .text("no", .forbidden) }) { server in
            let client = try await RawClient.connect(port: server.port)
            try await client.send(Self.opening + "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n")
            let response = try await client.receiveResponse()
            #expect(response.status == 403 && response.content == "no" && response["connection"] == "close")
            #expect(try await client.receiveUntilClosed() == "")
        }
    }

    @Test(arguments: [
        "GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: close\r\n\r\n",
        "GET / HTTP/1.0\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\t, x\r\nUpgrade: websocket\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nContent-Length: 0\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nContent-Length: 1\r\n\r\nx",
    ])
    func otherRequestsAreAnsweredAsIfTheyDidNotAsk(_ request: String) async throws {
        try await withServer(Self.configuration(), handler: Self.echo) { server in
            let client = try await RawClient.connect(port: server.port)
            try await client.send(request)
            let response = try await client.receiveResponse()
            #expect(response.status == 200 && response.content.hasSuffix(" without a WebSocket"))
        }
    }

    @Test func serverThatTakesNoneAnswersAsIfItWereNotAsked() async throws {
        try await withServer(handler: Self.echo) { server in
            let client = try await RawClient.connect(port: server.port)
            try await client.send(Self.opening)
            #expect(try await client.receiveResponse().content == "GET without a WebSocket")
        }
        // The server has not asked the handler to switch protocols.
        try await withServer(handler: { _ in HTTPServerResponse(head: HTTPResponse(status: .switchingProtocols)) }) { server in
            let client = try await RawClient.connect(port: server.port)
            try await client.send(Self.opening)
            #expect(try await client.receiveResponse().status == 500)
        }
    }

    @Test func endOfWhatTheServerSendsClosesTheConnection() async throws {
        let handler: HTTPServer.Handler = { _ in
            HTTPServerResponse(head: HTTPResponse(status: .switchingProtocols), body: HTTPBody(Parts.texts("by", "e"), length: nil))
        }
        try await withServer(Self.configuration(), handler: handler) { server in
            let client = try await RawClient.connect(port: server.port)
            try await client.send(Self.opening)
            _ = try await client.receive(through: "\r\n\r\n")
            #expect(try await client.receiveUntilClosed() == "bye")
        }
    }

    @Test func clientThatTakesNothingHoldsTheSenderUp() async throws {
        let produced = Counter()
        let body = HTTPBody(Parts.repeating(byteCount: 64 << 10, count: 1_024, produced: produced), length: nil)
        let handler: HTTPServer.Handler = { _ in HTTPServerResponse(head: HTTPResponse(status: .switchingProtocols), body: body) }
        try await withServer(Self.configuration(), handler: handler) { server in
            let client = try await RawClient.connect(port: server.port, readsByItself: false, receiveBufferByteCount: 64 << 10)
            try await client.send(Self.opening)
            await produced.wait(for: 1 << 20)
            for _ in 0..<50 {
                let other = try await RawClient.connect(port: server.port)
                try await other.send("BAD\r\n\r\n")
                _ = try await other.receiveUntilClosed()
            }
            #expect(produced.value < 16 << 20)
            try await client.startReading()
            _ = try await client.receive(through: "\r\n\r\n")
            #expect(try await client.countUntilClosed() == 64 << 20)
        }
    }

    @Test func handlerThatReadsNothingHoldsTheClientUp() async throws {
        let door = Signal()
        let sent = Atomic(false)
        let handler: HTTPServer.Handler = { request in
            let parts = request.body
            let held = Parts {
                var iterator = parts.makeAsyncIterator()
                return {
                    await door.wait()
                    return try await iterator.next()
                }
            }
            return HTTPServerResponse(head: HTTPResponse(status: .switchingProtocols), body: HTTPBody(held, length: nil))
        }
        try await withServer(Self.configuration(), handler: handler) { server in
            let client = try await RawClient.connect(port: server.port)
            try await client.send(Self.opening)
            _ = try await client.receive(through: "\r\n\r\n")
            client.sendLater(ByteBuffer(repeating: UInt8(ascii: "x"), count: 64 << 20)) { sent.store(true, ordering: .relaxed) }
            for _ in 0..<50 {
                let other = try await RawClient.connect(port: server.port)
                try await other.send("BAD\r\n\r\n")
                _ = try await other.receiveUntilClosed()
            }
            let isAllSent = sent.load(ordering: .relaxed)
            #expect(!isAllSent, "the server has read what nobody reads")
            door.fire()
            #expect(try await client.receiveBytes(64 << 20).readableBytes == 64 << 20)
        }
    }

    // MARK: Time

    @Test(arguments: [false, true])
    func oneThatIsIdleOrOpenForTooLongIsClosed(_ isTotal: Bool) async throws {
        let configuration = Self.configuration {
            if isTotal { $0.totalTimeout = .milliseconds(40) } else { $0.idleTimeout = .milliseconds(40) }
        }
        try await withServer(configuration, handler: Self.echo) { server in
            let client = try await RawClient.connect(port: server.port)
            try await client.send(Self.opening)
            // The time may be over before the answer has been written.
            let received = try await client.receiveUntilClosed()
            #expect(received.isEmpty || received.hasPrefix("HTTP/1.1 101 "))
            let frames = try await FrameClient.connect(port: server.port)
            try await frames.request(1, Self.opening(protocol: "websocket"), endsStream: false)
            #expect(try await frames.resetCode(of: 1) == FrameClient.cancel)
        }
    }

    @Test func theWatchCountsBothDirectionsAndForgetsNothing() {
        var limits = HTTPServer.Configuration.WebSockets()
        (limits.idleTimeout, limits.totalTimeout) = (.seconds(10), .seconds(100))
        let start = NIODeadline.uptimeNanoseconds(1_000_000_000)
        var watch = TunnelWatch(limits, now: start)
        func isOver(_ byteCount: Int, after seconds: Int64) -> Bool { watch.isOver(byteCount: byteCount, now: start + .seconds(seconds)) }
        #expect([(0, 9), (1, 11), (1, 20), (1, 21)].map { isOver($0, after: $1) } == [false, false, false, true])
        #expect(!(22..<100).contains { isOver($0, after: Int64($0)) })
        #expect(isOver(1_000, after: 100))
        limits.totalTimeout = .seconds(Int64.max)
        watch = TunnelWatch(limits, now: start)
        #expect(!isOver(1, after: 86_400))
    }

    // MARK: Reports

    @Test func reportHasTheBytesOfBothDirections() async throws {
        let (reports, continuation) = AsyncStream.makeStream(of: ExchangeReport.self)
        let server = try await HTTPServer.start(Self.configuration(), observer: { continuation.yield($0) }, handler: Self.echo)
        var arrived = reports.makeAsyncIterator()
        let client = try await RawClient.connect(port: server.port)
        try await client.send(Self.opening)
        _ = try await client.receive(through: "\r\n\r\n")
        try await client.send("twelve bytes")
        #expect(try await client.receive(byteCount: 12) == "twelve bytes")
        try await client.closeOutput()
        _ = try await client.receiveUntilClosed()
        let first = try #require(await arrived.next())
        #expect(first.status == 101 && first.contentByteCount == 12 && first.receivedByteCount == 12 && first.isComplete && !first.isAbandoned)
        // A client that leaves has ended it as well as any.
        let leaving = try await RawClient.connect(port: server.port)
        try await leaving.send(Self.opening)
        _ = try await leaving.receive(through: "\r\n\r\n")
        try await leaving.send("abc")
        #expect(try await leaving.receive(byteCount: 3) == "abc")
        try await leaving.close()
        let second = try #require(await arrived.next())
        #expect(second.status == 101 && second.contentByteCount == 3 && second.receivedByteCount == 3 && second.isComplete)
        await server.shutdown(gracePeriod: .zero)
    }

    // MARK: HTTP/2

    @Test func streamBecomesAWebSocketBesideOtherStreams() async throws {
        try await withServer(Self.configuration(), handler: Self.echo) { server in
            let client = try await FrameClient.connect(port: server.port)
            try await client.request(1, Self.opening(protocol: "websocket"), endsStream: false)
            let head = try await client.response(on: 1) { $0.status != nil }
            #expect(head.status == "200" && head.head.first(name: "sec-websocket-accept") == "x")
            #expect(!head.head.contains(name: "upgrade") && !head.head.contains(name: "connection"))
            try await client.content(1, "hello", endsStream: false)
            #expect(try await client.response(on: 1) { $0.content.readableBytes == 5 }.text == "hello")
            #expect(try await client.exchange(3, FrameClient.get("/")).text == "GET without a WebSocket")
            try await client.content(1, ", bye", endsStream: true)
            let end = try await client.response(on: 1)
            #expect(end.text == "hello, bye" && end.isComplete && end.resetCode == nil)
        }
    }

    @Test func settingsSayThatStreamsMayBecomeWebSockets() async throws {
        for (configuration, expected) in [(Self.configuration(), 1), (Self.withoutWebSockets, 0)] {
            try await withServer(configuration, handler: Self.echo) { server in
                let client = try await FrameClient.connect(port: server.port)
                var settings = try await client.receiveFrame().payload
                var value = 0
                while let name = settings.readInteger(as: UInt16.self), let number = settings.readInteger(as: UInt32.self) {
                    if name == 8 { value = Int(number) }
                }
                #expect(value == expected)
            }
        }
    }

    @Test func otherTunnelsAreRefusedAndTheConnectionGoesOn() async throws {
        try await withServer(Self.configuration(), handler: Self.echo) { server in
            let client = try await FrameClient.connect(port: server.port)
            #expect(try await client.exchange(1, [(":method", "CONNECT"), (":authority", "a:443")]).status == "501")
            try await client.request(3, Self.opening(protocol: "connect-udp"), endsStream: false)
            #expect(try await client.response(on: 3) { $0.status != nil }.status == "501")
            #expect(try await client.exchange(5, Self.opening(protocol: "websocket")).status == "400")
            let refused = try await client.exchange(7, [(":protocol", "websocket")] + FrameClient.get("/"))
            #expect(refused.resetCode == FrameClient.protocolError)
            #expect(try await client.exchange(9, FrameClient.get("/")).text == "GET without a WebSocket")
        }
    }

    private static var withoutWebSockets: HTTPServer.Configuration {
        var configuration = configuration()
        configuration.webSockets = nil
        return configuration
    }

    private static func opening(protocol name: String) -> [(String, String)] {
        [(":protocol", name)] + FrameClient.get("/chat", [("sec-websocket-version", "13")], method: "CONNECT")
    }
}
