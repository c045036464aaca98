// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import CZlib

/// Encodes gzip (RFC 1952) or zlib's format (RFC 1950). The same input makes the same output
/// wherever zlib is the same.
final class ZlibEncoder: EncodingStage {
    // Allocated, and not a stored property, because zlib keeps pointers to both inside its own
    // state. Only this class has these pointers.
    private let stream: UnsafeMutablePointer<z_stream>
    private let header: UnsafeMutablePointer<gz_header>
    private let format: ZlibFormat

    /// 256 KiB for each stream, zlib's default.
    private static let memoryLevel: Int32 = 8
    /// No name of a system, so that all systems make the same output (RFC 1952, section 2.3.1).
    private static let unknownSystem: Int32 = 255

    init(_ format: ZlibFormat, level: Int) throws(CodingError) {
        self.format = format
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        header = .allocate(capacity: 1)
        header.initialize(to: gz_header())
        header.pointee.os = Self.unknownSystem
        let status = deflateInit2_(
            stream,
            Int32(level),
            Z_DEFLATED,
            format.windowBits,
            Self.memoryLevel,
            Z_DEFAULT_STRATEGY,
            ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size)
        )
        guard status == Z_OK else { throw .outOfMemory(format.name) }
        setHeader()
    }

    deinit {
        deflateEnd(stream)
        stream.deinitialize(count: 1)
        stream.deallocate()
        header.deinitialize(count: 1)
        header.deallocate()
    }

    private func setHeader() {
        if case .gzip = format { deflateSetHeader(stream, header) }
    }

    func reset() throws(CodingError) {
        guard deflateReset(stream) == Z_OK else { throw .outOfMemory(format.name) }
        setHeader()
    }

    func step(
        _ input: UnsafeRawBufferPointer,
        _ request: EncodingRequest,
        into output: UnsafeMutableRawBufferPointer
    ) throws(CodingError) -> (consumed: Int, produced: Int, isDone: Bool) {
        stream.setBuffers(input, output)
        let (inputCount, outputCount) = (stream.pointee.avail_in, stream.pointee.avail_out)
        // Input that is too long for one step must not end with it.
        let request = Int(inputCount) < input.count ? .more : request
        let status = deflate(stream, request.zlibFlush)
        // A request to flush twice at the same place makes no progress, and is no fault.
        guard status == Z_OK || status == Z_BUF_ERROR || status == Z_STREAM_END else { throw .outOfMemory(format.name) }
        let consumed = Int(inputCount - stream.pointee.avail_in)
        let isDone = if case .finish = request { status == Z_STREAM_END } else { stream.pointee.avail_out > 0 && consumed == input.count }
        return (consumed, Int(outputCount - stream.pointee.avail_out), isDone)
    }
}

extension EncodingRequest {
    fileprivate var zlibFlush: Int32 {
        switch self {
        case .more: Z_NO_FLUSH
        case .flush: Z_SYNC_FLUSH
        case .finish: Z_FINISH
        }
    }
}
