// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import NIOHTTP1
import Testing

@testable import HoardTransports

@Suite struct ResponseFramingTests {
    private static func framing(
        _ headers: HTTPHeaders = [:],
        status: HTTPResponseStatus = .ok,
        version: HTTPVersion = .http1_1,
        isResponseToHead: Bool = false
    ) throws -> ResponseFraming {
        try ResponseFraming(HTTPResponseHead(version: version, status: status, headers: headers), isResponseToHead: isResponseToHead)
    }

    @Test func contentHasALengthOrChunksOrLastsUntilTheEnd() throws {
        #expect(try Self.framing(["Content-Length": "5"]).content == .bytes(5))
        #expect(try Self.framing(["Content-Length": "0"]).content == .none)
        #expect(try Self.framing(["Transfer-Encoding": "Chunked"]).content == .chunked)
        #expect(try Self.framing(["Transfer-Encoding": "identity"]).content == .untilClose)
        #expect(try Self.framing().content == .untilClose)
    }

    @Test func someResponsesHaveNoContentWhateverTheySay() throws {
        for headers: HTTPHeaders in [["Content-Length": "5"], ["Transfer-Encoding": "chunked"], [:]] {
            #expect(try Self.framing(headers, isResponseToHead: true).content == .none)
            #expect(try Self.framing(headers, status: .noContent).content == .none)
            #expect(try Self.framing(headers, status: .notModified).content == .none)
        }
    }

    @Test func connectionIsKeptOnlyIfBothSidesKnowWhereTheResponseEnds() throws {
        #expect(try Self.framing(["Content-Length": "5"]).keepsAlive)
        #expect(try Self.framing(["Transfer-Encoding": "chunked"]).keepsAlive)
        #expect(try !Self.framing().keepsAlive)
        #expect(try !Self.framing(["Content-Length": "5", "Connection": "close"]).keepsAlive)
        #expect(try !Self.framing(["Content-Length": "5"], version: .http1_0).keepsAlive)
        #expect(try Self.framing(["Content-Length": "5", "Connection": "keep-alive"], version: .http1_0).keepsAlive)
        #expect(try !Self.framing(["Transfer-Encoding": "x-mine"], isResponseToHead: true).keepsAlive)
    }

    @Test(arguments: [
        [("Content-Length", "1"), ("Transfer-Encoding", "chunked")], [("Content-Length", "1"), ("Content-Length", "2")], [("Content-Length", "-1")],
        [("Content-Length", "+1")], [("Content-Length", "")], [("Content-Length", "1, 1")], [("Content-Length", "99999999999999999999")],
        [("Transfer-Encoding", "gzip, chunked")], [("Transfer-Encoding", "chunked, x")], [("Transfer-Encoding", "deflate")],
        [("Transfer-Encoding", "chunked"), ("Transfer-Encoding", "chunked")], [("Transfer-Encoding", " ")], [("X", "a\nb")], [("X", "a\0b")],
        [("X Y", "a")],
    ])
    func headThatCouldBeReadInMoreThanOneWayIsRefused(_ fields: [(String, String)]) {
        #expect(throws: ExchangeError.invalidResponse) { try Self.framing(HTTPHeaders(fields)) }
        #expect(throws: ExchangeError.invalidResponse) { try Self.framing(HTTPHeaders(fields), isResponseToHead: true) }
    }

    @Test func otherProtocolsAreRefused() {
        #expect(throws: ExchangeError.invalidResponse) { try Self.framing(status: .switchingProtocols) }
        #expect(throws: ExchangeError.invalidResponse) { try Self.framing(version: .http2) }
        #expect(throws: ExchangeError.invalidResponse) { try Self.framing(status: .custom(code: 1_000, reasonPhrase: "")) }
        #expect(throws: Never.self) { try Self.framing(status: .custom(code: 999, reasonPhrase: "Odd")) }
    }

    @Test func lengthMayBeRepeated() throws {
        #expect(try Self.framing(HTTPHeaders([("Content-Length", "5"), ("Content-Length", "5")])).content == .bytes(5))
    }

    @Test(
        arguments: [
            ("timeout=5", .seconds(5)), ("max=7, Timeout = 12", .seconds(12)), ("timeout=0", .zero), ("timeout=-1", nil), ("timeout", nil),
            ("timeout=x", nil),
            ("timeout=99999999999999999999", nil), ("", nil),
        ] as [(String, Duration?)]
    )
    func originSaysHowLongItKeepsTheConnection(_ value: String, _ time: Duration?) throws {
        #expect(try Self.framing(["Content-Length": "0", "Keep-Alive": value]).announcedIdleTime == time)
    }
}
