// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if Brotli && os(Linux)
    internal import CBrotli

    /// Decodes Brotli (RFC 7932) with windows of at most 16 MiB, the format's own limit. Large
    /// windows, which are not part of the RFC, are refused.
    final class BrotliDecoder: DecodingStage {
        // Only this class has the pointer.
        private var state: OpaquePointer
        private(set) var isAtEnd = false

        init() throws(CodingError) {
            state = try Self.makeState()
        }

        deinit {
            BrotliDecoderDestroyInstance(state)
        }

        private static func makeState() throws(CodingError) -> OpaquePointer {
            guard let state = BrotliDecoderCreateInstance(nil, nil, nil) else { throw .outOfMemory("brotli") }
            return state
        }

        var formatName: String { "brotli" }

        /// libbrotli has no way to begin anew, so this makes another state.
        func reset() throws(CodingError) {
            let fresh = try Self.makeState()
            BrotliDecoderDestroyInstance(state)
            state = fresh
            isAtEnd = false
        }

        func step(
            _ input: UnsafeRawBufferPointer,
            into output: UnsafeMutableRawBufferPointer
        ) throws(CodingError) -> (consumed: Int, produced: Int) {
            if isAtEnd {
                guard input.isEmpty else { throw .trailingData(formatName) }
                return (0, 0)
            }
            var (inputCount, outputCount) = (input.count, output.count)
            var next = input.bindMemory(to: UInt8.self).baseAddress
            var target = output.bindMemory(to: UInt8.self).baseAddress
            switch BrotliDecoderDecompressStream(state, &inputCount, &next, &outputCount, &target, nil) {
            case BROTLI_DECODER_RESULT_SUCCESS: isAtEnd = true
            case BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT, BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT: break
            default: throw failure
            }
            return (input.count - inputCount, output.count - outputCount)
        }

        private var failure: CodingError {
            switch BrotliDecoderGetErrorCode(state) {
            case BROTLI_DECODER_ERROR_FORMAT_WINDOW_BITS:
                CodingError(.windowTooLarge, "The brotli data has a large window, which HTTP does not allow: compress it without.")
            case BROTLI_DECODER_ERROR_ALLOC_CONTEXT_MODES, BROTLI_DECODER_ERROR_ALLOC_TREE_GROUPS, BROTLI_DECODER_ERROR_ALLOC_CONTEXT_MAP,
                BROTLI_DECODER_ERROR_ALLOC_RING_BUFFER_1, BROTLI_DECODER_ERROR_ALLOC_RING_BUFFER_2, BROTLI_DECODER_ERROR_ALLOC_BLOCK_TYPE_TREES:
                .outOfMemory(formatName)
            default: .corrupt(formatName)
            }
        }
    }
#endif
