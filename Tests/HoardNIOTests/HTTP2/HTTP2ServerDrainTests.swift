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

/// How HTTP/2 connections end.
@Suite(.timeLimit(.minutes(2)))
struct HTTP2ServerDrainTests {
    private typealias Client = FrameClient

    @Test func requestsInProgressEndBeforeTheServerDoes() async throws {
        let begun = Counter()
        let door = Signal()
        let server = try await HTTPServer.start(.http2) { request in
            begun.add()
            if request.head.path == "/slow" { await door.wait() }
            return .text("done")
        }
        let client = try await Client.connect(port: server.port)
        try await client.request(1, Client.get("/slow"))
        await begun.wait(for: 1)
        async let shutdown: Void = server.shutdown(gracePeriod: .seconds(600))
        while client.goAways.isEmpty { try await client.step() }
        #expect(client.goAways.first?.errorCode == 0)
        #expect(client.goAways.first?.lastStream == 1)
        // The server does not serve a stream that was on its way when it announced its end, content and all.
        try await client.request(3, Client.get("/late", method: "POST"), endsStream: false)
        try await client.content(3, "content", endsStream: true)
        door.fire()
        #expect(try await client.response(on: 1).text == "done")
        #expect(begun.value == 1)
        _ = await client.receiveUntilClosed()
        try await client.client.close()
        await shutdown
        #expect(server.connectionCount == 0)
    }

    @Test func idleConnectionIsClosedAtOnceWhenTheServerEnds() async throws {
        let server = try await HTTPServer.start(.http2) { _ in .text("") }
        let client = try await Client.connect(port: server.port)
        _ = try await client.exchange(1, Client.get("/"))
        async let shutdown: Void = server.shutdown(gracePeriod: .seconds(600))
        let goAway = await client.receiveUntilClosed()
        #expect(goAway?.errorCode == 0)
        #expect(goAway?.lastStream == 1)
        try await client.client.close()
        await shutdown
    }

    @Test func graceHasAnEnd() async throws {
        let begun = Signal()
        let server = try await HTTPServer.start(.http2) { _ in
            begun.fire()
            await waitForCancellation()
            return .text("")
        }
        let client = try await Client.connect(port: server.port)
        try await client.request(1, Client.get("/"))
        await begun.wait()
        await server.shutdown(gracePeriod: .milliseconds(10))
        #expect(server.connectionCount == 0)
    }

    @Test func connectionOfWhichNothingIsKnownIsClosedWhenTheServerEnds() async throws {
        var configuration = HTTPServer.Configuration.http2
        // One event loop reads bytes that came first before it answers bytes that came later. A connection that
        // is closed before its bytes are read is reset.
        configuration.eventLoopGroup = MultiThreadedEventLoopGroup.singleton.any()
        let server = try await HTTPServer.start(configuration) { _ in .text("") }
        let client = try await RawClient.connect(port: server.port)
        try await client.send("PRI * HT")
        let other = try await Client.connect(port: server.port)
        _ = try await other.exchange(1, Client.get("/"))
        async let shutdown: Void = server.shutdown(gracePeriod: .seconds(600))
        #expect(try await client.receiveUntilClosed().isEmpty)
        try await other.client.close()
        await shutdown
    }

    @Test func connectionWithoutStreamsIsClosedAfterAWhile() async throws {
        var configuration = HTTPServer.Configuration.http2
        configuration.idleTimeout = .milliseconds(50)
        try await withServer(
            configuration,
            handler: { _ in .text("ok") },
            body: { server in
                let client = try await Client.connect(port: server.port)
                #expect(try await client.exchange(1, Client.get("/")).text == "ok")
                let goAway = await client.receiveUntilClosed()
                #expect(goAway?.errorCode == 0)
                #expect(client.client.isClosed)
            }
        )
    }

    @Test func clientThatSaysNothingIsClosed() async throws {
        var configuration = HTTPServer.Configuration.http2
        // The preface must come in this time on a busy machine, too.
        configuration.headTimeout = .seconds(8)
        try await withServer(
            configuration,
            handler: { _ in .text("ok") },
            body: { server in
                let silent = try await RawClient.connect(port: server.port)
                #expect(try await silent.receiveUntilClosed().isEmpty)
                let begun = try await Client.connect(port: server.port)
                let goAway = await begun.receiveUntilClosed()
                #expect(goAway?.errorCode == 0)
            }
        )
    }

    @Test func clientThatTakesNothingLosesItsStream() async throws {
        var configuration = HTTPServer.Configuration.http2
        configuration.writeTimeout = .milliseconds(100)
        try await withServer(
            configuration,
            handler: { _ in HTTPServerResponse(head: HTTPResponse(status: .ok), body: HTTPBody(ByteBuffer(repeating: 1, count: 200_000))) },
            body: { server in
                let client = try await Client.connect(port: server.port)
                client.givesRoom = false
                try await client.request(1, Client.get("/"))
                #expect(try await client.resetCode(of: 1) == Client.cancel)
            }
        )
    }

    @Test func clientThatDoesNotTakeARefusalLosesItsStream() async throws {
        var configuration = HTTPServer.Configuration.http2
        configuration.writeTimeout = .milliseconds(100)
        configuration.maximumTargetByteCount = 10
        try await withServer(
            configuration,
            handler: { _ in .text("handled") },
            body: { server in
                // No content may be sent to it: RFC 9113 §6.9.2.
                let client = try await Client.connect(port: server.port, settings: [(4, 0)])
                try await client.request(1, Client.get("/" + String(repeating: "a", count: 10)))
                #expect(try await client.resetCode(of: 1) == Client.cancel)
            }
        )
    }

    @Test func uploadThatStopsFailsForItsReader() async throws {
        var configuration = HTTPServer.Configuration.http2
        configuration.bodyTimeout = .milliseconds(100)
        try await withServer(
            configuration,
            handler: { request in
                do {
                    for try await _ in request.body {}
                    return .text("complete")
                } catch {
                    return .text("\((error as? RequestBodyError)?.code.description ?? "other")", .requestTimeout)
                }
            },
            body: { server in
                let client = try await Client.connect(port: server.port)
                try await client.request(1, Client.get("/", method: "POST"), endsStream: false)
                try await client.content(1, "abc", endsStream: false)
                let response = try await client.response(on: 1)
                #expect(response.status == "408")
                #expect(response.text == "timedOut")
            }
        )
    }
}
