// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardHTTP
import HoardHTTPTestSupport
import NIOCore
import Testing

@Suite struct MultipartByteRangesTests {
    private let parts = MultipartByteRanges(ranges: [0..<2, 7..<10], boundary: "SEP", contentType: Array("text/plain".utf8), completeLength: 10)

    private func text(_ parts: MultipartByteRanges, content: String) -> String {
        let bytes = Array(content.utf8)
        var all = ByteBuffer()
        for (index, range) in parts.ranges.enumerated() {
            all.writeImmutableBuffer(parts.partHeader(index))
            all.writeBytes(bytes[range])
        }
        all.writeImmutableBuffer(parts.closing)
        return String(buffer: all)
    }

    @Test func writesWhatStandsAroundTheRanges() {
        #expect(
            text(parts, content: "0123456789")
                == "--SEP\r\nContent-Type: text/plain\r\nContent-Range: bytes 0-1/10\r\n\r\n01"
                + "\r\n--SEP\r\nContent-Type: text/plain\r\nContent-Range: bytes 7-9/10\r\n\r\n789\r\n--SEP--\r\n"
        )
        #expect(parts.responseContentType == "multipart/byteranges; boundary=SEP")
    }

    @Test func leavesOutATypeThatIsNotKnown() {
        let untyped = MultipartByteRanges(ranges: [0..<1, 2..<3], boundary: "S", contentType: nil, completeLength: nil)
        #expect(
            text(untyped, content: "abc") == "--S\r\nContent-Range: bytes 0-0/*\r\n\r\na\r\n--S\r\nContent-Range: bytes 2-2/*\r\n\r\nc\r\n--S--\r\n"
        )
    }

    @Test func knowsItsLengthBeforehand() {
        #expect(parts.length == text(parts, content: "0123456789").utf8.count)
        let untyped = MultipartByteRanges(ranges: [0..<1, 2..<3, 1..<2], boundary: "S", contentType: nil, completeLength: nil)
        #expect(untyped.length == text(untyped, content: "abc").utf8.count)
    }

    @Test func choosesBoundariesThatCannotBeGuessed() {
        var generator = SystemRandomNumberGenerator()
        let boundaries = Set((0..<100).map { _ in MultipartByteRanges.boundary(using: &generator) })
        #expect(boundaries.count == 100)
        // RFC 2046 §5.1.1: at most 70 characters, of which letters, digits and hyphens need no quotes.
        for boundary in boundaries {
            #expect(boundary.utf8.count == 38)
            #expect(boundary.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") })
        }
    }
}
