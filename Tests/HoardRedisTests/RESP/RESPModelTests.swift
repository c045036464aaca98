// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import NIOCore
import Testing

@_spi(Client) @testable import HoardRedis

/// Values at random, written in all the ways that the protocol has for them, and read again from pieces of random lengths.
@Suite(.timeLimit(.minutes(2))) struct RESPModelTests {
    @Test(arguments: 1...40)
    func whatIsWrittenIsReadAsTheSame(seed: UInt64) throws {
        var writer = RandomRESP(seed: seed)
        let values = (0..<60).map { _ in writer.value(depth: 0) }
        var bytes: [UInt8] = []
        for value in values { writer.write(value, to: &bytes) }
        var pieces: [[UInt8]] = []
        var start = 0
        while start < bytes.count {
            let end = min(bytes.count, start + writer.pieceLength())
            pieces.append(Array(bytes[start..<end]))
            start = end
        }
        #expect(try RESPDecoder.values(of: pieces) == values, "seed \(seed)")
        #expect(try RESPDecoder.values(of: [bytes]) == values, "seed \(seed), in one piece")
    }

    /// A string of 32 MB in pieces of a kilobyte: if the decoder looked at bytes again or copied them again with each piece, this would take hours.
    @Test func aLongStringInManyPiecesTakesLinearTime() throws {
        let length = 32 * 1_024 * 1_024
        let piece = ByteBuffer(repeating: 7, count: 1_024)
        var decoder = RESPDecoder()
        decoder.append(ByteBuffer(string: "$\(length)\r\n"))
        for _ in 0..<length / 1_024 {
            decoder.append(piece)
            guard try decoder.next() == nil else {
                Issue.record("It is complete too early.")
                return
            }
        }
        decoder.append(ByteBuffer(string: "\r\n"))
        guard case .bulkString(let bytes)? = try decoder.next() else {
            Issue.record("It is no string.")
            return
        }
        #expect(bytes.readableBytes == length)
        #expect(bytes.getInteger(at: length - 1, as: UInt8.self) == 7)
    }
}

/// A plain encoder, which has nothing in common with the decoder.
struct RandomRESP {
    private var random: SeededGenerator

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
    }

    private mutating func int(_ range: ClosedRange<Int>) -> Int { .random(in: range, using: &random) }

    mutating func pieceLength() -> Int {
        switch int(0...3) {
        case 0: 1
        case 1: int(1...10)
        case 2: int(1...200)
        default: int(1...3_000)
        }
    }

    private mutating func text(_ limit: Int) -> String {
        String((0..<int(0...limit)).map { _ in ["a", "Z", "0", " ", "é", "$", "*", "_", "\u{1f600}"][int(0...8)] }.joined())
    }

    private mutating func bytes() -> ByteBuffer {
        let length = int(0...9) == 0 ? int(0...3_000) : int(0...40)
        return ByteBuffer(bytes: (0..<length).map { _ in int(0...2) == 0 ? [13, 10][int(0...1)] : UInt8.random(in: 0...255, using: &random) })
    }

    mutating func value(depth: Int) -> RESPValue {
        switch int(0...(depth < 4 ? 13 : 8)) {
        case 0: .null
        case 1: .simpleString(text(12))
        case 2: .error(text(30))
        case 3: .integer([0, 1, -1, .min, .max, Int64.random(in: .min ... .max, using: &random)][int(0...5)])
        case 4: .double([0, 1.5, -2e300, .infinity, -.infinity, Double.random(in: -1...1, using: &random)][int(0...5)])
        case 5: .boolean(int(0...1) == 0)
        case 6: .bigNumber((int(0...1) == 0 ? "-" : "") + (0...int(0...50)).map { _ in String(int(0...9)) }.joined())
        case 7, 8: .bulkString(bytes())
        case 9: .verbatimString(format: "mkd", bytes())
        case 10: .array((0..<int(0...6)).map { _ in value(depth: depth + 1) })
        case 11: .set((0..<int(0...6)).map { _ in value(depth: depth + 1) })
        case 12: .map((0..<2 * int(0...4)).map { _ in value(depth: depth + 1) })
        default: depth == 0 ? .push([.simpleString("kind")] + (0..<int(0...3)).map { _ in value(depth: depth + 1) }) : .null
        }
    }

    mutating func write(_ value: RESPValue, to output: inout [UInt8]) {
        if int(0...9) == 0 {
            output += Array("|1\r\n".utf8)
            write(.simpleString("note"), to: &output)
            write(self.value(depth: 4), to: &output)
        }
        switch value {
        case .null: output += Array(["_\r\n", "$-1\r\n", "*-1\r\n"][int(0...2)].utf8)
        case .simpleString(let text): output += Array("+\(text)\r\n".utf8)
        case .error(let text): output += Array((int(0...1) == 0 ? "-\(text)\r\n" : "!\(text.utf8.count)\r\n\(text)\r\n").utf8)
        case .integer(let integer): output += Array(":\(integer)\r\n".utf8)
        case .double(let double): output += Array(",\(double)\r\n".utf8)
        case .boolean(let boolean): output += Array((boolean ? "#t\r\n" : "#f\r\n").utf8)
        case .bigNumber(let digits): output += Array("(\(digits)\r\n".utf8)
        case .bulkString(let bytes): writeString(Array(bytes.readableBytesView), to: &output)
        case .verbatimString(let format, let bytes):
            output += Array("=\(bytes.readableBytes + 4)\r\n\(format):".utf8) + Array(bytes.readableBytesView) + [13, 10]
        case .array(let elements): writeAggregate("*", elements, count: elements.count, to: &output)
        case .set(let elements): writeAggregate("~", elements, count: elements.count, to: &output)
        case .map(let elements): writeAggregate("%", elements, count: elements.count / 2, to: &output)
        case .push(let elements):
            output += Array(">\(elements.count)\r\n".utf8)
            for element in elements { write(element, to: &output) }
        }
    }

    private mutating func writeString(_ bytes: [UInt8], to output: inout [UInt8]) {
        guard int(0...4) == 0 else {
            output += Array("$\(bytes.count)\r\n".utf8) + bytes + [13, 10]
            return
        }
        output += Array("$?\r\n".utf8)
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = rest.prefix(int(1...20))
            output += Array(";\(piece.count)\r\n".utf8) + piece + [13, 10]
            rest = rest.dropFirst(piece.count)
        }
        output += Array(";0\r\n".utf8)
    }

    private mutating func writeAggregate(_ type: String, _ elements: [RESPValue], count: Int, to output: inout [UInt8]) {
        let isStreamed = int(0...4) == 0
        output += Array((type + (isStreamed ? "?" : "\(count)") + "\r\n").utf8)
        for element in elements { write(element, to: &output) }
        if isStreamed { output += Array(".\r\n".utf8) }
    }
}
