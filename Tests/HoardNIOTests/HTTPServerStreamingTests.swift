// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardHTTP
import HoardNIO
import HoardNIOTestSupport
import HoardTesting
import NIOCore
import Testing

@Suite(.timeLimit(.minutes(5)))
struct HTTPServerStreamingTests {
    static let mebibyte = 1_024 * 1_024

    @Test func largeRequestAndResponseStreamThrough() async throws {
        let byteCount = 64 * Self.mebibyte
        // The handler returns before it has read anything: the response's body is the request's.
        let handler: HTTPServer.Handler = { HTTPServerResponse(head: HTTPResponse(status: .ok), body: $0.body) }
        try await withServer(handler: handler) { server in
            let client = try await RawClient.connect(port: server.port)
            client.sendLater(ByteBuffer(string: "POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: \(byteCount)\r\n\r\n"))
            client.sendLater(ByteBuffer(repeating: UInt8(ascii: "x"), count: byteCount))
            let head = try await client.receive(through: "\r\n\r\n")
            #expect(RawResponse(head: head)["content-length"] == "\(byteCount)")
            #expect(try await client.countUntilClosed() == byteCount)
        }
    }

    @Test func sourceOfAResponseIsNotReadAheadOfAStalledClient() async throws {
        let produced = Counter()
        let parts = Parts.repeating(byteCount: 64 * 1_024, count: 1_024, produced: produced)
        let body = HTTPBody(parts, length: 64 * Self.mebibyte)
        try await withServer(handler: { _ in HTTPServerResponse(head: HTTPResponse(status: .ok), body: body) }) { server in
            let client = try await RawClient.connect(port: server.port, readsByItself: false, receiveBufferByteCount: 64 * 1_024)
            try await client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            // Requests on another connection pass through the same event loops, so the stalled response has had its turns.
            await produced.wait(for: Self.mebibyte)
            for _ in 0..<50 {
                let other = try await RawClient.connect(port: server.port)
                try await other.send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n")
                _ = try await other.receiveResponse(toHead: true)
            }
            // The bytes in the kernel's two sockets (at most 4 + 4 MiB by default), and a part or two in the server.
            #expect(produced.value < 16 * Self.mebibyte)
            try await client.startReading()
            let head = try await client.receive(through: "\r\n\r\n")
            #expect(RawResponse(head: head).status == 200)
            #expect(try await client.countUntilClosed() == 64 * Self.mebibyte)
        }
    }

    @Test func requestIsNotReadAheadOfAStalledHandler() async throws {
        let door = Signal()
        let begun = Signal()
        let handler: HTTPServer.Handler = { request in
            begun.fire()
            await door.wait()
            var byteCount = 0
            do {
                for try await part in request.body { byteCount += part.readableBytes }
            } catch {
                return .text("\(error)", .internalServerError)
            }
            return .text("\(byteCount)")
        }
        try await withServer(handler: handler) { server in
            let client = try await RawClient.connect(port: server.port)
            let sent = Counter()
            try await client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(128 * Self.mebibyte)\r\n\r\n")
            let part = ByteBuffer(repeating: UInt8(ascii: "x"), count: 64 * 1_024)
            for _ in 0..<2_048 { client.sendLater(part) { sent.add(64 * 1_024) } }
            await begun.wait()
            await sent.wait(for: 64 * 1_024)
            for _ in 0..<50 {
                let other = try await RawClient.connect(port: server.port)
                try await other.send("BAD\r\n\r\n")
                _ = try await other.receiveUntilClosed()
            }
            // The kernel's sockets may hold some tens of MiB; ConnectionHandlerTests tells how much the server holds.
            #expect(sent.value < 64 * Self.mebibyte)
            door.fire()
            #expect(try await client.receiveResponse().content == "\(128 * Self.mebibyte)")
        }
    }

    @Test func anotherTaskMayReadTheRequest() async throws {
        let handler: HTTPServer.Handler = { request in
            let byteCount = try? await Task.detached { try await request.body.collect(upTo: 10 * Self.mebibyte).readableBytes }.value
            return .text("\(byteCount ?? -1) \(request.body.length.map { "\($0)" } ?? "unknown")")
        }
        try await withServer(handler: handler) { server in
            let client = try await RawClient.connect(port: server.port)
            client.sendLater(ByteBuffer(string: "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(8 * Self.mebibyte)\r\n\r\n"))
            client.sendLater(ByteBuffer(repeating: 0, count: 8 * Self.mebibyte))
            #expect(try await client.receiveResponse().content == "\(8 * Self.mebibyte) \(8 * Self.mebibyte)")
            try await client.send(
                "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n2\r\nde\r\n0\r\nTrailer: x\r\n\r\n"
            )
            #expect(try await client.receiveResponse().content == "5 unknown")
        }
    }

    @Test(arguments: ["Content-Length: 5", "Content-Length: 100", "X: 1\r\ncontent-length: 0", "Content-Length: 0\r\nX: 1"])
    func aLengthAmongTheTrailersIsIgnored(_ trailers: String) async throws {
        let handler: HTTPServer.Handler = { request in .text("\((try? await request.body.collect(upTo: 100).readableBytes) ?? -1)") }
        try await withServer(handler: handler) { server in
            let client = try await RawClient.connect(port: server.port)
            // The parser reads on no more, so the request behind is not answered.
            try await client.send(
                "POST /1 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\(trailers)\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n"
            )
            let response = try await client.receiveResponse()
            #expect(response.content == "5")
            #expect(try await client.receiveUntilClosed().isEmpty)
        }
    }

    @Test func requestWithoutContentHasAnEmptyBodyAtHand() async throws {
        try await withServer(handler: { .text("\($0.body.bytesAtHand?.readableBytes ?? -1)") }) { server in
            let client = try await RawClient.connect(port: server.port)
            try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\nPOST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n")
            #expect(try await client.receiveResponse().content == "0")
            #expect(try await client.receiveResponse().content == "0")
        }
    }

    @Test func littleUnreadContentIsDroppedAndTheConnectionKept() async throws {
        try await withServer(handler: { .text($0.head.path ?? "") }) { server in
            let client = try await RawClient.connect(port: server.port)
            try await client.send("POST /1 HTTP/1.1\r\nHost: a\r\nContent-Length: 50000\r\n\r\n")
            #expect(try await client.receiveResponse().content == "/1")
            try await client.send(String(repeating: "x", count: 50_000) + "GET /2 HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try await client.receiveResponse().content == "/2")
            try await client.send("POST /3 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n")
            #expect(try await client.receiveResponse().content == "/3")
            try await client.send("0\r\n\r\nGET /4 HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try await client.receiveResponse().content == "/4")
        }
    }

    @Test(arguments: ["Content-Length: 10000000", "Transfer-Encoding: chunked"])
    func muchUnreadContentClosesTheConnectionAfterTheResponse(_ framing: String) async throws {
        try await withServer(handler: { _ in .text("no", .contentTooLarge) }) { server in
            let client = try await RawClient.connect(port: server.port)
            client.sendLater(ByteBuffer(string: "POST / HTTP/1.1\r\nHost: a\r\n\(framing)\r\n\r\n98967F\r\n"))
            client.sendLater(ByteBuffer(repeating: UInt8(ascii: "x"), count: 10_000_000 - 8))
            #expect(try await client.receiveResponse().content == "no")
            #expect(try await client.receiveUntilClosed().isEmpty)
        }
    }

    @Test func bodyThatOutlivesItsResponseFails() async throws {
        let code = Signal()
        let seen = Codes()
        let handler: HTTPServer.Handler = { request in
            Task {
                do {
                    for try await _ in request.body {}
                } catch let error as RequestBodyError {
                    seen.append(error.code)
                }
                code.fire()
            }
            return .text("early")
        }
        try await withServer(handler: handler) { server in
            let client = try await RawClient.connect(port: server.port)
            try await client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n")
            #expect(try await client.receiveResponse().content == "early")
            await code.wait()
            #expect(seen.all == [.responseEnded])
        }
    }

    @Test func bodyIsReadOnlyOnce() async throws {
        let handler: HTTPServer.Handler = { request in
            let first = try? await request.body.collect(upTo: 10)
            do {
                _ = try await request.body.collect(upTo: 10)
                return .text("twice")
            } catch {
                return .text("\(first.map { String(buffer: $0) } ?? "") \((error as? RequestBodyError)?.code.description ?? "")")
            }
        }
        try await withServer(handler: handler) { server in
            let client = try await RawClient.connect(port: server.port)
            try await client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc")
            #expect(try await client.receiveResponse().content == "abc alreadyRead")
        }
    }

    @Test(arguments: [true, false])
    func bodyFailsWhenTheClientGoesAway(_ isHalf: Bool) async throws {
        let begun = Signal()
        let ended = Signal()
        let seen = Codes()
        let handler: HTTPServer.Handler = { request in
            do {
                for try await _ in request.body { begun.fire() }
            } catch let error as RequestBodyError {
                seen.append(error.code)
            } catch {}
            ended.fire()
            return .text("incomplete", .badRequest)
        }
        try await withServer(handler: handler) { server in
            let client = try await RawClient.connect(port: server.port)
            try await client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc")
            await begun.wait()
            if isHalf {
                try await client.closeOutput()
                #expect(try await client.receiveUntilClosed().hasPrefix("HTTP/1.1 400 "))
            } else {
                try await client.close()
            }
            await ended.wait()
            #expect(seen.all == [.connectionClosed])
        }
    }
}
