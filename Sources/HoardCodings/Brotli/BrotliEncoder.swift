// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if Brotli && os(Linux)
    internal import CBrotli

    /// Encodes Brotli (RFC 7932).
    final class BrotliEncoder: EncodingStage {
        // Only this class has the pointer.
        private var state: OpaquePointer
        private let level: Int

        /// 1 MiB: a fourth of libbrotli's default, as a server has many encoders at a time and few
        /// documents are longer.
        private static let windowLog: UInt32 = 20

        init(level: Int) throws(CodingError) {
            self.level = level
            state = try Self.makeState(level: level)
        }

        deinit {
            BrotliEncoderDestroyInstance(state)
        }

        private static func makeState(level: Int) throws(CodingError) -> OpaquePointer {
            guard let state = BrotliEncoderCreateInstance(nil, nil, nil) else { throw .outOfMemory("brotli") }
            BrotliEncoderSetParameter(state, BROTLI_PARAM_QUALITY, UInt32(level))
            BrotliEncoderSetParameter(state, BROTLI_PARAM_LGWIN, windowLog)
            return state
        }

        /// libbrotli has no way to begin anew, so this makes another state.
        func reset() throws(CodingError) {
            let fresh = try Self.makeState(level: level)
            BrotliEncoderDestroyInstance(state)
            state = fresh
        }

        func step(
            _ input: UnsafeRawBufferPointer,
            _ request: EncodingRequest,
            into output: UnsafeMutableRawBufferPointer
        ) throws(CodingError) -> (consumed: Int, produced: Int, isDone: Bool) {
            var (inputCount, outputCount) = (input.count, output.count)
            var next = input.bindMemory(to: UInt8.self).baseAddress
            var target = output.bindMemory(to: UInt8.self).baseAddress
            let isEncoded = BrotliEncoderCompressStream(state, request.operation, &inputCount, &next, &outputCount, &target, nil)
            guard isEncoded != 0 else { throw .outOfMemory("brotli") }
            var isDone = inputCount == 0 && BrotliEncoderHasMoreOutput(state) == 0
            if case .finish = request { isDone = BrotliEncoderIsFinished(state) != 0 }
            return (input.count - inputCount, output.count - outputCount, isDone)
        }
    }

    extension EncodingRequest {
        fileprivate var operation: BrotliEncoderOperation {
            switch self {
            case .more: BROTLI_OPERATION_PROCESS
            case .flush: BROTLI_OPERATION_FLUSH
            case .finish: BROTLI_OPERATION_FINISH
            }
        }
    }
#endif
