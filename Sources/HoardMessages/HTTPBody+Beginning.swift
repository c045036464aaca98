// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import Synchronization

extension HTTPBody {
    /// Reads the body into memory, unless it turns out to be longer than a limit. Suspends unless the bytes are at hand.
    ///
    /// - Parameter maximumByteCount: The most to hold in memory.
    /// - Returns: The same body, which has all its bytes at hand if it is not longer, has no trailers and is as long as
    ///   it said. A streamed body has been begun: take the returned one in its place.
    /// - Throws: The error of the source; `CancellationError` if the task has been cancelled, and the body may have ended early for that.
    package func withBytesAtHand(upTo maximumByteCount: Int) async throws -> HTTPBody {
        if bytesAtHand != nil { return self }
        if let length, length > maximumByteCount { return self }
        var iterator = makeAsyncIterator()
        var beginning = ByteBuffer()
        while let part = try await iterator.next() {
            beginning.writeImmutableBuffer(part)
            if beginning.readableBytes > maximumByteCount {
                return HTTPBody(BegunParts(beginning, before: iterator), length: length, trailers: { trailers })
            }
        }
        // Some streams end early instead of throwing when their reader is cancelled.
        if Task.isCancelled, length != beginning.readableBytes { throw CancellationError() }
        if trailers == nil, length ?? beginning.readableBytes == beginning.readableBytes { return HTTPBody(beginning) }
        return HTTPBody(BegunParts(beginning, before: iterator), length: length, trailers: { trailers })
    }
}

/// The parts of a body of which some have been read. They are iterated once, as every streamed body is.
private struct BegunParts: AsyncSequence, Sendable {
    typealias Element = ByteBuffer
    typealias Failure = any Error

    private let state: State

    private final class State: Sendable {
        let rest: Mutex<(ByteBuffer, HTTPBody.AsyncIterator)?>

        init(_ beginning: ByteBuffer, _ iterator: sending HTTPBody.AsyncIterator) { rest = Mutex((beginning, iterator)) }
    }

    init(_ beginning: ByteBuffer, before iterator: sending HTTPBody.AsyncIterator) { state = State(beginning, iterator) }

    func makeAsyncIterator() -> Iterator { Iterator(state.rest.withLock { $0.take() }) }

    struct Iterator: AsyncIteratorProtocol {
        private var beginning: ByteBuffer?
        private var iterator: HTTPBody.AsyncIterator?

        init(_ rest: (ByteBuffer, HTTPBody.AsyncIterator)?) {
            (beginning, iterator) = (rest?.0, rest?.1)
        }

        mutating func next() async throws -> ByteBuffer? { try await next(isolation: nil) }

        mutating func next(isolation actor: isolated (any Actor)?) async throws -> ByteBuffer? {
            if let part = beginning.take() { return part }
            return try await iterator?.next(isolation: actor)
        }
    }
}
