// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Testing

@_spi(Client) @testable import HoardRedis

/// The examples of the protocol's specification, and other values of RESP3.
@Suite struct RESPDecoderTests {
    struct Example: Sendable, CustomTestStringConvertible {
        let text: String
        let values: [RESPValue]

        init(_ text: String, _ values: RESPValue...) {
            self.text = text
            self.values = values
        }

        var testDescription: String { text.debugDescription }
        var bytes: [UInt8] { Array(text.utf8) }
    }

    /// <https://github.com/redis/redis-specifications/blob/master/protocol/RESP3.md>, in the order of its sections.
    static let examplesOfTheSpecification = [
        Example("*1\r\n$1\r\nA\r\n", .array([.bulk("A")])),
        Example("*2\r\n*2\r\n:1\r\n:2\r\n#t\r\n", .array([.array([.integer(1), .integer(2)]), .boolean(true)])),
        Example("$11\r\nhello world\r\n", .bulk("hello world")),
        Example("$0\r\n\r\n", .bulk("")),
        Example("+hello world\r\n", .simpleString("hello world")),
        Example("-ERR this is the error description\r\n", .error("ERR this is the error description")),
        Example(":1234\r\n", .integer(1234)),
        Example("_\r\n", .null),
        Example(",1.23\r\n", .double(1.23)),
        Example(":10\r\n,10\r\n", .integer(10), .double(10)),
        Example(",inf\r\n,-inf\r\n", .double(.infinity), .double(-.infinity)),
        Example("#t\r\n#f\r\n", .boolean(true), .boolean(false)),
        Example("!21\r\nSYNTAX invalid syntax\r\n", .error("SYNTAX invalid syntax")),
        Example("=15\r\ntxt:Some string\r\n", .verbatimString(format: "txt", ByteBuffer(string: "Some string"))),
        Example("(3492890328409238509324850943850943825024385\r\n", .bigNumber("3492890328409238509324850943850943825024385")),
        Example("*3\r\n:1\r\n:2\r\n:3\r\n", .array([.integer(1), .integer(2), .integer(3)])),
        Example(
            "*2\r\n*3\r\n:1\r\n$5\r\nhello\r\n:2\r\n#f\r\n",
            .array([.array([.integer(1), .bulk("hello"), .integer(2)]), .boolean(false)])
        ),
        Example(
            "%2\r\n+first\r\n:1\r\n+second\r\n:2\r\n",
            .map([.simpleString("first"), .integer(1), .simpleString("second"), .integer(2)])
        ),
        Example(
            "~5\r\n+orange\r\n+apple\r\n#t\r\n:100\r\n:999\r\n",
            .set([.simpleString("orange"), .simpleString("apple"), .boolean(true), .integer(100), .integer(999)])
        ),
        Example(
            "|1\r\n+key-popularity\r\n%2\r\n$1\r\na\r\n,0.1923\r\n$1\r\nb\r\n,0.0012\r\n*2\r\n:2039123\r\n:9543892\r\n",
            .array([.integer(2_039_123), .integer(9_543_892)])
        ),
        Example("*3\r\n:1\r\n:2\r\n|1\r\n+ttl\r\n:3600\r\n:3\r\n", .array([.integer(1), .integer(2), .integer(3)])),
        Example(
            ">3\r\n+message\r\n+somechannel\r\n+this is the message\r\n$9\r\nGet-Reply\r\n",
            .push([.simpleString("message"), .simpleString("somechannel"), .simpleString("this is the message")]),
            .bulk("Get-Reply")
        ),
        Example(
            "$9\r\nGet-Reply\r\n>3\r\n+message\r\n+somechannel\r\n+this is the message\r\n",
            .bulk("Get-Reply"),
            .push([.simpleString("message"), .simpleString("somechannel"), .simpleString("this is the message")])
        ),
        Example("$?\r\n;4\r\nHell\r\n;5\r\no wor\r\n;2\r\nld\r\n;0\r\n", .bulk("Hello world")),
        Example("*?\r\n:1\r\n:2\r\n:3\r\n.\r\n", .array([.integer(1), .integer(2), .integer(3)])),
        Example("%?\r\n+a\r\n:1\r\n+b\r\n:2\r\n.\r\n", .map([.simpleString("a"), .integer(1), .simpleString("b"), .integer(2)])),
    ]

    static let otherExamples = [
        Example("+OK\r\n+\r\n", .simpleString("OK"), .simpleString("")),
        Example("$-1\r\n*-1\r\n", .null, .null),
        Example(":9223372036854775807\r\n:-9223372036854775808\r\n", .integer(.max), .integer(.min)),
        Example(":0\r\n:-0\r\n:+17\r\n:-1\r\n", .integer(0), .integer(0), .integer(17), .integer(-1)),
        Example(":00000000000000000000000007\r\n", .integer(7)),
        Example(
            "(-349289032840923850932485094385094\r\n(+1\r\n(0\r\n",
            .bigNumber("-349289032840923850932485094385094"),
            .bigNumber("+1"),
            .bigNumber("0")
        ),
        Example(",-0.5\r\n,+2e3\r\n,1.5E-3\r\n,1e+2\r\n", .double(-0.5), .double(2_000), .double(0.0015), .double(100)),
        Example(",1e999\r\n", .double(.infinity)),
        Example("*0\r\n%0\r\n~0\r\n", .array([]), .map([]), .set([])),
        Example("*?\r\n.\r\n%?\r\n.\r\n~?\r\n.\r\n$?\r\n;0\r\n", .array([]), .map([]), .set([]), .bulk("")),
        Example("*1\r\n*?\r\n*1\r\n~?\r\n:1\r\n.\r\n.\r\n", .array([.array([.array([.set([.integer(1)])])])])),
        Example("*2\r\n$?\r\n;1\r\na\r\n;0\r\n_\r\n", .array([.bulk("a"), .null])),
        Example("|0\r\n|1\r\n+a\r\n|1\r\n+b\r\n:1\r\n:2\r\n+OK\r\n", .simpleString("OK")),
        Example("*1\r\n|0\r\n%0\r\n", .array([.map([])])),
        Example(">2\r\n$10\r\ninvalidate\r\n_\r\n", .push([.bulk("invalidate"), .null])),
        Example(">2\r\n$10\r\ninvalidate\r\n*1\r\n$1\r\nk\r\n", .push([.bulk("invalidate"), .array([.bulk("k")])])),
        Example("|1\r\n+a\r\n+b\r\n>1\r\n+a\r\n", .push([.simpleString("a")])),
        Example("$4\r\n\r\n\r\n\r\n$2\r\n$1\r\n", .bulk("\r\n\r\n"), .bulk("$1")),
        Example("=4\r\ntxt:\r\n!0\r\n\r\n", .verbatimString(format: "txt", ByteBuffer()), .error("")),
        Example("+a\nb\r\n".replacing("\n", with: "\u{85}", maxReplacements: 1), .simpleString("a\u{85}b")),
    ]

    static let examples = examplesOfTheSpecification + otherExamples

    @Test(arguments: examples)
    func readsAnExample(example: Example) throws {
        #expect(try RESPDecoder.values(of: [example.bytes]) == example.values)
    }

    @Test(arguments: examples)
    func readsTheSameWhereverTheBytesAreCut(example: Example) throws {
        for cut in 0...example.bytes.count {
            #expect(try RESPDecoder.values(of: [Array(example.bytes[..<cut]), Array(example.bytes[cut...])]) == example.values, "cut at \(cut)")
        }
    }

    @Test(arguments: examples)
    func readsTheSameFromSingleBytes(example: Example) throws {
        #expect(try RESPDecoder.values(of: example.bytes.map { [$0] }) == example.values)
    }

    @Test(arguments: examples)
    func readsTheSameIfAllPiecesAreThereBeforeTheFirstIsRead(example: Example) throws {
        var decoder = RESPDecoder()
        for byte in example.bytes { decoder.append(ByteBuffer(bytes: [byte])) }
        for value in example.values { #expect(try decoder.next() == value) }
        #expect(try decoder.next() == nil)
    }

    @Test(arguments: examples)
    func nothingIsCompleteBeforeItsLastByte(example: Example) throws {
        guard example.values.count == 1 else { return }
        var decoder = RESPDecoder()
        for byte in example.bytes.dropLast() {
            decoder.append(ByteBuffer(bytes: [byte]))
            #expect(try decoder.next() == nil)
        }
    }

    @Test(arguments: ["nan", "-nan", "NAN", "nan(0x8000)", "-nan(snan)"])
    func readsWhatIsNotANumber(text: String) throws {
        guard case .double(let double)? = try RESPDecoder.values(of: [Array(",\(text)\r\n".utf8)]).first else {
            Issue.record("It is no double.")
            return
        }
        #expect(double.isNaN)
    }

    @Test func repairsTextThatIsNotUTF8() throws {
        #expect(try RESPDecoder.values(of: [[0x2b, 0xff, 0x0d, 0x0a]]) == [.simpleString("\u{fffd}")])
        #expect(try RESPDecoder.values(of: [[0x21, 0x31, 0x0d, 0x0a, 0xff, 0x0d, 0x0a]]) == [.error("\u{fffd}")])
    }

    @Test(arguments: [0, 1, RESPDecoder.longestCopiedString, RESPDecoder.longestCopiedString + 1, 70_000, 3 * 1_024 * 1_024])
    func aStringOfAnyLengthHasAllItsBytes(length: Int) throws {
        let content = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let bytes = Array("$\(length)\r\n".utf8) + content + Array("\r\n:1\r\n".utf8)
        let expected = [RESPValue.bulkString(ByteBuffer(bytes: content)), .integer(1)]
        #expect(try RESPDecoder.values(of: [bytes]) == expected)
        for pieceLength in [bytes.count - 1, 65_536, 10_007] where pieceLength > 0 {
            let pieces = stride(from: 0, to: bytes.count, by: pieceLength).map { Array(bytes[$0..<min($0 + pieceLength, bytes.count)]) }
            #expect(try RESPDecoder.values(of: pieces) == expected, "pieces of \(pieceLength)")
        }
    }

    @Test func aLongStringSharesTheMemoryItArrivedIn() throws {
        let length = RESPDecoder.longestCopiedString + 1
        let arrived = ByteBuffer(string: "$\(length)\r\n" + String(repeating: "a", count: length) + "\r\n")
        var decoder = RESPDecoder()
        decoder.append(arrived)
        guard case .bulkString(let bytes)? = try decoder.next() else {
            Issue.record("It is no string.")
            return
        }
        #expect(bytes.storageCapacity >= arrived.readableBytes)
        #expect(bytes.readableBytes == length)
    }

    @Test func bytesOfTheNextValueAreKept() throws {
        var decoder = RESPDecoder()
        decoder.append(ByteBuffer(string: "+OK\r\n$3\r\nab"))
        #expect(try decoder.next() == .simpleString("OK"))
        #expect(try decoder.next() == nil)
        decoder.append(ByteBuffer(string: "c\r"))
        #expect(try decoder.next() == nil)
        decoder.append(ByteBuffer(string: "\n:1\r\n"))
        #expect(try decoder.next() == .bulk("abc"))
        #expect(try decoder.next() == .integer(1))
        #expect(try decoder.next() == nil)
    }
}
