// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard
import Testing

@testable import HoardDisk

@Suite struct PayloadFileLayoutTests {
    private static let chunk = PayloadFileLayout.chunkByteCount

    // The types of tables with operators are written out, because the compiler would look for them for ten seconds.
    private static let lengths: [(Int, Int)] = [
        (0, 0), (1, 1), (chunk - 1, 1), (chunk, 1), (chunk + 1, 2), (2 * chunk, 2), (10 * chunk + 5, 11),
    ]

    @Test(arguments: lengths) func chunksCoverThePayloadOnce(byteCount: Int, chunkCount: Int) throws {
        let layout = try #require(PayloadFileLayout(byteCount: byteCount, tagByteCount: 8))
        #expect(layout.chunkCount == chunkCount)
        #expect(layout.tableByteCount == 8 * chunkCount)
        #expect(layout.fileByteCount == byteCount + 8 * chunkCount + 32)
        var end = 0
        for index in 0..<chunkCount {
            #expect(layout.chunk(index).lowerBound == end)
            #expect(!layout.chunk(index).isEmpty)
            #expect(layout.tag(index) == index * 8..<index * 8 + 8)
            end = layout.chunk(index).upperBound
        }
        #expect(end == byteCount)
    }

    private static let overlaps: [(Range<Int>, Range<Int>)] = [
        (0..<0, 0..<0), (5..<5, 0..<0), (0..<1, 0..<1), (0..<chunk, 0..<1), (0..<chunk + 1, 0..<2),
        (chunk - 1..<chunk, 0..<1), (chunk..<chunk + 1, 1..<2), (chunk - 1..<3 * chunk + 1, 0..<4),
    ]

    @Test(arguments: overlaps) func rangesOverlapTheChunksThatHaveTheirBytes(range: Range<Int>, chunks: Range<Int>) throws {
        let layout = try #require(PayloadFileLayout(byteCount: 4 * Self.chunk, tagByteCount: 8))
        #expect(layout.chunks(overlapping: range) == chunks)
    }

    @Test(arguments: [(-1, 8), (Int.min, 8), (Int.max, 8), (Int.max / 2 + 1, 8), (1, 0), (1, -8), (1, Int.max)])
    func lengthsThatNoFileHasAreRefused(byteCount: Int, tagByteCount: Int) {
        #expect(PayloadFileLayout(byteCount: byteCount, tagByteCount: tagByteCount) == nil)
    }

    @Test func theLargestLengthDoesNotOverflow() throws {
        let layout = try #require(PayloadFileLayout(byteCount: .max / 2, tagByteCount: 1024))
        #expect(layout.fileByteCount > layout.byteCount)
        #expect(layout.footer.count == 32)
    }

    @Test func footerHoldsTheLengthsAndItsChecksum() throws {
        let footer = try #require(PayloadFileLayout(byteCount: 0x0102_0304, tagByteCount: 16)).footer
        #expect(footer.count == PayloadFileLayout.footerByteCount)
        #expect(footer[..<8].elementsEqual("HoardPay".utf8))
        #expect(footer[8..<24].elementsEqual([1, 0, 16, 0, 0, 0, 2, 0, 4, 3, 2, 1, 0, 0, 0, 0]))
        let checksum = footer.withUnsafeBytes { XXH64.hash(UnsafeRawBufferPointer(rebasing: $0[..<24])) }
        #expect(footer[24...].elementsEqual(withUnsafeBytes(of: checksum.littleEndian) { Array($0) }))
    }

    @Test func layoutsHaveDifferentFooters() {
        let footers = [(0, 8), (0, 16), (1, 8), (1, 16), (1 << 40, 8)].compactMap {
            PayloadFileLayout(byteCount: $0.0, tagByteCount: $0.1)?.footer
        }
        #expect(Set(footers).count == 5)
    }
}
