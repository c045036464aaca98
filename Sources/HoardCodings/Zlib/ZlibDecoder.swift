// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import CZlib

/// Decodes gzip (RFC 1952) or deflate, which is zlib's format (RFC 1950), or RFC 1951 without a frame.
///
/// Several gzip members, one after the other, are one text; zeros may follow the last.
final class ZlibDecoder: DecodingStage {
    private enum Position {
        case beforeStart, inside
        /// At the end of the data, or between two members.
        case atEnd
    }

    // Allocated, and not a stored property, because zlib keeps a pointer to the stream inside its own state:
    // the stream must stay where it is from the first call to the last. Only this class has the pointer.
    private let stream: UnsafeMutablePointer<z_stream>
    private let format: ZlibFormat
    private var position = Position.beforeStart
    /// The first byte of deflate data, while nothing tells yet whether it is one of a frame.
    private var firstByte: UInt8?

    init(_ format: ZlibFormat) throws(CodingError) {
        self.format = format
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let status = inflateInit2_(stream, format.windowBits, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        // A class that throws in its initializer after all is set runs its deinitializer, which
        // frees the memory.
        guard status == Z_OK else { throw .outOfMemory(format.name) }
    }

    deinit {
        inflateEnd(stream)
        stream.deinitialize(count: 1)
        stream.deallocate()
    }

    var formatName: String { format.name }
    var isAtEnd: Bool { position == .atEnd }

    func reset() throws(CodingError) {
        guard inflateReset2(stream, format.windowBits) == Z_OK else { throw .corrupt(format.name) }
        position = .beforeStart
        firstByte = nil
    }

    func step(
        _ input: UnsafeRawBufferPointer,
        into output: UnsafeMutableRawBufferPointer
    ) throws(CodingError) -> (consumed: Int, produced: Int) {
        var skipped = 0
        switch (position, format) {
        case (.inside, _): break
        case (.beforeStart, .gzip):
            guard !input.isEmpty else { return (0, 0) }
            position = .inside
        case (.beforeStart, .deflate):
            return try start(input, into: output)
        case (.atEnd, .gzip):
            // Some archivers fill the last block with zeros.
            while skipped < input.count, input[skipped] == 0 { skipped += 1 }
            guard skipped < input.count else { return (skipped, 0) }
            guard input[skipped] == 0x1f else { throw .trailingData(format.name) }
            guard inflateReset(stream) == Z_OK else { throw .corrupt(format.name) }
            position = .inside
        case (.atEnd, .deflate):
            guard input.isEmpty else { throw .trailingData(format.name) }
            return (0, 0)
        }
        let (consumed, produced) = try inflate(UnsafeRawBufferPointer(rebasing: input[skipped...]), into: output)
        return (skipped + consumed, produced)
    }

    /// Takes the first two bytes of deflate data, which tell whether there is a frame around it.
    ///
    /// The frame begins with a number that is a multiple of 31 and has the method 8 (RFC 1950,
    /// section 2.2). Data without a frame could only begin so with a stored block whose bits of
    /// padding are not zero, which no encoder writes.
    private func start(
        _ input: UnsafeRawBufferPointer,
        into output: UnsafeMutableRawBufferPointer
    ) throws(CodingError) -> (consumed: Int, produced: Int) {
        guard !input.isEmpty else { return (0, 0) }
        guard var first = firstByte else {
            firstByte = input[0]
            return (1, 0)
        }
        let isFramed = first & 0x0f == 8 && first >> 4 <= 7 && (Int(first) << 8 | Int(input[0])) % 31 == 0
        if !isFramed, inflateReset2(stream, -ZlibFormat.maximumWindowBits) != Z_OK { throw .corrupt(format.name) }
        position = .inside
        firstByte = nil
        // Eight bits are a block's header and less than one symbol, or less than a frame's header:
        // nothing comes out yet, and nothing can be left over.
        _ = try withUnsafeBytes(of: &first) { byte throws(CodingError) in try inflate(byte, into: output) }
        return try inflate(input, into: output)
    }

    private func inflate(
        _ input: UnsafeRawBufferPointer,
        into output: UnsafeMutableRawBufferPointer
    ) throws(CodingError) -> (consumed: Int, produced: Int) {
        stream.setBuffers(input, output)
        let (inputCount, outputCount) = (stream.pointee.avail_in, stream.pointee.avail_out)
        switch CZlib.inflate(stream, Z_NO_FLUSH) {
        case Z_OK, Z_BUF_ERROR: break
        case Z_STREAM_END: position = .atEnd
        case Z_MEM_ERROR: throw .outOfMemory(format.name)
        default: throw .corrupt(format.name)
        }
        return (Int(inputCount - stream.pointee.avail_in), Int(outputCount - stream.pointee.avail_out))
    }
}

extension UnsafeMutablePointer<z_stream> {
    /// Tells zlib where to read and write. It counts with 32 bits; the bytes beyond come with the next step.
    func setBuffers(_ input: UnsafeRawBufferPointer, _ output: UnsafeMutableRawBufferPointer) {
        // zlib does not write into its input; its declarations do not say so.
        pointee.next_in = UnsafeMutableRawBufferPointer(mutating: input).bindMemory(to: UInt8.self).baseAddress
        pointee.avail_in = UInt32(clamping: input.count)
        pointee.next_out = output.bindMemory(to: UInt8.self).baseAddress
        pointee.avail_out = UInt32(clamping: output.count)
    }
}
