// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import NIOCore

/// The content of an HTTP message: bytes at hand, or a stream of them.
///
/// A body made from bytes can be iterated any number of times. A streamed body is iterated once;
/// its source is asked for the next part only when the consumer wants one, so a slow consumer slows the source down
/// and nothing piles up between them.
public struct HTTPBody: AsyncSequence, Sendable {
    public typealias Element = ByteBuffer
    public typealias Failure = any Error

    private enum Storage: Sendable {
        case bytes(ByteBuffer)
        case stream(@Sendable () -> NextPart, length: Int?, trailers: @Sendable () -> HTTPFields?)
    }

    fileprivate typealias NextPart = (isolated (any Actor)?) async throws -> ByteBuffer?

    private let storage: Storage

    /// A body without content.
    public static let empty = HTTPBody(ByteBuffer())

    /// A body of these bytes.
    public init(_ bytes: ByteBuffer) {
        self.storage = .bytes(bytes)
    }

    /// A body of the string's UTF-8 bytes.
    public init(_ string: String) {
        self.init(ByteBuffer(string: string))
    }

    /// A body that is read from `parts` as it is consumed.
    ///
    /// - Parameters:
    ///   - length: The number of bytes `parts` will yield, if that is known beforehand.
    ///   - trailers: Gives the trailer fields. Asked only after `parts` has ended. By default there are none.
    public init<Parts: AsyncSequence & Sendable>(
        _ parts: Parts,
        length: Int?,
        trailers: @escaping @Sendable () -> HTTPFields? = { nil }
    ) where Parts.Element == ByteBuffer {
        self.storage = .stream(
            {
                var iterator = parts.makeAsyncIterator()
                return { (isolation: isolated (any Actor)?) in try await iterator.next(isolation: isolation) }
            },
            length: length,
            trailers: trailers
        )
    }

    /// The fields that came behind the content: [RFC 9110 §6.5](https://www.rfc-editor.org/rfc/rfc9110#section-6.5).
    ///
    /// `nil` if there were none, and as long as the body has not been read to its end.
    public var trailers: HTTPFields? {
        switch storage {
        case .bytes: nil
        case .stream(_, _, let trailers): trailers()
        }
    }

    /// The number of bytes in the body, if that is known before reading it.
    public var length: Int? {
        switch storage {
        case .bytes(let bytes): bytes.readableBytes
        case .stream(_, let length, _): length
        }
    }

    /// All the bytes, if they are at hand without waiting.
    public var bytesAtHand: ByteBuffer? {
        switch storage {
        case .bytes(let bytes): bytes
        case .stream: nil
        }
    }

    /// Reads the whole body into memory.
    ///
    /// - Parameter maximumByteCount: The most to hold in memory.
    /// - Throws: ``HTTPBodyTooLargeError`` as soon as the body is seen to be longer; `CancellationError` if the task has been cancelled, and the body
    ///   may have ended early for that; the errors of the source.
    public func collect(upTo maximumByteCount: Int) async throws -> ByteBuffer {
        if let length, length > maximumByteCount {
            throw HTTPBodyTooLargeError(maximumByteCount: maximumByteCount)
        }
        if let bytesAtHand { return bytesAtHand }
        var collected = ByteBuffer()
        for try await part in self {
            guard collected.readableBytes + part.readableBytes <= maximumByteCount else {
                throw HTTPBodyTooLargeError(maximumByteCount: maximumByteCount)
            }
            collected.writeImmutableBuffer(part)
        }
        // Some streams end early instead of throwing when their reader is cancelled.
        if Task.isCancelled, length != collected.readableBytes { throw CancellationError() }
        return collected
    }

    public func makeAsyncIterator() -> AsyncIterator {
        switch storage {
        case .bytes(let bytes): AsyncIterator(.bytes(bytes))
        case .stream(let makeNext, _, _): AsyncIterator(.stream(makeNext()))
        }
    }

    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate enum Source {
            case bytes(ByteBuffer)
            case stream(NextPart)
            case ended
        }

        private var source: Source

        fileprivate init(_ source: Source) {
            self.source = source
        }

        public mutating func next() async throws -> ByteBuffer? {
            try await next(isolation: nil)
        }

        /// The next part; never an empty one.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> ByteBuffer? {
            switch source {
            case .ended:
                return nil
            case .bytes(let bytes):
                source = .ended
                return bytes.readableBytes > 0 ? bytes : nil
            case .stream(let nextPart):
                while let part = try await nextPart(actor) {
                    if part.readableBytes > 0 { return part }
                }
                source = .ended
                return nil
            }
        }
    }
}

/// A body turned out longer than its reader was willing to hold.
public struct HTTPBodyTooLargeError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The limit that was passed.
    public let maximumByteCount: Int

    /// Creates an error.
    public init(maximumByteCount: Int) {
        self.maximumByteCount = maximumByteCount
    }

    public var description: String { "The body is longer than the \(maximumByteCount) bytes allowed." }
}
