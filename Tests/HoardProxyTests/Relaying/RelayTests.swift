// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hoard
import HoardNIO
import HoardNIOTestSupport
import HoardTesting
import Logging
import NIOCore
import Synchronization
import Testing

@testable import HoardHTTP
@testable import HoardProxy

/// Plain misses that go through the proxy by their bytes.
@Suite(.timeLimit(.minutes(3))) struct RelayTests {
    typealias Step = ScriptedServer.Step

    /// A proxy with one event loop before a server that follows a script. A first request has left a connection to it.
    struct Site {
        let proxy: CachingProxy
        let server: ScriptedServer
        let log: HeadLog
        let port: Int

        /// How many responses have gone back as they came.
        var relayedCount: Int { proxy.cache.passedOnMisses.load(ordering: .relaxed) }

        /// The fields of the request for a target as the server has got them.
        func received(_ target: String) -> [String] {
            let head = log.all.first { $0.hasPrefix("GET \(target) HTTP/1.1\r\n") } ?? ""
            return head.split(separator: "\r\n").dropFirst().map(String.init)
        }

        /// The fields of all requests for a target.
        func allReceived(_ target: String) -> [String] {
            log.all.filter { $0.hasPrefix("GET \(target) HTTP/1.1\r\n") }.flatMap { $0.split(separator: "\r\n").dropFirst().map(String.init) }
        }

        func client() async throws -> RawClient { try await RawClient.connect(port: port) }
    }

    static let text = "HTTP/1.1 200 OK\r\nDate: Tue, 14 Nov 2023 00:00:00 GMT\r\nCache-Control: no-store\r\nContent-Length: 5\r\n\r\nhello"
    static let storedText =
        "HTTP/1.1 200 OK\r\nDate: Tue, 14 Nov 2023 00:00:00 GMT\r\nCache-Control: max-age=2147483647\r\nContent-Length: 5\r\n\r\nhello"

    /// - Parameter script: The steps of the server for a target.
    static func withSite(
        _ script: @escaping @Sendable (_ target: String) -> [Step],
        configure: (inout CachingProxy.Configuration) -> Void = { _ in },
        _ body: (Site) async throws -> Void
    ) async throws {
        let log = HeadLog()
        let proxyPort = Mutex(0)
        let server = try await ScriptedServer.start(untilRead: { await untilRead(by: proxyPort.withLock { $0 }) }) { head in
            log.append(head)
            let target = String(head.split(separator: " ").dropFirst().first ?? "")
            return target == "/first" ? [.send(text)] : script(target)
        }
        var configuration = CachingProxy.Configuration(
            upstreams: [.init(name: "origin", servers: [try Origin("http://127.0.0.1:\(server.port)")])]
        )
        configuration.listeners = [.init(.tcp(host: "127.0.0.1", port: 0))]
        configuration.eventLoopCount = 1
        configure(&configuration)
        let proxy = try await CachingProxy.start(
            configuration: configuration,
            stores: [],
            clock: ManualTicker(),
            ticker: MonotonicTicker(),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        )
        let port = proxy.server.port
        proxyPort.withLock { $0 = port }
        let result: Result<Void, any Error>
        do {
            let first = try await RawClient.connect(port: port)
            try await first.send("GET /first HTTP/1.1\r\nHost: a\r\n\r\n")
            _ = try await first.receiveResponse()
            result = .success(try await body(Site(proxy: proxy, server: server, log: log, port: port)))
        } catch {
            result = .failure(error)
        }
        await proxy.shutdown(gracePeriod: .zero)
        try result.get()
    }

    /// Returns when the proxy has read all that had been sent to it before the call.
    ///
    /// Its one event loop takes all sockets that have something to read at once: when it answers a request
    /// that was sent later, it has seen the earlier bytes, and when it answers another, it has read them.
    private static func untilRead(by port: Int) async {
        for _ in 0..<2 {
            guard let client = try? await RawClient.connect(port: port) else { return }
            try? await client.send("no request\r\n\r\n")
            _ = try? await client.receiveUntilClosed()
        }
    }

    @Test func responseThatForbidsStoringGoesBackAsItCame() async throws {
        try await Self.withSite({ _ in [.send(Self.text)] }) { site in
            let client = try await site.client()
            for number in 1...3 {
                try await client.send("GET /\(number) HTTP/1.1\r\nHost: a\r\nAccept: text/plain\r\nConnection: keep-alive\r\n\r\n")
                let response = try await client.receiveResponse()
                #expect(response.status == 200 && response.content == "hello")
                #expect(response["cache-status"] == "hoard; fwd=uri-miss; fwd-status=200; detail=NO-STORE")
                #expect(response["via"] == "1.1 hoard" && response["connection"] == nil)
            }
            #expect(site.relayedCount == 3)
            let port = site.server.port
            #expect(
                site.received("/2") == [
                    "Host: 127.0.0.1:\(port)", "Accept: text/plain", "X-Forwarded-Proto: http", "Via: 1.1 hoard",
                    "Forwarded: for=127.0.0.1;proto=http",
                    "X-Forwarded-For: 127.0.0.1",
                ]
            )
            let statistics = site.proxy.cache.statistics
            #expect(statistics.misses == 4 && statistics.originRequests == 4 && statistics.storedResponses == 0)
        }
    }

    @Test func requestsThatAreSentAheadAreAnsweredInTheirOrder() async throws {
        try await Self.withSite({ target in
            switch target {
            case "/stored": [.send(Self.storedText)]
            case "/parts": [.send(String(Self.text.dropLast(2))), .waitUntilRead, .send("lo")]
            default: [.send(Self.text.replacing("hello", with: target.suffix(5)))]
            }
        }) { site in
            let targets = ["/11111", "/stored", "/22222", "/parts", "/33333", "/stored", "/44444", "/first", "/55555"]
            let client = try await site.client()
            try await client.send(targets.map { "GET \($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined())
            var contents: [String] = []
            for _ in targets { contents.append(try await client.receiveResponse().content) }
            #expect(contents == ["11111", "hello", "22222", "hello", "33333", "hello", "44444", "hello", "55555"])
            #expect(site.relayedCount >= 1)
        }
    }

    @Test func whatMayBeStoredIsStoredAndSharedThoughItWasSentByItsBytes() async throws {
        let gate = Signal()
        try await Self.withSite({ _ in [.wait(gate), .send(Self.storedText)] }) { site in
            let clients = [try await site.client(), try await site.client(), try await site.client()]
            for client in clients { try await client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n") }
            let cache = site.proxy.cache
            let key = FlightKey(key: HTTPCacheKey(scope: cache.baseScope, targetURI: "http://127.0.0.1:\(site.server.port)/a"))
            try await waitUntil { cache.flights.exchange(key) != nil }
            await cache.flights.exchange(key)?.followers(2)
            gate.fire()
            for client in clients { #expect(try await client.receiveResponse().content == "hello") }
            let statistics = site.proxy.cache.statistics
            #expect(statistics.originRequests == 2 && statistics.collapsedHits == 2 && statistics.storedResponses == 1)
            #expect(site.relayedCount == 1)
            try await clients[0].send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try await clients[0].receiveResponse()["cache-status"]?.contains("hit") == true)
        }
    }

    @Test func whatIsStoredAsItCameIsServedAsItCame() async throws {
        let text = Self.storedText.replacing("Date", with: "X-Odd:  \tb\r\nDATE")
        for (text, isRelayed) in [(Self.storedText, true), (Self.storedText.replacing("Date: ", with: "Server: x\r\ndaTe: "), true), (text, false)] {
            try await Self.withSite({ _ in [.send(text)] }) { site in
                let client = try await site.client()
                var answers: [RawResponse] = []
                for _ in 0..<2 {
                    try await client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n")
                    answers.append(try await client.receiveResponse())
                }
                #expect(site.relayedCount == (isRelayed ? 1 : 0))
                #expect(answers[0]["cache-status"]?.hasPrefix("hoard; fwd=uri-miss; fwd-status=200; ttl=") == true)
                #expect(answers[0]["cache-status"]?.hasSuffix("; stored") == true && answers[0]["via"] == "1.1 hoard" && answers[0]["age"] == nil)
                #expect(answers[1]["cache-status"]?.contains("; hit; ttl=") == true && answers[1]["age"] != nil)
                let added: Set<String> = ["age", "via", "cache-status"]
                let fields = answers.map { answer in answer.fields.filter { !added.contains($0.name.lowercased()) }.map { "\($0.name): \($0.value)" }
                }
                #expect(fields[0] == fields[1] && answers.allSatisfy { $0.content == "hello" })
                let statistics = site.proxy.cache.statistics
                #expect(statistics.misses == 2 && statistics.hits == 1 && statistics.storedResponses == 1 && statistics.storableBytes == 5)
            }
        }
    }

    /// A field for this kind of cache alone hides `Cache-Control`, whatever its name is: RFC 9213 §2.2.
    @Test func fieldForThisCacheAloneCountsWhateverItIsCalled() async throws {
        let text = Self.text.replacing("Date", with: "X-Lifetime: max-age=2147483647\r\nDate")
        try await Self.withSite({ _ in [.send(text)] }, configure: { $0.cache.targets = ["X-Lifetime"] }) { site in
            let client = try await site.client()
            for status in ["stored", "; hit;"] {
                try await client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n")
                #expect(try await client.receiveResponse()["cache-status"]?.contains(status) == true)
            }
        }
    }

    @Test func whatWasRemovedWhileItWasUnderWayIsNotStored() async throws {
        let gate = Signal()
        try await Self.withSite({ _ in [.wait(gate), .send(Self.storedText)] }) { site in
            let clients = [try await site.client(), try await site.client(), try await site.client()]
            for client in clients { try await client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n") }
            let (cache, uri) = (site.proxy.cache, "http://127.0.0.1:\(site.server.port)/a")
            let key = FlightKey(key: HTTPCacheKey(scope: cache.baseScope, targetURI: uri))
            try await waitUntil { cache.flights.exchange(key) != nil }
            await cache.flights.exchange(key)?.followers(2)
            _ = await cache.remove(uri)
            gate.fire()
            // It still answers the clients that had asked before.
            for client in clients { #expect(try await client.receiveResponse().content == "hello") }
            #expect(cache.statistics.storedResponses == 0 && cache.statistics.collapsedHits == 2)
            #expect(site.log.all.filter { $0.hasPrefix("GET /a ") }.count == 1)
        }
    }

    @Test func connectionThatEndsBeforeTheResponseIsTriedAgain() async throws {
        let count = Counter()
        try await Self.withSite({ _ in
            count.add()
            return count.value == 1 ? [.close] : [.send(Self.text)]
        }) { site in
            let client = try await site.client()
            try await client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try await client.receiveResponse().content == "hello")
            #expect(count.value == 2)
        }
    }

    @Test(arguments: [
        // In parts, in an order of their own, without a length, without a date, with more than it says.
        [Step.send(String(text.dropLast(5))), .waitUntilRead, .send("hello")],
        [.send(String(text.prefix(20))), .waitUntilRead, .send(String(text.dropFirst(20)))],
        [.send(text.replacing("Content-Length: 5\r\n", with: "")), .close],
        [.send(text.replacing("Content-Length: 5\r\n", with: "Transfer-Encoding: chunked\r\n").replacing("hello", with: "5\r\nhello\r\n0\r\n\r\n"))],
        [.send(text.replacing("Date: Tue, 14 Nov 2023 00:00:00 GMT\r\n", with: ""))],
        [.send("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + text)],
        [.send(text.replacing("HTTP/1.1", with: "HTTP/1.0")), .close],
        [.send(text + "more")],
    ])
    func whatIsNotPlainIsAnsweredInTheOrdinaryWay(_ steps: [Step]) async throws {
        try await Self.withSite({ target in target == "/a" ? steps : [.send(Self.text)] }) { site in
            let client = try await site.client()
            try await client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n")
            var response = try await client.receiveResponse()
            while response.status < 200 { response = try await client.receiveResponse() }
            #expect(response.status == 200 && response.content == "hello")
            #expect(site.relayedCount == 0)
            try await client.send("GET /b HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try await client.receiveResponse().content == "hello")
        }
    }

    @Test(arguments: [1, 65_536, 200_000, 3_000_000])
    func responseOfAnyLengthArrivesWhole(_ count: Int) async throws {
        let content = String(repeating: "x", count: count)
        let text = Self.text.replacing("Length: 5\r\n\r\nhello", with: "Length: \(count)\r\n\r\n\(content)")
        try await Self.withSite({ target in target == "/a" ? [.send(text)] : [.send(Self.text)] }) { site in
            let client = try await site.client()
            for path in ["/a", "/b", "/a", "/c"] {
                try await client.send("GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n")
                #expect(try await client.receiveResponse().content == (path == "/a" ? content : "hello"))
            }
        }
    }

    @Test(arguments: [#"W/"a""#, nil])
    func staleResponseIsConfirmedWithoutATask(_ eTag: String?) async throws {
        let validator = eTag.map { "ETag: \($0)" } ?? "Last-Modified: Mon, 13 Nov 2023 00:00:00 GMT"
        let clock = Counter()
        try await Self.withSite({ _ in
            clock.add()
            let status = clock.value == 1 || clock.value == 4 ? "200 OK" : "304 Not Modified"
            let content = status.hasPrefix("2") ? "Content-Length: 5\r\n\r\nhello" : "Content-Length: 5\r\n\r\n"
            return [
                .send(
                    "HTTP/1.1 \(status)\r\nDate: Tue, 14 Nov 2023 00:00:00 GMT\r\nCache-Control: max-age=1\r\n\(validator)\r\nX: \(clock.value)\r\n\(content)"
                )
            ]
        }) { site in
            let client = try await site.client()
            for number in 1...5 {
                try await client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n")
                let response = try await client.receiveResponse()
                #expect(response.status == 200 && response.content == "hello" && response["x"] == "\(number)")
                let status = try #require(response["cache-status"])
                #expect(status.contains(number == 1 ? "fwd=uri-miss" : "fwd=stale"), "\(status)")
                #expect(status.contains("fwd-status=\(number == 1 || number == 4 ? 200 : 304)"), "\(status)")
            }
            let asked = site.log.all.filter { $0.hasPrefix("GET /a ") }
            let condition = eTag.map { "If-None-Match: \($0)\r\n" } ?? "If-Modified-Since: Mon, 13 Nov 2023 00:00:00 GMT\r\n"
            #expect(asked.count == 5 && asked.dropFirst().allSatisfy { $0.contains(condition) })
            let statistics = site.proxy.cache.statistics
            #expect(statistics.validatedHits == 3 && statistics.misses == 3 && statistics.storedResponses >= 2)
        }
    }

    /// A client may close its sending half when it has nothing more to send: RFC 9293 §3.6.
    /// Nothing that it has sent is lost.
    @Test(arguments: [
        Self.text, Self.storedText,
        Self.text.replacing("Content-Length: 5\r\n", with: "Transfer-Encoding: chunked\r\n").replacing("hello", with: "5\r\nhello\r\n0\r\n\r\n"),
    ])
    func clientThatSendsNoMoreIsAnswered(_ text: String) async throws {
        for count in 1...3 {
            let gate = Signal()
            try await Self.withSite({ _ in [.wait(gate), .send(text)] }) { site in
                let client = try await site.client()
                try await client.send((0..<count).map { "GET /\($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined())
                try await client.closeOutput()
                try await waitUntil { !site.received("/0").isEmpty }
                gate.fire()
                for _ in 0..<count { #expect(try await client.receiveResponse().content == "hello") }
                #expect(try await client.receiveUntilClosed() == "")
                let server = site.proxy.server
                try await waitUntil { server.connectionCount <= 1 }
            }
        }
    }

    @Test func responseThatBreaksOffIsNoResponse() async throws {
        try await Self.withSite({ _ in [.send(String(Self.text.prefix(40))), .close] }) { site in
            let client = try await site.client()
            try await client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try await client.receiveResponse().status == 502)
        }
    }

    @Test func silentOriginIsGivenUp() async throws {
        try await Self.withSite(
            { _ in [] },
            configure: { $0.upstreams[0].responseTimeout = .milliseconds(50) }
        ) { site in
            let client = try await site.client()
            try await client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try await client.receiveResponse().status == 504)
        }
    }

    @Test func serverThatEndsAnswersWhatHasBeenSentOn() async throws {
        let gate = Signal()
        try await Self.withSite({ _ in [.wait(gate), .send(Self.text)] }) { site in
            let client = try await site.client()
            try await client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n")
            try await waitUntil { !site.received("/a").isEmpty }
            let proxy = site.proxy
            let end = Task { await proxy.shutdown(gracePeriod: .seconds(60)) }
            try await waitUntil { await (try? RawClient.connect(port: site.port)) == nil }
            gate.fire()
            let response = try await client.receiveResponse()
            #expect(response.content == "hello")
            #expect(try await client.receiveUntilClosed() == "")
            await end.value
        }
    }
}

/// The heads of the requests that a server has got.
final class HeadLog: Sendable {
    private let heads = Mutex<[String]>([])

    var all: [String] { heads.withLock { $0 } }

    func append(_ head: String) { heads.withLock { $0.append(head) } }
}
