// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardHTTP
import HoardNIO
import HoardNIOTestSupport
import HoardTesting
import HoardTransports
import NIOCore
import Testing

@Suite(.timeLimit(.minutes(5)))
struct TransportResponseTests {
    private static let mebibyte = 1_024 * 1_024

    private static func withReply(
        _ kind: TransportKind,
        _ reply: RawOrigin.Reply,
        _ method: HTTPRequest.Method = .get,
        body: (Result<TransportResponse, TransportError>) async throws -> Void
    ) async throws {
        try await withRawOrigin(reply: { _ in reply }) { origin in
            try await withTransport(kind) { transport in
                var request = HTTPRequest.get(port: origin.port)
                request.method = method
                do throws(TransportError) {
                    let response = try await transport.send(request, body: .empty)
                    try? await body(.success(response))
                } catch {
                    try? await body(.failure(error))
                }
            }
        }
    }

    private static func response(_ kind: TransportKind, to reply: RawOrigin.Reply, _ method: HTTPRequest.Method = .get) async throws -> (
        TransportResponse, Result<String, any Error>
    ) {
        var found: (TransportResponse, Result<String, any Error>)?
        try await withReply(kind, reply, method) { result in
            guard case .success(let response) = result else { return }
            do { found = (response, .success(try await response.text())) } catch { found = (response, .failure(error)) }
        }
        return try #require(found)
    }

    @Test(arguments: TransportKind.allCases)
    func headComesAsItWasSent(_ kind: TransportKind) async throws {
        let (response, text) = try await Self.response(
            kind,
            to: .send("HTTP/1.1 299 Fine\r\nx-One: 1\r\nSet-Cookie: a\r\nset-cookie: b\r\nETag: \"\u{E9}\"\r\nContent-Length: 2\r\n\r\nok")
        )
        #expect(response.head.status.code == 299)
        #expect(
            response.head.headerFields.map { "\($0.name.rawName)=\($0.value)" }
                == ["x-One=1", "Set-Cookie=a", "set-cookie=b", "ETag=\"\u{E9}\"", "Content-Length=2"]
        )
        #expect(response.body.length == 2)
        #expect(try text.get() == "ok")
    }

    @Test(arguments: TransportKind.allCases)
    func chunkedResponseHasNoLength(_ kind: TransportKind) async throws {
        let (response, text) = try await Self.response(
            kind,
            to: .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;a=b\r\nabc\r\n2\r\nde\r\n0\r\nX: y\r\n\r\n")
        )
        #expect(response.body.length == nil)
        #expect(try text.get() == "abcde")
    }

    @Test(arguments: TransportKind.allCases)
    func responseThatTheConnectionEndsIsReadToItsEnd(_ kind: TransportKind) async throws {
        let (response, text) = try await Self.response(kind, to: .sendAndClose("HTTP/1.0 200 OK\r\n\r\nabc"))
        #expect(response.body.length == nil)
        #expect(try text.get() == "abc")
    }

    @Test(arguments: [(method: HTTPRequest.Method.head, status: 200), (.get, 304), (.get, 204)], TransportKind.allCases)
    func headWithoutContentHasAnEmptyBodyWhateverItSays(_ head: (method: HTTPRequest.Method, status: Int), _ kind: TransportKind) async throws {
        let (response, text) = try await Self.response(kind, to: .send("HTTP/1.1 \(head.status) X\r\nContent-Length: 1234\r\n\r\n"), head.method)
        #expect(response.head.status.code == head.status)
        #expect(response.head.headerFields[.contentLength] == "1234")
        #expect(response.body.bytesAtHand?.readableBytes == 0)
        #expect(try text.get().isEmpty)
    }

    @Test(arguments: TransportKind.allCases)
    func interimResponsesAreLeftOut(_ kind: TransportKind) async throws {
        let (response, text) = try await Self.response(
            kind,
            to: .send(
                "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
            )
        )
        #expect(response.head.status == .ok)
        #expect(response.head.headerFields.count == 1)
        #expect(try text.get() == "ok")
    }

    @Test(arguments: TransportKind.allCases)
    func redirectIsNotFollowed(_ kind: TransportKind) async throws {
        let (response, _) = try await Self.response(kind, to: .send("HTTP/1.1 302 Found\r\nLocation: /other\r\nContent-Length: 0\r\n\r\n"))
        #expect(response.head.status.code == 302)
        #expect(response.head.headerFields[.location] == "/other")
    }

    @Test(arguments: TransportKind.allCases)
    func contentCodingIsNotDecoded(_ kind: TransportKind) async throws {
        let (response, text) = try await Self.response(
            kind,
            to: .send("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 6\r\n\r\nnot gz")
        )
        #expect(response.head.headerFields[.contentEncoding] == "gzip")
        #expect(try text.get() == "not gz")
    }

    @Test(
        arguments: [
            "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc",
        ],
        TransportKind.allCases
    )
    func responseThatIsCutOffFails(_ text: String, _ kind: TransportKind) async throws {
        let (_, result) = try await Self.response(kind, to: .sendAndClose(text))
        let error = try #require(throws: TransportError.self) { try result.get() }
        #expect(error.code == .connectionClosed)
    }

    @Test(arguments: TransportKind.allCases)
    func malformedChunkFailsTheBody(_ kind: TransportKind) async throws {
        let (_, result) = try await Self.response(kind, to: .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nzz\r\n"))
        let error = try #require(throws: TransportError.self) { try result.get() }
        #expect(error.code == .invalidResponse)
    }

    @Test(
        arguments: [
            "garbage\r\n\r\n", "HTTP/1.1\r\n\r\n", "HTTP/2.0 200 OK\r\n\r\n", "HTTP/1.1 abc OK\r\n\r\n", "HTTP/1.1 99 Low\r\n\r\n",
            "HTTP/1.1 200 OK\r\nBad Name: x\r\n\r\n", "HTTP/1.1 200 OK\r\nX: a\0b\r\n\r\n",
            "HTTP/1.1 200 OK\r\nX: a\u{01}b\r\nContent-Length: 0\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n",
        ],
        TransportKind.allCases
    )
    func responseThatIsNotHTTPIsRefused(_ text: String, _ kind: TransportKind) async throws {
        var codes: [TransportError.Code] = []
        try await Self.withReply(kind, .sendAndClose(text)) { result in
            switch result {
            case .success(let response):
                do { _ = try await response.text() } catch let error as TransportError { codes.append(error.code) }
            case .failure(let error):
                codes.append(error.code)
            }
        }
        #expect(codes == [.invalidResponse])
    }

    @Test(arguments: TransportKind.allCases)
    func largeResponseStreamsWithoutBeingReadAhead(_ kind: TransportKind) async throws {
        let produced = Counter()
        let handler: HTTPServer.Handler = { _ in
            let parts = Parts.repeating(byteCount: 64 * 1_024, count: 2_048, produced: produced)
            return HTTPServerResponse(head: HTTPResponse(status: .ok), body: HTTPBody(parts, length: 128 * Self.mebibyte))
        }
        // The server must not lose patience while nothing is read, however long the other exchanges take.
        var configuration = HTTPServer.Configuration()
        configuration.writeTimeout = .seconds(3_600)
        try await withServer(configuration, handler: handler) { server in
            try await withTransport(kind) { transport in
                let response = try await transport.send(.get(port: server.port), body: .empty)
                #expect(response.body.length == 128 * Self.mebibyte)
                var parts = response.body.makeAsyncIterator()
                var byteCount = try #require(try await parts.next()).readableBytes
                // Other exchanges pass through the same event loops meanwhile.
                for _ in 0..<50 {
                    _ = try await transport.send(
                        HTTPRequest(method: .head, scheme: "http", authority: "127.0.0.1:\(server.port)", path: "/"),
                        body: .empty
                    )
                }
                #expect(produced.value < 64 * Self.mebibyte)
                while let part = try await parts.next() { byteCount += part.readableBytes }
                #expect(byteCount == 128 * Self.mebibyte)
            }
        }
    }

    @Test(arguments: TransportKind.allCases)
    func largeRequestStreamsThrough(_ kind: TransportKind) async throws {
        let handler: HTTPServer.Handler = { request in
            var byteCount = 0
            do {
                for try await part in request.body { byteCount += part.readableBytes }
            } catch {
                return .text("\(error)")
            }
            return .text("\(byteCount)")
        }
        try await withServer(handler: handler) { server in
            try await withTransport(kind) { transport in
                let body = HTTPBody(Parts.repeating(byteCount: 64 * 1_024, count: 1_024), length: nil)
                let response = try await transport.send(.post(port: server.port), body: body)
                #expect(try await response.text() == "\(64 * Self.mebibyte)")
            }
        }
    }

    @Test(arguments: TransportKind.allCases)
    func requestIsNotReadAheadOfAStalledOrigin(_ kind: TransportKind) async throws {
        let produced = Counter()
        try await withRawOrigin(reads: false, reply: { _ in .nothing }) { origin in
            try await withTransport(kind) { transport in
                let port = origin.port
                let request = Task {
                    let body = HTTPBody(Parts.repeating(byteCount: 64 * 1_024, count: 16 * 1_024, produced: produced), length: nil)
                    return try await transport.send(.post(port: port), body: body)
                }
                await produced.wait(for: 128 * 1_024)
                try await withServer(handler: { _ in .text("ok") }) { other in
                    for _ in 0..<50 { _ = try await transport.text(.get(port: other.port)) }
                }
                // The bytes in the kernel's two sockets, and some parts in the client.
                #expect(produced.value < 16 * Self.mebibyte)
                request.cancel()
                _ = await request.result
            }
        }
    }

    /// A server whose bodies never end, and that tells when one is given up.
    private static func endlessBody(_ ended: Signal) -> HTTPServer.Handler {
        { _ in
            let end = EndOfLife { ended.fire() }
            let part = ByteBuffer(repeating: 0, count: 1_024)
            return HTTPServerResponse(head: HTTPResponse(status: .ok), body: HTTPBody(Parts { { withExtendedLifetime(end) { part } } }, length: nil))
        }
    }

    @Test(arguments: TransportKind.allCases)
    func droppingTheBodyEndsTheExchange(_ kind: TransportKind) async throws {
        let ended = Signal()
        try await withServer(handler: Self.endlessBody(ended)) { server in
            try await withTransport(kind) { transport in
                var response: TransportResponse? = try await transport.send(.get(port: server.port), body: .empty)
                #expect(response?.head.status == .ok)
                response = nil
                await ended.wait()
            }
        }
    }

    @Test(arguments: TransportKind.allCases)
    func droppingAHalfReadBodyEndsTheExchange(_ kind: TransportKind) async throws {
        let ended = Signal()
        try await withServer(handler: Self.endlessBody(ended)) { server in
            try await withTransport(kind) { transport in
                for try await _ in try await transport.send(.get(port: server.port), body: .empty).body { break }
                await ended.wait()
            }
        }
    }

    @Test(arguments: TransportKind.allCases)
    func bodyIsReadOnlyOnce(_ kind: TransportKind) async throws {
        try await withServer(handler: { _ in HTTPServerResponse(head: HTTPResponse(status: .ok), body: HTTPBody(Parts.texts("ab"), length: nil)) }) {
            server in
            try await withTransport(kind) { transport in
                let response = try await transport.send(.get(port: server.port), body: .empty)
                #expect(try await response.text() == "ab")
                let error = await #expect(throws: TransportError.self) { try await response.text() }
                #expect(error?.code == .failed)
            }
        }
    }

    @Test(arguments: TransportKind.allCases)
    func cancelledReaderIsNotToldThatTheBodyIsComplete(_ kind: TransportKind) async throws {
        try await withRawOrigin(reply: { _ in .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n") }) { origin in
            try await withTransport(kind) { transport in
                let response = try await transport.send(.get(port: origin.port), body: .empty)
                let begun = Signal()
                let reader = Task {
                    var text = ""
                    for try await part in response.body {
                        text += String(buffer: part)
                        begun.fire()
                    }
                    return text
                }
                await begun.wait()
                reader.cancel()
                let error = await #expect(throws: TransportError.self) { try await reader.value }
                #expect(error?.code == .cancelled)
            }
        }
    }
}
