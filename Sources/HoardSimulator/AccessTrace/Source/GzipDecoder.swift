// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import CZlib

/// Decompresses gzip data (RFC 1952) part by part. Several members, one after the other, are read as one text.
final class GzipDecoder: TraceDecompressor {
    // Allocated, and not a stored property, because zlib keeps a pointer to the stream inside its own state:
    // the stream must stay where it is from the first call to the last. Only this class has the pointer.
    private let stream: UnsafeMutablePointer<z_stream>
    private var isBetweenMembers = false

    /// Automatic checks of a gzip header and trailer, with the largest window.
    private static let gzipWindowBits: Int32 = 15 + 16

    init() throws(DecompressionFailure) {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let status = inflateInit2_(stream, Self.gzipWindowBits, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        // A class that throws in its initializer after all is set runs its deinitializer, which frees the memory.
        guard status == Z_OK else { throw .outOfMemory }
    }

    deinit {
        inflateEnd(stream)
        stream.deinitialize(count: 1)
        stream.deallocate()
    }

    static var formatName: String { "gzip" }

    /// Whether the data may end here: after a member, not inside one.
    var isAtEnd: Bool { isBetweenMembers }

    func decode(_ input: [UInt8], from start: Int, to end: Int, into output: inout [UInt8]) throws(DecompressionFailure) -> (next: Int, count: Int) {
        var position = start
        if isBetweenMembers {
            // Some archivers fill the last block with zeros.
            while position < end, input[position] == 0 { position += 1 }
            guard position < end else { return (end, 0) }
            guard inflateReset(stream) == Z_OK else { throw .corrupt }
            isBetweenMembers = false
        }
        let status: Int32 = input.withUnsafeBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output in
                stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress.map { $0 + position })
                stream.pointee.avail_in = UInt32(end - position)
                stream.pointee.next_out = output.baseAddress
                stream.pointee.avail_out = UInt32(output.count)
                return inflate(stream, Z_NO_FLUSH)
            }
        }
        switch status {
        case Z_OK, Z_BUF_ERROR: break
        case Z_STREAM_END: isBetweenMembers = true
        case Z_MEM_ERROR: throw .outOfMemory
        default: throw .corrupt
        }
        return (end - Int(stream.pointee.avail_in), output.count - Int(stream.pointee.avail_out))
    }
}
