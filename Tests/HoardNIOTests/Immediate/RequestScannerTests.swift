// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardNIOTestSupport
import HoardTesting
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import HoardNIO

@Suite struct RequestScannerTests {
    private let scanner = RequestScanner(maximumByteCount: 512, maximumFieldCount: 8)

    private enum Kind: Equatable { case plain, understood, incomplete, other }

    private func scan(_ text: String) -> (kind: Kind, head: RequestScanner.Head?) {
        scan(Array(text.utf8))
    }

    private func scan(_ bytes: [UInt8]) -> (kind: Kind, head: RequestScanner.Head?) {
        bytes.withUnsafeBytes { bytes in
            switch scanner.scan(bytes) {
            case .request(let head): (head.isPlain ? .plain : .understood, head)
            case .incomplete: (.incomplete, nil)
            case .other: (.other, nil)
            }
        }
    }

    @Test func plainRequestIsTakenApart() throws {
        let text = "HEAD /a/b?c=%2F HTTP/1.1\r\nHost:  example.com:80 \r\nUser-Agent: x\r\n\r\n"
        let (kind, found) = scan(text + "GET /next")
        let head = try #require(found)
        #expect(kind == .plain)
        #expect(head.method == .head)
        #expect(head.byteCount == text.utf8.count)
        let bytes = Array(text.utf8)
        #expect(String(decoding: bytes[head.target], as: UTF8.self) == "/a/b?c=%2F")
        #expect(String(decoding: bytes[head.host], as: UTF8.self) == "example.com:80")
    }

    private func query(_ fields: String, _ content: String = "{}") -> String {
        "QUERY /a HTTP/1.1\r\nHost: a\r\n\(fields)\r\n\(content)"
    }

    @Test func theParserSeesTheSameEndOfRandomQueries() throws {
        let seed = UInt64.random(in: 0..<1_000_000)
        var generator = SeededGenerator(seed: seed)
        var understood = 0
        for round in 0..<5_000 {
            let content = String(repeating: "x", count: Int.random(in: 0...40, using: &generator))
            var lines = ["QUERY \(HostileHeads.pick(["/a", "/b?c=d", "/"], &generator)) HTTP/1.1", "Host: a"]
            let blanks = ["", " ", " ", " ", "\t", "  "]
            if !HostileHeads.chance(10, &generator) {
                lines.append("Content-Length:\(HostileHeads.pick(blanks, &generator))\(content.utf8.count)\(HostileHeads.pick(blanks, &generator))")
            }
            for _ in 0..<Int.random(in: 0...2, using: &generator) { lines.append(HostileHeads.pick(HostileHeads.fields, &generator)) }
            var bytes = Array((lines.joined(separator: "\r\n") + "\r\n\r\n" + content + "GET / HTTP/1.1\r\nHost: a\r\n\r\n").utf8)
            if HostileHeads.chance(4, &generator) {
                bytes[Int.random(in: 0..<bytes.count, using: &generator)] = HostileHeads.pick(Array(" \t\r\n:09-xC".utf8), &generator)
            }
            if scan(bytes).head?.method == .query { understood += 1 }
            #expect(throws: Never.self, "seed \(seed), round \(round): \(String(decoding: bytes, as: UTF8.self).debugDescription)") {
                // A whole connection takes a hundred times as long.
                try round.isMultiple(of: 20) ? RequestChecks.check(bytes) : RequestChecks.checkScanner(bytes)
            }
        }
        #expect(understood > 500, "seed \(seed)")
    }

    @Test func aMethodThatNobodyKnowsIsSeenBehindALengthWithABlank() throws {
        let text = "QUERY / HTTP/1.1\r\nHost: a\r\nContent-Length: 16 \r\n\r\nxxxxxxxxxxxxxxxxG0T / HTTP/1.1\r\nHost: a\r\n\r\n"
        try RequestChecks.check(Array(text.utf8))
    }

    @Test func queriesWithAllOfTheirContentAreTakenApart() throws {
        let text = query("Content-Type: application/json \r\nContent-Length: 11\r\n", #"{"a": "b"} "#)
        for next in ["", "GET /next"] {
            let (kind, found) = scan(text + next)
            let head = try #require(found)
            #expect(kind == .plain && head.method == .query && head.requestByteCount == text.utf8.count && head.contentByteCount == 11)
            let type = try #require(head.contentType)
            #expect(String(decoding: Array(text.utf8)[type], as: UTF8.self) == "application/json")
        }
        // The content is not waited for.
        for count in 0..<text.utf8.count {
            #expect(scan(Array(text.utf8.prefix(count))).kind == (count < text.utf8.count - 11 ? .incomplete : .plain))
        }
    }

    @Test(arguments: [
        "Content-Length: 2\r\nContent-Encoding: gzip\r\n", "Content-Length: 2\r\nContent-Language: de\r\n",
        "Content-Location: /b\r\nContent-Length: 2\r\n",
        "Content-Length: 2\r\nContent-Type: a/b\r\nContent-Type: a/c\r\n", "Content-Length: 2\r\nCache-Control: no-transform\r\n",
        "Content-Length: 2\r\nContent-Digest: x\r\n",
    ])
    func queriesWithMoreAboutTheirContentAreLeftToTheParser(_ fields: String) {
        #expect(scan(query(fields)).kind == .understood)
    }

    @Test(arguments: [
        "", "Content-Length: 2\r\nContent-Length: 2\r\n", "Content-Length: 02\r\n", "Content-Length: +2\r\n", "Content-Length: 2, 2\r\n",
        "Content-Length:\r\n", "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n", "Content-Length: 2\r\nExpect: 100-continue\r\n",
        "Content-Length: 16385\r\n",
        "Content-Length: 99999999999999999999\r\n",
    ])
    func queriesWhoseEndIsOddAreTheParsersAlone(_ fields: String) {
        #expect(scan(query(fields)).kind == .other)
    }

    @Test(arguments: [
        "Connection: keep-alive", "CONNECTION:Keep-Alive", "Accept: text/html", "Cookie: a=b", "X-Long: \(String(repeating: "y", count: 200))\t",
    ])
    func fieldsThatDoNotMatterLeaveARequestPlain(_ field: String) {
        #expect(scan("GET / HTTP/1.1\r\nHost: a\r\n\(field)\r\n\r\n").kind == .plain)
    }

    @Test(
        arguments: [
            "Range: bytes=0-1", "If-None-Match: *", "if-range: x", "Cache-Control: no-cache", "pragma: no-cache", "Authorization: x", "TE: trailers",
            "Connection: close", "Proxy-Authorization: x", "Proxy-Connection: close", "Trailer: x", "Keep-Alive: 5",
        ])
    func fieldsThatMatterAreLeftToTheParser(_ field: String) {
        #expect(scan("GET / HTTP/1.1\r\n\(field)\r\nHost: a\r\n\r\n").kind == .understood)
    }

    @Test(arguments: ["/%7Ea", "/%2f", "/%", "/%4", "/%zz", "/./a", "/a/../b", "/.", "/a?b=/.c"])
    func targetsThatAreNotInNormalFormAreLeftToTheParser(_ target: String) {
        #expect(scan("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n").kind == .understood)
    }

    @Test(arguments: ["", "a b", "a/b", "[::1]", "a@b", "a:", "a:x", "a:99999", "a:123456", "ä"])
    func hostsThatAreNoPlainNamesAreLeftToTheParser(_ host: String) {
        #expect([.understood, .other].contains(scan("GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n").kind) || host == "a:")
    }

    @Test(
        arguments: [
            "POST / HTTP/1.1\r\nHost: a\r\n\r\n", "get / HTTP/1.1\r\nHost: a\r\n\r\n", "GET  / HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET / HTTP/1.0\r\nHost: a\r\n\r\n",
            "GET http://a/ HTTP/1.1\r\nHost: a\r\n\r\n", "GET * HTTP/1.1\r\nHost: a\r\n\r\n", "GET /a#b HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET / HTTP/1.1\nHost: a\n\n", "\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n",
            "GET / HTTP/1.1\r\n\r\n",
            "GET / HTTP/1.1\r\nHost : a\r\n\r\n", "GET / HTTP/1.1\r\n Host: a\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\n folded\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\n: b\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nb\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nX: \u{0}\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nX: b\rc\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nX: 01234567\u{7F}\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nX: é\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\ntransfer-encoding: chunked\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nUpgrade: h2c\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nConnection: close, te\r\n\r\n", "GET /\u{7F} HTTP/1.1\r\nHost: a\r\n\r\n",
        ])
    func whatIsOddIsNotUnderstood(_ text: String) {
        #expect(scan(text).kind == .other)
    }

    @Test func everyBeginningOfARequestIsIncomplete() {
        let bytes = Array("GET /a%2F HTTP/1.1\r\nHost: example.com\r\nAccept: text/html;q=0.9\r\n\r\n".utf8)
        for count in 0..<bytes.count { #expect(scan(Array(bytes[..<count])).kind == .incomplete, "\(count) bytes") }
        #expect(scan(bytes).kind == .plain)
    }

    @Test func limitsHold() {
        let long = "GET /\(String(repeating: "a", count: 600)) HTTP/1.1\r\nHost: a\r\n\r\n"
        #expect(scan(long).kind == .other)
        let fields = (1...8).map { "F\($0): x\r\n" }.joined()
        #expect(scan("GET / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n").kind == .other)
        #expect(scan("GET / HTTP/1.1\r\nHost: a\r\n\(fields.dropFirst(7))\r\n").kind == .plain)
    }

    // MARK: Against the parser

    /// The parser and the rules for heads accept each request that the scanner understands, as the same
    /// request, with nothing left over.
    @Test func whatIsUnderstoodIsWhatTheParserUnderstands() throws {
        let seed = UInt64.random(in: 0..<1_000_000)
        var generator = SeededGenerator(seed: seed)
        var understood = 0
        for round in 0..<20_000 {
            let bytes = HostileHeads.next(using: &generator)
            guard let head = scan(bytes).head else { continue }
            understood += 1
            let text = String(decoding: bytes[..<head.byteCount], as: UTF8.self)
            let channel = EmbeddedChannel()
            try channel.pipeline.syncOperations.addHandler(ByteToMessageHandler(HTTPRequestDecoder()))
            do {
                try channel.writeInbound(ByteBuffer(bytes: bytes[..<head.byteCount]))
            } catch {
                Issue.record("seed \(seed), round \(round): the parser refuses \(text.debugDescription): \(error)")
                continue
            }
            guard case .head(let parsed)? = try channel.readInbound(as: HTTPServerRequestPart.self),
                case .end(nil)? = try channel.readInbound(as: HTTPServerRequestPart.self),
                try channel.readInbound(as: HTTPServerRequestPart.self) == nil
            else {
                Issue.record("seed \(seed), round \(round): the parser takes \(text.debugDescription) for something else")
                continue
            }
            #expect(parsed.method == (head.method == .head ? .HEAD : .GET))
            #expect(Array(parsed.uri.utf8) == Array(bytes[head.target]), "seed \(seed), round \(round)")
            if head.isPlain {
                let request = try RequestHead(parsed, limits: HTTPServer.Configuration())
                #expect(request.content == .none && request.keepsAlive)
                #expect(request.head.authority == String(decoding: bytes[head.host], as: UTF8.self))
                #expect(request.head.path == String(decoding: bytes[head.target], as: UTF8.self))
            }
            _ = try? channel.finish()
        }
        #expect(understood > 1_000, "seed \(seed)")
    }
}
