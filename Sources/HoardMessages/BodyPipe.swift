// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
package import NIOCore
internal import Synchronization

/// Carries a message's content from the connection, which pushes it, to the one task that reads it.
///
/// The connection stops reading from the other side when `highWatermark` bytes are unread here. It is asked to go on when half of them have been
/// taken, or when the reader waits and nothing is left.
package final class BodyPipe: Sendable {
    fileprivate enum Ending {
        case finished
        case failed(any Error)
    }

    fileprivate struct State {
        var parts = CircularBuffer<ByteBuffer>()
        var byteCount = 0
        var ending: Ending?
        var waiter: CheckedContinuation<ByteBuffer?, any Error>?
        var isProducerPaused = false
        var hasReader = false
        var trailers: HTTPFields?
        /// The reader has come to the end.
        var isRead = false
    }

    fileprivate enum NextAction {
        case take(ByteBuffer, wakesProducer: Bool)
        case end
        case fail(any Error)
        case wait
    }

    private let highWatermark: Int
    private let alreadyRead: any Error
    private let wantsMore: @Sendable (BodyPipe) -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - alreadyRead: The error of all readers except the first.
    ///   - wantsMore: Asks the connection for content; called on the reader's thread, outside the lock, also before the first part.
    package init(highWatermark: Int, alreadyRead: any Error, wantsMore: @escaping @Sendable (BodyPipe) -> Void) {
        self.highWatermark = highWatermark
        self.alreadyRead = alreadyRead
        self.wantsMore = wantsMore
    }

    /// Adds a part.
    ///
    /// - Returns: Whether the pipe takes more now. If not, `wantsMore` is called when it does.
    package func push(_ part: ByteBuffer) -> Bool {
        let (waiter, takesMore) = state.withLock { state -> (CheckedContinuation<ByteBuffer?, any Error>?, Bool) in
            guard state.ending == nil else { return (nil, true) }
            if let waiter = state.waiter {
                state.waiter = nil
                return (waiter, true)
            }
            state.parts.append(part)
            state.byteCount += part.readableBytes
            // Until enough has been taken: of several producers, those that wait are to be told.
            state.isProducerPaused = state.isProducerPaused || state.byteCount >= highWatermark
            return (nil, !state.isProducerPaused)
        }
        waiter?.resume(returning: part)
        return takesMore
    }

    /// The fields behind the content. To be called before its end.
    package func setTrailers(_ fields: HTTPFields?) {
        state.withLock { $0.trailers = fields }
    }

    /// The fields behind the content, once its reader has come to the end.
    package var trailers: HTTPFields? {
        state.withLock { $0.isRead ? $0.trailers : nil }
    }

    /// Ends the content. Parts that have been pushed can still be read.
    package func finish() {
        let waiter = state.withLock { state -> CheckedContinuation<ByteBuffer?, any Error>? in
            guard state.ending == nil else { return nil }
            state.ending = .finished
            guard let waiter = state.waiter.take() else { return nil }
            state.isRead = true
            return waiter
        }
        waiter?.resume(returning: nil)
    }

    /// All that was pushed, if it has ended with this length and without trailers, and has no reader.
    package func whole(byteCount: Int) -> ByteBuffer? {
        state.withLock { state in
            guard case .finished = state.ending, !state.hasReader, state.trailers?.isEmpty ?? true, state.byteCount == byteCount,
                var whole = state.parts.first
            else { return nil }
            for part in state.parts.dropFirst() { whole.writeImmutableBuffer(part) }
            return whole
        }
    }

    /// Ends the content with an error. Without effect after the end.
    ///
    /// - Parameter keepsUnread: Whether pushed bytes can still be read before the error. If not, they are dropped.
    package func fail(_ error: any Error, keepsUnread: Bool = false) {
        let waiter = state.withLock { state -> CheckedContinuation<ByteBuffer?, any Error>? in
            if case .failed = state.ending { return nil }
            if case .finished = state.ending, state.parts.isEmpty { return nil }
            state.ending = .failed(error)
            if !keepsUnread {
                state.parts.removeAll()
                state.byteCount = 0
            }
            return state.waiter.take()
        }
        waiter?.resume(throwing: error)
    }

    /// Whether there is, or has been, a reader.
    var hasReader: Bool { state.withLock { $0.hasReader } }

    /// Whether it is so full that nothing should be pushed.
    package var isFull: Bool { state.withLock { $0.isProducerPaused } }

    /// Whether the reader waits for the other side.
    package var isReaderWaiting: Bool {
        state.withLock { $0.waiter != nil }
    }

    fileprivate func next(isolation: isolated (any Actor)?) async throws -> ByteBuffer? {
        switch state.withLock({ $0.next(lowWatermark: highWatermark / 2, alreadyRead: alreadyRead) }) {
        case .take(let part, let wakesProducer):
            if wakesProducer { wantsMore(self) }
            return part
        case .end:
            return nil
        case .fail(let error):
            throw error
        case .wait:
            return try await wait(isolation: isolation)
        }
    }

    private func wait(isolation: isolated (any Actor)?) async throws -> ByteBuffer? {
        try await withTaskCancellationHandler(
            operation: {
                try await withCheckedThrowingContinuation(isolation: isolation) { continuation in
                    switch state.withLock({ $0.next(lowWatermark: highWatermark / 2, alreadyRead: alreadyRead, orWait: continuation) }) {
                    case .take(let part, let wakesProducer):
                        if wakesProducer { wantsMore(self) }
                        continuation.resume(returning: part)
                    case .end:
                        continuation.resume(returning: nil)
                    case .fail(let error):
                        continuation.resume(throwing: error)
                    case .wait:
                        wantsMore(self)
                    }
                }
            },
            onCancel: {
                state.withLock { $0.waiter.take() }?.resume(throwing: CancellationError())
            },
            isolation: isolation
        )
    }

    /// Makes the caller the reader, unless there has been one.
    fileprivate func claim() -> Bool {
        state.withLock { state in
            defer { state.hasReader = true }
            return !state.hasReader
        }
    }
}

extension BodyPipe.State {
    fileprivate mutating func next(
        lowWatermark: Int,
        alreadyRead: any Error,
        orWait continuation: CheckedContinuation<ByteBuffer?, any Error>? = nil
    ) -> BodyPipe.NextAction {
        if let part = parts.popFirst() {
            byteCount -= part.readableBytes
            let wakesProducer = isProducerPaused && byteCount <= lowWatermark
            if wakesProducer { isProducerPaused = false }
            return .take(part, wakesProducer: wakesProducer)
        }
        switch ending {
        case .finished:
            isRead = true
            return .end
        case .failed(let error):
            return .fail(error)
        case nil:
            guard waiter == nil else { return .fail(alreadyRead) }
            guard let continuation else { return .wait }
            // A task cancelled before it came here would wait for ever: its cancellation handler has already run.
            guard !Task.isCancelled else { return .fail(CancellationError()) }
            waiter = continuation
            return .wait
        }
    }
}

extension BodyPipe: AsyncSequence {
    package struct AsyncIterator: AsyncIteratorProtocol {
        private let pipe: BodyPipe
        let isReader: Bool

        fileprivate init(_ pipe: BodyPipe) {
            self.pipe = pipe
            self.isReader = pipe.claim()
        }

        package mutating func next() async throws -> ByteBuffer? {
            try await next(isolation: nil)
        }

        package mutating func next(isolation actor: isolated (any Actor)?) async throws -> ByteBuffer? {
            guard isReader else { throw pipe.alreadyRead }
            return try await pipe.next(isolation: actor)
        }
    }

    package func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(self)
    }
}
