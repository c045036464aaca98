// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hoard
import HoardHTTP
import HoardNIOTestSupport
import HoardTesting
import Logging
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOPosix
import Synchronization
import Testing

@testable import HoardNIO
@testable import HoardProxy

/// The answers by bytes beside those to the same requests, parsed: they have to be the same, byte by byte.
@Suite struct ImmediateDifferentialTests {
    private static let fieldSets: [HTTPFields] = [
        [.cacheControl: "max-age=60", .contentType: "text/plain", .eTag: "\"1\"", .contentLength: "5"],
        [.cacheControl: "max-age=60"],
        [.cacheControl: "max-age=1, stale-while-revalidate=5"],
        [.cacheControl: "max-age=60, no-cache"],
        [.cacheControl: "max-age=60", .age: "7"],
        [.cacheControl: "max-age=60", .vary: "Accept-Encoding"],
        [.cacheControl: "s-maxage=60, max-age=0", .lastModified: "Tue, 14 Nov 2023 00:00:00 GMT"],
        [.cacheControl: "max-age=60", .server: "é"],
        [.cacheControl: "max-age=60", .contentLength: "005"],
        [.cacheControl: "max-age=99999999999"],
        [.cacheControl: "public, max-age=60", .setCookie: "a=b", .cacheStatus: "other; hit"],
        [.cacheControl: "no-store"],
    ]

    @Test func bytesAndParsedRequestsGetTheSameAnswers() async throws {
        let seed = UInt64.random(in: 0..<1_000_000)
        var generator = SeededGenerator(seed: seed)
        let clock = ManualTicker()
        let statuses: [HTTPResponse.Status] = [.ok, .ok, .ok, .notFound, .movedPermanently, .init(code: 200, reasonPhrase: "Fine"), .init(code: 299)]
        var answered = 0
        var answeredWithRules = 0
        for number in 0..<120 {
            let fields = HostileHeads.pick(Self.fieldSets, &generator)
            let status = HostileHeads.pick(statuses, &generator)
            let hasDate = !HostileHeads.chance(4, &generator)
            let content = HostileHeads.pick(["hello", "hello", "", String(repeating: "x", count: 20_000)], &generator)
            let transport = FakeTransport { _ in
                var head = HTTPResponse(status: status, headerFields: fields)
                if let length = fields[.contentLength] {
                    head.headerFields[.contentLength] = length.count == 3 ? "00\(content.utf8.count)" : "\(content.utf8.count)"
                }
                if hasDate { head.headerFields[.date] = HTTPDate(clock.now()).description }
                return .response(head, body: HTTPBody(content))
            }
            let rules = number.isMultiple(of: 2) ? CachingProxy.Configuration.Rules() : .random(&generator)
            let proxy = try TestProxy(clock: clock, rules: rules, isSecure: HostileHeads.chance(2, &generator))
            for target in ["/a", "/b?c=d", "/", "//a", "/a?b?c", "/a|b", "/%2F", "/b"] {
                var request = HTTPRequest(method: .get, scheme: "http", authority: "origin.example", path: "/base" + target)
                request.headerFields[.acceptEncoding] = "gzip"
                _ = try? await proxy.cache.respond(to: request, through: transport).body.collect(upTo: 1 << 20)
            }
            await proxy.cache.flush()
            for round in 0..<40 {
                clock.advance(by: .milliseconds(Int.random(in: 0...400, using: &generator)))
                var bytes = HostileHeads.next(using: &generator)
                if HostileHeads.chance(4, &generator) { bytes += HostileHeads.next(using: &generator) }
                let hitsBefore = proxy.cache.statistics.hits
                let byBytes = try proxy.answer(to: bytes, byBytes: true)
                let hitsByBytes = proxy.cache.statistics.hits - hitsBefore
                let parsed = try proxy.answer(to: bytes, byBytes: false)
                #expect(
                    byBytes.sent == parsed.sent,
                    "seed \(seed), round \(round), \(rules): \(String(decoding: bytes, as: UTF8.self).debugDescription)"
                )
                #expect(
                    byBytes.passedOn == parsed.passedOn,
                    "seed \(seed), round \(round): \(String(decoding: bytes, as: UTF8.self).debugDescription)"
                )
                #expect(proxy.cache.statistics.hits - hitsBefore == 2 * hitsByBytes, "seed \(seed), round \(round)")
                if rules == .init() { answered += proxy.answeredByBytes } else { answeredWithRules += proxy.answeredByBytes }
            }
        }
        #expect(answered > 20 && answeredWithRules > 0, "seed \(seed)")
    }

    @Test func queriesAreAnsweredByBytesAsTheirContentSays() async throws {
        let clock = ManualTicker()
        let transport = FakeTransport { request in
            .text("to \(String(buffer: request.body))", fields: [.cacheControl: "max-age=60", .date: HTTPDate(clock.now()).description])
        }
        let proxy = try TestProxy(clock: clock)
        func bytes(_ content: String, type: String = "application/json", _ fields: String = "") -> String {
            "QUERY /a HTTP/1.1\r\nHost: a\r\nContent-Type: \(type)\r\n\(fields)Content-Length: \(content.utf8.count)\r\n\r\n\(content)"
        }
        /// The contents of the answers that are given by bytes.
        func answers(_ text: String) throws -> [String] {
            let sent = try proxy.answer(to: Array(text.utf8), byBytes: true).sent
            let answers = sent.split(separator: "\r\n\r\n").dropFirst().map { String($0.prefix { !$0.isNewline }) }
            return answers.prefix(proxy.answeredByBytes).map { answer in
                answer.firstRange(of: "HTTP/1.1").map { String(answer[..<$0.lowerBound]) } ?? answer
            }
        }
        #expect(try answers(bytes(#"{"a":1}"#)) == [])
        for content in [#"{"a":1}"#, #"{"a":2}"#] {
            var request = HTTPRequest(method: .query, scheme: "http", authority: "origin.example", path: "/base/a")
            request.headerFields[.contentType] = "application/json"
            _ = try await proxy.cache.respond(to: request, body: HTTPBody(content), through: transport).body.collect(upTo: 100)
        }
        #expect(try answers(bytes(#"{"a":1}"#)) == [#"to {"a":1}"#])
        #expect(try answers(bytes(" { \"a\" : 2 } ")) == [#"to {"a":2}"#])
        #expect(try answers(bytes(#"{"a":1}"#, type: "APPLICATION/JSON")) == [#"to {"a":1}"#])
        #expect(try answers(bytes(#"{"a":2}"#) + bytes(#"{"a":1}"#)) == [#"to {"a":2}"#, #"to {"a":1}"#])
        #expect(proxy.cache.statistics.hits == 5)
        for other in [
            bytes(#"{"a":3}"#), bytes(#"{"a":1}"#, type: "text/plain"), bytes(#"{"a":1}"#, type: "application/json; charset=latin1"),
            bytes(#"{"a":1}"#, "Content-Language: de\r\n"), bytes(#"{"a":1}"#, "Cache-Control: no-cache\r\n"),
            bytes(#"{"a":1}"#, "Authorization: x\r\n"),
        ] {
            #expect(try answers(other) == [])
        }
        clock.advance(by: .seconds(60))
        #expect(try answers(bytes(#"{"a":1}"#)) == [])
    }

    @Test func whatIsMarkedStaleOrRemovedIsNotAnsweredByBytes() async throws {
        let clock = ManualTicker()
        let transport = FakeTransport { _ in
            .text("hello", fields: [.cacheControl: "max-age=60", .date: HTTPDate(clock.now()).description, .cacheTag: "t"])
        }
        let proxy = try TestProxy(clock: clock)
        let request = HTTPRequest(method: .get, scheme: "http", authority: "origin.example", path: "/base/a")
        let head = Array("GET /a HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
        func isAnswered() throws -> Bool {
            _ = try proxy.answer(to: head, byBytes: true)
            return proxy.answeredByBytes == 1
        }
        func fill() async throws { _ = try await proxy.cache.respond(to: request, through: transport).body.collect(upTo: 100) }
        #expect(try !isAnswered())
        try await fill()
        #expect(try isAnswered())
        _ = await proxy.cache.markStale("http://origin.example/base/a")
        #expect(try !isAnswered())
        try await fill()
        #expect(try isAnswered())
        _ = await proxy.cache.remove("http://origin.example/base/a")
        #expect(try !isAnswered())
        try await fill()
        await proxy.cache.remove(taggedWith: "t")
        #expect(try !isAnswered())
        try await fill()
        clock.advance(by: .seconds(59))
        #expect(try isAnswered())
        clock.advance(by: .seconds(1))
        #expect(try !isAnswered())
    }
}

/// The pipeline of a proxy's connections without sockets and tasks, in two forms over one cache.
private final class TestProxy {
    let cache: HTTPCache
    private let responder: ImmediateProxyResponder
    private let clock: ManualTicker
    private let isSecure: Bool
    private var counter = Counter()

    init(clock: ManualTicker, rules: CachingProxy.Configuration.Rules = .init(), isSecure: Bool = false) throws {
        self.isSecure = isSecure
        var cacheConfiguration = HTTPCache.Configuration()
        cacheConfiguration.mode = .shared
        cache = HTTPCache(configuration: cacheConfiguration, clock: clock, ticker: clock)
        let origin = try Origin("http://origin.example/base")
        let upstream = CachingProxy.Configuration.Upstream(name: "origin", servers: [origin])
        let group = try OriginGroup(upstream, group: MultiThreadedEventLoopGroup.singleton, logger: Logger(label: "test"))
        var configuration = CachingProxy.Configuration.Route(upstream: "origin")
        configuration.rules = rules
        let route = ProxyRoute(configuration, origin: origin, group: group, rules: try RouteRules(rules))
        let handler = ProxyHandler(routes: CurrentRoutes(RouteTable([route])), name: "hoard", cache: cache, logger: Logger(label: "test"))
        responder = ImmediateProxyResponder(handler)
        self.clock = clock
    }

    /// The answers by bytes to the last requests.
    var answeredByBytes: Int { counter.value }

    /// The bytes that are sent to a client, and the paths of requests that are left to the handler.
    func answer(to bytes: [UInt8], byBytes: Bool) throws -> (sent: String, passedOn: [String]) {
        if byBytes { counter = Counter() }
        let immediate = OnlyParsed(base: responder, counter: byBytes ? counter : nil)
        let server = Responder(handler: { _ in HTTPServerResponse(head: .init(status: .ok)) }, clock: clock, immediate: immediate)
        let handler = ConnectionHandler(configuration: .init(), info: ConnectionInfo(remoteAddress: "192.0.2.1", isSecure: isSecure), clock: clock)
        let channel = EmbeddedChannel()
        var encoding = HTTPResponseEncoder.Configuration()
        encoding.automaticallySetFramingHeaders = false
        let sink = ExchangeSink()
        try channel.pipeline.syncOperations.addHandlers(
            FrontHandler(handler, responder: server),
            HTTPResponseEncoder(configuration: encoding),
            ByteToMessageHandler(HTTPRequestDecoder()),
            handler,
            ImmediateExchangeHandler(server),
            sink
        )
        try channel.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 80)).wait()
        channel.pipeline.fireChannelRead(ByteBuffer(bytes: bytes))
        channel.pipeline.fireChannelReadComplete()
        channel.embeddedEventLoop.run()
        var sent = ""
        while let data = try channel.readOutbound(as: ByteBuffer.self) { sent += String(buffer: data) }
        _ = try? channel.finish(acceptAlreadyClosed: true)
        return (sent, sink.paths)
    }
}

/// Answers by bytes only if there is a counter for that.
private struct OnlyParsed: ImmediateResponder {
    let base: ImmediateProxyResponder
    let counter: Counter?

    func answer(_ request: ScannedRequest, into output: inout ImmediateOutput) -> ImmediateAnswer? {
        guard let counter, let answer = base.answer(request, into: &output) else { return nil }
        counter.add()
        return answer
    }

    func begin(_ request: HTTPServerRequest) -> ImmediateBeginning { base.begin(request) }
}

private final class ExchangeSink: ChannelInboundHandler {
    typealias InboundIn = Exchange
    var paths: [String] = []
    func channelRead(context: ChannelHandlerContext, data: NIOAny) { paths.append(Self.unwrapInboundIn(data).request.head.path ?? "") }
}
