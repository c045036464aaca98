// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Hoard
import HoardHTTP
import HoardNIO
import HoardNIOTestSupport
import HoardTesting
import HoardTransports
import Logging
import NIOCore
import NIOPosix
import Testing

@testable import HoardProxy

/// The admin server over sockets.
@Suite(.timeLimit(.minutes(1))) struct AdminServerTests {
    private let harness = AdminHarness()

    private func withServer(
        _ address: CachingProxy.Configuration.Listener.Address = .tcp(host: "127.0.0.1", port: 0),
        body: (AdminServer) async throws -> Void
    ) async throws {
        let server = try await AdminServer.start(
            address: address,
            token: "secret",
            services: harness.handler.services,
            logger: Logger(label: "test"),
            clock: harness.time,
            ticker: harness.time
        )
        let result: Result<Void, any Error>
        do {
            result = .success(try await body(server))
        } catch {
            result = .failure(error)
        }
        await server.shutdown(gracePeriod: .zero)
        try result.get()
    }

    private func withTransport(_ body: (NIOTransport) async throws -> Void) async throws {
        let transport = NIOTransport()
        let result: Result<Void, any Error>
        do {
            result = .success(try await body(transport))
        } catch {
            result = .failure(error)
        }
        await transport.shutdown()
        try result.get()
    }

    private func request(_ server: AdminServer, _ method: HTTPRequest.Method = .get, _ path: String, _ fields: HTTPFields = [:]) -> HTTPRequest {
        HTTPRequest(method: method, scheme: "http", authority: server.address, path: path, headerFields: fields)
    }

    @Test func figuresAreReadAndTheCacheIsPurged() async throws {
        try await harness.fill("/a", "/b")
        try await withServer { server in
            #expect(server.url == "http://\(server.address)")
            try await withTransport { transport in
                let figures = try await transport.send(request(server, .get, "/api/statistics"), body: .empty, onInterimResponse: nil)
                #expect(figures.head.status == .ok)
                let text = String(buffer: try await figures.body.collect(upTo: 1 << 20))
                #expect(try JSONDecoder().decode(ProxyStatistics.Snapshot.self, from: Data(text.utf8)).memory?.entries == 2)
                let fields: HTTPFields = [.authorization: "Bearer secret", .contentType: "application/json"]
                let purge = try await transport.send(
                    request(server, .post, "/api/purge", fields),
                    body: HTTPBody(#"{"url":"/a"}"#),
                    onInterimResponse: nil
                )
                #expect(String(buffer: try await purge.body.collect(upTo: 1 << 20)) == #"{"removed":1}"#)
            }
        }
        #expect(try await !harness.isCached("/a"))
        #expect(try await harness.isCached("/b"))
    }

    @Test func eventsComeEachSecondUntilTheClientLeaves() async throws {
        try await withServer { server in
            try await withTransport { transport in
                do {
                    let response = try await transport.send(request(server, .get, "/api/events"), body: .empty, onInterimResponse: nil)
                    var parts = response.body.makeAsyncIterator()
                    for _ in 0..<3 {
                        let part = try #require(try await parts.next())
                        #expect(String(buffer: part).hasPrefix("event: statistics\ndata: {"))
                        await harness.time.sleepers(1)
                        harness.time.advance(by: .seconds(1))
                    }
                    #expect(server.listenerCount == 1)
                }
            }
            // The connection is closed by now. The server notices it at its next event at the latest.
            try await waitUntil {
                harness.time.advance(by: .seconds(1))
                return server.listenerCount == 0
            }
        }
    }

    @Test func streamsOfEventsEndWithTheServer() async throws {
        let server = try await AdminServer.start(
            address: .tcp(host: "127.0.0.1", port: 0),
            token: nil,
            services: harness.handler.services,
            logger: Logger(label: "test"),
            ticker: harness.time
        )
        try await withTransport { transport in
            let response = try await transport.send(request(server, .get, "/api/events"), body: .empty, onInterimResponse: nil)
            var parts = response.body.makeAsyncIterator()
            _ = try await parts.next()
            async let end: ByteBuffer? = parts.next()
            // Much longer than the test may take.
            await server.shutdown(gracePeriod: .seconds(3_600))
            #expect(try await end == nil)
        }
    }

    @Test func socketInTheFileSystemIsServed() async throws {
        let path = "/tmp/hoard-admin-\(UInt32.random(in: 0 ... .max)).sock"
        try await withServer(.unix(path: path)) { server in
            #expect(server.url == nil)
            #expect(server.address == "unix:\(path)")
            let (arrived, continuation) = AsyncStream.makeStream(of: ByteBuffer.self)
            let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Sink(continuation)) }
                }
                .connect(unixDomainSocketPath: path).get()
            try await channel.writeAndFlush(ByteBuffer(string: "GET /healthz HTTP/1.1\r\nHost: whatever\r\nConnection: close\r\n\r\n")).get()
            var text = ""
            for await part in arrived { text += String(buffer: part) }
            #expect(text.hasPrefix("HTTP/1.1 200 OK\r\n"))
            #expect(text.hasSuffix(#"{"status":"ok"}"#))
        }
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func addressThatIsTakenIsSaid() async throws {
        try await withServer { server in
            let port = try #require(server.address.split(separator: ":").last.flatMap { Int($0) })
            do throws(ProxyError) {
                let other = try await AdminServer.start(
                    address: .tcp(host: "127.0.0.1", port: port),
                    token: nil,
                    services: harness.handler.services,
                    logger: Logger(label: "test")
                )
                await other.shutdown()
                Issue.record("two servers listen at one address")
            } catch {
                #expect(error.code == .cannotListen)
                #expect(error.message.hasPrefix("The admin server cannot start. "))
            }
        }
    }

    private final class Sink: ChannelInboundHandler, Sendable {
        typealias InboundIn = ByteBuffer

        private let continuation: AsyncStream<ByteBuffer>.Continuation

        init(_ continuation: AsyncStream<ByteBuffer>.Continuation) { self.continuation = continuation }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) { continuation.yield(unwrapInboundIn(data)) }
        func channelInactive(context: ChannelHandlerContext) { continuation.finish() }
    }
}
