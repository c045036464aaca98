// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import NIOHTTP1
import Testing

@testable import HoardNIO

@Suite struct RequestHeadTests {
    private static func head(
        _ method: HTTPMethod = .GET,
        _ uri: String = "/",
        _ headers: HTTPHeaders = ["Host": "a"],
        version: HTTPVersion = .http1_1
    ) throws(RequestRejection) -> RequestHead {
        try RequestHead(HTTPRequestHead(version: version, method: method, uri: uri, headers: headers), limits: .init())
    }

    private static func rejection(of body: () throws -> RequestHead) throws -> RequestRejection {
        try #require(throws: RequestRejection.self) { _ = try body() }
    }

    @Test func hostBecomesTheAuthorityAndNoField() throws {
        let head = try Self.head(.GET, "/a?b", ["Accept": "x", "host": "example.com:8080", "X": "y"]).head
        #expect(head.scheme == "http")
        #expect(head.authority == "example.com:8080")
        #expect(head.path == "/a?b")
        #expect(head.headerFields.map(\.name.rawName) == ["Accept", "X"])
    }

    @Test func absoluteTargetOverridesTheHost() throws {
        let head = try Self.head(.GET, "http://b:81/c", ["Host": "a"]).head
        #expect(head.authority == "b:81")
        #expect(head.path == "/c")
    }

    @Test func absoluteTargetStillNeedsAValidHost() throws {
        #expect(try Self.rejection { try Self.head(.GET, "http://b/", [:]) }.status == .badRequest)
        #expect(try Self.rejection { try Self.head(.GET, "http://b/", ["Host": "a b"]) }.status == .badRequest)
    }

    @Test func oldClientNeedsNoHost() throws {
        #expect(try Self.head(.GET, "/", [:], version: .http1_0).head.authority == nil)
        #expect(try Self.head(.GET, "/", ["Host": "a"], version: .http1_0).head.authority == "a")
    }

    @Test func contentIsWhatTheFieldsSay() throws {
        #expect(try Self.head().content == .none)
        #expect(try Self.head(.POST, "/", ["Host": "a", "Content-Length": "0"]).content == .none)
        #expect(try Self.head(.POST, "/", ["Host": "a", "Content-Length": "7"]).content == .bytes(7))
        #expect(try Self.head(.POST, "/", ["Host": "a", "Content-Length": "007"]).content == .bytes(7))
        #expect(try Self.head(.POST, "/", ["Host": "a", "Content-Length": "7", "content-length": "7"]).content == .bytes(7))
        #expect(try Self.head(.POST, "/", ["Host": "a", "Transfer-Encoding": "Chunked"]).content == .chunked)
    }

    @Test(arguments: ["", "-1", "+1", "1.0", "1,1", "0x1", "1 1", "9223372036854775808", "\u{661}"])
    func lengthThatIsNoNumberIsRefused(_ length: String) throws {
        #expect(try Self.rejection { try Self.head(.POST, "/", ["Host": "a", "Content-Length": length]) }.status == .badRequest)
    }

    @Test func codingsOtherThanChunkedAreNotKnown() throws {
        for coding in ["gzip", "gzip, chunked", "chunked, chunked", "identity", ""] {
            #expect(try Self.rejection { try Self.head(.POST, "/", ["Host": "a", "Transfer-Encoding": coding]) }.status == .notImplemented)
        }
        let twice: HTTPHeaders = ["Host": "a", "Transfer-Encoding": "chunked", "transfer-encoding": "chunked"]
        #expect(try Self.rejection { try Self.head(.POST, "/", twice) }.status == .notImplemented)
        let both: HTTPHeaders = ["Host": "a", "Transfer-Encoding": "chunked", "Content-Length": "1"]
        #expect(try Self.rejection { try Self.head(.POST, "/", both) }.status == .badRequest)
        let old: HTTPHeaders = ["Host": "a", "Transfer-Encoding": "chunked"]
        #expect(try Self.rejection { try Self.head(.POST, "/", old, version: .http1_0) }.status == .badRequest)
    }

    @Test func expectationCountsOnlyIfContentFollows() throws {
        #expect(try Self.head(.POST, "/", ["Host": "a", "Expect": "100-Continue", "Content-Length": "1"]).expectsContinue)
        #expect(try Self.head(.POST, "/", ["Host": "a", "Expect": "100-continue", "Transfer-Encoding": "chunked"]).expectsContinue)
        #expect(!(try Self.head(.POST, "/", ["Host": "a", "Expect": "100-continue"]).expectsContinue))
        #expect(!(try Self.head(.POST, "/", ["Expect": "100-continue", "Content-Length": "1"], version: .http1_0).expectsContinue))
        #expect(try Self.rejection { try Self.head(.POST, "/", ["Host": "a", "Expect": "100-continue, x"]) }.status == .expectationFailed)
        #expect(!(try Self.head(.POST, "/", ["Host": "a", "Expect": "", "Content-Length": "1"]).expectsContinue), "an empty list is no expectation")
    }

    @Test func connectionIsKeptAsVersionAndFieldsSay() throws {
        #expect(try Self.head().keepsAlive)
        #expect(!(try Self.head(.GET, "/", ["Host": "a", "Connection": "close"]).keepsAlive))
        #expect(!(try Self.head(.GET, "/", ["Host": "a"], version: .http1_0).keepsAlive))
        #expect(try Self.head(.GET, "/", ["Host": "a", "Connection": "keep-alive"], version: .http1_0).keepsAlive)
        #expect(!(try Self.head(.GET, "/", ["Host": "a", "Connection": "foo,  UPGRADE", "Upgrade": "h2c"]).keepsAlive))
        #expect(try Self.head(.GET, "/", ["Host": "a", "Upgrade": "h2c"]).keepsAlive)
    }

    @Test func limitsAreExact() throws {
        let limits = HTTPServer.Configuration()
        let longest = "/" + String(repeating: "a", count: limits.maximumTargetByteCount - 1)
        #expect(try Self.head(.GET, longest).head.path == longest)
        #expect(try Self.rejection { try Self.head(.GET, longest + "a") }.status == .uriTooLong)

        let value = String(repeating: "a", count: limits.maximumHeaderByteCount - "HostaX".count)
        #expect(try Self.head(.GET, "/", ["Host": "a", "X": value]).head.headerFields.count == 1)
        #expect(try Self.rejection { try Self.head(.GET, "/", ["Host": "a", "X": value + "a"]) }.status == .requestHeaderFieldsTooLarge)
    }

    @Test(arguments: [HTTPVersion(major: 0, minor: 9), HTTPVersion(major: 1, minor: 2), HTTPVersion(major: 2, minor: 0)])
    func otherVersionsAreNotSpoken(_ version: HTTPVersion) throws {
        #expect(try Self.rejection { try Self.head(version: version) }.status == .httpVersionNotSupported)
    }

    @Test(arguments: [("a b", "c"), ("a", "b\u{01}"), ("", "b")])
    func fieldThatHTTPDoesNotAllowIsRefused(_ name: String, _ value: String) throws {
        #expect(try Self.rejection { try Self.head(.GET, "/", ["Host": "a", name: value]) }.status == .badRequest)
    }

    @Test func sentencesRepeatNothingOfTheRequest() throws {
        let secret = "s3cr3t"
        let bad: [(String, HTTPHeaders)] = [
            ("/\(secret) ", ["Host": "a"]), ("ftp://\(secret)/", ["Host": "a"]), ("/", ["Host": "\(secret) x"]),
            ("/", ["Host": "a", "Content-Length": secret]),
            ("/", ["Host": "a", "Transfer-Encoding": secret]), ("/", ["Host": "a", "Expect": secret]), ("/", ["Host": "a", "X": "\(secret)\0"]),
        ]
        for (uri, headers) in bad {
            let rejection = try Self.rejection { try Self.head(.GET, uri, headers) }
            #expect(!rejection.sentence.contains(secret))
            #expect(rejection.sentence.hasSuffix("."))
        }
    }
}
