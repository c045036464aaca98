// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hoard
import HoardHTTP
import HoardNIOTestSupport
import HoardTesting
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import HoardNIO

/// Every token is a method: RFC 9110 §9.1.
@Suite(.timeLimit(.minutes(5))) struct MethodHandlerTests {
    /// Answers with the request that has come.
    private static let handler: HTTPServer.Handler = { request in
        let content = (try? await request.body.collect(upTo: 1_000)).map { String(buffer: $0) } ?? "broken"
        return .text("\(request.head.method.rawValue) \(request.head.path ?? "") \(content)")
    }

    private static let requests: [(text: String, answer: String)] = [
        ("BAN /1 HTTP/1.1\r\nHost: a\r\n\r\n", "BAN /1 "), ("GET /2 HTTP/1.1\r\nHost: a\r\n\r\n", "GET /2 "),
        ("x-lower /3 HTTP/1.1\r\nHost: a\r\nContent-Length: 23\r\n\r\nBREW / HTTP/1.1\r\nHost: ", "x-lower /3 BREW / HTTP/1.1\r\nHost: "),
        ("get /4 HTTP/1.1\r\nHost: a\r\n\r\n", "get /4 "), ("\r\n!#$%&'*+-.^_`|~9 /5 HTTP/1.1\r\nHost: a\r\n\r\n", "!#$%&'*+-.^_`|~9 /5 "),
        ("POST /6 HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\n\r\n\r\n", "POST /6 \r\n\r\n"),
        ("QUERY /7 HTTP/1.1\r\nHost: a\r\n\r\n", "QUERY /7 "),
        ("M-SEARCH /8 HTTP/1.1\r\nHost: a\r\n\r\n", "M-SEARCH /8 "), ("PATCH /9 HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n", "PATCH /9 "),
        (String(repeating: "M", count: 128) + " /10 HTTP/1.1\r\nHost: a\r\n\r\n", String(repeating: "M", count: 128) + " /10 "),
    ]

    @Test func methodsThatNobodyKnowsReachTheHandlerInOnePiece() async throws {
        try await withServer(handler: Self.handler) { server in
            let client = try await RawClient.connect(port: server.port)
            try await client.send(Self.requests.map(\.text).joined())
            for request in Self.requests { #expect(try await client.receiveResponse().content == request.answer) }
            try await client.close()
        }
    }

    @Test func methodsThatNobodyKnowsReachTheHandlerByteByByte() async throws {
        try await withServer(handler: Self.handler) { server in
            let client = try await RawClient.connect(port: server.port)
            for request in Self.requests {
                for byte in request.text.utf8 { try await client.send(ByteBuffer(bytes: [byte])) }
                #expect(try await client.receiveResponse().content == request.answer)
            }
            try await client.close()
        }
    }

    @Test func contentInChunksEndsWhereItEnds() async throws {
        let chunked = "BREW /1 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\na\r\nBAN / \r\n\r\n\r\n0\r\n\r\n"
        try await withServer(handler: Self.handler) { server in
            let client = try await RawClient.connect(port: server.port)
            for _ in 0..<2 {
                try await client.send(chunked)
                #expect(try await client.receiveResponse().content == "BREW /1 BAN / \r\n\r\n")
            }
            try await client.send("BAN /2 HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try await client.receiveResponse().content == "BAN /2 ")
            for method in ["GET", "BAN", "QUERY"] {
                try await client.send(chunked + "\(method) /3 HTTP/1.1\r\nHost: a\r\n\r\n")
                #expect(try await client.receiveResponse().content == "BREW /1 BAN / \r\n\r\n")
                #expect(try await client.receiveResponse().content == "\(method) /3 ")
            }
            try await client.close()
        }
    }

    @Test(arguments: ["", "X-Sum: 1\r\n"])
    func methodsBehindContentInChunksReachTheHandlerWhereverTheBytesAreCut(trailers: String) async throws {
        let first = "QUERY /1 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n4\r\na\n\r\n\r\n0\r\n\(trailers)\r\n"
        let bytes = Array((first + "QUERX /2 HTTP/1.1\r\nHost: a\r\n\r\n").utf8)
        try await withServer(handler: Self.handler) { server in
            let client = try await RawClient.connect(port: server.port)
            for cut in 1..<bytes.count {
                for part in [bytes[..<cut], bytes[cut...]] { try await client.send(ByteBuffer(bytes: part)) }
                #expect(try await client.receiveResponse().content == "QUERY /1 a\n\r\n", "cut at \(cut)")
                #expect(try await client.receiveResponse().content == "QUERX /2 ", "cut at \(cut)")
            }
            try await client.close()
        }
    }

    @Test func contentWithEmptyLinesReachesTheParserInOnePiece() throws {
        let (channel, connection, counter) = try Self.pipeline()
        try channel.writeInbound(ByteBuffer(string: "BREW /1 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"))
        let before = counter.count
        try channel.writeInbound(ByteBuffer(string: "12c\r\n" + String(repeating: "a\n\n", count: 100) + "\r\n"))
        #expect(counter.count == before + 1)
        // A line of content may look like that of the last chunk.
        try channel.writeInbound(ByteBuffer(string: "6\r\n0\n\na\n\n\r\n"))
        #expect(connection.place == .chunks)
        try channel.writeInbound(ByteBuffer(string: "0\r\nX-Sum: 1\r\n\r\n"))
        #expect(connection.place == .requestStart)
        _ = try? channel.finish(acceptAlreadyClosed: true)
    }

    @Test func emptyLinesBeforeARequestDoNotReachTheParser() throws {
        let (channel, connection, counter) = try Self.pipeline()
        try channel.writeInbound(ByteBuffer(string: String(repeating: "\r\n", count: 100) + "GET / HTTP/1.1\r\nHost: a\r\n\r\n"))
        #expect(counter.count == 1)
        #expect(connection.place == .requestStart)
        _ = try? channel.finish(acceptAlreadyClosed: true)
    }

    /// The handler in front of a parser, and a count of the buffers that the parser gets.
    private static func pipeline() throws -> (EmbeddedChannel, ConnectionHandler, ReadCounter) {
        let connection = ConnectionHandler(configuration: .init(), info: ConnectionInfo(remoteAddress: "192.0.2.1"), clock: SystemWallClock())
        let counter = ReadCounter()
        let channel = EmbeddedChannel()
        let parser = ByteToMessageHandler(HTTPRequestDecoder())
        try channel.pipeline.syncOperations.addHandlers(MethodHandler(connection), counter, parser, connection)
        try channel.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 80)).wait()
        return (channel, connection, counter)
    }

    @Test(arguments: [
        "B(N / HTTP/1.1\r\nHost: a\r\n\r\n", " GET / HTTP/1.1\r\nHost: a\r\n\r\n", "BAN\t/ HTTP/1.1\r\nHost: a\r\n\r\n",
        "B\u{E9}N / HTTP/1.1\r\nHost: a\r\n\r\n",
    ])
    func whatIsNoTokenIsRefused(request: String) async throws {
        try await withServer(handler: Self.handler) { server in
            let client = try await RawClient.connect(port: server.port)
            try await client.send(request)
            #expect(try await client.receiveResponse().status == 400)
            try await client.close()
        }
    }
}

/// Counts the buffers that it passes on.
private final class ReadCounter: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private(set) var count = 0

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        count += 1
        context.fireChannelRead(data)
    }
}
