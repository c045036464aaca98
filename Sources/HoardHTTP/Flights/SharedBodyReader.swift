// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import Synchronization

/// One reader of a ``SharedBody``. The reader leaves when this is dropped.
final class SharedBodyReader: Sendable {
    private let body: SharedBody
    private let id: Int
    private let isBeingRead = Atomic(false)

    init(body: SharedBody, id: Int) {
        self.body = body
        self.id = id
    }

    deinit {
        body.leave(id)
    }

    /// The body from its first byte on. Its parts can be read once.
    func makeBody(length: Int?) -> HTTPBody {
        HTTPBody(Parts(reader: self), length: length, trailers: { [body] in body.trailers })
    }

    /// Suspends until the body has ended.
    ///
    /// - Returns: Whether it is whole; `false` also if the task is cancelled.
    func isWholeInTheEnd() async -> Bool { await body.isWholeInTheEnd(for: id) }

    /// The parts, for one iteration.
    var parts: Parts { Parts(reader: self) }

    struct Parts: AsyncSequence, Sendable {
        typealias Element = ByteBuffer
        let reader: SharedBodyReader

        func makeAsyncIterator() -> AsyncIterator {
            // Of two iterations neither would see all of it.
            AsyncIterator(reader: reader, isFirst: !reader.isBeingRead.exchange(true, ordering: .relaxed))
        }

        struct AsyncIterator: AsyncIteratorProtocol {
            let reader: SharedBodyReader
            let isFirst: Bool

            mutating func next() async throws -> ByteBuffer? {
                guard isFirst else { throw HTTPBodyIncompleteError() }
                return try await reader.body.nextPart(for: reader.id)
            }

            mutating func next(isolation actor: isolated (any Actor)?) async throws -> ByteBuffer? {
                try await next()
            }
        }
    }
}

/// The error of a stored body, or of one that several requests share, that cannot be delivered to its end.
///
/// The bytes that the reader has got are right, but not all of the body. Part of a stored body may have left the store during the read; the reader may
/// have fallen too far behind the others; or the body is read a second time.
public struct HTTPBodyIncompleteError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Creates an error.
    public init() {}

    public var description: String { "The body could not be read to its end." }
}
