// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardNIOTestSupport
import HoardTesting
import NIOCore
import NIOHTTP1
import Testing

@testable import HoardNIO

@Suite struct RelayedHeadsTests {
    private func copied(_ request: String) -> String? {
        var output = ByteBuffer()
        let isCopied = ByteBuffer(string: request).withUnsafeReadableBytes { RelayedHeads.copyFields(ofRequest: $0, to: &output) }
        return isCopied ? String(buffer: output) : nil
    }

    private func copied(response: String) -> (response: RelayedHeads.Response, text: String)? {
        var output = ByteBuffer()
        let response = ByteBuffer(string: response).withUnsafeReadableBytes { RelayedHeads.copy(response: $0, to: &output) }
        return response.map { ($0, String(buffer: output)) }
    }

    @Test func requestIsCopiedWithoutTheFieldsOfItsConnection() {
        #expect(copied("GET / HTTP/1.1\r\nHost: a\r\nAccept: b\r\nconnection: keep-alive\r\nX:\tc \r\n\r\n") == "Accept: b\r\nX:\tc \r\n")
    }

    @Test(arguments: ["Forwarded: for=x", "X-Forwarded-For: x", "x-forwarded-port: 1", "Client-Cert: :x:", "Client-Cert-Chain: :x:", "X_Real_IP: 1"])
    func requestWithAFieldOfTheProxysIsNotCopied(_ field: String) {
        #expect(copied("GET / HTTP/1.1\r\nHost: a\r\n\(field)\r\n\r\n") == nil)
    }

    @Test func responseIsCopiedWithoutTheFieldsOfItsConnection() throws {
        let text =
            "HTTP/1.1 200 Fine\r\nDate: x\r\nContent-Length: 2\r\nKeep-Alive: timeout=5\r\nConnection: Keep-Alive\r\nCache-Control: no-store\r\n\r\nab"
        let (response, copy) = try #require(copied(response: text))
        #expect(copy == "HTTP/1.1 200 Fine\r\nDate: x\r\nContent-Length: 2\r\nCache-Control: no-store\r\n")
        #expect(response.status == 200 && response.contentByteCount == 2 && response.headByteCount == text.utf8.count - 2 && response.isCopied)
        let bytes = Array(text.utf8)
        #expect(response.cacheControl.map { String(decoding: bytes[$0], as: UTF8.self) } == "no-store")
        #expect(response.keepAlive.map { String(decoding: bytes[$0], as: UTF8.self) } == "timeout=5")
    }

    @Test(arguments: [
        "HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\nx", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: +0\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: X\r\n\r\n",
        "HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 204 No\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 206 Part\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 20 OK\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 200 OK\nContent-Length: 0\n\n", "HTTP/1.1 200 OK\r\n Content-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX : y\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nTrailer: x\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nProxy-Authenticate: x\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 9999999999\r\n\r\n", "",
    ])
    func responseThatIsNotPlainIsNotCopied(_ text: String) {
        #expect(copied(response: text) == nil)
    }

    @Test(arguments: [
        "", "Date: x\r\nDate: y\r\n", "Date: x\r\nCache-Control: a\r\nCache-Control: b\r\n", "Date: x\r\nCDN-Cache-Control: a\r\n",
        "Date: x\r\nVary: Accept, X-Forwarded-For\r\n", "Date: x\r\nvary: FORWARDED\r\n", "Date: x\r\nVary: Client-Cert\r\n",
        "Date: x\r\nHoard-Policy: a\r\n",
    ])
    func responseThatTheCacheMustLookAtDoesNotGoOnAsItIs(_ fields: String) throws {
        #expect(try #require(copied(response: "HTTP/1.1 200 OK\r\n\(fields)Content-Length: 0\r\n\r\n")).response.isCopied == false)
    }

    /// A head that is parsed here gives the request that the parser gives.
    @Test func plainRequestsAreParsedAsTheParserDoes() throws {
        let seed = UInt64.random(in: 0..<1_000_000)
        var generator = SeededGenerator(seed: seed)
        var count = 0
        for _ in 0..<20_000 {
            let bytes = ByteBuffer(bytes: HostileHeads.next(using: &generator))
            let info = ConnectionInfo(remoteAddress: "192.0.2.1")
            guard let request = HTTPServerRequest(plainHead: bytes, from: info) else { continue }
            count += 1
            var headers = HTTPHeaders()
            let lines = String(buffer: bytes).split(separator: "\r\n")
            for line in lines.dropFirst() {
                let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                headers.add(name: String(parts[0]), value: parts[1].trimmingCharacters(where: { $0 == " " || $0 == "\t" }))
            }
            let target = String(lines[0].split(separator: " ")[1])
            let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: target, headers: headers)
            let parsed = try RequestHead(head, limits: HTTPServer.Configuration())
            #expect(request.head == parsed.head, "seed \(seed): \(lines)")
        }
        #expect(count > 100, "seed \(seed)")
    }
}

extension Substring {
    fileprivate func trimmingCharacters(where isTrimmed: (Character) -> Bool) -> String {
        String(drop(while: isTrimmed).reversed().drop(while: isTrimmed).reversed())
    }
}
