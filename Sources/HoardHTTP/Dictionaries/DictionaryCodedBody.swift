// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HoardCodings
internal import NIOCore

/// Content that is compressed with a dictionary, decoded as it is read. The header before it has to name the dictionary.
struct DictionaryCodedBody: AsyncSequence, Sendable {
    typealias Element = ByteBuffer
    typealias Failure = any Error

    private let coded: HTTPBody
    private let dictionary: CompressionDictionary
    private let limits: ContentDecoder.Limits
    /// Called if the content is not the expected one.
    private let onFailure: @Sendable () -> Void

    init(_ coded: HTTPBody, _ dictionary: CompressionDictionary, _ limits: ContentDecoder.Limits, onFailure: @escaping @Sendable () -> Void) {
        self.coded = coded
        self.dictionary = dictionary
        self.limits = limits
        self.onFailure = onFailure
    }

    func makeAsyncIterator() -> Iterator {
        let frame = FrameBody(coded: coded, header: dictionary.header)
        let decoded = DecodedBody(HTTPBody(frame, length: nil), [.zstandard], limits, dictionary: dictionary.content)
        return Iterator(decoded: decoded.makeAsyncIterator(), onFailure: onFailure)
    }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate var decoded: DecodedBody.Iterator
        fileprivate let onFailure: @Sendable () -> Void

        mutating func next() async throws -> ByteBuffer? { try await next(isolation: nil) }

        mutating func next(isolation actor: isolated (any Actor)?) async throws -> ByteBuffer? {
            do {
                return try await decoded.next(isolation: actor)
            } catch {
                if (error as? TransportError)?.code == .invalidResponse { onFailure() }
                throw error
            }
        }
    }
}

/// Content behind a header, which is compared and left out.
private struct FrameBody: AsyncSequence, Sendable {
    typealias Element = ByteBuffer
    typealias Failure = any Error

    let coded: HTTPBody
    let header: [UInt8]

    func makeAsyncIterator() -> Iterator { Iterator(coded: coded.makeAsyncIterator(), header: header) }

    struct Iterator: AsyncIteratorProtocol {
        var coded: HTTPBody.AsyncIterator
        /// The rest of it, which has not come yet.
        var header: [UInt8]

        mutating func next() async throws -> ByteBuffer? { try await next(isolation: nil) }

        mutating func next(isolation actor: isolated (any Actor)?) async throws -> ByteBuffer? {
            while var part = try await coded.next(isolation: actor) {
                let count = Swift.min(header.count, part.readableBytes)
                guard part.readBytes(length: count) ?? [] == Array(header.prefix(count)) else {
                    throw TransportError(
                        .invalidResponse,
                        "The content is compressed with another dictionary than was offered: ask again without one."
                    )
                }
                header.removeFirst(count)
                if part.readableBytes > 0 { return part }
            }
            if header.isEmpty { return nil }
            throw TransportError(.invalidResponse, "The content breaks off before it names its dictionary.")
        }
    }
}

/// Content that is looked at when it has ended, if it is not too long.
struct ObservedBody: AsyncSequence, Sendable {
    typealias Element = ByteBuffer
    typealias Failure = any Error

    let body: HTTPBody
    let maximumLength: Int
    let onEnd: @Sendable (ByteBuffer) -> Void

    func makeAsyncIterator() -> Iterator { Iterator(body: body.makeAsyncIterator(), maximumLength: maximumLength, onEnd: onEnd) }

    struct Iterator: AsyncIteratorProtocol {
        var body: HTTPBody.AsyncIterator
        let maximumLength: Int
        let onEnd: @Sendable (ByteBuffer) -> Void
        /// `nil`: it is too long, or has ended.
        var seen: ByteBuffer? = ByteBuffer()

        mutating func next() async throws -> ByteBuffer? { try await next(isolation: nil) }

        mutating func next(isolation actor: isolated (any Actor)?) async throws -> ByteBuffer? {
            guard let part = try await body.next(isolation: actor) else {
                // Many streams simply end when the task that reads them is cancelled.
                if let seen, !Task.isCancelled { onEnd(seen) }
                seen = nil
                return nil
            }
            if (seen?.readableBytes ?? 0) + part.readableBytes > maximumLength { seen = nil }
            seen?.writeImmutableBuffer(part)
            return part
        }
    }
}
