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
struct HTTPServerStrictnessTests {
    struct Malformed: Sendable, CustomTestStringConvertible {
        let name: String
        let request: String
        var statuses = [400]

        var testDescription: String { name }
    }

    private static let get = "GET / HTTP/1.1\r\nHost: a\r\n"
    private static let post = "POST / HTTP/1.1\r\nHost: a\r\n"

    static let malformed: [Malformed] = [
        .init(name: "no Host", request: "GET / HTTP/1.1\r\n\r\n"),
        .init(name: "two Hosts", request: "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n"),
        .init(name: "two Hosts in 1.0", request: "GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n"),
        .init(name: "empty Host", request: "GET / HTTP/1.1\r\nHost:\r\n\r\n"),
        .init(name: "Host with a space", request: "GET / HTTP/1.1\r\nHost: a b\r\n\r\n"),
        .init(name: "Host with a path", request: "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n"),
        .init(name: "Host with a user", request: "GET / HTTP/1.1\r\nHost: u@a\r\n\r\n"),
        .init(name: "Host with a bad port", request: "GET / HTTP/1.1\r\nHost: a:99999\r\n\r\n"),
        .init(name: "Host list", request: "GET / HTTP/1.1\r\nHost: a, b\r\n\r\n"),
        .init(name: "length and chunks", request: "\(post)Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        .init(name: "chunks and length", request: "\(post)Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n"),
        .init(name: "two lengths", request: "\(post)Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd"),
        .init(name: "list of lengths", request: "\(post)Content-Length: 3, 4\r\n\r\nabcd"),
        .init(name: "negative length", request: "\(post)Content-Length: -3\r\n\r\n"),
        .init(name: "signed length", request: "\(post)Content-Length: +3\r\n\r\nabc"),
        .init(name: "hexadecimal length", request: "\(post)Content-Length: 0x3\r\n\r\nabc"),
        .init(name: "overflowing length", request: "\(post)Content-Length: 99999999999999999999\r\n\r\n"),
        .init(name: "length beyond Int64", request: "\(post)Content-Length: 18446744073709551615\r\n\r\n"),
        .init(name: "empty length", request: "\(post)Content-Length:\r\n\r\n"),
        .init(name: "unknown coding last", request: "\(post)Transfer-Encoding: chunked, gzip\r\n\r\n", statuses: [400, 501]),
        .init(name: "unknown coding", request: "\(post)Transfer-Encoding: gzip\r\n\r\n", statuses: [400, 501]),
        .init(
            name: "unknown coding first",
            request: "\(post)Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
            statuses: [501]
        ),
        .init(
            name: "chunked twice",
            request: "\(post)Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            statuses: [400, 501]
        ),
        .init(
            name: "disguised chunked",
            request: "\(post)Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
            statuses: [400, 501]
        ),
        .init(
            name: "quoted chunked",
            request: "\(post)Transfer-Encoding: \"chunked\"\r\n\r\n0\r\n\r\n",
            statuses: [400, 501]
        ),
        .init(name: "chunked in 1.0", request: "POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        .init(name: "space before colon", request: "GET / HTTP/1.1\r\nHost : a\r\n\r\n"),
        .init(name: "line folding", request: "\(get)X: a\r\n b\r\n\r\n"),
        .init(name: "folding before any field", request: "GET / HTTP/1.1\r\n Host: a\r\n\r\n"),
        .init(name: "field without a name", request: "GET / HTTP/1.1\r\nHost: a\r\n: b\r\n\r\n"),
        .init(name: "field without a colon", request: "GET / HTTP/1.1\r\nHost: a\r\nfoo\r\n\r\n"),
        .init(name: "control in a value", request: "\(get)X: a\u{01}b\r\n\r\n"),
        .init(name: "delete in a value", request: "\(get)X: a\u{7F}b\r\n\r\n"),
        .init(name: "NUL in a value", request: "\(get)X: a\0b\r\n\r\n"),
        .init(name: "CR in a value", request: "\(get)X: a\rb\r\n\r\n"),
        .init(name: "slash in a name", request: "\(get)X/Y: a\r\n\r\n"),
        .init(name: "letter beyond ASCII in a name", request: "\(get)X\u{E9}: a\r\n\r\n"),
        .init(name: "fragment", request: "GET /a#b HTTP/1.1\r\nHost: a\r\n\r\n"),
        .init(name: "letter beyond ASCII in the target", request: "GET /\u{E9} HTTP/1.1\r\nHost: a\r\n\r\n"),
        .init(name: "control in the target", request: "GET /\u{01} HTTP/1.1\r\nHost: a\r\n\r\n"),
        .init(name: "space in the target", request: "GET /a b HTTP/1.1\r\nHost: a\r\n\r\n"),
        .init(name: "target without a slash", request: "GET a HTTP/1.1\r\nHost: a\r\n\r\n"),
        .init(name: "asterisk for GET", request: "GET * HTTP/1.1\r\nHost: a\r\n\r\n"),
        .init(name: "absolute target of another scheme", request: "GET ftp://a/ HTTP/1.1\r\nHost: a\r\n\r\n"),
        .init(name: "absolute target without a host", request: "GET http:///a HTTP/1.1\r\nHost: a\r\n\r\n"),
        .init(name: "absolute target with a user", request: "GET http://u:p@a/ HTTP/1.1\r\nHost: a\r\n\r\n"),
        .init(name: "tunnel", request: "CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n", statuses: [501]),
        .init(name: "tunnel to a path", request: "CONNECT /a HTTP/1.1\r\nHost: a\r\n\r\n", statuses: [400, 501]),
        .init(name: "unknown expectation", request: "\(post)Expect: 200-ok\r\nContent-Length: 1\r\n\r\na", statuses: [417]),
        .init(name: "garbage", request: "\u{16}\u{03}\u{01}\u{02}\0\u{01}\0\u{01}\u{FC}\r\n\r\n"),
        .init(name: "noise", request: "!!!!\r\n\r\n"),
        .init(name: "no version", request: "GET /\r\n\r\n", statuses: [400, 505]),
        .init(name: "version 2", request: "GET / HTTP/2.0\r\nHost: a\r\n\r\n", statuses: [505]),
        .init(name: "version 1.2", request: "GET / HTTP/1.2\r\nHost: a\r\n\r\n", statuses: [400, 505]),
        .init(name: "version 0.9", request: "GET / HTTP/0.9\r\nHost: a\r\n\r\n", statuses: [400, 505]),
        .init(name: "HTTP/2 preface", request: "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", statuses: [400, 505]),
        .init(name: "long target", request: "GET /\(String(repeating: "a", count: 17_000)) HTTP/1.1\r\nHost: a\r\n\r\n", statuses: [414]),
        .init(name: "huge target", request: "GET /\(String(repeating: "a", count: 200_000)) HTTP/1.1\r\nHost: a\r\n\r\n", statuses: [414, 431]),
        .init(name: "long field", request: "\(get)X: \(String(repeating: "a", count: 66_000))\r\n\r\n", statuses: [431]),
        .init(name: "endless field", request: "\(get)X: \(String(repeating: "a", count: 400_000))", statuses: [431]),
        .init(
            name: "long fields",
            request: "\(get)\(String(repeating: "X: \(String(repeating: "a", count: 999))\r\n", count: 70))\r\n",
            statuses: [431]
        ),
        .init(name: "many fields", request: "\(get)\(String(repeating: "X: a\r\n", count: 300))\r\n", statuses: [431]),
    ]

    @Test(arguments: malformed)
    func malformedRequestIsAnsweredWithOneSentenceAndTheConnectionClosed(_ malformed: Malformed) async throws {
        let handled = Counter()
        let handler: HTTPServer.Handler = { _ in
            handled.add()
            return .text("handled")
        }
        try await withServer(handler: handler) { server in
            let client = try await RawClient.connect(port: server.port)
            // The bytes behind must not be taken for a request of their own.
            client.sendLater(ByteBuffer(string: malformed.request + "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n"))
            let all = try await client.receiveUntilClosed()
            let response = RawResponse(head: all)
            #expect(malformed.statuses.contains(response.status), "\(all)")
            #expect(response["connection"] == "close")
            #expect(response["content-type"] == "text/plain; charset=utf-8")
            let content = all.split(separator: "\r\n\r\n", maxSplits: 1).last.map(String.init) ?? ""
            #expect(content.hasSuffix(".\n"))
            #expect(response["content-length"] == "\(content.utf8.count)")
            #expect(handled.value == 0)
        }
    }

    @Test func malformedRequestForAHeadGetsNoContent() async throws {
        try await withServer(handler: { _ in .text("handled") }) { server in
            let client = try await RawClient.connect(port: server.port)
            try await client.send("HEAD / HTTP/1.1\r\n\r\n")
            let all = try await client.receiveUntilClosed()
            #expect(RawResponse(head: all).status == 400)
            #expect(RawResponse(head: all)["date"] != nil)
            #expect(all.hasSuffix("\r\n\r\n"))
        }
    }

    @Test(arguments: ["zz\r\nabc\r\n", "3\r\nabcdef\r\n0\r\n\r\n", "ffffffffffffffffff\r\n", "-1\r\n", "\r\n"])
    func malformedChunksFailTheBodyAndCloseTheConnection(_ chunks: String) async throws {
        let handler: HTTPServer.Handler = { request in
            do {
                return .text("read \(try await request.body.collect(upTo: 1_000).readableBytes)")
            } catch let error as RequestBodyError {
                return .text("\(error.code)", .badRequest)
            } catch {
                return .text("\(error)", .internalServerError)
            }
        }
        try await withServer(handler: handler) { server in
            let client = try await RawClient.connect(port: server.port)
            try await client.send(
                "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n\(chunks)GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n"
            )
            let all = try await client.receiveUntilClosed()
            #expect(all.hasPrefix("HTTP/1.1 400 Bad Request\r\n"))
            #expect(all.hasSuffix("\r\n\r\nmalformed"))
            #expect(RawResponse(head: all)["connection"] == "close")
        }
    }

    @Test func malformedRequestBehindAGoodOneIsAnsweredInItsTurn() async throws {
        let door = Signal()
        let begun = Signal()
        let handler: HTTPServer.Handler = { _ in
            begun.fire()
            await door.wait()
            return .text("good")
        }
        try await withServer(handler: handler) { server in
            let client = try await RawClient.connect(port: server.port)
            try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\nBAD BAD BAD\r\n\r\n")
            await begun.wait()
            door.fire()
            #expect(try await client.receiveResponse().content == "good")
            let rest = try await client.receiveUntilClosed()
            #expect(rest.hasPrefix("HTTP/1.1 400 Bad Request\r\n"))
        }
    }

    @Test(arguments: [
        ("GET http://b.example:8080/x?y HTTP/1.1\r\nHost: a\r\n\r\n", "GET http b.example:8080 /x?y"),
        ("GET HTTP://b HTTP/1.1\r\nHost: a\r\n\r\n", "GET http b /"),
        ("GET http://b?q HTTP/1.1\r\nHost: a\r\n\r\n", "GET http b /?q"),
        ("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", "OPTIONS http a *"),
        ("OPTIONS http://b HTTP/1.1\r\nHost: a\r\n\r\n", "OPTIONS http b *"),
        ("GET /{a|b}^`? HTTP/1.1\r\nHost: [::1]:80\r\n\r\n", "GET http [::1]:80 /{a|b}^`?"),
        ("GET // HTTP/1.1\r\nHost: a\r\n\r\n", "GET http a //"),
        ("\r\nGET /after-empty-line HTTP/1.1\r\nHost: a\r\n\r\n", "GET http a /after-empty-line"),
        ("PURGE / HTTP/1.1\r\nHost: a\r\n\r\n", "PURGE http a /"),
        ("M-SEARCH / HTTP/1.1\r\nHost: a\r\n\r\n", "M-SEARCH http a /"),
    ])
    func unusualButValidRequestReachesTheHandler(_ request: String, _ expected: String) async throws {
        let handler: HTTPServer.Handler = { request in
            .text("\(request.head.method.rawValue) \(request.head.scheme ?? "") \(request.head.authority ?? "") \(request.head.path ?? "")")
        }
        try await withServer(handler: handler) { server in
            let client = try await RawClient.connect(port: server.port)
            try await client.send(request)
            #expect(try await client.receiveResponse().content == expected)
        }
    }

    /// Any bytes may come: the server answers or closes, and goes on serving other clients.
    @Test func noiseNeverStopsTheServer() async throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        let fragments = [
            "GET ", "POST ", "BAN ", "/", "http://", " HTTP/1.1", " HTTP/1.0", "\r\n", "\n", "\r", "Host: a", "Content-Length: ", "7",
            "Transfer-Encoding: ",
            "chunked", ":", " ", "\t", "\0", "\u{FF}", "0\r\n\r\n", "5\r\nhello\r\n", "Connection: ", "upgrade", "Upgrade: x", "Expect: 100-continue",
            "*",
        ]
        try await withServer(handler: { .text("\((try? await $0.body.collect(upTo: 10_000))?.readableBytes ?? -1)") }) { server in
            for _ in 0..<150 {
                let noise = (0..<Int.random(in: 1...40, using: &random)).map { _ in fragments.randomElement(using: &random) ?? "" }.joined()
                let client = try await RawClient.connect(port: server.port)
                client.sendLater(ByteBuffer(string: noise))
                try? await client.closeOutput()
                _ = try? await client.receiveUntilClosed()
            }
            let client = try await RawClient.connect(port: server.port)
            try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try await client.receiveResponse().content == "0", "seed \(seed)")
        }
    }
}
