// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardHTTP
import HoardNIO
import HoardNIOTestSupport
import HoardTesting
import NIOCore
import Testing

@testable import HoardTransports

@Suite(.timeLimit(.minutes(5)))
struct URLSessionTransportTests {
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    /// Whether nothing else keeps the memory of a buffer, which is empty afterwards.
    private static func isAlone(_ buffer: inout ByteBuffer) -> Bool {
        let capacity = buffer.capacity
        buffer.clear(minimumCapacity: 0)
        return buffer.capacity == capacity
    }

    @Test func contentThatIsReadOrNotWantedIsNotKept() async throws {
        let exchange = SessionExchange(origin: try Destination(of: .get(port: 1)), maximumBufferedBytes: 1 << 20)
        var (first, second) = (ByteBuffer(repeating: 1, count: 1_000), ByteBuffer(repeating: 2, count: 1_000))
        exchange.received(first)
        exchange.received(second)
        #expect(try await exchange.next()?.readableBytes == 1_000)
        #expect(Self.isAlone(&first))
        exchange.abandon()
        #expect(Self.isAlone(&second))
    }

    /// Runs a raw origin and a transport.
    private static func with(
        _ change: (inout URLSessionTransport.Configuration) -> Void = { _ in },
        reply: @escaping @Sendable (String) -> RawOrigin.Reply,
        body: (RawOrigin, URLSessionTransport) async throws -> Void
    ) async throws {
        var configuration = URLSessionTransport.Configuration()
        change(&configuration)
        let transport = try URLSessionTransport(configuration: configuration)
        defer { transport.shutdown() }
        try await withRawOrigin(reply: reply) { origin in try await body(origin, transport) }
    }

    /// The lines that arrive at the origin when a request is sent.
    private static func linesSent(body: HTTPBody = .empty, _ request: @Sendable (Int) -> HTTPRequest) async throws -> [String] {
        var lines: [String] = []
        try await with(reply: { _ in .sendAndClose(ok) }) { origin, transport in
            _ = try await transport.send(request(origin.port), body: body).text()
            lines = origin.received.joined().split(separator: "\r\n", omittingEmptySubsequences: false).map(String.init)
        }
        return lines
    }

    // MARK: Requests

    @Test func fieldsAreSentAsTheyAre() async throws {
        let lines = try await Self.linesSent {
            .get("/a%2Fb//c?x=%20&y", port: $0, [.userAgent: "test", .accept: "text/*", .cookie: "a=b", .cookie: "c=d"])
        }
        #expect(lines.first == "GET /a%2Fb//c?x=%20&y HTTP/1.1")
        for line in ["User-Agent: test", "Accept: text/*", "Cookie: a=b; c=d", "Accept-Encoding: identity"] { #expect(lines.contains(line)) }
    }

    @Test(arguments: [
        "/", "//", "/?", "/?a", "/a?b?c", "/%7e", "/%7E", "/a;b=c,d", "/%00", "/a+b", "/:80", "/http://b/", "/a@b", "/~!$&'()*", "/.a/..b",
    ])
    func targetIsSentAsItIs(path: String) async throws {
        let lines = try await Self.linesSent { .get(path, port: $0) }
        #expect(lines.first == "GET \(path) HTTP/1.1")
    }

    @Test func charactersThatNoURLHasAreEncoded() async throws {
        let lines = try await Self.linesSent { .get("/{a}|\"%20?<x>=[1]^`\\", port: $0) }
        #expect(lines.first == "GET /%7Ba%7D%7C%22%20?%3Cx%3E=%5B1%5D%5E%60%5C HTTP/1.1")
    }

    @Test(arguments: ["/.", "/..", "/a/../b", "/a/./b", "/a/%2E%2e/b", "/a/.%2e"])
    func pathThatWouldBeChangedIsRefused(path: String) async throws {
        let transport = URLSessionTransport()
        let error = await #expect(throws: TransportError.self) { try await transport.send(.get(path, port: 1)) }
        #expect(error?.code == .invalidURL)
    }

    @Test(arguments: ["GET", "M-SEARCH", "PURGE", "BAN", "BREW", "x-lower", "options", "!#$%&'*+-.^_`|~09azAZ"])
    func methodIsSentAsItIs(name: String) async throws {
        let method = try #require(HTTPRequest.Method(name))
        let lines = try await Self.linesSent { HTTPRequest(method: method, scheme: "http", authority: "127.0.0.1:\($0)", path: "/a") }
        #expect(lines.first == "\(name) /a HTTP/1.1")
    }

    #if canImport(FoundationNetworking)
        /// Foundation would send `GET` for `get`, which is another method ([RFC 9110 §9.1](https://www.rfc-editor.org/rfc/rfc9110#section-9.1)).
        @Test(arguments: ["get", "Head", "post", "pUT", "delete", "connect"])
        func methodThatWouldBeChangedIsRefused(name: String) async throws {
            let method = try #require(HTTPRequest.Method(name))
            let transport = URLSessionTransport()
            let error = await #expect(throws: TransportError.self) {
                try await transport.send(HTTPRequest(method: method, scheme: "http", authority: "127.0.0.1:1", path: "/a"))
            }
            #expect(error?.code == .invalidURL)
            #expect(error?.message == "The method of the request to 127.0.0.1 port 1 cannot be sent as it is by URLSession.")
        }
    #endif

    @Test func fieldsOfTheConnectionAndCodingsAreNotTakenFromTheCaller() async throws {
        var fields: HTTPFields = [.connection: "close", .te: "trailers", .upgrade: "h2c", .expect: "100-continue", .acceptEncoding: "gzip"]
        fields[try #require(HTTPField.Name("Host"))] = "other"
        let lines = try await Self.linesSent { [fields] in .get(port: $0, fields) }
        #expect(lines.contains { $0.hasPrefix("Host: 127.0.0.1:") })
        #expect(lines.contains("Accept-Encoding: identity"))
        #expect(!lines.contains { $0.hasPrefix("TE:") || $0.hasPrefix("Expect:") || $0.hasPrefix("Upgrade:") || $0.contains("other") })
    }

    @Test func contentIsSentWithItsLengthStreamedOrNot() async throws {
        let fields: HTTPFields = [.contentType: "text/plain"]
        let handler: HTTPServer.Handler = { request in
            let content = try? await request.body.collect(upTo: 100)
            return .text("\(request.head.headerFields[.contentLength] ?? "none") \(String(buffer: content ?? ByteBuffer()))")
        }
        try await withServer(handler: handler) { server in
            let transport = URLSessionTransport()
            for body in [HTTPBody("hello"), HTTPBody(Parts.texts("hel", "lo"), length: nil)] {
                let text = try await transport.send(.post(port: server.port, fields), body: body).text()
                #expect(text == "5 hello")
            }
        }
        #expect(try await Self.linesSent { .post(port: $0) }.contains("Content-Length: 0"))
        #expect(try await !Self.linesSent { .get(port: $0) }.contains { $0.hasPrefix("Content-Length") })
    }

    @Test func streamedContentHasALimit() async throws {
        try await Self.with({ $0.maximumRequestBytes = 4 }, reply: { _ in .send(Self.ok) }) { origin, transport in
            let error = await #expect(throws: TransportError.self) {
                try await transport.send(.post(port: origin.port), body: HTTPBody(Parts.texts("hel", "lo"), length: nil))
            }
            #expect(error?.code == .failed)
            #expect(origin.received.isEmpty)
        }
    }

    @Test(arguments: [4, 6])
    func contentThatIsNotAsLongAsItSaidIsNotSent(length: Int) async throws {
        try await Self.with(reply: { _ in .send(Self.ok) }) { origin, transport in
            let error = await #expect(throws: TransportError.self) {
                try await transport.send(.post(port: origin.port), body: HTTPBody(Parts.texts("hel", "lo"), length: length))
            }
            #expect(error?.code == .failed)
            #expect(error?.message == "The content of the request to 127.0.0.1 port \(origin.port) is not as long as it said.")
            #expect(origin.received.isEmpty)
        }
    }

    @Test func timeoutIsOneThatASessionCanKeep() {
        var configuration = URLSessionTransport.Configuration()
        configuration.readTimeout = .seconds(Int64.max)
        #expect(configuration.timeoutInterval == 365 * 86_400)
        #if canImport(FoundationNetworking)
            configuration.readTimeout = .milliseconds(500)
            #expect(configuration.timeoutInterval == 1)
        #endif
    }

    // MARK: Responses

    @Test func headAndBodyArrive() async throws {
        try await Self.with(reply: { _ in .send("HTTP/1.1 203 Fine\r\nX-OdD: 1\r\nx-odd: 2\r\nETag: \"1\"\r\nContent-Length: 2\r\n\r\nok") }) {
            origin,
            transport in
            let response = try await transport.send(.get(port: origin.port))
            #expect(response.head.status.code == 203)
            #expect(response.head.headerFields[.eTag] == "\"1\"")
            let odd = try #require(HTTPField.Name("X-Odd"))
            #expect(response.head.headerFields[values: odd].flatMap { $0.split(separator: ", ") }.sorted() == ["1", "2"])
            #expect(response.body.length == 2)
            let text = try await response.text()
            #expect(text == "ok")
        }
    }

    @Test(arguments: [301, 302, 307, 308])
    func redirectsAreNotFollowed(code: Int) async throws {
        try await Self.with(reply: { _ in .send("HTTP/1.1 \(code) Moved\r\nLocation: /b\r\nContent-Length: 5\r\n\r\nmoved") }) { origin, transport in
            let response = try await transport.send(.get(port: origin.port))
            #expect(response.head.status.code == code)
            #expect(response.head.headerFields[.location] == "/b")
            let text = try await response.text()
            #expect(text == "moved")
            #expect(origin.received.count == 1)
        }
    }

    @Test(arguments: [(401, "WWW-Authenticate: Basic realm=\"x\""), (407, "Proxy-Authenticate: Basic realm=\"x\""), (401, "X-None: 1")])
    func nobodyIsAskedForAPassword(row: (code: Int, field: String)) async throws {
        try await Self.with(reply: { _ in .send("HTTP/1.1 \(row.code) No\r\n\(row.field)\r\nContent-Length: 2\r\n\r\nno") }) { origin, transport in
            let response = try await transport.send(.get(port: origin.port))
            #expect(response.head.status.code == row.code)
            let text = try await response.text()
            #expect(text == "no")
        }
    }

    @Test func cookiesAreNeitherKeptNorRunTogether() async throws {
        let cookies = "Set-Cookie: a=b; Expires=Wed, 21 Oct 2099 07:28:00 GMT; Path=/\r\nSet-Cookie: c=d\r\n"
        try await Self.with(reply: { _ in .send("HTTP/1.1 200 OK\r\n\(cookies)Content-Length: 0\r\n\r\n") }) { origin, transport in
            let response = try await transport.send(.get(port: origin.port))
            #expect(response.head.headerFields[values: .setCookie] == ["a=b; Expires=Wed, 21 Oct 2099 07:28:00 GMT; Path=/", "c=d"])
            _ = try await transport.send(.get(port: origin.port))
            #expect(!origin.received.joined().contains("Cookie:"))
        }
    }

    @Test func nothingIsCached() async throws {
        let count = Counter()
        let reply: @Sendable (String) -> RawOrigin.Reply = { _ in
            count.add()
            return .send("HTTP/1.1 200 OK\r\nCache-Control: max-age=600\r\nETag: \"1\"\r\nContent-Length: 1\r\n\r\n\(count.value)")
        }
        try await Self.with(reply: reply) { origin, transport in
            for number in 1...3 {
                let text = try await transport.send(.get(port: origin.port)).text()
                #expect(text == "\(number)")
            }
            #expect(!origin.received.joined().contains("If-None-Match"))
        }
    }

    @Test(arguments: [(HTTPRequest.Method.head, 200), (.get, 204), (.get, 304)])
    func responseWithoutContentKeepsItsFields(row: (method: HTTPRequest.Method, code: Int)) async throws {
        let length = row.code == 204 ? "" : "Content-Length: 10\r\n"
        try await Self.with(reply: { _ in .send("HTTP/1.1 \(row.code) X\r\nETag: \"1\"\r\n\(length)\r\n") }) { origin, transport in
            var request = HTTPRequest.get(port: origin.port, [.ifNoneMatch: "\"1\""])
            request.method = row.method
            let response = try await transport.send(request)
            #expect(response.head.status.code == row.code)
            #expect(response.head.headerFields[.eTag] == "\"1\"")
            #expect(response.body.length == 0)
        }
    }

    @Test func contentThatIsDecodedIsNotDescribedAsEncoded() async throws {
        // An empty block of deflate, the smallest content with a coding.
        let fields = "ETag: \"1\"\r\nContent-Encoding: deflate\r\nAccept-Ranges: bytes\r\nContent-Length: 2\r\n"
        try await Self.with(reply: { _ in .send("HTTP/1.1 200 OK\r\n\(fields)\r\n\u{3}\u{0}") }) { origin, transport in
            let response = try await transport.send(.get(port: origin.port))
            #expect(response.head.headerFields == [.eTag: "W/\"1\""])
            #expect(response.body.length == nil)
            let text = try await response.text()
            #expect(text.isEmpty)
        }
        try await Self.with(reply: { _ in .send("HTTP/1.1 206 Part\r\nContent-Range: bytes 0-1/9\r\n\(fields)\r\n\u{3}\u{0}") }) {
            origin,
            transport in
            let error = await #expect(throws: TransportError.self) { try await transport.send(.get(port: origin.port)) }
            #expect(error?.code == .invalidResponse)
        }
    }

    @Test func largeBodyArrivesWhole() async throws {
        try await withServer(handler: { _ in
            HTTPServerResponse(head: HTTPResponse(status: .ok), body: HTTPBody(Parts.repeating(byteCount: 65_536, count: 160), length: nil))
        }) { server in
            let transport = URLSessionTransport()
            var byteCount = 0
            for try await part in try await transport.send(.get(port: server.port)).body { byteCount += part.readableBytes }
            #expect(byteCount == 160 * 65_536)
            transport.shutdown()
        }
    }

    #if canImport(FoundationNetworking)
        @Test func bodyThatNobodyReadsIsBounded() async throws {
            let isBrokenOff = Signal()
            let handler: HTTPServer.Handler = { _ in
                let end = EndOfLife { isBrokenOff.fire() }
                let part = ByteBuffer(repeating: 0, count: 65_536)
                let parts = Parts { { withExtendedLifetime(end) { part } } }
                return HTTPServerResponse(head: HTTPResponse(status: .ok), body: HTTPBody(parts, length: nil))
            }
            try await withServer(handler: handler) { server in
                var configuration = URLSessionTransport.Configuration()
                configuration.maximumBufferedBytes = 1 << 20
                let transport = try URLSessionTransport(configuration: configuration)
                let response = try await transport.send(.get(port: server.port))
                await isBrokenOff.wait()
                let error = await #expect(throws: TransportError.self) { for try await _ in response.body {} }
                #expect(error?.code == .failed)
            }
        }
    #endif
}
