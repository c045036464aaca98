// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if Zstandard && os(Linux)
    internal import CZstd

    /// Decodes Zstandard (RFC 8878). Several frames, one after the other, are one text; frames to
    /// skip are skipped.
    final class ZstandardDecoder: DecodingStage {
        // Only this class has these pointers.
        private let context: OpaquePointer
        /// A copy of the dictionary, as libzstd only refers to it.
        private let dictionary: UnsafeMutableRawBufferPointer?
        private let maximumWindowLog: Int
        private var isInsideFrame = false
        private var hasEndedFrame = false
        /// Whether the last step has filled its output, so that there may be more without more input.
        private var hasFilledOutput = false

        /// - Parameters:
        ///   - maximumWindowLog: The largest window that is given memory, as a power of two.
        ///   - dictionary: Bytes that every frame may refer to as if they stood before it.
        init(maximumWindowLog: Int, dictionary: [UInt8]? = nil) throws(CodingError) {
            guard let context = ZSTD_createDCtx() else { throw .outOfMemory("zstd") }
            self.context = context
            self.maximumWindowLog = maximumWindowLog
            self.dictionary = dictionary.map(UnsafeMutableRawBufferPointer.copy)
            // A class that throws in its initializer after all is set runs its deinitializer, which
            // frees the memory.
            guard ZSTD_isError(ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, Int32(maximumWindowLog))) == 0 else {
                throw .outOfMemory("zstd")
            }
        }

        deinit {
            ZSTD_freeDCtx(context)
            dictionary?.deallocate()
        }

        var formatName: String { "zstd" }
        var isAtEnd: Bool { hasEndedFrame && !isInsideFrame }

        func reset() throws(CodingError) {
            guard ZSTD_isError(ZSTD_DCtx_reset(context, ZSTD_reset_session_only)) == 0 else { throw .outOfMemory(formatName) }
            (isInsideFrame, hasEndedFrame, hasFilledOutput) = (false, false, false)
        }

        func step(
            _ input: UnsafeRawBufferPointer,
            into output: UnsafeMutableRawBufferPointer
        ) throws(CodingError) -> (consumed: Int, produced: Int) {
            // libzstd fails when many calls in a row have nothing to do.
            if input.isEmpty, !hasFilledOutput { return (0, 0) }
            if !isInsideFrame {
                // Between frames there is nothing left to write, and a call would begin the next one.
                guard !input.isEmpty else { return (0, 0) }
                // libzstd forgets the dictionary with each frame. As a prefix it is never taken for
                // one with tables in it.
                if let dictionary { try check(ZSTD_DCtx_refPrefix(context, dictionary.baseAddress, dictionary.count)) }
            }
            var source = ZSTD_inBuffer(src: input.baseAddress, size: input.count, pos: 0)
            var target = ZSTD_outBuffer(dst: output.baseAddress, size: output.count, pos: 0)
            let result = ZSTD_decompressStream(context, &target, &source)
            try check(result)
            isInsideFrame = result != 0
            if result == 0 { hasEndedFrame = true }
            hasFilledOutput = target.pos == target.size
            return (source.pos, target.pos)
        }

        private func check(_ result: Int) throws(CodingError) {
            guard ZSTD_isError(result) != 0 else { return }
            switch ZSTD_getErrorCode(result) {
            case ZSTD_error_frameParameter_windowTooLarge:
                let limit = maximumWindowLog >= 20 ? "\(1 << (maximumWindowLog - 20)) MiB" : "\(1 << maximumWindowLog) bytes"
                throw CodingError(.windowTooLarge, "The zstd data needs a window of more than \(limit): compress it with a smaller one.")
            case ZSTD_error_memory_allocation: throw .outOfMemory(formatName)
            case ZSTD_error_prefix_unknown where hasEndedFrame: throw .trailingData(formatName)
            default: throw .corrupt(formatName)
            }
        }
    }

    extension UnsafeMutableRawBufferPointer {
        /// Allocates a copy, which the caller has to free.
        static func copy(of bytes: [UInt8]) -> Self {
            let copy = allocate(byteCount: bytes.count, alignment: MemoryLayout<UInt>.alignment)
            copy.copyBytes(from: bytes)
            return copy
        }
    }
#endif
