// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardHTTP
import HoardNIO
import HoardNIOTestSupport
import HoardTesting
import NIOCore
import Testing

/// With sockets and the real clock; `ConnectionHandlerTests` has the exact times.
@Suite(.timeLimit(.minutes(5)))
struct HTTPServerLimitTests {
    private static func configuration(_ change: (inout HTTPServer.Configuration) -> Void) -> HTTPServer.Configuration {
        var configuration = HTTPServer.Configuration()
        change(&configuration)
        return configuration
    }

    @Test func idleConnectionIsClosed() async throws {
        try await withServer(Self.configuration { $0.idleTimeout = .milliseconds(20) }, handler: { _ in .text("ok") }) { server in
            let client = try await RawClient.connect(port: server.port)
            try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try await client.receiveResponse().content == "ok")
            #expect(try await client.receiveUntilClosed().isEmpty)
        }
    }

    @Test func connectionThatNeverSendsAnythingIsClosed() async throws {
        try await withServer(Self.configuration { $0.headTimeout = .milliseconds(20) }, handler: { _ in .text("ok") }) { server in
            let client = try await RawClient.connect(port: server.port)
            #expect(try await client.receiveUntilClosed().isEmpty)
        }
    }

    @Test func bodyFailsWhenTheClientSendsNothingForTooLong() async throws {
        let handler: HTTPServer.Handler = { request in
            do {
                return .text("\(try await request.body.collect(upTo: 10).readableBytes)")
            } catch {
                return .text("\((error as? RequestBodyError)?.code.description ?? "")", .requestTimeout)
            }
        }
        try await withServer(Self.configuration { $0.bodyTimeout = .milliseconds(20) }, handler: handler) { server in
            let client = try await RawClient.connect(port: server.port)
            try await client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc")
            let all = try await client.receiveUntilClosed()
            #expect(all.hasPrefix("HTTP/1.1 408 "))
            #expect(all.hasSuffix("\r\n\r\ntimedOut"))
        }
    }

    @Test func droppedContentThatNeverComesClosesTheConnection() async throws {
        try await withServer(Self.configuration { $0.bodyTimeout = .milliseconds(20) }, handler: { _ in .text("ok") }) { server in
            let client = try await RawClient.connect(port: server.port)
            try await client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc")
            #expect(try await client.receiveResponse().content == "ok")
            #expect(try await client.receiveUntilClosed().isEmpty)
        }
    }

    @Test func clientThatTakesNothingIsCutOff() async throws {
        let ended = Signal()
        let parts = Parts {
            let part = ByteBuffer(repeating: 0, count: 1_024 * 1_024)
            let end = EndOfLife { ended.fire() }
            return { withExtendedLifetime(end) { part } }
        }
        let handler: HTTPServer.Handler = { _ in HTTPServerResponse(head: HTTPResponse(status: .ok), body: HTTPBody(parts, length: nil)) }
        try await withServer(Self.configuration { $0.writeTimeout = .milliseconds(40) }, handler: handler) { server in
            let client = try await RawClient.connect(port: server.port, readsByItself: false)
            try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            await ended.wait()
        }
    }

    @Test func clientThatTakesNothingOfAResponseAtHandIsCutOff() async throws {
        let body = HTTPBody(ByteBuffer(repeating: 0, count: 64 * 1_024 * 1_024))
        try await withServer(
            Self.configuration { $0.writeTimeout = .milliseconds(40) },
            handler: { _ in HTTPServerResponse(head: HTTPResponse(status: .ok), body: body) }
        ) { server in
            let client = try await RawClient.connect(port: server.port, readsByItself: false)
            try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            try await waitUntil { server.connectionCount == 0 }
        }
    }

    @Test func clientThatKeepsItsSideOpenIsNotWaitedForForEver() async throws {
        try await withServer(Self.configuration { $0.lingerTimeout = .milliseconds(20) }, handler: { _ in .text("ok") }) { server in
            let client = try await RawClient.connect(port: server.port)
            try await client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            #expect(try await client.receiveUntilClosed().hasSuffix("ok"))
            try await waitUntil { server.connectionCount == 0 }
        }
    }

    @Test func moreConnectionsThanAllowedWaitForTheirTurn() async throws {
        let handled = Counter()
        let handler: HTTPServer.Handler = { _ in
            handled.add()
            return .text("ok")
        }
        try await withServer(Self.configuration { $0.maximumConnectionCount = 2 }, handler: handler) { server in
            var clients: [RawClient] = []
            for _ in 0..<4 {
                let client = try await RawClient.connect(port: server.port)
                try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                clients.append(client)
            }
            for client in clients.prefix(2) { #expect(try await client.receiveResponse().status == 200) }
            #expect(server.connectionCount == 2)
            #expect(handled.value == 2)
            // One place becomes free, then another.
            try await clients[0].close()
            #expect(try await clients[2].receiveResponse().status == 200)
            #expect(server.connectionCount == 2)
            try await clients[1].close()
            #expect(try await clients[3].receiveResponse().status == 200)
        }
    }
}
