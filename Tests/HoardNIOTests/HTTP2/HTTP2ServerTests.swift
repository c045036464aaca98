// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardHTTP
import HoardNIO
import HoardNIOTestSupport
import HoardTesting
import NIOCore
import NIOHPACK
import NIOHTTP1
import Synchronization
import Testing

@testable import HoardWire

extension HTTPServer.Configuration {
    /// A free port with HTTP/2 by prior knowledge. The server counts frames and waits for clients for so long
    /// that a slow test does not matter.
    static var http2: Self {
        var configuration = Self(listeners: [HTTPServer.Listener(.tcp(host: "127.0.0.1", port: 0), isHTTP2Enabled: true)])
        configuration.http2RateWindow = .seconds(86_400)
        (configuration.idleTimeout, configuration.headTimeout) = (.seconds(86_400), .seconds(86_400))
        return configuration
    }
}

/// Exchanges over HTTP/2, frame by frame.
@Suite(.timeLimit(.minutes(2)))
struct HTTP2ServerTests {
    private typealias Client = FrameClient

    @Test func requestAndResponseAreCarried() async throws {
        let seen = Mutex<HTTPServerRequest?>(nil)
        try await withServer(
            .http2,
            handler: { request in
                seen.withLock { $0 = request }
                return .text("hello", .ok, [.contentType: "text/plain", .connection: "x-private", HTTPField.Name("X-Private")!: "1", .eTag: "\"a\""])
            },
            body: { server in
                let client = try await Client.connect(port: server.port)
                let response = try await client.exchange(
                    1,
                    Client.get("/a?b=c", [("accept", "*/*"), ("cookie", "a=1"), ("te", "trailers"), ("cookie", "b=2")])
                )
                #expect(response.status == "200")
                #expect(response.text == "hello")
                #expect(response.head["content-length"] == ["5"])
                #expect(response.head["etag"] == ["\"a\""])
                #expect(response.head["date"].count == 1)
                #expect(response.head["connection"].isEmpty)
                #expect(response.head["x-private"].isEmpty)
                // The test takes the request out, as a kept request would keep the server, which keeps the request.
                let request = try #require(seen.withLock { $0.take() })
                #expect(request.head.method == .get)
                #expect(request.head.scheme == "http")
                #expect(request.head.authority == "a")
                #expect(request.head.path == "/a?b=c")
                #expect(request.head.headerFields[values: .cookie] == ["a=1; b=2"])
                #expect(request.head.headerFields[.accept] == "*/*")
                #expect(request.version == .http2)
                #expect(request.remoteAddress == "127.0.0.1")
                #expect(request.body.length == 0)
            }
        )
    }

    @Test func streamsAreServedAtTheSameTime() async throws {
        let doors = Mutex<[String: Signal]>(["/1": Signal(), "/3": Signal(), "/5": Signal()])
        try await withServer(
            .http2,
            handler: { request in
                let path = request.head.path ?? ""
                await doors.withLock { $0[path] }?.wait()
                return .text(path)
            },
            body: { server in
                let client = try await Client.connect(port: server.port)
                for stream in [1, 3, 5] { try await client.request(stream, Client.get("/\(stream)")) }
                for stream in [5, 1, 3] {
                    doors.withLock { $0["/\(stream)"] }?.fire()
                    #expect(try await client.response(on: stream).text == "/\(stream)")
                }
            }
        )
    }

    @Test func contentStreamsInBothDirections() async throws {
        try await withServer(
            .http2,
            handler: { request in HTTPServerResponse(head: HTTPResponse(status: .ok), body: HTTPBody(request.body, length: nil)) },
            body: { server in
                let client = try await Client.connect(port: server.port)
                try await client.request(1, Client.get("/", method: "POST"), endsStream: false)
                // Less than the window: the rest of the test is about the bytes that come back.
                var expected = ""
                for number in 0..<40 {
                    let part = String(repeating: "\(number % 10)", count: 1_000)
                    expected += part
                    try await client.content(1, part, endsStream: number == 39)
                }
                let response = try await client.response(on: 1)
                #expect(response.text == expected)
                #expect(response.head["content-length"].isEmpty)
            }
        )
    }

    @Test func uploadGoesOnOnlyAsFastAsItIsRead() async throws {
        let door = Signal()
        try await withServer(
            .http2,
            handler: { request in
                await door.wait()
                var count = 0
                do { for try await part in request.body { count += part.readableBytes } } catch { return .text("\(error)") }
                return .text("\(count)")
            },
            body: { server in
                let client = try await Client.connect(port: server.port)
                try await client.request(1, Client.get("/", [("content-length", "200000")], method: "POST"), endsStream: false)
                var room = 65_535
                var unsent = 200_000
                while room > 0 {
                    let count = min(room, 10_000)
                    try await client.content(1, String(repeating: "x", count: count), endsStream: false)
                    room -= count
                    unsent -= count
                }
                // At most half of the window is given back before the handler reads: as many bytes as the pipe takes.
                door.fire()
                while unsent > 0 {
                    let frame = try await client.step()
                    guard frame.kind == .windowUpdate, frame.stream == 1 else { continue }
                    room += Int(frame.payload.getInteger(at: frame.payload.readerIndex, as: UInt32.self) ?? 0)
                    while room > 0, unsent > 0 {
                        let count = min(room, unsent, 10_000)
                        try await client.content(1, String(repeating: "x", count: count), endsStream: count == unsent)
                        room -= count
                        unsent -= count
                    }
                }
                #expect(try await client.response(on: 1).text == "200000")
            }
        )
    }

    @Test func responseIsMadeOnlyAsFastAsItIsTaken() async throws {
        let produced = Counter()
        try await withServer(
            .http2,
            handler: { _ in
                HTTPServerResponse(
                    head: HTTPResponse(status: .ok),
                    body: HTTPBody(Parts.repeating(byteCount: 10_000, count: 200, produced: produced), length: 2_000_000)
                )
            },
            body: { server in
                let client = try await Client.connect(port: server.port)
                client.givesRoom = false
                try await client.request(1, Client.get("/"))
                let response = try await client.response(on: 1) { $0.content.readableBytes >= 65_535 }
                #expect(response.content.readableBytes == 65_535)
                // The window, the bytes that the stream holds, and a part in hand.
                #expect(produced.value <= 65_535 + 65_536 + 30_000)
                client.givesRoom = true
                try await client.giveRoom(0, 65_535)
                try await client.giveRoom(1, 65_535)
                let all = try await client.response(on: 1)
                #expect(all.content.readableBytes == 2_000_000)
            }
        )
    }

    @Test func longContentAtHandIsWrittenAsItIsTaken() async throws {
        let content = ByteBuffer(repeating: UInt8(ascii: "y"), count: 1_000_000)
        try await withServer(
            .http2,
            handler: { _ in HTTPServerResponse(head: HTTPResponse(status: .ok), body: HTTPBody(content)) },
            body: { server in
                let client = try await Client.connect(port: server.port)
                let response = try await client.exchange(1, Client.get("/"))
                #expect(response.content == content)
            }
        )
    }

    @Test(arguments: [("HEAD", 200, "7"), ("GET", 204, nil), ("GET", 304, "7")] as [(String, Int, String?)])
    func responseWithoutContentEndsWithItsHead(method: String, status: Int, length: String?) async throws {
        try await withServer(
            .http2,
            handler: { _ in .text("ignored", HTTPResponse.Status(code: status), [.contentLength: "7"]) },
            body: { server in
                let client = try await Client.connect(port: server.port)
                let response = try await client.exchange(1, Client.get("/", method: method))
                #expect(response.status == "\(status)")
                #expect(response.content.readableBytes == 0)
                #expect(response.head["content-length"].first == length)
            }
        )
    }

    @Test func interimResponsesAndTrailersAreCarried() async throws {
        try await withServer(
            .http2,
            handler: { request in
                await request.sendInterimResponse(
                    HTTPResponse(status: .init(code: 103), headerFields: [HTTPField.Name("Link")!: "</a>", .connection: "close"])
                )
                await request.sendInterimResponse(HTTPResponse(status: .switchingProtocols))
                let body = HTTPBody(Parts.texts("a", "b"), length: nil, trailers: { [HTTPField.Name("X-Sum")!: "1", .contentLength: "3"] })
                return HTTPServerResponse(head: HTTPResponse(status: .ok), body: body)
            },
            body: { server in
                let client = try await Client.connect(port: server.port)
                let response = try await client.exchange(1, Client.get("/"))
                #expect(response.interim.map { $0.first(name: ":status") } == ["103"])
                #expect(response.interim.first?["link"] == ["</a>"])
                #expect(response.interim.first?["connection"].isEmpty == true)
                #expect(response.text == "ab")
                #expect(response.trailers?["x-sum"] == ["1"])
                #expect(response.trailers?.count == 1)
            }
        )
    }

    @Test func contentIsAskedForWhenItIsWanted() async throws {
        try await withServer(
            .http2,
            handler: { request in .text(String(buffer: (try? await request.body.collect(upTo: 100)) ?? ByteBuffer())) },
            body: { server in
                let client = try await Client.connect(port: server.port)
                try await client.request(1, Client.get("/", [("expect", "100-continue")], method: "POST"), endsStream: false)
                _ = try await client.response(on: 1) { !$0.interim.isEmpty }
                try await client.content(1, "now", endsStream: true)
                let response = try await client.response(on: 1)
                #expect(response.interim.map { $0.first(name: ":status") } == ["100"])
                #expect(response.text == "now")
            }
        )
    }

    /// An empty list expects nothing: [RFC 9110 §5.6.1](https://www.rfc-editor.org/rfc/rfc9110#section-5.6.1).
    @Test(arguments: [([""], ["103"]), (["", ""], ["103"]), (["", "100-continue", ""], ["103", "100"])])
    func emptyExpectationIsNone(_ values: [String], _ interim: [String]) async throws {
        try await withServer(
            .http2,
            handler: { request in
                // So that the client knows that it was not refused.
                await request.sendInterimResponse(HTTPResponse(status: .init(code: 103)))
                return .text(String(buffer: (try? await request.body.collect(upTo: 100)) ?? ByteBuffer()))
            },
            body: { server in
                let client = try await Client.connect(port: server.port)
                try await client.request(1, Client.get("/", values.map { ("expect", $0) }, method: "POST"), endsStream: false)
                _ = try await client.response(on: 1) { $0.interim.count == interim.count }
                try await client.content(1, "now", endsStream: true)
                let response = try await client.response(on: 1)
                #expect(response.status == "200")
                #expect(response.interim.map { $0.first(name: ":status") } == interim)
                #expect(response.text == "now")
            }
        )
    }

    @Test func trailersOfARequestAreDropped() async throws {
        try await withServer(
            .http2,
            handler: { request in .text(String(buffer: (try? await request.body.collect(upTo: 100)) ?? ByteBuffer())) },
            body: { server in
                let client = try await Client.connect(port: server.port)
                try await client.request(1, Client.get("/", method: "POST"), endsStream: false)
                try await client.content(1, "content", endsStream: false)
                try await client.request(1, [("x-sum", "1")])
                #expect(try await client.response(on: 1).text == "content")
            }
        )
    }

    @Test func clientNeedNotSendWhatNobodyReads() async throws {
        try await withServer(
            .http2,
            handler: { _ in .text("enough") },
            body: { server in
                let client = try await Client.connect(port: server.port)
                try await client.request(1, Client.get("/", method: "POST"), endsStream: false)
                let response = try await client.response(on: 1)
                #expect(response.text == "enough")
                #expect(response.isComplete)
                #expect(try await client.resetCode(of: 1) == 0)
                #expect(try await client.exchange(3, Client.get("/")).text == "enough")
            }
        )
    }

    @Test func handlerIsCancelledWhenItsStreamIsReset() async throws {
        let begun = Signal()
        let cancelled = Signal()
        try await withServer(
            .http2,
            handler: { request in
                guard request.head.path == "/slow" else { return .text("other") }
                begun.fire()
                await waitForCancellation()
                cancelled.fire()
                return .text("too late")
            },
            body: { server in
                let client = try await Client.connect(port: server.port)
                try await client.request(1, Client.get("/slow"))
                await begun.wait()
                try await client.reset(1)
                await cancelled.wait()
                #expect(try await client.exchange(3, Client.get("/")).text == "other")
            }
        )
    }

    @Test func handlersAreCancelledWhenTheConnectionCloses() async throws {
        let begun = Counter()
        let cancelled = Counter()
        try await withServer(
            .http2,
            handler: { request in
                begun.add()
                if request.head.path == "/1" {
                    await waitForCancellation()
                } else {
                    do { for try await _ in request.body {} } catch { #expect((error as? RequestBodyError)?.code == .connectionClosed) }
                }
                cancelled.add()
                return .text("")
            },
            body: { server in
                let client = try await Client.connect(port: server.port)
                try await client.request(1, Client.get("/1"))
                try await client.request(3, Client.get("/3", method: "POST"), endsStream: false)
                await begun.wait(for: 2)
                try await client.client.close()
                await cancelled.wait(for: 2)
            }
        )
    }

    @Test(arguments: ["fails", "long", "short"])
    func responseThatIsNotAsAnnouncedIsReset(_ kind: String) async throws {
        try await withServer(
            .http2,
            handler: { _ in
                let body =
                    switch kind {
                    case "fails": HTTPBody(Parts.texts("a", failing: TestFailure()), length: nil)
                    case "long": HTTPBody(Parts.texts("a", "b", "c"), length: 2)
                    default: HTTPBody(Parts.texts("a"), length: 2)
                    }
                return HTTPServerResponse(head: HTTPResponse(status: .ok), body: body)
            },
            body: { server in
                let client = try await Client.connect(port: server.port)
                let response = try await client.exchange(1, Client.get("/"))
                #expect(response.resetCode == 2)
                #expect(!response.isComplete)
            }
        )
    }

    @Test func observerIsToldOfEveryExchange() async throws {
        let reports = Mutex<[ExchangeReport]>([])
        let told = Counter()
        let begun = Signal()
        let server = try await HTTPServer.start(
            .http2,
            observer: { report in
                reports.withLock { $0.append(report) }
                told.add()
            },
            handler: { request in
                if request.head.path == "/never" {
                    begun.fire()
                    await waitForCancellation()
                }
                return HTTPServerResponse(
                    head: HTTPResponse(status: .created),
                    body: HTTPBody("12345"),
                    note: ExchangeNote(bits: 7, duration: .seconds(3))
                )
            }
        )
        let client = try await Client.connect(port: server.port)
        _ = try await client.exchange(1, Client.get("/one"))
        await told.wait(for: 1)
        _ = try await client.exchange(3, Client.get("/two#"))
        await told.wait(for: 2)
        try await client.request(5, Client.get("/never"))
        await begun.wait()
        try await client.reset(5)
        await told.wait(for: 3)
        await server.shutdown(gracePeriod: .zero)
        let all = reports.withLock { $0 }
        #expect(all.count == 3)
        #expect(all.map(\.status) == [201, 400, ExchangeReport.abandonedStatus])
        #expect(all.map(\.isComplete) == [true, true, false])
        #expect(all[0].contentByteCount == 5)
        #expect(all[1].contentByteCount > 10)
        guard case .invalid = all[1].request else { throw TestFailure() }
        #expect(all[0].note == ExchangeNote(bits: 7, duration: .seconds(3)))
        #expect(all[0].version == .http2)
        #expect(all[0].remoteAddress == "127.0.0.1")
        #expect(all[0].timeToFirstByte <= all[0].duration)
        guard case .head(let head) = all[0].request else { throw TestFailure() }
        #expect(head.path == "/one")
    }

    private struct Immediate: ImmediateResponder {
        func answer(_ request: ScannedRequest, into output: inout ImmediateOutput) -> ImmediateAnswer? { nil }

        func begin(_ request: HTTPServerRequest) -> ImmediateBeginning {
            switch request.head.path {
            case "/now": .response(.text("at once"))
            case "/begun": .later { .text("begun before") }
            default: .later { .text("later") }
            }
        }
    }

    @Test func whatCanBeAnsweredAtOnceNeedsNoHandler() async throws {
        let server = try await HTTPServer.start(.http2, immediate: Immediate()) { _ in .text("handled") }
        let client = try await Client.connect(port: server.port)
        #expect(try await client.exchange(1, Client.get("/now")).text == "at once")
        #expect(try await client.exchange(3, Client.get("/then")).text == "later")
        #expect(try await client.exchange(5, Client.get("/begun")).text == "begun before")
        // A request with content goes to the handler.
        try await client.request(7, Client.get("/now", method: "POST"), endsStream: false)
        #expect(try await client.response(on: 7).text == "handled")
        await server.shutdown(gracePeriod: .zero)
    }

    @Test func sameListenerSpeaksHTTP1() async throws {
        try await withServer(
            .http2,
            handler: { .text("\($0.version)") },
            body: { server in
                for beginning in ["GET", "PRI", "PUT", "PROPFIND"] {
                    let client = try await RawClient.connect(port: server.port)
                    for character in "\(beginning) / HTTP/1.1\r\nHost: a\r\n\r\n" {
                        do {
                            try await client.send("\(character)")
                        } catch ChannelError.ioOnClosedChannel where beginning == "PRI" {
                            // That is refused before its end, and the client closes when the answer has come.
                            break
                        }
                    }
                    let response = try await client.receiveResponse()
                    #expect((beginning == "PRI" ? [400, 505] : [200]).contains(response.status))
                }
            }
        )
    }

    @Test func prefaceIsNoRequestWhereHTTP2IsNotSpoken() async throws {
        try await withServer(
            handler: { _ in .text("") },
            body: { server in
                let client = try await RawClient.connect(port: server.port)
                try await client.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
                #expect([400, 505].contains(try await client.receiveResponse().status))
            }
        )
    }
}
