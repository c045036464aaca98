// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import CZlib

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif
#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Compresses payloads with zlib (RFC 1950) where it pays.
enum PayloadCompressor {
    /// Shorter payloads are left alone: the rest of their record costs as much, and little is to be gained.
    static let minimumByteCount = 512
    /// How much of a larger payload must have shrunk before the rest is tried.
    static let trialByteCount = 16 << 10

    /// Compresses a payload. O(n); stops as soon as it does not pay.
    ///
    /// - Parameter level: 1 to 9.
    /// - Returns: The compressed bytes; `nil` if the payload should be stored as it is, because it is short, compressed already,
    ///   or does not shrink by an eighth, the first 16 KiB or the whole.
    static func compress(_ payload: Data, contentType: String?, level: Int) -> Data? {
        guard payload.count >= minimumByteCount, payload.count <= UInt32.max else { return nil }
        if let contentType, CompressedFormats.includes(contentType: contentType) { return nil }
        return payload.withUnsafeBytes { payload in
            CompressedFormats.includes(payload) ? nil : deflate(payload, level: level)
        }
    }

    /// Restores the payload from the result of ``compress(_:contentType:level:)``. O(byteCount).
    ///
    /// Allocates `byteCount` bytes, and these only if `bytes` is long enough to yield them, plus about 10 KiB for zlib.
    ///
    /// - Parameter byteCount: The length of the payload in bytes. The caller sees to it that the number is reasonable.
    /// - Returns: The payload; `nil` if `bytes` are damaged or do not yield exactly `byteCount` bytes.
    static func decompress(_ bytes: UnsafeRawBufferPointer, byteCount: Int) -> Data? {
        guard canYield(byteCount, from: bytes.count), let output = malloc(byteCount) else { return nil }
        let isComplete = withStream { stream in
            guard inflateInit_(stream, ZLIB_VERSION, CInt(MemoryLayout<z_stream>.size)) == Z_OK else { return false }
            defer { inflateEnd(stream) }
            stream.setInput(bytes)
            stream.setOutput(UnsafeMutableRawBufferPointer(start: output, count: byteCount))
            // All in one call: then zlib needs no copy of its output.
            return inflate(stream, Z_FINISH) == Z_STREAM_END && stream.pointee.avail_in == 0 && stream.pointee.avail_out == 0
        }
        guard isComplete else {
            free(output)
            return nil
        }
        return Data(bytesNoCopy: output, count: byteCount, deallocator: .free)
    }
}

extension PayloadCompressor {
    /// Whether that many compressed bytes can stand for a payload of `byteCount` bytes, which must not be empty.
    static func canYield(_ byteCount: Int, from compressedByteCount: Int) -> Bool {
        // Deflate needs at least two bits for at most 258 bytes. zlib counts in 32 bits.
        byteCount > 0 && byteCount <= UInt32.max && compressedByteCount <= UInt32.max && byteCount / 1032 <= compressedByteCount
    }

    private static func deflate(_ payload: UnsafeRawBufferPointer, level: Int) -> Data? {
        // A result that does not fit does not pay.
        let capacity = payload.count - (payload.count + 7) / 8
        guard let output = malloc(capacity) else { return nil }
        let room = UnsafeMutableRawBufferPointer(start: output, count: capacity)
        guard let byteCount = withStream({ deflate(payload, into: room, level: level, stream: $0) }) else {
            free(output)
            return nil
        }
        // Gives back the bytes that were not needed. Should that fail, the whole is as good.
        return Data(bytesNoCopy: realloc(output, byteCount) ?? output, count: byteCount, deallocator: .free)
    }

    /// Returns the length of the compressed bytes; `nil` if they do not fit or do not pay.
    private static func deflate(
        _ payload: UnsafeRawBufferPointer,
        into output: UnsafeMutableRawBufferPointer,
        level: Int,
        stream: UnsafeMutablePointer<z_stream>
    ) -> Int? {
        // The smallest window that reaches over the whole payload, and as much memory as it can use: for 4 KiB this is 27 KiB
        // instead of 268. Where the allocator gets those anew from the system each time, that costs more than to compress.
        let windowBits = min(max(Int.bitWidth - (payload.count - 1).leadingZeroBitCount, 10), 15)
        let status = deflateInit2_(
            stream,
            CInt(min(max(level, 1), 9)),
            Z_DEFLATED,
            CInt(windowBits),
            CInt(min(windowBits - 6, 8)),
            Z_DEFAULT_STRATEGY,
            ZLIB_VERSION,
            CInt(MemoryLayout<z_stream>.size)
        )
        guard status == Z_OK else { return nil }
        defer { deflateEnd(stream) }
        stream.setOutput(output)
        var rest = payload[...]
        if payload.count >= 2 * trialByteCount {
            stream.setInput(UnsafeRawBufferPointer(rebasing: rest.prefix(trialByteCount)))
            rest = rest.dropFirst(trialByteCount)
            // The flush makes zlib write all it has for the trial's bytes. It costs some ten bytes, and the rest is not begun anew.
            guard CZlib.deflate(stream, Z_SYNC_FLUSH) == Z_OK, stream.pointee.avail_out > 0 else { return nil }
            guard output.count - Int(stream.pointee.avail_out) <= trialByteCount - trialByteCount / 8 else { return nil }
        }
        stream.setInput(UnsafeRawBufferPointer(rebasing: rest))
        guard CZlib.deflate(stream, Z_FINISH) == Z_STREAM_END else { return nil }
        return output.count - Int(stream.pointee.avail_out)
    }

    /// Runs `body` with an empty stream, which stays where it is: zlib keeps a pointer to it.
    private static func withStream<T>(_ body: (UnsafeMutablePointer<z_stream>) -> T) -> T {
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        stream.initialize(to: z_stream())
        defer { stream.deallocate() }
        return body(stream)
    }
}

extension UnsafeMutablePointer<z_stream> {
    /// zlib only reads from the input, but not all of its versions declare that.
    fileprivate func setInput(_ bytes: UnsafeRawBufferPointer) {
        pointee.next_in = UnsafeMutablePointer<UInt8>(mutating: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self))
        pointee.avail_in = UInt32(bytes.count)
    }

    fileprivate func setOutput(_ bytes: UnsafeMutableRawBufferPointer) {
        pointee.next_out = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
        pointee.avail_out = UInt32(bytes.count)
    }
}

extension DiskStore.Compression {
    /// The payload compressed, if the setting says so and it pays.
    func compress(_ payload: Data, contentType: String?) -> Data? {
        level.flatMap { PayloadCompressor.compress(payload, contentType: contentType, level: $0) }
    }
}
