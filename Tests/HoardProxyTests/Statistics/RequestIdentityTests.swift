// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardNIO
import HoardTesting
import NIOCore
import Testing

@testable import HoardProxy

@Suite("RequestIdentity")
struct RequestIdentityTests {
    private let hasher = fixedHasher()

    private func identity(_ head: String, hosts: Bool = true) -> RequestIdentity? {
        RequestIdentity(.bytes(ByteBuffer(string: head)), hasher: hasher, distinguishesHosts: hosts)
    }

    private func identity(_ head: HTTPRequest, hosts: Bool = true) -> RequestIdentity? {
        RequestIdentity(.head(head), hasher: hasher, distinguishesHosts: hosts)
    }

    @Test(arguments: [true, false])
    func bytesAndParsedHeadsOfARequestAreTheSame(hosts: Bool) throws {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            let path =
                "/"
                + String((0..<Int.random(in: 0...70, using: &generator)).map { _ in "abcXYZ012/?=&%-._~".randomElement(using: &generator) ?? "a" })
            let host =
                "www" + String((0..<Int.random(in: 0...40, using: &generator)).map { _ in "abcXYZ012.-".randomElement(using: &generator) ?? "a" })
            let method = Bool.random(using: &generator) ? "GET" : "HEAD"
            let bytes = identity("\(method) \(path) HTTP/1.1\r\nAccept: */*\r\nhOsT:  \(host) \r\nX: y\r\n\r\n", hosts: hosts)
            let head = HTTPRequest(method: method == "GET" ? .get : .head, scheme: "http", authority: host.uppercased(), path: path)
            #expect(bytes != nil)
            #expect(bytes == identity(head, hosts: hosts), "seed \(seed): \(path) \(host)")
            #expect(bytes?.isGet == (method == "GET"))
        }
    }

    @Test func hostsAreDistinguishedOnlyIfTheyMatter() throws {
        let one = "GET /a HTTP/1.1\r\nHost: one.example\r\n\r\n"
        let two = "GET /a HTTP/1.1\r\nHost: two.example\r\n\r\n"
        #expect(try #require(identity(one)) != #require(identity(two)))
        #expect(identity(one, hosts: false) == identity(two, hosts: false))
        #expect(identity(one) == identity("GET /a HTTP/1.1\r\nHost: ONE.example\r\n\r\n"))
    }

    @Test func anAbsoluteTargetIsThatOfItsHost() throws {
        let absolute = try #require(identity("GET http://one.example/a?b HTTP/1.1\r\nHost: two.example\r\n\r\n"))
        #expect(absolute == identity("GET /a?b HTTP/1.1\r\nHost: one.example\r\n\r\n"))
        #expect(identity("GET http://one.example/a HTTP/1.1\r\n\r\n", hosts: false) == identity("GET /a HTTP/1.1\r\n\r\n", hosts: false))
    }

    @Test func otherMethodsAndWhatIsNoRequestHaveNone() {
        #expect(identity("POST /a HTTP/1.1\r\nHost: a\r\n\r\n") == nil)
        #expect(identity("GETS /a HTTP/1.1\r\nHost: a\r\n\r\n") == nil)
        #expect(identity(HTTPRequest(method: .put, scheme: "http", authority: "a", path: "/")) == nil)
        #expect(identity(HTTPRequest(method: .get, scheme: "http", authority: "a", path: nil)) == nil)
        #expect(RequestIdentity(.invalid, hasher: hasher, distinguishesHosts: true) == nil)
        for head in ["", "GET", "GET ", "GET /a", "GET /a\r\n", " \n \n", "\n", "\r\n\r\n"] { #expect(identity(head) == nil, "\(head)") }
    }

    @Test func bytesOfAnyKindAreReadWithoutHarm() {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        let pieces: [[UInt8]] =
            ["GET ", "HEAD ", "/", "http://", " HTTP/1.1", "\r\n", "Host:", ":", " ", "\n", "\r"].map { Array($0.utf8) } + [[0], [255], []]
        for _ in 0..<5_000 {
            let bytes = (0..<Int.random(in: 0...12, using: &generator)).flatMap { _ in pieces.randomElement(using: &generator) ?? [] }
            let request = ExchangeReport.Request.bytes(ByteBuffer(bytes: bytes))
            for hosts in [true, false] {
                _ = RequestIdentity(request, hasher: hasher, distinguishesHosts: hosts)
                #expect(RequestIdentity.uri(of: report(request), distinguishesHosts: hosts).utf8.count <= 3 * bytes.count + 16, "seed \(seed)")
            }
        }
    }

    @Test func hashesOfSimilarTargetsAreSpreadEvenly() {
        // Half of 4,096 similar targets have each bit set; six standard deviations are 192.
        var ones = Array(repeating: 0, count: 64)
        for number in 0..<4_096 {
            let hash = identity("GET /item/\(number) HTTP/1.1\r\n\r\n", hosts: false)?.hash ?? 0
            for bit in 0..<64 where hash >> UInt64(bit) & 1 == 1 { ones[bit] += 1 }
        }
        for bit in 0..<64 { #expect(abs(ones[bit] - 2_048) < 192, "bit \(bit)") }
    }

    @Test func urlsAreWrittenForPeople() {
        let head = "GET /a?b=c HTTP/1.1\r\nHost: Example.COM\r\n\r\n"
        #expect(RequestIdentity.uri(of: report(head), distinguishesHosts: true) == "http://example.com/a?b=c")
        #expect(RequestIdentity.uri(of: report(head), distinguishesHosts: false) == "/a?b=c")
        var secure = report(.head(HTTPRequest(method: .get, scheme: "https", authority: "a.example:8443", path: "/x")))
        secure.isSecure = true
        #expect(RequestIdentity.uri(of: secure, distinguishesHosts: true) == "https://a.example:8443/x")
        let long = RequestIdentity.uri(of: get("/" + String(repeating: "a", count: 5_000)), distinguishesHosts: false)
        #expect(long.utf8.count == RequestIdentity.maximumTargetByteCount + 3)
        #expect(long.hasSuffix("a…"))
        #expect(RequestIdentity.uri(of: report(.invalid), distinguishesHosts: true) == "")
    }
}
