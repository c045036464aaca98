// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Testing

@_spi(Client) @testable import HoardRedis

/// Replies that a server must not send, and replies that are larger than needed.
@Suite struct RESPDecoderRefusalTests {
    static let malformed = [
        "\r\n", "\n", "OK\r\n", "?\r\n", " +OK\r\n", "EOF\r\n", "\0\r\n",
        "+OK\n", "+O\rK\r\n", "+\r\r\n", "-ERR\rx\r\n",
        ":\r\n", ":-\r\n", ":+\r\n", ":1.0\r\n", ":a\r\n", ":1 \r\n", ": 1\r\n", ":--1\r\n", ":0x10\r\n",
        ":9223372036854775808\r\n", ":-9223372036854775809\r\n", ":99999999999999999999999999\r\n",
        "_x\r\n", "_ \r\n",
        "#\r\n", "#true\r\n", "#T\r\n", "#1\r\n",
        ",\r\n", ",.5\r\n", ",1.\r\n", ",1e\r\n", ",1e+\r\n", ",0x1p3\r\n", ",infinity\r\n", ",nanx\r\n", ",nan(\r\n", ",1,5\r\n", ",--1\r\n",
        ",1 \r\n", ",e5\r\n",
        "(\r\n", "(-\r\n", "(1.5\r\n", "(1e5\r\n", "(12a\r\n",
        "$\r\n", "$-2\r\n", "$+1\r\na\r\n", "$-0\r\n", "$1x\r\n", "$1\r\nab\r\n", "$1\r\na\n\r", "$1\r\na\rx", "$0\r\n\n", "$0\r\nx\r\n",
        "$ 1\r\na\r\n",
        "$99999999999999999999\r\n", "$9223372036854775807\r\n", "$999999999999999999\r\n", "$18446744073709551616\r\n",
        "!-1\r\n", "!?\r\n", "!x\r\n", "=-1\r\n", "=3\r\ntxt\r\n", "=0\r\n\r\n", "=4\r\ntxt \r\n", "=?\r\n",
        "*-2\r\n", "*\r\n", "*x\r\n", "*1.0\r\n", "*9223372036854775807\r\n", "*99999999999999999999\r\n",
        "%-1\r\n", "%\r\n", "%9223372036854775807\r\n", "%4611686018427387904\r\n", "~-1\r\n", "|-1\r\n", "|?\r\n", ">-1\r\n", ">?\r\n",
        ">0\r\n", ">1\r\n:1\r\n", ">1\r\n_\r\n", ">1\r\n*0\r\n", "*1\r\n>1\r\n+a\r\n", "|1\r\n>1\r\n+a\r\n",
        ".\r\n", ".x\r\n", "*1\r\n.\r\n", "*?\r\n|0\r\n.\r\n", "%?\r\n+a\r\n.\r\n", "*?\r\n.x\r\n", "*?\r\n%1\r\n.\r\n",
        ";0\r\n", ";1\r\na\r\n", "$?\r\n+a\r\n", "$?\r\n.\r\n", "$?\r\n;-1\r\n", "$?\r\n;1\r\nab\r\n", "$?\r\n;?\r\n",
        "$?\r\n;9223372036854775807\r\n", "*?\r\n;0\r\n",
    ]

    @Test(arguments: malformed)
    func whatIsNotRESP3IsRefused(text: String) throws {
        for pieces in [[Array(text.utf8)], text.utf8.map { [$0] }] {
            let error = #expect(throws: RedisError.self, "\(text.debugDescription)") { try RESPDecoder.values(of: pieces) }
            #expect(error?.code == .protocolViolation)
        }
    }

    @Test func nothingIsReadAfterARefusal() throws {
        var decoder = RESPDecoder()
        decoder.append(ByteBuffer(string: "+OK\r\n?\r\n+OK\r\n"))
        #expect(try decoder.next() == .simpleString("OK"))
        for _ in 1...2 {
            #expect(throws: RedisError.self) { try decoder.next() }
            decoder.append(ByteBuffer(string: "+OK\r\n"))
        }
    }

    @Test func aRefusalTellsNothingOfWhatWasSent() throws {
        for text in ["+secret\rsecret\r\n", "$secret\r\n", "secret\r\n", "$6\r\nsecretsecret\r\n"] {
            let error = #expect(throws: RedisError.self) { try RESPDecoder.values(of: [Array(text.utf8)]) }
            #expect(error.map { !"\($0) \(String(reflecting: $0))".contains("secret") } == true)
        }
    }

    private var limits: RESPDecoder.Limits {
        var limits = RESPDecoder.Limits()
        limits.maximumByteCount = 100
        limits.maximumElementCount = 10
        limits.maximumDepth = 3
        limits.maximumLineLength = 20
        return limits
    }

    @Test(arguments: [
        "$100\r\n" + String(repeating: "a", count: 100) + "\r\n",
        "*2\r\n$50\r\n" + String(repeating: "a", count: 50) + "\r\n$50\r\n"
            + String(repeating: "a", count: 50) + "\r\n", "*10\r\n" + String(repeating: ":1\r\n", count: 10),
        "%5\r\n" + String(repeating: ":1\r\n", count: 10),
        "*1\r\n*1\r\n*1\r\n:1\r\n", "+" + String(repeating: "a", count: 19) + "\r\n", "*?\r\n" + String(repeating: ":1\r\n", count: 10) + ".\r\n",
    ])
    func whatIsWithinTheLimitsIsReadAsOftenAsItComes(text: String) throws {
        #expect(try RESPDecoder.values(of: [Array((text + text + text).utf8)], limits: limits).count == 3)
        #expect(try RESPDecoder.values(of: (text + text + text).utf8.map { [$0] }, limits: limits).count == 3)
    }

    @Test(arguments: [
        "$101\r\n", "*2\r\n$50\r\n" + String(repeating: "a", count: 50) + "\r\n$51\r\n", "*11\r\n", "%6\r\n", "|6\r\n", "*5\r\n*6\r\n",
        "*2\r\n|4\r\n+a\r\n%1\r\n",
        "*1\r\n*1\r\n*1\r\n*1\r\n", "*?\r\n*?\r\n*?\r\n*?\r\n", "|1\r\n|1\r\n|1\r\n|1\r\n", "+" + String(repeating: "a", count: 20) + "\r\n",
        "+" + String(repeating: "a", count: 22), "*?\r\n" + String(repeating: ":1\r\n", count: 11),
        "$?\r\n" + String(repeating: ";10\r\n0123456789\r\n", count: 10) + ";1\r\n", "*10\r\n" + String(repeating: "+abcdefghijklmno\r\n", count: 7),
        "!101\r\n", "=101\r\n", String(repeating: "|1\r\n:1\r\n:1\r\n", count: 6),
    ])
    func whatIsBeyondALimitIsRefusedBeforeItHasArrived(text: String) throws {
        for pieces in [[Array(text.utf8)], text.utf8.map { [$0] }] {
            #expect(throws: RedisError.self) { try RESPDecoder.values(of: pieces, limits: limits) }
        }
    }

    /// If the decoder made room for the announced lengths, this would take a terabyte.
    @Test func noMemoryIsReservedForWhatIsOnlyAnnounced() throws {
        var decoders: [RESPDecoder] = []
        for _ in 1...2_000 {
            var decoder = RESPDecoder()
            decoder.append(ByteBuffer(string: "*1000000\r\n*48000\r\n$530000000\r\na"))
            #expect(try decoder.next() == nil)
            #expect((decoder.string?.bytes.capacity ?? .max) <= PartialString.largestReservation)
            #expect(decoder.aggregates.allSatisfy { $0.elements.capacity <= 2 * PartialAggregate.largestReservation })
            if decoders.count < 20 { decoders.append(decoder) }
        }
    }

    @Test func deepNestingIsRefusedAndDoesNotExhaustTheStack() throws {
        let text = String(repeating: "*1\r\n", count: 100_000)
        #expect(throws: RedisError.self) { try RESPDecoder.values(of: [Array(text.utf8)]) }
    }
}
