// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardHTTP
import HoardNIOTestSupport
import HoardTesting
import HoardTransports
import NIOCore
import NIOHPACK
import NIOHTTP2
import Synchronization
import Testing

/// HTTP/2 with prior knowledge.
@Suite(.timeLimit(.minutes(5)))
struct NIOTransportHTTP2Tests {
    private static func with(
        settings: HTTP2Settings = [],
        answersAtHead: Bool = false,
        _ change: (inout NIOTransport.Configuration) -> Void = { _ in },
        handler: @escaping HTTP2Origin.Handler,
        body: (HTTP2Origin, NIOTransport) async throws -> Void
    ) async throws {
        try await withHTTP2Origin(settings: settings, answersAtHead: answersAtHead, handler: handler) { origin in
            try await withNIOTransport({
                $0.version = .http2
                change(&$0)
            }) { transport in
                try await body(origin, transport)
            }
        }
    }

    @Test func manyExchangesShareAConnection() async throws {
        try await Self.with(handler: { $0.respond($0.path) }) { origin, transport in
            let port = origin.port
            try await withThrowingTaskGroup { group in
                for number in 0..<60 {
                    group.addTask {
                        let text = try await transport.text(.get("/\(number)", port: port))
                        #expect(text == "/\(number)")
                    }
                }
                try await group.waitForAll()
            }
            #expect(origin.connections.value == 1)
        }
    }

    @Test func requestIsSentAsRFC9113HasIt() async throws {
        let fields = Mutex<[String]>([])
        try await Self.with(handler: { stream in
            fields.withLock { $0 = stream.fields.map { "\($0.name)=\($0.value)" } }
            stream.respond("ok")
        }) { origin, transport in
            let request = HTTPRequest.get(
                "/p?q",
                port: origin.port,
                [.accept: "a", .connection: "x-secret", .init("X-Secret")!: "1", .te: "gzip", .init("Keep-Alive")!: "timeout=1", .cookie: "c=d"]
            )
            _ = try await transport.text(request)
            #expect(
                fields.withLock { $0 } == [
                    ":method=GET", ":scheme=http", ":authority=127.0.0.1:\(origin.port)", ":path=/p?q", "accept=a", "cookie=c=d",
                ]
            )
        }
    }

    @Test func contentOfUnknownLengthIsSentWithinTheOriginsWindow() async throws {
        let settings = [HTTP2Setting(parameter: .initialWindowSize, value: 1_000)]
        try await Self.with(settings: settings, handler: { $0.respond("\($0.content.utf8.count) \($0.fields["content-length"])") }) {
            origin,
            transport in
            let streamed = HTTPBody(Parts.repeating(byteCount: 30_000, count: 5), length: nil)
            let first = try await transport.send(.post(port: origin.port), body: streamed).text()
            #expect(first == "150000 []")
            let atHand = HTTPBody(String(repeating: "x", count: 100_000))
            let second = try await transport.send(.post(port: origin.port), body: atHand).text()
            #expect(second == "100000 [\"100000\"]")
        }
    }

    @Test func interimResponsesAndTrailersArePassedOn() async throws {
        try await Self.with(handler: { stream in
            stream.head(103, [("link", "</a>")])
            stream.head(200, [("x-a", "b")])
            stream.data("text")
            stream.trailers([("x-sum", "1")])
        }) { origin, transport in
            let seen = Mutex<[Int]>([])
            let response = try await transport.send(.get(port: origin.port), body: .empty) { interim in
                seen.withLock { $0.append(interim.status.code) }
            }
            #expect(seen.withLock { $0 } == [103])
            #expect(response.head.headerFields[.init("X-A")!] == "b")
            #expect(response.body.length == nil)
            #expect(try await response.text() == "text")
            #expect(response.body.trailers?[.init("X-Sum")!] == "1")
        }
    }

    @Test(arguments: [(HTTPRequest.Method.head, 200), (.get, 204), (.get, 304)])
    func responseThatHasNoContentIsComplete(_ method: HTTPRequest.Method, _ status: Int) async throws {
        try await Self.with(handler: { $0.head(status, method == .head ? [("content-length", "1000")] : [], ends: true) }) { origin, transport in
            var request = HTTPRequest.get(port: origin.port)
            request.method = method
            let response = try await transport.send(request, body: .empty)
            #expect(response.head.status.code == status)
            #expect(response.body.length == 0)
        }
    }

    @Test func responseWithoutContentMayEndWithAnEmptyFrame() async throws {
        try await Self.with(handler: { stream in
            stream.head(200, [("content-length", "0")])
            stream.data("", ends: true)
        }) { origin, transport in
            let text = try await transport.text(.get(port: origin.port))
            #expect(text == "")
        }
    }

    // MARK: What goes wrong

    @Test func refusedRequestWasNotProcessed() async throws {
        try await Self.with(handler: { $0.reset(.refusedStream) }) { origin, transport in
            let error = try await #require(throws: TransportError.self) { try await transport.send(.post(port: origin.port), body: HTTPBody("x")) }
            #expect(error.code == .failed)
            #expect(error.progress == .notProcessed)
            #expect(error.message == "The origin at 127.0.0.1 port \(origin.port) refused the request without working on it.")
        }
    }

    @Test func requestsBeyondTheOriginsLastOneWereNotProcessed() async throws {
        let streams = Mutex<[HTTP2Origin.Stream]>([])
        let begun = Counter()
        try await Self.with(handler: { stream in
            streams.withLock { $0.append(stream) }
            begun.add()
        }) { origin, transport in
            let port = origin.port
            let first = Task { try await transport.text(.get("/1", port: port)) }
            await begun.wait(for: 1)
            let second = Task { try await transport.text(.get("/2", port: port)) }
            await begun.wait(for: 2)
            streams.withLock { $0[0] }.goAway(lastStreamID: 1)
            let error = await #expect(throws: TransportError.self) { try await second.value }
            #expect(error?.progress == .lostWithOthers(mayBeProcessed: false))
            // The other request goes on, and a request that comes now gets a new connection.
            let third = Task { try await transport.text(.get("/3", port: port)) }
            await begun.wait(for: 3)
            #expect(origin.connections.value == 2)
            streams.withLock { $0 }.filter { $0.path != "/2" }.forEach { $0.respond($0.path) }
            let texts = [try await first.value, try await third.value]
            #expect(texts == ["/1", "/3"])
            await origin.closedConnections.wait(for: 1)
        }
    }

    @Test func resetBeforeTheResponseIsALostConnection() async throws {
        try await Self.with(handler: { $0.reset(.internalError) }) { origin, transport in
            let error = try await #require(throws: TransportError.self) { try await transport.send(.get(port: origin.port), body: .empty) }
            #expect(error.code == .connectionClosed)
            #expect(error.progress == .unanswered)
        }
    }

    @Test(arguments: [true, false])
    func contentThatBreaksOffIsAnError(_ closes: Bool) async throws {
        try await Self.with(handler: { stream in
            stream.head(200, [("content-length", "10")])
            stream.data("abc")
            if closes { stream.closeConnection() } else { stream.reset(.internalError) }
        }) { origin, transport in
            let response = try await transport.send(.get(port: origin.port), body: .empty)
            let error = await #expect(throws: TransportError.self) { try await response.text() }
            #expect(error?.code == .connectionClosed)
        }
    }

    @Test func requestOnAKeptConnectionThatIsClosedMayBeRepeated() async throws {
        try await Self.with(handler: { stream in if stream.path == "/1" { stream.respond("ok") } else { stream.closeConnection() } }) {
            origin,
            transport in
            let port = origin.port
            _ = try await transport.text(.get("/1", port: port))
            let error = await #expect(throws: TransportError.self) { try await transport.text(.get("/2", port: port)) }
            #expect(error?.mayRetry == true)
            let fresh = await #expect(throws: TransportError.self) { try await transport.text(.get("/2", port: port)) }
            #expect(fresh?.mayRetry == false)
            #expect(fresh?.progress == .unanswered)
        }
    }

    @Test(
        arguments: [
            [(":status", "200"), ("connection", "close")], [(":status", "200"), ("transfer-encoding", "chunked")], [(":status", "101")],
            [("x-a", "b")], [(":status", "99")], [(":status", "200"), (":status", "200")], [(":status", "200"), ("X-Upper", "1")],
            [(":status", "200"), ("content-length", "-1")], [(":status", "200"), ("x-a", "b\0c")],
        ]
    )
    func responseThatIsNotValidIsAnErrorAndOthersGoOn(_ fields: [(String, String)]) async throws {
        try await Self.with(handler: { stream in
            if stream.path == "/good" { stream.respond("ok") } else { stream.trailers(fields) }
        }) { origin, transport in
            let error = await #expect(throws: TransportError.self) { try await transport.text(.get("/bad", port: origin.port)) }
            #expect(error?.code == .invalidResponse)
            let text = try await transport.text(.get("/good", port: origin.port))
            #expect(text == "ok")
            #expect(origin.connections.value == 1)
        }
    }

    @Test(arguments: ["abc", "abcdef"])
    func contentOfAnotherLengthIsAnError(_ content: String) async throws {
        try await Self.with(handler: { stream in
            stream.head(200, [("content-length", "5")])
            stream.data(content, ends: true)
        }) { origin, transport in
            await #expect(throws: TransportError.self) { try await transport.text(.get(port: origin.port)) }
        }
    }

    // MARK: Flow and time

    @Test func readerThatIsSlowSlowsOnlyItsOwnStream() async throws {
        try await Self.with(handler: { stream in
            if stream.path == "/small" { return stream.respond("ok") }
            stream.head()
            for _ in 0..<80 { stream.data(String(repeating: "x", count: 65_536)) }
            stream.data("", ends: true)
        }) { origin, transport in
            let slow = try await transport.send(.get("/large", port: origin.port), body: .empty)
            let text = try await transport.text(.get("/small", port: origin.port))
            #expect(text == "ok")
            var count = 0
            for try await part in slow.body { count += part.readableBytes }
            #expect(count == 80 * 65_536)
            #expect(origin.connections.value == 1)
        }
    }

    @Test func droppedBodyResetsItsStreamAndKeepsTheConnection() async throws {
        try await Self.with(handler: { stream in
            if stream.path == "/2" { stream.respond("ok") } else { stream.head() }
        }) { origin, transport in
            _ = try await transport.send(.get("/1", port: origin.port), body: .empty)
            await origin.resets.wait(for: 1)
            let text = try await transport.text(.get("/2", port: origin.port))
            #expect(text == "ok")
            #expect(origin.connections.value == 1)
        }
    }

    @Test func cancelledRequestIsToldToTheOrigin() async throws {
        let begun = Signal()
        try await Self.with(handler: { _ in begun.fire() }) { origin, transport in
            let port = origin.port
            let request = Task { try await transport.send(.get(port: port), body: .empty) }
            await begun.wait()
            request.cancel()
            let error = await #expect(throws: TransportError.self) { try await request.value }
            #expect(error?.code == .cancelled)
            await origin.resets.wait(for: 1)
        }
    }

    @Test func connectionThatSaysNothingIsNotUsedAnyMore() async throws {
        try await Self.with(
            { $0.responseTimeout = .milliseconds(300) },
            handler: { stream in
                if stream.path == "/2" { stream.respond("ok") }
            }
        ) { origin, transport in
            let error = try await #require(throws: TransportError.self) { try await transport.send(.get("/1", port: origin.port), body: .empty) }
            #expect(error.code == .timedOut && error.stage == .awaitingResponse)
            #expect(error.message == "The origin at 127.0.0.1 port \(origin.port) did not answer in 0.3 seconds.")
            await origin.closedConnections.wait(for: 1)
            _ = try? await transport.text(.get("/2", port: origin.port))
            #expect(origin.connections.value == 2)
        }
    }

    @Test func originMayAnswerBeforeItHasAllOfTheRequest() async throws {
        try await Self.with(answersAtHead: true, handler: { $0.respond("no") }) { origin, transport in
            let body = HTTPBody(
                Parts {
                    {
                        await waitForCancellation()
                        return nil
                    }
                },
                length: nil
            )
            let text = try await transport.send(.post(port: origin.port), body: body).text()
            #expect(text == "no")
            await origin.resets.wait(for: 1)
        }
    }

    @Test func contentAtHandThatNobodyWantsIsGivenUp() async throws {
        let settings = [HTTP2Setting(parameter: .initialWindowSize, value: 0)]
        try await Self.with(settings: settings, answersAtHead: true, { $0.maximumConnectionCountPerHost = 1 }) {
            $0.respond("no")
        } body: { origin, transport in
            for round in 1...3 {
                let text = try await transport.send(.post(port: origin.port), body: HTTPBody(String(repeating: "x", count: 100_000))).text()
                #expect(text == "no")
                await origin.resets.wait(for: round)
            }
            #expect(origin.connections.value == 1)
        }
    }

    /// An origin that does all allowed things, and some that are not allowed, at random: every response is right
    /// or an error, and nothing hangs.
    @Test(arguments: 0..<3)
    func noResponseIsWrongWhateverTheOriginDoes(_ round: Int) async throws {
        let seed = UInt64.random(in: .min ... .max)
        let random = Mutex(SeededGenerator(seed: seed))
        try await Self.with({ $0.maximumConnectionCountPerHost = 3 }) { stream in
            if stream.path == "/last" { return stream.respond("last") }
            switch random.withLock({ Int.random(in: 0..<12, using: &$0) }) {
            case 0: stream.reset(.refusedStream)
            case 1: stream.reset(.internalError)
            case 2: stream.goAway(lastStreamID: max(0, stream.id - 4))
            case 3:
                stream.head(200, [("content-length", "\(stream.path.utf8.count + 1)")])
                stream.data(stream.path, ends: true)
            case 4: stream.head(200, [("connection", "close")], ends: true)
            case 5:
                stream.head(103)
                stream.head(200)
                stream.data(stream.path)
                stream.trailers([("a", "b")])
            case 6 where random.withLock({ Int.random(in: 0..<4, using: &$0) }) == 0: stream.closeConnection()
            default: stream.respond(stream.path)
            }
        } body: { origin, transport in
            let port = origin.port
            await withTaskGroup { group in
                for number in 0..<300 {
                    group.addTask {
                        // An origin that ends its connections before anything has been read of them fails all requests.
                        guard let text = try? await transport.text(.get("/\(number)", port: port)) else { return }
                        #expect(text == "/\(number)", "seed \(seed)")
                    }
                }
            }
            let last = try await transport.send(.get("/last", port: port), body: .empty, to: nil, onNewConnection: true, onInterimResponse: nil)
            #expect(try await last.text() == "last", "seed \(seed)")
        }
    }

    @Test func noMoreStreamsAreOpenThanTheOriginAllows() async throws {
        let streams = Mutex<[HTTP2Origin.Stream]>([])
        let begun = Counter()
        let settings = [HTTP2Setting(parameter: .maxConcurrentStreams, value: 2)]
        try await Self.with(
            settings: settings,
            { $0.maximumConnectionCountPerHost = 2 },
            handler: { stream in
                streams.withLock { $0.append(stream) }
                begun.add()
            }
        ) { origin, transport in
            let port = origin.port
            let requests = (1...6).map { number in Task { try await transport.text(.get("/\(number)", port: port)) } }
            for round in 1...6 {
                await begun.wait(for: min(6, 3 + round))
                #expect(origin.connections.value <= 2)
                if let stream = streams.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { stream.respond(stream.path) }
            }
            var texts: Set<String> = []
            for request in requests { texts.insert(try await request.value) }
            #expect(texts == Set((1...6).map { "/\($0)" }))
        }
    }

    @Test func connectionThatIsNotUsedIsClosed() async throws {
        try await Self.with({ $0.idleTimeout = .milliseconds(20) }, handler: { $0.respond("ok") }) { origin, transport in
            _ = try await transport.text(.get(port: origin.port))
            await origin.closedConnections.wait(for: 1)
        }
    }

    @Test func shutdownEndsExchangesInProgress() async throws {
        let begun = Signal()
        try await Self.with(handler: { _ in begun.fire() }) { origin, transport in
            let port = origin.port
            let waiting = Task { try await transport.send(.get(port: port), body: .empty) }
            await begun.wait()
            await transport.shutdown()
            await #expect(throws: TransportError.self) { try await waiting.value }
            await origin.closedConnections.wait(for: 1)
        }
    }

    @Test func bodyOutlivesItsTransport() async throws {
        let stream = Mutex<HTTP2Origin.Stream?>(nil)
        try await withHTTP2Origin(handler: { new in
            stream.withLock { $0 = new }
            new.head()
        }) { origin in
            var configuration = NIOTransport.Configuration()
            configuration.version = .http2
            let response = try await NIOTransport(configuration: configuration).send(.get(port: origin.port), body: .empty)
            stream.withLock { $0 }?.data("ab", ends: true)
            #expect(try await response.text() == "ab")
            await origin.closedConnections.wait(for: 1)
        }
    }

    // MARK: Agreement

    @Test func originThatSpeaksOnlyTheOtherVersionIsToldAtOnce() async throws {
        let reply: @Sendable (String) -> RawOrigin.Reply = { _ in .send("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n") }
        try await withRawOrigin(reply: reply) { origin in
            try await withNIOTransport({ $0.version = .http2 }) { transport in
                let error = try await #require(throws: TransportError.self) { try await transport.send(.get(port: origin.port), body: .empty) }
                #expect(error.code == .invalidResponse)
                #expect(error.message == "The origin at 127.0.0.1 port \(origin.port) does not speak HTTP/2, which it has to.")
                #expect(error.progress == .notProcessed)
            }
        }
    }
}
