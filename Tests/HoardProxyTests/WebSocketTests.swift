// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Hoard
import HoardHTTP
import HoardNIO
import HoardNIOTestSupport
import HoardTesting
import Logging
import NIOCore
import NIOHPACK
import Synchronization
import Testing

@testable import HoardProxy

/// WebSockets through a proxy, from clients of HTTP/1.1 and HTTP/2 to an origin of HTTP/1.1.
@Suite(.timeLimit(.minutes(10)))
struct WebSocketTests {
    private static let key = "dGhlIHNhbXBsZSBub25jZQ=="

    private static func opening(_ path: String = "/chat", _ fields: String = "") -> String {
        "GET \(path) HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: \(key)\r\n\(fields)\r\n"
    }

    private static func streamOpening(_ path: String = "/chat") -> [(String, String)] {
        [(":protocol", "websocket")]
            + FrameClient.get(path, [("sec-websocket-version", "13"), ("sec-websocket-protocol", "chat")], method: "CONNECT")
    }

    /// Sends back the messages that come, and names the request in a field of its own.
    private static let echo: HTTPServer.Handler = { request in
        guard request.opensWebSocket else { return .text("plain", .ok, [.cacheControl: "max-age=60"]) }
        let fields = request.head.headerFields
        if request.head.path == "/refused" { return .text("not you", .forbidden, [.cacheControl: "max-age=60"]) }
        if request.head.path == "/ignored" { return .text("a page") }
        let accept = request.head.path == "/forged" ? "AAAA" : fields[.secWebSocketKey].map { WebSocketRequest.accept(for: $0) }
        var head = HTTPResponse(status: .switchingProtocols)
        head.headerFields[.secWebSocketAccept] = accept
        head.headerFields[.secWebSocketProtocol] = fields[.secWebSocketProtocol]
        head.headerFields[.server] = "\(request.head.method) \(fields[.via] ?? "") \(fields[.forwarded] ?? "")"
        return HTTPServerResponse(head: head, body: request.body)
    }

    private struct Site {
        let proxy: CachingProxy
        let origin: HTTPServer
        let directory: LogDirectory

        var port: Int { proxy.server.port }

        var group: OriginState? { proxy.state.value.withLock { $0.upstreams }.groups.first?.states().first }
    }

    private static func with(
        _ handler: @escaping HTTPServer.Handler = echo,
        change: (inout CachingProxy.Configuration) -> Void = { _ in },
        body: (Site) async throws -> Void
    ) async throws {
        let directory = try LogDirectory()
        var server = HTTPServer.Configuration()
        server.webSockets = .init()
        try await withServer(server, handler: handler) { origin in
            let upstream = CachingProxy.Configuration.Upstream(name: "origin", servers: [try Origin("http://127.0.0.1:\(origin.port)")])
            var configuration = CachingProxy.Configuration(upstreams: [upstream])
            configuration.listeners = [.init(.tcp(host: "127.0.0.1", port: 0))]
            configuration.eventLoopCount = 2
            configuration.accessLog = .init(path: directory.log)
            configuration.accessLog?.format = .json
            change(&configuration)
            let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            let proxy = try await CachingProxy.start(configuration: configuration, stores: [], logger: logger)
            let result: Result<Void, any Error>
            do { result = .success(try await body(Site(proxy: proxy, origin: origin, directory: directory))) } catch { result = .failure(error) }
            await proxy.shutdown(gracePeriod: .zero)
            try result.get()
        }
    }

    private static func expectEcho(_ client: RawClient, _ text: String) async throws {
        try await client.send(text)
        #expect(try await client.receive(byteCount: text.utf8.count) == text)
    }

    // MARK: Opening

    @Test func clientOfHTTP1TalksToTheOrigin() async throws {
        try await Self.with { site in
            let client = try await RawClient.connect(port: site.port)
            try await client.send(Self.opening("/chat", "Sec-WebSocket-Protocol: chat\r\n"))
            let head = RawResponse(head: try await client.receive(through: "\r\n\r\n"))
            #expect(head.status == 101 && head["connection"] == "Upgrade" && head["upgrade"] == "websocket")
            // The example of RFC 6455 §1.3.
            #expect(head["sec-websocket-accept"] == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=" && head["sec-websocket-protocol"] == "chat")
            #expect(head["via"] == "1.1 hoard" && head["cache-status"] == nil)
            #expect(head["server"]?.hasPrefix("GET 1.1 hoard for=127.0.0.1") == true, "\(head["server"] ?? "")")
            try await Self.expectEcho(client, "GET / HTTP/1.1\r\n\r\n")
            try await client.closeOutput()
            #expect(try await client.receiveUntilClosed() == "")
        }
    }

    @Test func clientOfHTTP2TalksToTheOriginWithoutKeys() async throws {
        try await Self.with { site in
            let client = try await FrameClient.connect(port: site.port)
            try await client.request(1, Self.streamOpening(), endsStream: false)
            let head = try await client.response(on: 1) { $0.status != nil }.head
            #expect(head.first(name: ":status") == "200" && head.first(name: "sec-websocket-protocol") == "chat")
            #expect(!head.contains(name: "sec-websocket-accept") && !head.contains(name: "upgrade"))
            try await client.content(1, "hello", endsStream: false)
            #expect(try await client.response(on: 1) { $0.content.readableBytes == 5 }.text == "hello")
            #expect(try await client.exchange(3, FrameClient.get("/page")).text == "plain")
            try await client.content(1, " and bye", endsStream: true)
            let end = try await client.response(on: 1)
            #expect(end.isComplete && end.text == "hello and bye" && end.resetCode == nil)
        }
    }

    @Test func refusalReachesTheClientAndIsNeverStored() async throws {
        try await Self.with { site in
            for _ in 1...2 {
                let client = try await RawClient.connect(port: site.port)
                try await client.send(Self.opening("/refused"))
                let response = try await client.receiveResponse()
                #expect(response.status == 403 && response.content == "not you" && response["connection"] == "close" && response["age"] == nil)
            }
            let client = try await FrameClient.connect(port: site.port)
            try await client.request(1, Self.streamOpening("/refused"), endsStream: false)
            #expect(try await client.response(on: 1).status == "403")
            // The answer to a request for the same URL that asks for no WebSocket is another one.
            #expect(try await client.exchange(3, FrameClient.get("/refused")).text == "plain")
            #expect(site.proxy.webSockets.total == 0)
        }
    }

    /// To a client of HTTP/2 a success means that the WebSocket is open.
    @Test(arguments: ["/ignored", "/forged"])
    func answerThatOpensNothingIsNoSuccessForAStream(_ path: String) async throws {
        try await Self.with { site in
            let client = try await FrameClient.connect(port: site.port)
            try await client.request(1, Self.streamOpening(path), endsStream: false)
            #expect(try await client.response(on: 1).status == "502")
            let plain = try await RawClient.connect(port: site.port)
            try await plain.send(Self.opening(path))
            #expect(RawResponse(head: try await plain.receive(through: "\r\n\r\n")).status == (path == "/ignored" ? 200 : 101))
        }
    }

    @Test(arguments: [("/a//../b/c?x=/../y", "/a/b/c?x=/../y"), ("/staff/../open/%7ex", "/open/~x"), ("/plain", "/plain")])
    func originGetsThePathInTheFormInWhichRoutesWereCompared(target: String, path: String) async throws {
        let asked = Shared<[String]>([])
        let handler: HTTPServer.Handler = { request in
            asked.update { $0.append(request.head.path ?? "") }
            return .text("no WebSocket")
        }
        try await Self.with(handler) { site in
            let client = try await RawClient.connect(port: site.port)
            try await client.send(Self.opening(target))
            #expect(try await client.receiveResponse().status == 200)
            #expect(asked.value == [path])
        }
    }

    @Test func upstreamThatTakesNoneGetsAnOrdinaryRequest() async throws {
        for change: @Sendable (inout CachingProxy.Configuration.Upstream) -> Void in [{ $0.passesWebSockets = false }, { $0.version = .http2 }] {
            try await Self.with(change: { change(&$0.upstreams[0]) }) { site in
                let stream = try await FrameClient.connect(port: site.port)
                try await stream.request(1, Self.streamOpening(), endsStream: false)
                #expect(try await stream.response(on: 1).status == "501")
                guard !site.proxy.configuration.upstreams[0].passesWebSockets else { return }
                let client = try await RawClient.connect(port: site.port)
                try await client.send(Self.opening())
                let response = try await client.receiveResponse()
                #expect(response.status == 200 && response.content == "plain" && response["cache-status"]?.contains("fwd=") == true)
            }
        }
    }

    @Test func originThatCannotBeReachedIsA502() async throws {
        // Nothing listens on this port, and the system never chooses it for a server of another test.
        let origin = try Origin("http://127.0.0.1:1")
        try await Self.with(change: { $0.upstreams[0].servers = [origin] }) { site in
            let client = try await RawClient.connect(port: site.port)
            try await client.send(Self.opening())
            #expect(try await client.receiveResponse().status == 502)
            let stream = try await FrameClient.connect(port: site.port)
            try await stream.request(1, Self.streamOpening(), endsStream: false)
            #expect(try await stream.response(on: 1).status == "502")
        }
    }

    // MARK: Ending

    @Test func originThatEndsItEndsTheConnectionOfTheClient() async throws {
        let bye: HTTPServer.Handler = { _ in
            HTTPServerResponse(head: HTTPResponse(status: .switchingProtocols), body: HTTPBody(Parts.texts("b", "ye"), length: nil))
        }
        try await Self.with(bye) { site in
            let client = try await RawClient.connect(port: site.port)
            try await client.send(Self.opening())
            _ = try await client.receive(through: "\r\n\r\n")
            #expect(try await client.receiveUntilClosed() == "bye")
            try await waitUntil { site.proxy.webSockets.open == 0 && site.group?.inProgress == 0 }
            #expect(site.proxy.webSockets.total == 1 && site.group?.failures == 0)
        }
    }

    @Test func serverThatBreaksManyOffIsNoWorseForOtherRequests() async throws {
        let opened = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"
        let server = try await ScriptedServer.start { head in
            head.contains("Upgrade: websocket") ? [.send(opened), .reset] : [.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")]
        }
        let origin = try Origin("http://127.0.0.1:\(server.port)")
        try await Self.with(change: { $0.upstreams[0].servers = [origin] }) { site in
            for _ in 0..<20 {
                let client = try await RawClient.connect(port: site.port)
                try await client.send(Self.opening())
                _ = try? await client.receiveUntilClosed()
            }
            try await waitUntil { site.group?.inProgress == 0 }
            #expect(site.group?.failures == 0 && site.group?.state == .healthy)
        }
    }

    @Test(arguments: [false, true])
    func clientThatLeavesEndsItAtTheOrigin(_ isStream: Bool) async throws {
        try await Self.with { site in
            if isStream {
                let client = try await FrameClient.connect(port: site.port)
                try await client.request(1, Self.streamOpening(), endsStream: false)
                _ = try await client.response(on: 1) { $0.status != nil }
                #expect(site.proxy.webSockets.open == 1)
                try await client.reset(1)
                try await waitUntil { site.proxy.webSockets.open == 0 }
            } else {
                let client = try await RawClient.connect(port: site.port)
                try await client.send(Self.opening())
                _ = try await client.receive(through: "\r\n\r\n")
                #expect(site.proxy.webSockets.open == 1)
                try await client.close()
            }
            try await waitUntil { site.proxy.webSockets.open == 0 && site.origin.connectionCount == 0 && site.group?.inProgress == 0 }
            #expect(site.group?.failures == 0)
        }
    }

    @Test func idleOneIsClosedOnBothSides() async throws {
        try await Self.with(change: { $0.limits.webSocketIdleTimeout = .milliseconds(50) }) { site in
            let client = try await RawClient.connect(port: site.port)
            try await client.send(Self.opening())
            // On a busy machine the time may be over before the head of the response has been sent.
            let received = try await client.receiveUntilClosed()
            #expect(received.isEmpty || (received.hasPrefix("HTTP/1.1 101 ") && received.hasSuffix("\r\n\r\n")))
            try await waitUntil { site.proxy.webSockets.open == 0 && site.origin.connectionCount == 0 }
        }
    }

    // MARK: Many, long, and watched

    @Test func reloadsLeaveOpenOnesAlone() async throws {
        try await Self.with { site in
            let client = try await RawClient.connect(port: site.port)
            try await client.send(Self.opening())
            _ = try await client.receive(through: "\r\n\r\n")
            try await Self.expectEcho(client, "before")
            for version: CachingProxy.Configuration.Upstream.Version in [.http1, .automatic] {
                var configuration = site.proxy.configuration
                configuration.upstreams[0].version = version
                configuration.upstreams[0].passesWebSockets = version == .automatic
                configuration.limits.webSocketIdleTimeout = .seconds(60)
                try await site.proxy.reload(configuration)
                try await Self.expectEcho(client, "with \(version)")
            }
            #expect(site.proxy.webSockets.open == 1)
        }
    }

    @Test func shutdownWaitsForThemNoLongerThanItMay() async throws {
        try await Self.with { site in
            let client = try await RawClient.connect(port: site.port)
            try await client.send(Self.opening())
            _ = try await client.receive(through: "\r\n\r\n")
            async let ending: Void = site.proxy.shutdown(gracePeriod: .seconds(600))
            try await Self.expectEcho(client, "while it ends")
            try await client.closeOutput()
            #expect(try await client.receiveUntilClosed() == "")
            await ending
        }
        try await Self.with { site in
            let client = try await RawClient.connect(port: site.port)
            try await client.send(Self.opening())
            _ = try await client.receive(through: "\r\n\r\n")
            await site.proxy.shutdown(gracePeriod: .milliseconds(50))
            _ = try? await client.receiveUntilClosed()
            #expect(site.proxy.server.connectionCount == 0)
        }
    }

    @Test func logAndFiguresTellOfThem() async throws {
        struct Line: Decodable {
            let status: Int
            let method: String
            let bytes: Int
            let receivedBytes: Int
            let complete: Bool
            let cache: String
            let tier: String
        }
        try await Self.with(change: { $0.admin = .init(address: .tcp(host: "127.0.0.1", port: 0)) }) { site in
            let client = try await RawClient.connect(port: site.port)
            try await client.send(Self.opening())
            _ = try await client.receive(through: "\r\n\r\n")
            try await Self.expectEcho(client, "twelve bytes")
            let admin = try await RawClient.connect(port: try #require(URL(string: site.proxy.adminAddress ?? "")?.port))
            try await admin.send("GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
            let figures = try await admin.receiveResponse().content
            #expect(figures.contains("\nhoard_websockets_open 1\n") && figures.contains("\nhoard_websockets_opened_total 1\n"))
            try await client.closeOutput()
            _ = try await client.receiveUntilClosed()
            var line: Line?
            try await waitUntil {
                line = try site.directory.lines().compactMap { try? JSONDecoder().decode(Line.self, from: Data($0.utf8)) }.first
                return line != nil
            }
            let logged = try #require(line)
            #expect(logged.status == 101 && logged.method == "GET" && logged.bytes == 12 && logged.receivedBytes == 12 && logged.complete)
            #expect(logged.cache == "bypass" && logged.tier == "origin")
        }
    }

    /// No connection loses a byte or gets one of another, in pieces of any size, beside hits and with connections
    /// to the origin for two requests only.
    @Test func manyAtOnceLoseNothing() async throws {
        let seed = UInt64.random(in: 0 ... .max)
        print("WebSocketTests: the seed is \(seed)")
        let change: (inout CachingProxy.Configuration) -> Void = { configuration in
            configuration.upstreams[0].maximumConnectionCount = 2
            // The requests wait for these two connections as long as the machine needs.
            configuration.upstreams[0].connectTimeout = .seconds(600)
        }
        try await Self.with(change: change) { site in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<100 {
                    group.addTask {
                        var random = SeededGenerator(seed: seed &+ UInt64(number))
                        let client = try await RawClient.connect(port: site.port)
                        try await client.send(Self.opening("/\(number)"))
                        _ = try await client.receive(through: "\r\n\r\n")
                        var sent = ByteBuffer()
                        for _ in 0..<20 {
                            let part = ByteBuffer(
                                bytes: (0..<Int.random(in: 1...10_000, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
                            )
                            client.sendLater(part)
                            sent.writeImmutableBuffer(part)
                        }
                        let received = try await client.receiveBytes(sent.readableBytes)
                        #expect(received == sent, "number \(number) of seed \(seed)")
                        try await client.closeOutput()
                        #expect(try await client.receiveUntilClosed() == "")
                    }
                }
                for _ in 0..<20 {
                    group.addTask {
                        let client = try await RawClient.connect(port: site.port)
                        for _ in 0..<20 {
                            try await client.send("GET /page HTTP/1.1\r\nHost: a\r\n\r\n")
                            let response = try await client.receiveResponse()
                            #expect(response.status == 200 && response.content == "plain", "\(response)")
                        }
                    }
                }
                try await group.waitForAll()
            }
            try await waitUntil { site.proxy.webSockets.open == 0 }
            #expect(site.proxy.webSockets.total == 100)
        }
    }
}
