// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HoardCodings
internal import NIOCore

/// Coded content, decoded part by part as it is read. Each iteration has a decoder of its own.
struct DecodedBody: AsyncSequence, Sendable {
    typealias Element = ByteBuffer
    typealias Failure = any Error

    private let coded: HTTPBody
    private let codings: [ContentCoding]
    private let limits: ContentDecoder.Limits
    private let dictionary: [UInt8]?

    init(_ coded: HTTPBody, _ codings: [ContentCoding], _ limits: ContentDecoder.Limits, dictionary: [UInt8]? = nil) {
        self.coded = coded
        self.codings = codings
        self.limits = limits
        self.dictionary = dictionary
    }

    func makeAsyncIterator() -> Iterator { Iterator(coded.makeAsyncIterator(), codings, limits, dictionary) }

    /// Content that is at hand is decoded at once if it is no longer than this, coded and decoded.
    private static let longestAtOnce = 256 << 10

    /// The decoded bytes, if the coded ones are at hand, and both are short; `nil` also if they cannot be decoded: a
    /// reader gets the error.
    var bytesAtHand: ByteBuffer? {
        guard let bytes = coded.bytesAtHand, bytes.readableBytes <= Self.longestAtOnce else { return nil }
        var limits = limits
        limits.maximumBytes = Swift.min(limits.maximumBytes, Self.longestAtOnce)
        return try? bytes.decoded(codings, limits)
    }

    struct Iterator: AsyncIteratorProtocol {
        private var coded: HTTPBody.AsyncIterator?
        private let decoder: Result<ContentDecoder, CodingError>
        /// The coded bytes that have arrived and have not been decoded.
        private var rest = ByteBuffer()
        /// Whether there has been any content: none at all is no coded content.
        private var hasContent = false

        init(_ coded: HTTPBody.AsyncIterator, _ codings: [ContentCoding], _ limits: ContentDecoder.Limits, _ dictionary: [UInt8]?) {
            self.coded = coded
            decoder = Result { () throws(CodingError) in try ContentDecoder(codings: codings, limits: limits, dictionary: dictionary) }
        }

        mutating func next() async throws -> ByteBuffer? { try await next(isolation: nil) }

        /// Returns the next part, of at most 64 KiB whatever the coded bytes stand for.
        ///
        /// - Throws: ``TransportError`` with the code `invalidResponse` if the content cannot be decoded, or is beyond the limits.
        mutating func next(isolation actor: isolated (any Actor)?) async throws -> ByteBuffer? {
            while coded != nil {
                if hasContent, let decoded = try take({ decoder, rest throws(CodingError) in try decoder.decode(&rest) }), decoded.readableBytes > 0 {
                    return decoded
                }
                guard let part = try await coded?.next(isolation: actor) else {
                    if hasContent { _ = try take { decoder, _ throws(CodingError) in try decoder.finish() } }
                    coded = nil
                    return nil
                }
                rest = part
                hasContent = true
            }
            return nil
        }

        /// Does something with the decoder. After an error there is nothing more.
        private mutating func take<Value>(_ body: (ContentDecoder, inout ByteBuffer) throws(CodingError) -> Value) throws -> Value? {
            do throws(CodingError) {
                return try body(try decoder.get(), &rest)
            } catch {
                coded = nil
                throw TransportError(error)
            }
        }
    }
}

extension TransportError {
    /// The content of a response cannot be decoded.
    fileprivate init(_ error: CodingError) {
        self.init(.invalidResponse, error.message, underlyingError: error)
    }
}
