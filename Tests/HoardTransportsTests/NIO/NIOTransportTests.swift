// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardHTTP
import HoardNIO
import HoardNIOTestSupport
import HoardTransports
import NIOCore
import Synchronization
import Testing

/// Features of this transport that other transports do not have.
@Suite(.timeLimit(.minutes(5)))
struct NIOTransportTests {
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    /// Replies with one text after the other.
    private static func replying(_ replies: RawOrigin.Reply...) -> @Sendable (String) -> RawOrigin.Reply {
        let count = Mutex(0)
        return { _ in
            let index = count.withLock { count in
                defer { count += 1 }
                return count
            }
            return index < replies.count ? replies[index] : .nothing
        }
    }

    // MARK: Interim responses

    @Test func interimResponsesArePassedOnInTheirOrder() async throws {
        let reply =
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\nx-A: 1\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </b>\r\n\r\n"
            + Self.ok
        try await withRawOrigin(reply: Self.replying(.send(reply))) { origin in
            try await withNIOTransport { transport in
                let seen = Mutex<[String]>([])
                let response = try await transport.send(.get(port: origin.port), body: .empty) { interim in
                    await Task.yield()
                    seen.withLock { $0.append("\(interim.status.code) \(interim.headerFields.map { "\($0.name.rawName)=\($0.value)" })") }
                }
                #expect(seen.withLock { $0 } == ["100 []", "103 [\"Link=</a>\", \"x-A=1\"]", "103 [\"Link=</b>\"]"])
                #expect(response.head.status == .ok)
                #expect(try await response.text() == "ok")
            }
        }
    }

    @Test func interimResponseIsSeenBeforeTheFinalOneIsSent() async throws {
        try await withServer(handler: { request in
            await request.sendInterimResponse(HTTPResponse(status: .init(code: 103), headerFields: [.init("Link")!: "</a>"]))
            await waitForCancellation()
            return .text("never")
        }) { server in
            try await withNIOTransport { transport in
                let seen = Signal()
                let port = server.port
                let request = Task { try await transport.send(.get(port: port), body: .empty) { _ in seen.fire() } }
                await seen.wait()
                request.cancel()
                await #expect(throws: TransportError.self) { try await request.value }
            }
        }
    }

    @Test func interimResponsesWithoutEndAreRefused() async throws {
        let hints = String(repeating: "HTTP/1.1 102 Processing\r\n\r\n", count: 65)
        try await withRawOrigin(reply: Self.replying(.send(hints + Self.ok))) { origin in
            try await withNIOTransport { transport in
                let error = await #expect(throws: TransportError.self) { try await transport.send(.get(port: origin.port), body: .empty) }
                #expect(error?.code == .invalidResponse)
            }
        }
    }

    // MARK: Trailers

    @Test func fieldsBehindTheContentAreTheBodysTrailers() async throws {
        let reply = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nx-One: 1\r\nETag: \"a\"\r\n\r\n"
        try await withRawOrigin(reply: Self.replying(.send(reply), .send(Self.ok))) { origin in
            try await withNIOTransport { transport in
                let response = try await transport.send(.get(port: origin.port), body: .empty)
                #expect(response.body.trailers == nil)
                #expect(try await response.text() == "ok")
                #expect(response.body.trailers?.map { "\($0.name.rawName)=\($0.value)" } == ["x-One=1", "ETag=\"a\""])
                let next = try await transport.send(.get(port: origin.port), body: .empty)
                #expect(try await next.text() == "ok")
                #expect(next.body.trailers == nil)
                #expect(origin.received.count == 1)
            }
        }
    }

    @Test(arguments: ["Content-Length: 2", "Content-Length: 100", "X: 1\r\ncontent-length: 0", "Content-Length: 0\r\nX: 1"])
    func aLengthAmongTheTrailersIsIgnored(_ trailers: String) async throws {
        let reply = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\(trailers)\r\n\r\n"
        let (result, connectionCount) = try await Self.read(.send(reply))
        #expect(try result.get() == "ok")
        #expect(connectionCount == 2)
    }

    @Test func aLengthBesideChunksInTheHeadIsRefused() async throws {
        for fields in ["Transfer-Encoding: chunked\r\nContent-Length: 2", "Content-Length: 2\r\nTransfer-Encoding: chunked"] {
            let (result, _) = try await Self.read(.send("HTTP/1.1 200 OK\r\n\(fields)\r\n\r\n2\r\nok\r\n0\r\n\r\n"))
            #expect(throws: TransportError.self) { try result.get() }
        }
    }

    // MARK: Framing

    /// The reading of one response, and the number of connections that two requests need.
    private static func read(_ reply: RawOrigin.Reply) async throws -> (result: Result<String, any Error>, connectionCount: Int) {
        var found: (Result<String, any Error>, Int)?
        try await withRawOrigin(reply: replying(reply, .send(ok))) { origin in
            try await withNIOTransport { transport in
                let result: Result<String, any Error>
                do {
                    result = .success(try await transport.send(.get(port: origin.port), body: .empty).text())
                } catch {
                    result = .failure(error)
                }
                let text = try await transport.text(.get(port: origin.port))
                #expect(text == "ok")
                found = (result, origin.received.count)
            }
        }
        return try #require(found)
    }

    @Test(arguments: [
        "!", "\r\n\r\n!", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nbad", "HTTP/1.1 200 OK\r\nX: ", "HTTP/1.1 200 OK\r\n", "H",
        "HTTP/1.1 103 Early Hints\r\n\r\n",
    ])
    func bytesBehindAResponseAreNeverPartOfTheNext(_ stray: String) async throws {
        for response in [
            "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ngood",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\ngood\r\n0\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\ngood\r\n0\r\nX: y\r\n\r\n",
        ] {
            let (result, connectionCount) = try await Self.read(.send(response + stray))
            #expect(try result.get() == "good")
            #expect(connectionCount == 2)
        }
        let (result, connectionCount) = try await Self.read(.send("HTTP/1.1 204 No Content\r\n\r\n" + stray))
        #expect(try result.get() == "")
        #expect(connectionCount == 2)
    }

    @Test func transferCodingThatNobodyKnowsLastsUntilTheConnectionEnds() async throws {
        let (result, connectionCount) = try await Self.read(.sendAndClose("HTTP/1.1 200 OK\r\nTransfer-Encoding: x-mine\r\n\r\n2\r\nok\r\n0\r\n\r\n"))
        #expect(try result.get() == "2\r\nok\r\n0\r\n\r\n")
        #expect(connectionCount == 2)
    }

    @Test(arguments: ["gzip", "gzip, chunked", "chunked, gzip", "chunked, x-mine", "chunked\r\nTransfer-Encoding: chunked", "\"chunked\"", ""])
    func transferCodingThatCouldBeMisreadIsRefused(_ coding: String) async throws {
        let (result, connectionCount) = try await Self.read(.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: \(coding)\r\n\r\n2\r\nok\r\n0\r\n\r\n"))
        let error = #expect(throws: TransportError.self) { try result.get() }
        #expect(error?.code == .invalidResponse)
        #expect(connectionCount == 2)
    }

    @Test func transferCodingOfAnOldOriginIsRefused() async throws {
        let (result, _) = try await Self.read(.send("HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"))
        let error = #expect(throws: TransportError.self) { try result.get() }
        #expect(error?.code == .invalidResponse)
    }

    @Test func headWithoutEndIsRefused() async throws {
        for head in [
            "HTTP/1.1 200 OK\r\nX: " + String(repeating: "x", count: 65_536), String(repeating: "HTTP/1.1 102 P\r\nX: y\r\n\r\n", count: 4_000),
            "HTTP/1.1 200 " + String(repeating: "x", count: 65_536), "HTTP/1.1 200 OK\r\n" + String(repeating: "X: y\r\n", count: 257) + "\r\n",
        ] {
            let (result, _) = try await Self.read(.send(head))
            let error = #expect(throws: TransportError.self) { try result.get() }
            #expect(error?.code == .invalidResponse)
        }
    }

    @Test func connectionThatTheOriginWillCloseIsNotUsedAgain() async throws {
        let (result, connectionCount) = try await Self.read(.send("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok"))
        #expect(try result.get() == "ok")
        #expect(connectionCount == 2)
    }

    @Test func whatHasArrivedOfAResponseThatIsCutOffCanBeRead() async throws {
        try await withRawOrigin(reply: Self.replying(.sendAndClose("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"))) { origin in
            try await withNIOTransport { transport in
                var parts = try await transport.send(.get(port: origin.port), body: .empty).body.makeAsyncIterator()
                #expect(try await parts.next() == ByteBuffer(string: "abc"))
                let error = await #expect(throws: TransportError.self) { try await parts.next() }
                #expect(error?.code == .connectionClosed)
            }
        }
    }
}
