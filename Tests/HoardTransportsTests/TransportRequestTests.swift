// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardHTTP
import HoardNIO
import HoardNIOTestSupport
import NIOCore
import Testing

@testable import HoardTransports

@Suite(.timeLimit(.minutes(5)))
struct TransportRequestTests {
    private static let empty = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"

    /// The bytes that arrive at the origin when `request` is sent.
    private static func bytesSent(_ kind: TransportKind, _ body: HTTPBody = .empty, _ request: (Int) -> HTTPRequest) async throws -> String {
        var received: [String] = []
        try await withRawOrigin(reply: { _ in .sendAndClose(Self.empty) }) { origin in
            try await withTransport(kind) { transport in
                _ = try await transport.send(request(origin.port), body: body)
                received = origin.received
            }
        }
        return received.joined(separator: "|")
    }

    @Test(arguments: TransportKind.allCases)
    func whatIsGivenIsWhatIsSent(_ kind: TransportKind) async throws {
        var port = 0
        let sent = try await Self.bytesSent(kind) {
            port = $0
            return .get("/a%2Fb/../c//d?x=%20&y", port: $0, [.userAgent: "test", .accept: "text/*", .cookie: "a=b", .cookie: "c=d"])
        }
        #expect(
            sent == """
                GET /a%2Fb/../c//d?x=%20&y HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nUser-Agent: test\r\nAccept: text/*\r\nCookie: a=b\r\nCookie: c=d\r\n\r\n
                """
        )
    }

    @Test(arguments: ["GET", "M-SEARCH", "PURGE", "BAN", "BREW", "x-lower", "get", "!#$%&'*+-.^_`|~09azAZ"], TransportKind.allCases)
    func methodIsSentAsItIs(_ name: String, _ kind: TransportKind) async throws {
        let method = try #require(HTTPRequest.Method(name))
        let sent = try await Self.bytesSent(kind) {
            HTTPRequest(method: method, scheme: "http", authority: "127.0.0.1:\($0)", path: "/a")
        }
        #expect(sent.hasPrefix("\(name) /a HTTP/1.1\r\n"), "\(sent)")
    }

    @Test(
        arguments: [
            "/", "//", "/?", "/?a", "/a?b?c", "/%7e", "/%7E", "/a;b=c,d", "/.", "/..", "/a/./b/../c", "/%00", "/a+b", "/:80", "/http://b/", "/a@b",
            "/~!$&'()*",
        ],
        TransportKind.allCases
    )
    func targetIsSentAsItIs(_ path: String, _ kind: TransportKind) async throws {
        let sent = try await Self.bytesSent(kind) { .get(path, port: $0) }
        #expect(sent.hasPrefix("GET \(path) HTTP/1.1\r\n"))
    }

    @Test(arguments: TransportKind.allCases)
    func spellingAndOrderOfFieldsAreKept(_ kind: TransportKind) async throws {
        let name = try #require(HTTPField.Name("x-OdD-NaMe"))
        let other = try #require(HTTPField.Name("X-Other"))
        let sent = try await Self.bytesSent(kind) {
            var request = HTTPRequest.get(port: $0)
            request.headerFields.append(HTTPField(name: name, value: "1"))
            request.headerFields.append(HTTPField(name: other, value: "2"))
            request.headerFields.append(HTTPField(name: name, value: "3"))
            return request
        }
        #expect(sent.hasSuffix("\r\nx-OdD-NaMe: 1\r\nX-Other: 2\r\nx-OdD-NaMe: 3\r\n\r\n"))
    }

    @Test(arguments: TransportKind.allCases)
    func fieldsOfTheConnectionAreNotTakenFromTheCaller(_ kind: TransportKind) async throws {
        var fields: HTTPFields = [
            .connection: "close, x-private", .transferEncoding: "gzip", .te: "trailers", .upgrade: "h2c", .expect: "100-continue",
        ]
        for name in ["Host", "Keep-Alive", "Proxy-Connection", "Proxy-Authorization", "Trailer", "X-Private", "Content-Length"] {
            fields.append(HTTPField(name: try #require(HTTPField.Name(name)), value: "7"))
        }
        var port = 0
        let sent = try await Self.bytesSent(kind) { [fields] in
            port = $0
            return .get(port: $0, fields)
        }
        #expect(sent == "GET / HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n")
    }

    @Test func defaultPortIsSentIfTheAuthorityNamesIt() async throws {
        let request = HTTPRequest(method: .get, scheme: "http", authority: "example.com:80", path: "/")
        #expect(try Destination(of: request).url == "http://example.com:80/")
        #expect(try Destination(of: request).name == "example.com port 80")
    }

    @Test(arguments: TransportKind.allCases)
    func controlsInAValueAreMadeHarmless(_ kind: TransportKind) async throws {
        let sent = try await Self.bytesSent(kind) { .get(port: $0, [.accept: "a\r\nX-Smuggled: b\0c\u{7F}"]) }
        #expect(sent.hasSuffix("\r\nAccept: a  X-Smuggled: b c\r\n\r\n"))
    }

    @Test(arguments: [HTTPRequest.Method.get, .head, .delete], TransportKind.allCases)
    func emptyBodyIsNotAnnouncedWhereNoneIsUsual(_ method: HTTPRequest.Method, _ kind: TransportKind) async throws {
        let sent = try await Self.bytesSent(kind) {
            var request = HTTPRequest.get(port: $0)
            request.method = method
            return request
        }
        #expect(sent.hasPrefix("\(method.rawValue) / HTTP/1.1\r\n"))
        #expect(!sent.lowercased().contains("content-length"))
        #expect(!sent.lowercased().contains("transfer-encoding"))
    }

    @Test(arguments: [HTTPRequest.Method.post, .put, .patch], TransportKind.allCases)
    func emptyBodyIsAnnouncedWhereOneIsUsual(_ method: HTTPRequest.Method, _ kind: TransportKind) async throws {
        let sent = try await Self.bytesSent(kind) {
            var request = HTTPRequest.get(port: $0)
            request.method = method
            return request
        }
        #expect(sent.hasSuffix("\r\nContent-Length: 0\r\n\r\n"))
    }

    @Test(arguments: TransportKind.allCases)
    func bodyAtHandIsSentWithItsLength(_ kind: TransportKind) async throws {
        try await withServer(handler: Self.describe) { server in
            try await withTransport(kind) { transport in
                let response = try await transport.send(.post(port: server.port), body: HTTPBody("hello"))
                #expect(try await response.text() == "length=5 coding=none read=hello")
            }
        }
    }

    @Test(arguments: TransportKind.allCases)
    func streamOfKnownLengthIsSentWithIt(_ kind: TransportKind) async throws {
        try await withServer(handler: Self.describe) { server in
            try await withTransport(kind) { transport in
                let response = try await transport.send(.post(port: server.port), body: HTTPBody(Parts.texts("hel", "lo"), length: 5))
                #expect(try await response.text() == "length=5 coding=none read=hello")
            }
        }
    }

    @Test(arguments: TransportKind.allCases)
    func streamOfUnknownLengthIsChunked(_ kind: TransportKind) async throws {
        try await withServer(handler: Self.describe) { server in
            try await withTransport(kind) { transport in
                let response = try await transport.send(.post(port: server.port), body: HTTPBody(Parts.texts("hel", "lo"), length: nil))
                #expect(try await response.text() == "length=none coding=chunked read=hello")
            }
        }
    }

    @Test(arguments: TransportKind.allCases)
    func bodyOfARequestToTheServerCanBeSentOn(_ kind: TransportKind) async throws {
        try await withServer(handler: Self.describe) { origin in
            try await withTransport(kind) { transport in
                let port = origin.port
                let proxy: HTTPServer.Handler = { request in
                    do {
                        let response = try await transport.send(.post(port: port), body: request.body)
                        return HTTPServerResponse(head: response.head, body: response.body)
                    } catch {
                        return .text("\(error)", .badGateway)
                    }
                }
                try await withServer(handler: proxy) { proxy in
                    let response = try await transport.send(.post(port: proxy.port), body: HTTPBody(Parts.texts("hel", "lo"), length: 5))
                    #expect(response.head.status == .ok)
                    #expect(try await response.text() == "length=5 coding=none read=hello")
                }
            }
        }
    }

    @Test(arguments: TransportKind.allCases)
    func failureOfTheBodyFailsTheRequest(_ kind: TransportKind) async throws {
        try await withServer(handler: Self.describe) { server in
            try await withTransport(kind) { transport in
                let error = try await #require(throws: TransportError.self) {
                    let body = HTTPBody(Parts.texts("hello", failing: TestFailure()), length: nil)
                    _ = try await transport.send(.post(port: server.port), body: body)
                }
                #expect(error.code == .failed)
                #expect(error.underlyingError is TestFailure)
            }
        }
    }

    @Test(arguments: [4, 6], TransportKind.allCases)
    func bodyOfAnotherLengthThanAnnouncedFailsTheRequest(_ length: Int, _ kind: TransportKind) async throws {
        try await withServer(handler: Self.describe) { server in
            try await withTransport(kind) { transport in
                let error = try await #require(throws: TransportError.self) {
                    _ = try await transport.send(.post(port: server.port), body: HTTPBody(Parts.texts("hello"), length: length))
                }
                #expect(error.code == .failed)
            }
        }
    }

    @Test(
        arguments: [
            HTTPRequest(method: .get, scheme: nil, authority: "a", path: "/"),
            HTTPRequest(method: .get, scheme: "ftp", authority: "a", path: "/"),
            HTTPRequest(method: .get, scheme: "http+unix", authority: "a", path: "/"),
            HTTPRequest(method: .get, scheme: "http", authority: nil, path: "/"),
            HTTPRequest(method: .get, scheme: "http", authority: "", path: "/"),
            HTTPRequest(method: .get, scheme: "http", authority: "u:p@a", path: "/"),
            HTTPRequest(method: .get, scheme: "http", authority: "a:99999", path: "/"),
            HTTPRequest(method: .get, scheme: "http", authority: "a/b", path: "/"),
            HTTPRequest(method: .get, scheme: "http", authority: "a\r\nb", path: "/"),
            HTTPRequest(method: .get, scheme: "http", authority: "[::1", path: "/"),
            HTTPRequest(method: .get, scheme: "http", authority: "a", path: nil),
            HTTPRequest(method: .get, scheme: "http", authority: "a", path: ""),
            HTTPRequest(method: .get, scheme: "http", authority: "a", path: "b"),
            HTTPRequest(method: .get, scheme: "http", authority: "a", path: "/b c"),
            HTTPRequest(method: .get, scheme: "http", authority: "a", path: "/b#c"),
            HTTPRequest(method: .get, scheme: "http", authority: "a", path: "/\u{E9}"),
            HTTPRequest(method: .options, scheme: "http", authority: "a", path: "*"),
            HTTPRequest(method: .connect, scheme: "http", authority: "a", path: "/"),
        ],
        TransportKind.allCases
    )
    func requestThatCannotBeSentIsRefused(_ request: HTTPRequest, _ kind: TransportKind) async throws {
        try await withTransport(kind) { transport in
            let error = try await #require(throws: TransportError.self) { _ = try await transport.send(request, body: .empty) }
            #expect(error.code == .invalidURL)
            #expect(error.message.hasSuffix("."))
        }
    }

    private static let describe: HTTPServer.Handler = { request in
        let length = request.head.headerFields[.contentLength] ?? "none"
        let coding = request.head.headerFields[.transferEncoding] ?? "none"
        let read = (try? await request.body.collect(upTo: 1_000)).map { String(buffer: $0) } ?? "nothing"
        return .text("length=\(length) coding=\(coding) read=\(read)")
    }
}
