// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard
internal import HoardCodings
internal import NIOCore
internal import Synchronization

/// Content that is coded while it is sent. The encoder flushes the content that has arrived, so that no reader waits
/// for content that is there.
struct CodedBody: AsyncSequence, Sendable {
    typealias Element = ByteBuffer
    typealias Failure = any Error

    private let plain: HTTPBody
    private let coding: ContentCoding
    private let dictionary: CompressionDictionary?

    /// - Parameter dictionary: With Zstandard alone.
    init(_ plain: HTTPBody, _ coding: ContentCoding, _ dictionary: CompressionDictionary?) {
        self.plain = plain
        self.coding = coding
        self.dictionary = dictionary
    }

    func makeAsyncIterator() -> Iterator { Iterator(plain.makeAsyncIterator(), coding, dictionary) }

    struct Iterator: AsyncIteratorProtocol {
        private var plain: HTTPBody.AsyncIterator?
        private let encoder: Encoder
        /// The digest of the dictionary, which stands before the content.
        private var header: ByteBuffer?

        init(_ plain: HTTPBody.AsyncIterator, _ coding: ContentCoding, _ dictionary: CompressionDictionary?) {
            self.plain = plain
            encoder = Encoder(coding, dictionary)
            header = dictionary.map { ByteBuffer(bytes: $0.header) }
        }

        mutating func next() async throws -> ByteBuffer? { try await next(isolation: nil) }

        mutating func next(isolation actor: isolated (any Actor)?) async throws -> ByteBuffer? {
            if let header {
                self.header = nil
                return header
            }
            while plain != nil {
                guard let part = try await plain?.next(isolation: actor) else {
                    plain = nil
                    return try encoder.finish()
                }
                let coded = try await encoder.encode(part)
                if coded.readableBytes > 0 { return coded }
            }
            return nil
        }
    }

    /// An encoder that is used by one task at a time.
    private final class Encoder: Sendable {
        private let encoder: Mutex<Result<ContentEncoder, CodingError>>

        init(_ coding: ContentCoding, _ dictionary: CompressionDictionary?) {
            encoder = Mutex(Result { () throws(CodingError) in try ContentEncoder(coding: coding, dictionary: dictionary?.content) })
        }

        /// Longer parts are encoded away from the event loop that may be calling.
        private static let longestAtOnce = 4 << 10

        func encode(_ part: ByteBuffer) async throws -> ByteBuffer {
            if part.readableBytes <= Self.longestAtOnce { return try encodeAtOnce(part).get() }
            return try await startTask { [self] in encodeAtOnce(part) }.value.get()
        }

        private func encodeAtOnce(_ part: ByteBuffer) -> Result<ByteBuffer, CodingError> {
            encoder.withLock { encoder in
                Result { () throws(CodingError) in try encoder.get().encode(part, flush: true) }
            }
        }

        func finish() throws -> ByteBuffer {
            let result: Result<ByteBuffer, CodingError> = encoder.withLock { encoder in
                Result { () throws(CodingError) in
                    var output = ByteBuffer()
                    try encoder.get().finish { part throws(CodingError) in _ = output.writeBytes(part) }
                    return output
                }
            }
            return try result.get()
        }
    }
}
