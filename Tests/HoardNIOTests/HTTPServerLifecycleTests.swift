// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardHTTP
import HoardNIO
import HoardNIOTestSupport
import HoardTesting
import NIOCore
import NIOPosix
import Testing

@Suite(.timeLimit(.minutes(5)))
struct HTTPServerLifecycleTests {
    @Test func portZeroBecomesAFreePort() async throws {
        try await withServer(handler: { _ in .text("") }) { server in
            #expect(server.port > 0)
            #expect(server.host == "127.0.0.1")
        }
    }

    @Test func addressInUseIsNamed() async throws {
        try await withServer(handler: { _ in .text("") }) { server in
            let error = try await #require(throws: HTTPServerError.self) {
                _ = try await HTTPServer.start(.init(port: server.port)) { _ in .text("") }
            }
            #expect(error.code == .addressInUse)
            #expect(error.message == "Cannot listen on 127.0.0.1 port \(server.port): another program listens there.")
        }
    }

    @Test(arguments: [
        ("127.0.0.1", -1, HTTPServerError.Code.invalidAddress), ("127.0.0.1", 65_536, .invalidAddress), ("", 0, .invalidAddress),
        ("no such host", 0, .invalidAddress), ("192.0.2.1", 0, .addressNotAvailable),
    ])
    func addressThatCannotBeUsedIsNamed(_ host: String, _ port: Int, _ code: HTTPServerError.Code) async throws {
        let error = try await #require(throws: HTTPServerError.self) {
            _ = try await HTTPServer.start(.init(host: host, port: port)) { _ in .text("") }
        }
        #expect(error.code == code)
        #expect(error.message.contains("\(port)"))
        #expect(error.message.contains(host))
        #expect(error.message.hasSuffix("."))
    }

    struct BadSetting: Sendable, CustomTestStringConvertible {
        let name: String
        let change: @Sendable (inout HTTPServer.Configuration) -> Void

        init(_ name: String, _ change: @escaping @Sendable (inout HTTPServer.Configuration) -> Void) {
            self.name = name
            self.change = change
        }

        var testDescription: String { name }
    }

    static let badSettings: [BadSetting] = [
        BadSetting("backlog") { $0.backlog = 0 },
        BadSetting("maximumConnectionCount") { $0.maximumConnectionCount = 0 },
        BadSetting("maximumTargetByteCount") { $0.maximumTargetByteCount = 0 },
        BadSetting("maximumHeaderByteCount") { $0.maximumHeaderByteCount = -1 },
        BadSetting("maximumHeaderFieldCount") { $0.maximumHeaderFieldCount = 0 },
        BadSetting("bodyBufferByteCount") { $0.bodyBufferByteCount = 0 },
        BadSetting("maximumDrainByteCount") { $0.maximumDrainByteCount = -1 },
        BadSetting("maximumStreamCount") { $0.maximumStreamCount = 0 },
        BadSetting("maximumConnectionCountPerAddress") { $0.maximumConnectionCountPerAddress = 0 },
        BadSetting("minimumBytesPerSecond") { $0.minimumBytesPerSecond = -1 },
        BadSetting("maximumRequestContentByteCount") { $0.maximumRequestContentByteCount = -1 },
        BadSetting("idleTimeout") { $0.idleTimeout = .zero },
        BadSetting("headTimeout") { $0.headTimeout = .zero },
        BadSetting("bodyTimeout") { $0.bodyTimeout = .zero },
        BadSetting("writeTimeout") { $0.writeTimeout = .seconds(-1) },
        BadSetting("lingerTimeout") { $0.lingerTimeout = .zero },
    ]

    @Test(arguments: badSettings)
    func settingThatMakesNoSenseIsNamed(_ setting: BadSetting) async throws {
        var configuration = HTTPServer.Configuration()
        setting.change(&configuration)
        let error = try await #require(throws: HTTPServerError.self) {
            _ = try await HTTPServer.start(configuration) { _ in .text("") }
        }
        #expect(error.code == .invalidConfiguration)
        #expect(error.message.hasPrefix("The setting \(setting.name) is "))
    }

    @Test func timeLimitsWithoutEndAreAccepted() async throws {
        var configuration = HTTPServer.Configuration()
        configuration.idleTimeout = .seconds(Int64.max)
        configuration.headTimeout = .seconds(Int64.max)
        configuration.bodyTimeout = .seconds(Int64.max)
        configuration.writeTimeout = .seconds(Int64.max)
        try await withServer(configuration, handler: { _ in .text("ok") }) { server in
            let client = try await RawClient.connect(port: server.port)
            try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try await client.receiveResponse().content == "ok")
        }
    }

    @Test func countsWithoutEndAreAccepted() async throws {
        var configuration = HTTPServer.Configuration.http2
        configuration.maximumConnectionCount = .max
        configuration.maximumConnectionCountPerAddress = .max
        configuration.maximumStreamCount = .max
        configuration.maximumTargetByteCount = .max
        configuration.maximumHeaderByteCount = .max
        configuration.maximumHeaderFieldCount = .max
        configuration.maximumRequestContentByteCount = .max
        try await withServer(configuration, handler: { _ in .text("ok") }) { server in
            let client = try await RawClient.connect(port: server.port)
            try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try await client.receiveResponse().content == "ok")
            let frames = try await FrameClient.connect(port: server.port)
            #expect(try await frames.exchange(1, FrameClient.get("/")).status == "200")
        }
    }

    @Test func shutdownClosesIdleConnectionsAndLetsRequestsEnd() async throws {
        let begun = Signal()
        let door = Signal()
        let server = try await HTTPServer.start { request in
            if request.head.path == "/quick" { return .text("quick") }
            begun.fire()
            await door.wait()
            return .text("done")
        }
        let idle = try await RawClient.connect(port: server.port)
        try await idle.send("GET /quick HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try await idle.receiveResponse().content == "quick")
        let busy = try await RawClient.connect(port: server.port)
        try await busy.send("GET / HTTP/1.1\r\nHost: a\r\n\r\nGET /never HTTP/1.1\r\nHost: a\r\n\r\n")
        await begun.wait()
        async let shutdown: Void = server.shutdown(gracePeriod: .seconds(600))
        #expect(try await idle.receiveUntilClosed().isEmpty)
        door.fire()
        let all = try await busy.receiveUntilClosed()
        #expect(all.hasSuffix("\r\n\r\ndone"))
        #expect(RawResponse(head: all)["connection"] == "close")
        #expect(all.ranges(of: "HTTP/1.1").count == 1)
        try await busy.close()
        await shutdown
        #expect(server.connectionCount == 0)
        await #expect(throws: (any Error).self) { try await RawClient.connect(port: server.port) }
    }

    /// A request that is on its way when the server ends: closing the connection would reset it.
    @Test(arguments: [false, true]) func clientThatHasJustComeIsAnswered(isHTTP2Enabled: Bool) async throws {
        var configuration = HTTPServer.Configuration(listeners: [.init(.tcp(host: "127.0.0.1", port: 0), isHTTP2Enabled: isHTTP2Enabled)])
        // Longer than the test may be held up between the end and the request.
        configuration.lingerTimeout = .seconds(600)
        let server = try await HTTPServer.start(configuration) { _ in .text("done") }
        let client = try await RawClient.connect(port: server.port)
        try await waitUntil { server.connectionCount == 1 }
        async let shutdown: Void = server.shutdown(gracePeriod: .seconds(600))
        try await waitUntil { (try? await RawClient.connect(port: server.port)) == nil }
        try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        let all = try await client.receiveUntilClosed()
        #expect(all.hasPrefix("HTTP/1.1 200 OK\r\n") && all.hasSuffix("\r\n\r\ndone"), "\(all)")
        try await client.close()
        await shutdown
    }

    /// Two seconds at most, though its requests may take ten minutes.
    @Test(arguments: [false, true]) func clientThatSaysNothingDoesNotHoldUpTheEnd(isHTTP2Enabled: Bool) async throws {
        var configuration = HTTPServer.Configuration(listeners: [.init(.tcp(host: "127.0.0.1", port: 0), isHTTP2Enabled: isHTTP2Enabled)])
        configuration.lingerTimeout = .milliseconds(1)
        let server = try await HTTPServer.start(configuration) { _ in .text("done") }
        let client = try await RawClient.connect(port: server.port)
        try await waitUntil { server.connectionCount == 1 }
        await server.shutdown(gracePeriod: .seconds(600))
        #expect(try await client.receiveUntilClosed() == "")
    }

    @Test func shutdownLosesPatienceWhenTheGracePeriodIsOver() async throws {
        let begun = Signal()
        let cancelled = Signal()
        let server = try await HTTPServer.start { _ in
            begun.fire()
            await waitForCancellation()
            cancelled.fire()
            return .text("too late")
        }
        let client = try await RawClient.connect(port: server.port)
        try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        await begun.wait()
        await server.shutdown(gracePeriod: .milliseconds(10))
        await cancelled.wait()
        #expect(server.connectionCount == 0)
        #expect(try await client.receiveUntilClosed().isEmpty)
    }

    /// A server holds its handler: if the handler is freed, so is the server.
    private struct Trace: Sendable {
        weak let handler: Signal?
    }

    private func serveOnce() async throws -> Trace {
        let handler = Signal()
        let server = try await HTTPServer.start { _ in
            handler.fire()
            return .text("done")
        }
        let client = try await RawClient.connect(port: server.port)
        try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try await client.receiveResponse().content == "done")
        await server.shutdown(gracePeriod: .zero)
        try await client.close()
        return Trace(handler: handler)
    }

    @Test func serverThatHasShutDownIsFreed() async throws {
        let trace = try await serveOnce()
        try await waitUntil { trace.handler == nil }
    }

    @Test func shutdownMayBeCalledAgain() async throws {
        let server = try await HTTPServer.start { _ in .text("") }
        async let first: Void = server.shutdown(gracePeriod: .seconds(600))
        async let second: Void = server.shutdown(gracePeriod: .seconds(600))
        _ = await (first, second)
        await server.shutdown(gracePeriod: .zero)
        #expect(server.connectionCount == 0)
    }

    @Test func handlerRunsOnTheEventLoopOfItsConnection() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        var configuration = HTTPServer.Configuration()
        configuration.eventLoopGroup = group
        try await withServer(configuration, handler: { _ in .text("\(group.any().inEventLoop)") }) { server in
            let client = try await RawClient.connect(port: server.port)
            try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try await client.receiveResponse().content == "true")
        }
        try await group.shutdownGracefully()
    }

    @Test func manyClientsAreServedAtOnce() async throws {
        try await withServer(handler: { .text($0.head.path ?? "") }) { server in
            let port = server.port
            try await withThrowingTaskGroup { group in
                for number in 0..<100 {
                    group.addTask {
                        let client = try await RawClient.connect(port: port)
                        for request in 0..<20 {
                            try await client.send("GET /\(number)/\(request) HTTP/1.1\r\nHost: a\r\n\r\n")
                            #expect(try await client.receiveResponse().content == "/\(number)/\(request)")
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }
}
