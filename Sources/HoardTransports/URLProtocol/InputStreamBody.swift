// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if URLSession
    internal import Dispatch
    internal import Foundation
    internal import Hoard
    internal import NIOCore

    /// Reads an `InputStream` as the content of a request. It can be read once, by one reader.
    final class InputStreamBody: AsyncSequence, Sendable {
        private static let partByteCount = 64 << 10

        /// Used on `queue` alone, since reading may block.
        nonisolated(unsafe) private let stream: InputStream
        private let queue = DispatchQueue(label: "Hoard.InputStreamBody")

        init(_ stream: InputStream) {
            self.stream = stream
        }

        struct AsyncIterator: AsyncIteratorProtocol {
            fileprivate let body: InputStreamBody

            mutating func next() async throws -> ByteBuffer? {
                let answer = FirstAnswer<Result<ByteBuffer?, any Error>>()
                body.queue.async { [body] in _ = answer.answer(Result { try body.read() }) }
                return try await withTaskCancellationHandler {
                    await answer.value()
                } onCancel: {
                    // A stream whose other end is silent is left to its thread.
                    _ = answer.answer(.failure(CancellationError()))
                }.get()
            }
        }

        func makeAsyncIterator() -> AsyncIterator {
            AsyncIterator(body: self)
        }

        private func read() throws -> ByteBuffer? {
            if stream.streamStatus == .notOpen { stream.open() }
            var failed = false
            var part = ByteBuffer()
            part.writeWithUnsafeMutableBytes(minimumWritableBytes: Self.partByteCount) { bytes in
                guard let start = bytes.baseAddress else { return 0 }
                let count = stream.read(start.assumingMemoryBound(to: UInt8.self), maxLength: Self.partByteCount)
                failed = count < 0
                return Swift.max(0, count)
            }
            guard !failed else { throw stream.streamError ?? URLError(.cannotDecodeRawData) }
            guard part.readableBytes > 0 else {
                stream.close()
                return nil
            }
            return part
        }
    }
#endif
