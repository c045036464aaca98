// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import NIOCore
import Testing

@testable import HoardTransports

@Suite struct ResponseSplitterTests {
    /// The places where a text is cut if the same is expected all the time.
    private static func cut(_ text: String, _ expectation: ResponseSplitter.Expectation) -> [String] {
        var splitter = ResponseSplitter(maximumHeadByteCount: 1_000)
        var buffer = ByteBuffer(string: text)
        var pieces: [String] = []
        while case .parse(let piece) = splitter.next(from: &buffer, expecting: expectation) { pieces.append(String(buffer: piece)) }
        return pieces
    }

    @Test func headEndsWithAnEmptyLine() {
        #expect(Self.cut("A\r\nB\r\n\r\nC\r\n\r\nD", .head) == ["A\r\nB\r\n\r\n", "C\r\n\r\n", "D"])
        #expect(Self.cut("A\r\r\n\r\nB", .head) == ["A\r\r\n\r\n", "B"])
        #expect(Self.cut("A\n\nB\r\n \r\n", .head) == ["A\n\nB\r\n \r\n"])
        #expect(Self.cut("A\r\n\r\r\nB", .head) == ["A\r\n\r\r\nB"])
    }

    @Test func lengthIsNotExceeded() {
        #expect(Self.cut("abcde", .bytes(2)) == ["ab", "cd", "e"])
        #expect(Self.cut("abcde", .bytes(9)) == ["abcde"])
    }

    @Test func lastLineFeedOfChunksComesAlone() {
        #expect(Self.cut("0\r\n\r\n", .chunked) == ["0\r\n\r", "\n"])
        #expect(Self.cut("5\r\nabc", .chunked) == ["5\r\nabc"])
        #expect(Self.cut("\n", .chunked) == ["\n"])
    }

    @Test func restOfAConnectionIsOnePiece() {
        #expect(Self.cut("a\r\n\r\nb\n", .untilClose) == ["a\r\n\r\nb\n"])
    }

    @Test func bytesThatNobodyExpectsAreStray() {
        var splitter = ResponseSplitter(maximumHeadByteCount: 10)
        var buffer = ByteBuffer(string: "x")
        #expect(splitter.next(from: &buffer, expecting: .nothing) == .stray)
        buffer.clear()
        #expect(splitter.next(from: &buffer, expecting: .nothing) == .done)
    }

    @Test func headsHaveALimitTogether() {
        var splitter = ResponseSplitter(maximumHeadByteCount: 10)
        var buffer = ByteBuffer(string: "A\r\n\r\nB\r\n\r\nC")
        #expect(splitter.next(from: &buffer, expecting: .head) == .parse(ByteBuffer(string: "A\r\n\r\n")))
        #expect(splitter.next(from: &buffer, expecting: .head) == .parse(ByteBuffer(string: "B\r\n\r\n")))
        #expect(splitter.next(from: &buffer, expecting: .head) == .headTooLong)
        splitter.reset()
        #expect(splitter.next(from: &buffer, expecting: .head) == .parse(ByteBuffer(string: "C")))
    }

    /// However the bytes are spread over reads, a head ends where it ends.
    @Test func headEndsAtTheSamePlaceHoweverItArrives() {
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        for _ in 0..<500 {
            let text = String((0..<20).map { _ in "a\r\n".unicodeScalars.randomElement(using: &random).map(Character.init) ?? "a" })
            let bytes = Array(text.utf8)
            let expected = bytes.indices.first { $0 >= 3 && Array(bytes[($0 - 3)...$0]) == Array("\r\n\r\n".utf8) }.map { $0 + 1 } ?? bytes.count
            var splitter = ResponseSplitter(maximumHeadByteCount: 1_000)
            var rest = ByteBuffer(bytes: bytes)
            var count = 0
            var isFound = false
            while !isFound, var read = rest.readSlice(length: min(rest.readableBytes, Int.random(in: 1...5, using: &random))), read.readableBytes > 0
            {
                let length = read.readableBytes
                guard case .parse(let piece) = splitter.next(from: &read, expecting: .head) else { break }
                count += piece.readableBytes
                isFound = piece.readableBytes < length || count == expected
            }
            #expect(count == expected, "seed \(seed)")
        }
    }
}
