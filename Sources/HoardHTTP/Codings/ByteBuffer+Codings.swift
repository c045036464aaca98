// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HoardCodings
internal import NIOCore

extension HTTPFields {
    /// The codings of the content, in the order in which they were applied; `nil` if this build cannot undo all of them.
    var contentCodings: [ContentCoding]? {
        guard has(.contentEncoding) else { return [] }
        let value = self[values: .contentEncoding].joined(separator: ", ")
        guard let codings = try? ContentCoding.codings(ofContentEncoding: value), codings.allSatisfy(ContentCoding.available.contains),
            codings.count <= ContentDecoder.maximumCodingCount
        else { return nil }
        return codings
    }
}

extension ByteBuffer {
    /// All of some content, decoded. O(*n*) in the decoded bytes.
    func decoded(
        _ codings: [ContentCoding],
        _ limits: ContentDecoder.Limits = ContentDecoder.Limits(),
        dictionary: [UInt8]? = nil
    ) throws(CodingError) -> ByteBuffer {
        if codings.isEmpty { return self }
        let decoder = try ContentDecoder(codings: codings, limits: limits, dictionary: dictionary)
        var (rest, decoded) = (self, ByteBuffer())
        while true {
            var part = try decoder.decode(&rest)
            if part.readableBytes == 0 { break }
            // The first part is taken as it is: most content has no other.
            if decoded.readableBytes == 0 { decoded = part } else { decoded.writeBuffer(&part) }
        }
        try decoder.finish()
        return decoded
    }
}

extension ContentDecoder {
    /// Decodes some of the bytes, which are taken away. Nothing is left of them when the result is empty.
    func decode(_ rest: inout ByteBuffer) throws(CodingError) -> ByteBuffer {
        var decoded = ByteBuffer()
        let result = rest.withUnsafeReadableBytes { bytes in
            Result { () throws(CodingError) in
                var (consumed, failure) = (0, CodingError?.none)
                decoded.writeWithUnsafeMutableBytes(minimumWritableBytes: ContentDecoder.scratchByteCount) { output in
                    do throws(CodingError) {
                        let (read, written) = try self.decode(
                            bytes,
                            into: UnsafeMutableRawBufferPointer(rebasing: output[..<ContentDecoder.scratchByteCount])
                        )
                        consumed = read
                        return written
                    } catch {
                        failure = error
                        return 0
                    }
                }
                if let failure { throw failure }
                return consumed
            }
        }
        rest.moveReaderIndex(forwardBy: try result.get())
        return decoded
    }
}

extension ContentEncoder {
    /// All of some content, encoded.
    func content(_ plain: ByteBuffer) throws(CodingError) -> ByteBuffer {
        var output = try encode(plain, flush: false)
        try finish { part throws(CodingError) in _ = output.writeBytes(part) }
        return output
    }

    /// A part of content, encoded as far as it can be.
    func encode(_ part: ByteBuffer, flush: Bool) throws(CodingError) -> ByteBuffer {
        var output = ByteBuffer()
        let result = part.withUnsafeReadableBytes { bytes in
            Result { () throws(CodingError) in
                try self.encode(bytes, flush: flush) { part throws(CodingError) in _ = output.writeBytes(part) }
            }
        }
        try result.get()
        return output
    }
}
