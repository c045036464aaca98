// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if Zstandard && os(Linux)
    internal import CZstd

    /// Encodes Zstandard (RFC 8878), as one frame with a checksum.
    final class ZstandardEncoder: EncodingStage {
        // Only this class has these pointers.
        private let context: OpaquePointer
        /// A copy of the dictionary, as libzstd only refers to it.
        private let dictionary: UnsafeMutableRawBufferPointer?

        /// From here on the tables of the lower levels are too small for all of a dictionary, and
        /// libzstd looks for long matches besides.
        private static let longDictionaryByteCount = 512 << 10

        init(level: Int, dictionary: [UInt8]?) throws(CodingError) {
            guard let context = ZSTD_createCCtx() else { throw .outOfMemory("zstd") }
            self.context = context
            self.dictionary = dictionary.map(UnsafeMutableRawBufferPointer.copy)
            try set(ZSTD_c_compressionLevel, level)
            try set(ZSTD_c_checksumFlag, 1)
            if let log = ZstandardWindow.log(level: level, dictionary: dictionary) { try set(ZSTD_c_windowLog, log) }
            if let dictionary, dictionary.count >= Self.longDictionaryByteCount { try set(ZSTD_c_enableLongDistanceMatching, 1) }
            try refer()
        }

        deinit {
            ZSTD_freeCCtx(context)
            dictionary?.deallocate()
        }

        private func set(_ parameter: ZSTD_cParameter, _ value: Int) throws(CodingError) {
            try check(ZSTD_CCtx_setParameter(context, parameter, Int32(value)))
        }

        /// Lets the next frame refer to the dictionary.
        private func refer() throws(CodingError) {
            if let dictionary { try check(ZSTD_CCtx_refPrefix(context, dictionary.baseAddress, dictionary.count)) }
        }

        func reset() throws(CodingError) {
            try check(ZSTD_CCtx_reset(context, ZSTD_reset_session_only))
            try refer()
        }

        func step(
            _ input: UnsafeRawBufferPointer,
            _ request: EncodingRequest,
            into output: UnsafeMutableRawBufferPointer
        ) throws(CodingError) -> (consumed: Int, produced: Int, isDone: Bool) {
            var source = ZSTD_inBuffer(src: input.baseAddress, size: input.count, pos: 0)
            var target = ZSTD_outBuffer(dst: output.baseAddress, size: output.count, pos: 0)
            let left = ZSTD_compressStream2(context, &target, &source, request.directive)
            try check(left)
            let isDone = if case .more = request { source.pos == input.count } else { left == 0 }
            return (source.pos, target.pos, isDone)
        }

        /// Nothing but a lack of memory can be wrong here: the parameters are checked, and input has no form.
        private func check(_ result: Int) throws(CodingError) {
            guard ZSTD_isError(result) == 0 else { throw .outOfMemory("zstd") }
        }
    }

    extension EncodingRequest {
        fileprivate var directive: ZSTD_EndDirective {
            switch self {
            case .more: ZSTD_e_continue
            case .flush: ZSTD_e_flush
            case .finish: ZSTD_e_end
            }
        }
    }
#endif
