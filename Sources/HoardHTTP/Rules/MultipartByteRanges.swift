// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import NIOCore

/// The content of a 206 with several parts: the bytes before, between and behind those of the ranges.
///
/// [RFC 9110 §14.6](https://www.rfc-editor.org/rfc/rfc9110#section-14.6), [RFC 2046 §5.1](https://www.rfc-editor.org/rfc/rfc2046#section-5.1)
package struct MultipartByteRanges: Hashable, Sendable {
    /// In the order in which they are sent; none is empty.
    package let ranges: [Range<Int>]
    /// Separates the parts. It must not occur in the content, so choose it at random: ``boundary(using:)``.
    package let boundary: String
    /// The bytes of `Content-Type` of the whole; `nil` if it has none.
    package let contentType: [UInt8]?
    /// The length of the whole; `nil` if it is not known.
    package let completeLength: Int?

    package init(ranges: [Range<Int>], boundary: String, contentType: [UInt8]?, completeLength: Int?) {
        self.ranges = ranges
        self.boundary = boundary
        self.contentType = contentType
        self.completeLength = completeLength
    }

    /// A boundary of 128 random bits.
    package static func boundary(using generator: inout some RandomNumberGenerator) -> String {
        (0..<2).reduce(into: "hoard-") { text, _ in
            let digits = String(generator.next() as UInt64, radix: 16)
            text += String(repeating: "0", count: 16 - digits.utf8.count) + digits
        }
    }

    /// The value of the `Content-Type` field of the response.
    package var responseContentType: String { "multipart/byteranges; boundary=\(boundary)" }

    /// Returns the lines that are sent before the bytes of a range.
    package func partHeader(_ index: Int) -> ByteBuffer {
        var header = ByteBuffer(string: "\(index == 0 ? "" : "\r\n")--\(boundary)\r\n")
        if let contentType {
            header.writeString("Content-Type: ")
            header.writeBytes(contentType)
            header.writeString("\r\n")
        }
        header.writeString("Content-Range: \(ContentRange.fieldValue(ranges[index], completeLength: completeLength))\r\n\r\n")
        return header
    }

    /// The line that is sent behind the bytes of the last range.
    package var closing: ByteBuffer { ByteBuffer(string: "\r\n--\(boundary)--\r\n") }

    /// The number of bytes of all that is sent.
    package var length: Int {
        ranges.indices.reduce(closing.readableBytes) { $0 + partHeader($1).readableBytes + ranges[$1].count }
    }
}
