// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardHTTP
import HoardNIO
import HoardNIOTestSupport
import HoardTesting
import NIOCore
import NIOHPACK
import Synchronization
import Testing

/// The limits of clients over HTTP/2, and the server's answers to clients that exceed them.
@Suite(.timeLimit(.minutes(2)))
struct HTTP2ServerLimitTests {
    private typealias Client = FrameClient

    private static func http2(_ change: (inout HTTPServer.Configuration) -> Void) -> HTTPServer.Configuration {
        var configuration = HTTPServer.Configuration.http2
        change(&configuration)
        return configuration
    }

    static let malformed: [[(String, String)]] = [
        [(":method", "GET"), (":scheme", "http"), (":authority", "a")],
        [(":method", "GET"), (":path", "/"), (":authority", "a")],
        [(":scheme", "http"), (":path", "/"), (":authority", "a")],
        [(":method", "GET"), (":method", "GET"), (":scheme", "http"), (":path", "/"), (":authority", "a")],
        [(":method", "GET"), (":scheme", "http"), (":path", "/"), (":authority", "a"), (":status", "200")],
        [(":method", "GET"), (":scheme", "http"), (":path", "/"), (":authority", "a"), (":other", "x")],
        [(":method", "GET"), (":scheme", "http"), (":path", ""), (":authority", "a")],
        [(":method", "GET"), (":scheme", "http"), (":path", "a"), (":authority", "a")],
        [(":method", "GET"), (":scheme", "http"), (":path", "http://a/"), (":authority", "a")],
        FrameClient.get("/", [("accept", "*/*"), (":path", "/b")]),
        FrameClient.get("/", [("connection", "close")]),
        FrameClient.get("/", [("keep-alive", "1")]),
        FrameClient.get("/", [("proxy-connection", "close")]),
        FrameClient.get("/", [("transfer-encoding", "chunked")]),
        FrameClient.get("/", [("upgrade", "websocket")]),
        FrameClient.get("/", [("te", "gzip")]),
        FrameClient.get("/", [("host", "b")]),
        FrameClient.get("/", [("a b", "c")]),
        FrameClient.get("/", [("accept", "a\r\nx: y")]),
        FrameClient.get("/", [("accept", "a\u{0}")]),
        FrameClient.get("/", [("accept", " a")]),
        FrameClient.get("/", [("accept", "a\t")]),
        FrameClient.get("/", [("content-length", "1")]),
        FrameClient.get("/", [("content-length", "-1")]),
        FrameClient.get("/", [("content-length", "0"), ("content-length", "1")]),
        FrameClient.get("/ HTTP/1.1\r\nx: y", []),
        FrameClient.get("/", [], method: "G ET"),
        [(":method", "GET"), (":scheme", "http"), (":path", "/"), (":authority", "a b")],
    ]

    @Test(arguments: malformed.indices)
    func malformedRequestIsResetAndNeverReachesTheHandler(_ index: Int) async throws {
        let handled = Counter()
        try await withServer(
            .http2,
            handler: { _ in
                handled.add()
                return .text("ok")
            },
            body: { server in
                let client = try await Client.connect(port: server.port)
                let response = try await client.exchange(1, Self.malformed[index])
                #expect(response.resetCode == Client.protocolError)
                #expect(response.status == nil)
                #expect(handled.value == 0)
                // The connection is as good as before.
                #expect(try await client.exchange(3, Client.get("/")).text == "ok")
            }
        )
    }

    @Test func namesInCapitalsAreRefused() async throws {
        try await withServer(
            .http2,
            handler: { _ in .text("ok") },
            body: { server in
                let client = try await Client.connect(port: server.port)
                var block = try client.block(Client.get("/"))
                // Written by hand, because the encoder would use small letters: a literal, not indexed, a
                // name of one byte, an empty value.
                block.writeBytes([0x00, 0x01, UInt8(ascii: "A"), 0x00])
                try await client.send(.init(kind: .headers, flags: 0x5, stream: 1, payload: block))
                #expect(try await client.response(on: 1).resetCode == Client.protocolError)
                #expect(try await client.exchange(3, Client.get("/")).text == "ok")
            }
        )
    }

    @Test func nameThatIsEmptyEndsTheConnection() async throws {
        try await withServer(
            .http2,
            handler: { _ in .text("ok") },
            body: { server in
                let client = try await Client.connect(port: server.port)
                try await client.request(1, Client.get("/", [("", "c")]))
                let goAway = await client.receiveUntilClosed()
                #expect(goAway.map { $0.errorCode != 0 } ?? true)
            }
        )
    }

    @Test func contentMustBeAsLongAsAnnounced() async throws {
        try await withServer(
            .http2,
            handler: { request in
                do { return .text(String(buffer: try await request.body.collect(upTo: 100))) } catch { return .text("\(error)") }
            },
            body: { server in
                let client = try await Client.connect(port: server.port)
                try await client.request(1, Client.get("/", [("content-length", "3")], method: "POST"), endsStream: false)
                try await client.content(1, "ab", endsStream: true)
                #expect(try await client.response(on: 1).resetCode == Client.protocolError)
                try await client.request(3, Client.get("/", [("content-length", "3")], method: "POST"), endsStream: false)
                try await client.content(3, "abcd", endsStream: true)
                #expect(try await client.response(on: 3).resetCode == Client.protocolError)
                try await client.request(5, Client.get("/", [("content-length", "3")], method: "POST"), endsStream: false)
                try await client.content(5, "abc", endsStream: true)
                #expect(try await client.response(on: 5).text == "abc")
            }
        )
    }

    struct Rejection: Sendable, CustomTestStringConvertible {
        let status: String
        let fields: [(String, String)]

        init(_ status: Int, _ fields: [(String, String)]) {
            self.status = "\(status)"
            self.fields = fields
        }

        var testDescription: String { status }
    }

    static let rejections = [
        Rejection(414, FrameClient.get("/" + String(repeating: "a", count: 100))),
        Rejection(431, FrameClient.get("/", [("x", String(repeating: "a", count: 300))])),
        Rejection(431, FrameClient.get("/", (0..<11).map { ("x\($0)", "") })),
        Rejection(417, FrameClient.get("/", [("expect", "miracles")])),
        Rejection(400, FrameClient.get("/a#b")),
        Rejection(400, [(":method", "GET"), (":scheme", "http"), (":path", "/")]),
        Rejection(400, [(":method", "GET"), (":scheme", "http"), (":path", "/"), (":authority", "a/b")]),
        Rejection(400, [(":method", "GET"), (":scheme", "http"), (":path", "/"), (":authority", "user@a")]),
        Rejection(400, [(":method", "GET"), (":scheme", "ftp"), (":path", "/"), (":authority", "a")]),
        Rejection(400, FrameClient.get("*")),
        Rejection(501, [(":method", "CONNECT"), (":authority", "a:80")]),
        Rejection(413, FrameClient.get("/", [("content-length", "1001")], method: "POST")),
    ]

    @Test(arguments: rejections)
    func requestThatIsNotServedIsAnswered(_ rejection: Rejection) async throws {
        let configuration = Self.http2 {
            $0.maximumTargetByteCount = 100
            $0.maximumHeaderByteCount = 300
            $0.maximumHeaderFieldCount = 10
            $0.maximumRequestContentByteCount = 1_000
        }
        try await withServer(
            configuration,
            handler: { _ in .text("handled") },
            body: { server in
                let client = try await Client.connect(port: server.port)
                try await client.request(1, rejection.fields, endsStream: rejection.status != "413" && rejection.status != "417")
                let response = try await client.response(on: 1)
                #expect(response.status == rejection.status)
                #expect(response.text.hasSuffix(".\n"))
                #expect(try await client.exchange(3, Client.get("/")).text == "handled")
            }
        )
    }

    @Test func contentThatBecomesTooLongIsRefused() async throws {
        let codes = Codes()
        let handled = Counter()
        let configuration = Self.http2 { $0.maximumRequestContentByteCount = 10 }
        try await withServer(
            configuration,
            handler: { request in
                do { for try await _ in request.body {} } catch { if let error = error as? RequestBodyError { codes.append(error.code) } }
                handled.add()
                return .text("handled")
            },
            body: { server in
                let client = try await Client.connect(port: server.port)
                try await client.request(1, Client.get("/", method: "POST"), endsStream: false)
                try await client.content(1, "1234567890", endsStream: false)
                try await client.content(1, "1", endsStream: false)
                let response = try await client.response(on: 1)
                #expect(response.status == "413")
                #expect(try await client.resetCode(of: 1) == 0)
                await handled.wait(for: 1)
                #expect(codes.all == [.tooLarge])
                try await client.request(3, Client.get("/", method: "POST"), endsStream: false)
                try await client.content(3, "1234567890", endsStream: true)
                #expect(try await client.response(on: 3).text == "handled")
                try await client.request(5, Client.get("/", method: "HEAD"), endsStream: false)
                try await client.content(5, "12345678901", endsStream: false)
                let toHead = try await client.response(on: 5)
                #expect(toHead.status == "413" && toHead.text.isEmpty)
            }
        )
    }

    @Test func aResponseThatHasBegunGoesOnWhenContentBecomesTooLong() async throws {
        let configuration = Self.http2 { $0.maximumRequestContentByteCount = 10 }
        try await withServer(
            configuration,
            handler: { request in
                let parts = Parts {
                    var number = 0
                    return {
                        number += 1
                        if number == 1 { return ByteBuffer(string: "begun") }
                        guard number == 2 else { return nil }
                        var code: RequestBodyError.Code?
                        do { for try await _ in request.body {} } catch { code = (error as? RequestBodyError)?.code }
                        return ByteBuffer(string: code == .tooLarge && !Task.isCancelled ? ", and ended" : ", and broken off")
                    }
                }
                return HTTPServerResponse(head: HTTPResponse(status: .ok), body: HTTPBody(parts, length: nil))
            },
            body: { server in
                let client = try await Client.connect(port: server.port)
                try await client.request(1, Client.get("/", method: "POST"), endsStream: false)
                #expect(try await client.response(on: 1) { $0.text == "begun" }.status == "200")
                try await client.content(1, "12345678901", endsStream: false)
                #expect(try await client.response(on: 1).text == "begun, and ended")
                #expect(try await client.resetCode(of: 1) == 0)
            }
        )
    }

    @Test func headersBeyondAllMeasureEndTheConnection() async throws {
        try await withServer(
            .http2,
            handler: { _ in .text("") },
            body: { server in
                let client = try await Client.connect(port: server.port)
                let block = ByteBuffer(repeating: 0, count: 16_000)
                try await client.send(.init(kind: .headers, flags: 1, stream: 1, payload: block))
                var sentCount = 0
                for _ in 0..<100 {
                    guard (try? await client.send(.init(kind: .continuation, stream: 1, payload: block))) != nil else { break }
                    sentCount += 1
                }
                let goAway = await client.receiveUntilClosed()
                #expect(goAway.map { $0.errorCode != 0 } ?? true)
            }
        )
    }

    @Test func tooManySmallContinuationsEndTheConnection() async throws {
        try await withServer(
            .http2,
            handler: { _ in .text("") },
            body: { server in
                let client = try await Client.connect(port: server.port)
                try await client.send(.init(kind: .headers, flags: 1, stream: 1, payload: try client.block(Client.get("/"))))
                for _ in 0..<100 {
                    guard (try? await client.send(.init(kind: .continuation, stream: 1))) != nil else { break }
                }
                let goAway = await client.receiveUntilClosed()
                // The server does not wait until it has been heard.
                #expect(goAway.map { $0.errorCode == Client.enhanceYourCalm } ?? true)
            }
        )
    }

    @Test func streamsResetOneAfterTheOtherEndTheConnection() async throws {
        let handled = Counter()
        try await withServer(
            .http2,
            handler: { _ in
                handled.add()
                await waitForCancellation()
                return .text("")
            },
            body: { server in
                let client = try await Client.connect(port: server.port)
                var stream = 1
                while stream < 20_001 {
                    let frames = [
                        Client.Frame(kind: .headers, flags: 0x5, stream: stream, payload: try client.block(Client.get("/"))),
                        Client.Frame(kind: .reset, stream: stream, payload: ByteBuffer(integer: Client.cancel)),
                    ]
                    guard (try? await client.client.send(Client.bytes(frames))) != nil else { break }
                    stream += 2
                }
                let goAway = await client.receiveUntilClosed()
                #expect(goAway.map { $0.errorCode == Client.enhanceYourCalm } ?? true)
                #expect(handled.value <= 202)
            }
        )
    }

    @Test(arguments: [FrameClient.Kind.ping, .settings, .priority])
    func floodOfControlFramesEndsTheConnection(_ kind: FrameClient.Kind) async throws {
        try await withServer(
            .http2,
            handler: { _ in .text("") },
            body: { server in
                let client = try await Client.connect(port: server.port)
                let payload: ByteBuffer
                switch kind {
                case .ping: payload = ByteBuffer(repeating: 1, count: 8)
                case .priority: payload = ByteBuffer(bytes: [0, 0, 0, 3, 1])
                default: payload = ByteBuffer()
                }
                let frame = Client.Frame(kind: kind, stream: kind == .priority ? 1 : 0, payload: payload)
                for _ in 0..<2_000 {
                    guard (try? await client.send(frame)) != nil else { break }
                }
                let goAway = await client.receiveUntilClosed()
                #expect(goAway.map { $0.errorCode == Client.enhanceYourCalm } ?? true)
            }
        )
    }

    @Test func streamThatIsRefusedIsReported() async throws {
        let door = Signal()
        let begun = Counter()
        let refused = Mutex<[ExchangeReport]>([])
        let told = Counter()
        let server = try await HTTPServer.start(
            Self.http2 { $0.maximumStreamCount = 1 },
            observer: { report in
                guard case .invalid = report.request else { return }
                refused.withLock { $0.append(report) }
                told.add()
            },
            handler: { _ in
                begun.add()
                await door.wait()
                return .text("ok")
            }
        )
        let client = try await Client.connect(port: server.port)
        for stream in [1, 3] {
            try await client.request(stream, Client.get("/"))
            try await client.reset(stream)
        }
        await begun.wait(for: 2)
        #expect(try await client.exchange(5, Client.get("/")).resetCode == Client.refusedStream)
        await told.wait(for: 1)
        door.fire()
        await server.shutdown(gracePeriod: .zero)
        let reports = refused.withLock { $0 }
        #expect(reports.map(\.status) == [503])
        #expect(reports.map(\.isComplete) == [false])
        #expect(reports.map(\.contentByteCount) == [0])
    }

    @Test func handlersThatDoNotEndHoldNewStreamsBack() async throws {
        let door = Signal()
        let begun = Counter()
        try await withServer(
            Self.http2 { $0.maximumStreamCount = 2 },
            handler: { _ in
                begun.add()
                await door.wait()
                return .text("ok")
            },
            body: { server in
                let client = try await Client.connect(port: server.port)
                for stream in [1, 3, 5, 7] {
                    try await client.request(stream, Client.get("/"))
                    try await client.reset(stream)
                }
                await begun.wait(for: 4)
                #expect(try await client.exchange(9, Client.get("/")).resetCode == Client.refusedStream)
                door.fire()
                var stream = 11
                while try await client.exchange(stream, Client.get("/")).text != "ok" { stream += 2 }
            }
        )
    }

    @Test func garbageInsteadOfFramesEndsTheConnection() async throws {
        try await withServer(
            .http2,
            handler: { _ in .text("") },
            body: { server in
                let client = try await Client.connect(port: server.port)
                try await client.send(.init(kind: .data, stream: 1, payload: ByteBuffer(string: "x")))
                let goAway = await client.receiveUntilClosed()
                #expect(goAway?.errorCode == Client.protocolError)
                #expect(client.client.isClosed)
            }
        )
    }

    @Test func windowsMayNotOverflow() async throws {
        try await withServer(
            .http2,
            handler: { _ in .text("") },
            body: { server in
                let client = try await Client.connect(port: server.port)
                try await client.giveRoom(0, 0x7FFF_FFFF)
                let goAway = await client.receiveUntilClosed()
                #expect(goAway?.errorCode == 3)
            }
        )
    }
}
