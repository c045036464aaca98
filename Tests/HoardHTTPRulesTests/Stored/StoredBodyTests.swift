// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardHTTP
import HoardHTTPTestSupport
import NIOCore
import Testing

@Suite struct StoredBodyTests {
    private typealias Extent = StoredBody.Extent

    private func bytes(_ range: Range<Int>, _ letter: String = "a") -> Extent {
        Extent(offset: range.lowerBound, length: range.count, source: .bytes(ByteBuffer(string: String(repeating: letter, count: range.count))))
    }

    private func reference(_ range: Range<Int>, start: Int = 0) -> Extent {
        let reference = BodyReference(id: 1, segmentLength: 4, length: range.count + start, start: start)
        return Extent(offset: range.lowerBound, length: range.count, source: .reference(reference))
    }

    /// The body byte by byte, a dot for a missing byte.
    private func text(_ body: StoredBody, length: Int) -> String {
        var text = Array(repeating: UInt8(ascii: "."), count: length)
        for extent in body.extents {
            switch extent.source {
            case .bytes(let bytes):
                #expect(bytes.readableBytes == extent.length)
                text.replaceSubrange(extent.range, with: bytes.readableBytesView)
            case .reference(let reference):
                // The bytes at a place in the segments are the same everywhere.
                text.replaceSubrange(extent.range, with: (0..<extent.length).map { UInt8(ascii: "0") + UInt8((reference.start + $0) % 10) })
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    @Test func whatIsAddedFillsTheGapsAndReplacesNothing() throws {
        let body = StoredBody(extents: [bytes(2..<4, "b"), bytes(6..<8, "c")], completeLength: 10)
        #expect(text(try #require(body.adding(bytes(0..<10, "x"))), length: 10) == "xxbbxxccxx")
        #expect(text(try #require(body.adding(bytes(3..<7, "x"))), length: 10) == "..bbxxcc..")
        #expect(text(try #require(body.adding(bytes(2..<4, "x"))), length: 10) == "..bb..cc..")
        #expect(text(try #require(body.adding(reference(3..<9))), length: 10) == "..bb12cc5.")
    }

    @Test func bytesThatTouchBecomeOneExtent() throws {
        let body = StoredBody(extents: [bytes(0..<3)], completeLength: 9)
        #expect(body.adding(bytes(3..<6))?.extents.count == 1)
        #expect(body.adding(bytes(4..<6))?.extents.count == 2)
        #expect(body.adding(reference(3..<9))?.extents.count == 2)
        #expect(body.adding(bytes(3..<9))?.isComplete == true)
    }

    @Test func moreExtentsThanAreKeptAreRefused() {
        let extents = (0..<StoredBody.maximumExtentCount).map { bytes($0 * 2..<$0 * 2 + 1) }
        let body = StoredBody(extents: extents, completeLength: nil)
        #expect(body.adding(bytes(1_000..<1_001)) == nil)
        #expect(body.adding(bytes(1..<2)) != nil)
    }

    @Test func gapsAreWhatIsMissing() {
        let body = StoredBody(extents: [bytes(2..<4), bytes(6..<8)], completeLength: 10)
        #expect(body.gaps(in: 0..<10) == [0..<2, 4..<6, 8..<10])
        #expect(body.gaps(in: 3..<7) == [4..<6])
        #expect(body.gaps(in: 2..<4) == [])
        #expect(body.gaps(in: 9..<12) == [9..<12])
        #expect(body.gaps(in: 3..<3) == [])
    }

    @Test func rangeIsAtHandIfOneExtentHasIt() {
        let body = StoredBody(extents: [bytes(0..<4, "b"), reference(4..<8)], completeLength: 8)
        #expect(body.bytesAtHand(in: 1..<3) == ByteBuffer(string: "bb"))
        #expect(body.bytesAtHand(in: 3..<5) == nil)
        #expect(body.bytesAtHand(in: 5..<6) == nil)
        #expect(body.bytesAtHand(in: 9..<10) == nil)
        #expect(body.bytesAtHand(in: 5..<5) == ByteBuffer())
    }

    @Test func wholeIsAtHandIfItIsOnePiece() {
        #expect(StoredBody(extents: [bytes(0..<4, "b")], completeLength: 4).bytesAtHand == ByteBuffer(string: "bbbb"))
        #expect(StoredBody.empty.bytesAtHand == ByteBuffer())
        #expect(StoredBody(extents: [bytes(0..<4)], completeLength: 5).bytesAtHand == nil)
        #expect(StoredBody(extents: [reference(0..<4)], completeLength: 4).bytesAtHand == nil)
        #expect(StoredBody(extents: [bytes(0..<4), reference(4..<8)], completeLength: 8).bytesAtHand == nil)
        #expect(StoredBody(extents: [bytes(0..<4), bytes(4..<8)], completeLength: 8).bytesAtHand == nil, "Nothing is put together.")
    }

    @Test func randomAdditionsNeverLoseOrChangeAByte() throws {
        let seed = UInt64.random(in: 0 ... .max)
        var random = RandomSource(seed: seed)
        for _ in 1...300 {
            var body = StoredBody(extents: [], completeLength: 60)
            for _ in 1...random.int(1...12) {
                let start = random.int(0...59)
                let range = start..<random.int(start...60)
                let old = text(body, length: 60)
                // All bytes of references are named by their place in the whole.
                let new = random.once(in: 2) ? bytes(range, "x") : reference(range, start: range.lowerBound)
                if range.isEmpty { continue }
                body = try #require(body.adding(new))
                let now = text(body, length: 60)
                for (index, (before, after)) in zip(old, now).enumerated() {
                    if before != "." { #expect(before == after, "seed \(seed)") }
                    if range.contains(index) { #expect(after != ".", "seed \(seed)") } else { #expect(before == after, "seed \(seed)") }
                    if after.isNumber { #expect(after.wholeNumberValue == index % 10, "seed \(seed)") }
                }
            }
        }
    }
}
