// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import NIOCore
import Testing

@_spi(Client) @testable import HoardRedis

@Suite struct RESPEncoderTests {
    private func encoded(_ command: RedisCommand) -> String {
        var buffer = ByteBuffer()
        RESPEncoder.encode(command, into: &buffer)
        return String(buffer: buffer)
    }

    @Test func aCommandIsAnArrayOfStringsWithTheKeyAfterWhatLeads() {
        let command = RedisCommand("EVALSHA", leading: [.string("abc"), .integer(1)], key: .bytes(Array("k".utf8)), [.string("value")])
        #expect(encoded(command) == "*5\r\n$7\r\nEVALSHA\r\n$3\r\nabc\r\n$1\r\n1\r\n$1\r\nk\r\n$5\r\nvalue\r\n")
        #expect(encoded(RedisCommand("PING")) == "*1\r\n$4\r\nPING\r\n")
        #expect(encoded(RedisCommand("GET", key: .string(""))) == "*2\r\n$3\r\nGET\r\n$0\r\n\r\n")
    }

    static let sameArguments: [RedisCommand.Argument] = [
        .string("a\r\nb"), .bytes(Array("a\r\nb".utf8)), .data(Data("a\r\nb".utf8)), .buffer(ByteBuffer(string: "a\r\nb")),
    ]

    @Test(arguments: sameArguments)
    func bytesAreWrittenAsTheyAreWhateverTheyComeIn(argument: RedisCommand.Argument) {
        #expect(encoded(RedisCommand("SET", key: argument, [argument])) == "*3\r\n$3\r\nSET\r\n$4\r\na\r\nb\r\n$4\r\na\r\nb\r\n")
    }

    @Test(arguments: [
        (Int64.min, "$20\r\n-9223372036854775808"), (.max, "$19\r\n9223372036854775807"), (0, "$1\r\n0"), (-1, "$2\r\n-1"), (100_000, "$6\r\n100000"),
    ])
    func integersAreWrittenInDecimals(integer: Int64, text: String) {
        #expect(encoded(RedisCommand("X", [.integer(integer)])) == "*2\r\n$1\r\nX\r\n\(text)\r\n")
    }

    @Test(arguments: [1, 9, 10, 99, 100, 9_999, 10_000, 99_999, 100_000, 123_456, 1_000_000])
    func lengthsAreWrittenInDecimals(length: Int) {
        let text = String(repeating: "a", count: length)
        #expect(encoded(RedisCommand("X", [.string(text)])) == "*2\r\n$1\r\nX\r\n$\(length)\r\n\(text)\r\n")
    }

    @Test(arguments: [9, 10, 99, 100, 100_001])
    func commandsMayHaveManyArguments(count: Int) {
        let text = encoded(RedisCommand("DEL", Array(repeating: .string("a"), count: count)))
        #expect(text == "*\(count + 1)\r\n$3\r\nDEL\r\n" + String(repeating: "$1\r\na\r\n", count: count))
    }

    @Test func aPartOfABufferIsWrittenAndThatPartOnly() {
        var buffer = ByteBuffer(string: "abcdef")
        buffer.moveReaderIndex(forwardBy: 2)
        #expect(encoded(RedisCommand("X", [.buffer(buffer.readSlice(length: 2) ?? ByteBuffer())])) == "*2\r\n$1\r\nX\r\n$2\r\ncd\r\n")
    }

    @Test func commandsFollowEachOtherInOneBuffer() {
        var buffer = ByteBuffer(string: "x")
        RESPEncoder.encode(RedisCommand("A"), into: &buffer)
        RESPEncoder.encode(RedisCommand("B"), into: &buffer)
        #expect(String(buffer: buffer) == "x*1\r\n$1\r\nA\r\n*1\r\n$1\r\nB\r\n")
    }

    @Test(arguments: sameArguments + [.integer(.min), .integer(5), .string(String(repeating: "é", count: 70_000))])
    func noMoreIsWrittenThanWasSaidBefore(argument: RedisCommand.Argument) {
        let command = RedisCommand("COMMAND", leading: [argument], key: argument, [argument, argument])
        let text = encoded(command)
        #expect(text.utf8.count <= RESPEncoder.largestByteCount(of: command))
        #expect(RESPEncoder.largestByteCount(of: command) - text.utf8.count <= 6 * 46)
    }

    @Test func whatIsWrittenIsReadAsTheSameStrings() throws {
        var buffer = ByteBuffer()
        RESPEncoder.encode(RedisCommand("SET", key: .bytes([0, 13, 10, 255]), [.integer(-5), .string("é")]), into: &buffer)
        let expected: [RESPValue] = [.bulk("SET"), .bulkString(ByteBuffer(bytes: [0, 13, 10, 255])), .bulk("-5"), .bulk("é")]
        #expect(try RESPDecoder.values(of: [Array(buffer.readableBytesView)]) == [.array(expected)])
    }
}
