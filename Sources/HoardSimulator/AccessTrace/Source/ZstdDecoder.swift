// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if Zstandard && os(Linux)
    internal import CZstd

    /// Decompresses zstd data (RFC 8878) part by part. Several frames, one after the other, are read as one.
    final class ZstdDecoder: TraceDecompressor {
        // Only this class has the pointer.
        private let stream: OpaquePointer
        /// Whether a frame has begun and not ended.
        private var isInsideFrame = false

        /// The largest window that is given memory: 128 MiB, what libzstd allows unless it is told otherwise.
        private static let windowLogLimit: Int32 = 27

        init() throws(DecompressionFailure) {
            guard let stream = ZSTD_createDStream() else { throw .outOfMemory }
            self.stream = stream
            // A class that throws in its initializer after all is set runs its deinitializer, which frees the memory.
            guard ZSTD_isError(ZSTD_DCtx_setParameter(stream, ZSTD_d_windowLogMax, Self.windowLogLimit)) == 0 else { throw .outOfMemory }
        }

        deinit {
            ZSTD_freeDStream(stream)
        }

        static var formatName: String { "zstd" }

        var isAtEnd: Bool { !isInsideFrame }

        func decode(_ input: [UInt8], from start: Int, to end: Int, into output: inout [UInt8]) throws(DecompressionFailure) -> (
            next: Int, count: Int
        ) {
            // Between frames there is nothing left to write, and a call would begin the next one.
            guard start < end || isInsideFrame else { return (end, 0) }
            var (read, written) = (0, 0)
            let result = input.withUnsafeBytes { input in
                output.withUnsafeMutableBytes { output in
                    var source = ZSTD_inBuffer(src: input.baseAddress, size: end, pos: start)
                    var target = ZSTD_outBuffer(dst: output.baseAddress, size: output.count, pos: 0)
                    let result = ZSTD_decompressStream(stream, &target, &source)
                    (read, written) = (source.pos, target.pos)
                    return result
                }
            }
            guard ZSTD_isError(result) == 0 else { throw Self.failure(result) }
            isInsideFrame = result != 0
            return (read, written)
        }

        private static func failure(_ result: Int) -> DecompressionFailure {
            switch ZSTD_getErrorCode(result) {
            case ZSTD_error_frameParameter_windowTooLarge: .windowTooLarge
            case ZSTD_error_memory_allocation: .outOfMemory
            default: .corrupt
            }
        }
    }
#endif
