// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import HoardHTTP
import HoardNIO
import HoardNIOTestSupport
import HoardTesting
import HoardTransports
import Logging
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import HoardProxy

/// Clients that leave while the origin works on their request, and clients that only have nothing more to send.
@Suite(.timeLimit(.minutes(5)))
struct LeavingClientTests {
    enum Leaving: CaseIterable {
        case closingTheConnection
        case resettingTheStream
        case closingTheConnectionOfTheStream
    }

    /// More of them leave than an origin may fail.
    @Test(arguments: Leaving.allCases)
    func clientThatLeavesDuringAMissIsLoggedAndNoFailureOfTheOrigin(_ leaving: Leaving) async throws {
        let asked = Counter()
        let origin: HTTPServer.Handler = { request in
            if request.head.path?.hasPrefix("/held") == true {
                asked.increment()
                await waitForCancellation()
            }
            return .text("ok", .ok, [.cacheControl: "max-age=600"])
        }
        try await Self.with(origin) { site in
            #expect(try await site.probe.send(.get, "/before").status == 200)
            let kept = try Self.transportOfHTTP2()
            for number in 1...5 {
                let path = "/held/\(number)"
                switch leaving {
                case .closingTheConnection:
                    let socket = try await RawSocket.connect(port: site.port)
                    try await socket.send("GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n")
                    try await waitUntil { asked.value == number }
                    try await socket.reset()
                case .resettingTheStream:
                    let request = Task { try await kept.send(site.request(path)) }
                    try await waitUntil { asked.value == number }
                    request.cancel()
                    await #expect(throws: TransportError.self) { try await request.value }
                case .closingTheConnectionOfTheStream:
                    let transport = try Self.transportOfHTTP2()
                    let request = Task { try await transport.send(site.request(path)) }
                    try await waitUntil { asked.value == number }
                    await transport.shutdown()
                    await #expect(throws: TransportError.self) { try await request.value }
                }
                try await waitUntil { site.proxy.cache.statistics.abandoned == number && site.server?.inProgress == 0 }
            }
            let lines = try await site.lines(of: "/held/", count: 5)
            #expect(lines.map(\.target) == (1...5).map { "/held/\($0)" })
            for line in lines {
                #expect(line.status == 499 && line.cache == "abandoned" && line.bytes == 0 && !line.complete)
                #expect(line.version == (leaving == .closingTheConnection ? "1.1" : "2.0"))
            }
            #expect(site.server?.failures == 0)
            #expect(site.server?.state == .healthy)
            #expect(site.proxy.cache.statistics.failures == 0)
            // A client that stays is served as before, on the same connection too.
            if leaving == .resettingTheStream {
                let connectionCount = site.proxy.server.acceptedConnectionCount
                #expect(try await kept.send(site.request("/after")).head.status == .ok)
                #expect(site.proxy.server.acceptedConnectionCount == connectionCount)
            }
            #expect(try await site.probe.send(.get, "/after").status == 200)
            await kept.shutdown()
        }
    }

    /// Closing the sending half is no leaving: [RFC 9293 §3.6](https://www.rfc-editor.org/rfc/rfc9293#section-3.6).
    @Test(arguments: [false, true])
    func clientThatHasNothingMoreToSayGetsTheAnswerToItsMiss(_ waitsForTheOrigin: Bool) async throws {
        let gate = Gate()
        let origin: HTTPServer.Handler = { request in
            if request.head.path == "/slow" { await gate.pass() }
            return .text("answer", .ok, [.cacheControl: "max-age=600"])
        }
        try await Self.with(origin) { site in
            // However this ends, the origin must not wait for ever.
            defer { gate.open() }
            let socket = try await RawSocket.connect(port: site.port)
            try await socket.send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n")
            if waitsForTheOrigin { try await waitUntil { gate.arrivalCount == 1 } }
            try await socket.closeOutput()
            try await waitUntil { gate.arrivalCount == 1 }
            // The proxy has one thread: when it has answered this, it has seen all that came before.
            #expect(try await site.probe.send(.get, "/other").status == 200)
            gate.open()
            let answer = try await socket.receiveUntilClosed()
            #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n") && answer.hasSuffix("\r\n\r\nanswer"), "\(answer)")
            let line = try #require(try await site.lines(of: "/slow", count: 1).first)
            #expect(line.status == 200 && line.cache == "miss" && line.complete)
        }
    }

    // MARK: The proxy

    /// A line of the access log.
    struct Line: Decodable {
        let target: String
        let version: String
        let status: Int
        let bytes: Int
        let complete: Bool
        let cache: String?
    }

    private struct Site {
        let proxy: CachingProxy
        let probe: ProxyProbe
        let directory: LogDirectory

        var port: Int { proxy.server.port }

        /// The proxy's knowledge of the origin.
        var server: OriginState? { proxy.state.value.withLock { $0.upstreams }.groups.first?.states().first }

        func request(_ path: String) -> HTTPRequest {
            HTTPRequest(method: .get, scheme: "http", authority: "127.0.0.1:\(port)", path: path)
        }

        /// The log lines of requests whose path begins with `path`, once there are so many.
        func lines(of path: String, count: Int) async throws -> [Line] {
            var lines: [Line] = []
            try await waitUntil {
                // The last line may not have been written to its end.
                lines = try directory.lines().compactMap { try? JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
                lines.removeAll { !$0.target.hasPrefix(path) }
                return lines.count >= count
            }
            return lines
        }
    }

    /// Runs a proxy with one thread and an access log before an origin. Nothing in it gives up, for on a busy machine everything takes long.
    private static func with(_ handler: @escaping HTTPServer.Handler, body: (Site) async throws -> Void) async throws {
        let directory = try LogDirectory()
        try await withServer(handler: handler) { origin in
            var upstream = CachingProxy.Configuration.Upstream(name: "origin", servers: [try Origin("http://127.0.0.1:\(origin.port)")])
            (upstream.connectTimeout, upstream.responseTimeout, upstream.idleTimeout) = (.seconds(600), .seconds(600), .seconds(600))
            var configuration = CachingProxy.Configuration(upstreams: [upstream])
            configuration.listeners = [.init(.tcp(host: "127.0.0.1", port: 0))]
            configuration.eventLoopCount = 1
            (configuration.limits.headTimeout, configuration.limits.idleTimeout) = (.seconds(600), .seconds(600))
            configuration.accessLog = .init(path: directory.log)
            configuration.accessLog?.format = .json
            let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            let proxy = try await CachingProxy.start(configuration: configuration, stores: [], logger: logger)
            let site = Site(proxy: proxy, probe: ProxyProbe(proxy.urls.first ?? ""), directory: directory)
            let result: Result<Void, any Error>
            do { result = .success(try await body(site)) } catch { result = .failure(error) }
            await site.probe.stop()
            await proxy.shutdown(gracePeriod: .zero)
            try result.get()
        }
    }

    private static func transportOfHTTP2() throws -> NIOTransport {
        var configuration = NIOTransport.Configuration()
        (configuration.connectTimeout, configuration.readTimeout, configuration.idleTimeout) = (.seconds(600), .seconds(600), .seconds(600))
        configuration.version = .http2
        return try NIOTransport(configuration: configuration)
    }
}

/// A connection that is used byte by byte.
private final class RawSocket: Sendable {
    private let channel: any Channel
    private let received: EventLoopFuture<String>

    private init(_ channel: any Channel, _ received: EventLoopFuture<String>) {
        (self.channel, self.received) = (channel, received)
    }

    static func connect(port: Int) async throws -> RawSocket {
        let eventLoop = MultiThreadedEventLoopGroup.singleton.any()
        let received = eventLoop.makePromise(of: String.self)
        let bootstrap = ClientBootstrap(group: eventLoop)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Collector(received)) }
            }
        do {
            return RawSocket(try await bootstrap.connect(host: "127.0.0.1", port: port).get(), received.futureResult)
        } catch {
            received.fail(error)
            throw error
        }
    }

    deinit {
        channel.close(promise: nil)
    }

    func send(_ text: String) async throws { try await channel.writeAndFlush(ByteBuffer(string: text)).get() }

    /// Says that nothing more will be sent.
    func closeOutput() async throws { try await channel.close(mode: .output).get() }

    /// Leaves, so that the other side hears of it even if it sends nothing.
    func reset() async throws {
        try await (channel as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
        try await channel.close().get()
    }

    /// All that comes until the other side closes its half.
    func receiveUntilClosed() async throws -> String { try await received.get() }
}

private final class Collector: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private var bytes = ByteBuffer()
    private var received: EventLoopPromise<String>?

    init(_ received: EventLoopPromise<String>) {
        self.received = received
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        bytes.writeImmutableBuffer(Self.unwrapInboundIn(data))
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .inputClosed? = event as? ChannelEvent { finish() }
    }

    func channelInactive(context: ChannelHandlerContext) {
        finish()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        received.take()?.fail(error)
        context.close(promise: nil)
    }

    private func finish() {
        received.take()?.succeed(String(buffer: bytes))
    }
}
