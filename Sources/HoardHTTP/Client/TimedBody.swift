// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard
internal import NIOCore
internal import Synchronization

/// A streamed body that has to be read to its end within the time of its exchange.
///
/// When the time is over, a reader that waits gets the deadline's error at once. The body is dropped even if it has no reader, so that an exchange
/// never holds its connection for longer. The body can be read once.
final class TimedBody: AsyncSequence, Sendable {
    typealias Part = Result<ByteBuffer?, any Error>

    private struct State {
        var body: HTTPBody?
        var reader: Reader?
        var isExpired = false
        /// The part that the reader waits for.
        var expected: FirstAnswer<Part>?
        var work: Task<Void, Never>?
        var token: DeadlineQueue.Token?
    }

    private let deadline: ExchangeDeadline
    private let state: Mutex<State>

    private init(_ body: HTTPBody, deadline: ExchangeDeadline) {
        self.deadline = deadline
        state = Mutex(State(body: body))
        let token = deadline.schedule { [weak self] in self?.expire() }
        state.withLock { $0.token = token }
    }

    deinit {
        end()
    }

    /// The body with a limit of time. One whose bytes are all there needs none.
    static func limiting(_ body: HTTPBody, to deadline: ExchangeDeadline) -> HTTPBody {
        guard body.bytesAtHand == nil else { return body }
        let timed = TimedBody(body, deadline: deadline)
        return HTTPBody(timed, length: body.length, trailers: { timed.state.withLock { $0.body }?.trailers })
    }

    struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let body: TimedBody
        fileprivate let isFirst: Bool

        mutating func next() async throws -> ByteBuffer? {
            guard isFirst else { throw TransportError.alreadyRead }
            return try await body.next()
        }
    }

    func makeAsyncIterator() -> AsyncIterator {
        let isFirst = state.withLock { state in
            guard state.reader == nil else { return false }
            if let body = state.body { state.reader = Reader(body) }
            return true
        }
        return AsyncIterator(body: self, isFirst: isFirst)
    }

    private func next() async throws -> ByteBuffer? {
        let expected = FirstAnswer<Part>()
        let work: Task<Void, Never>? = state.withLock { state in
            guard !state.isExpired, let reader = state.reader else { return nil }
            let work = startTask { _ = expected.answer(await reader.next()) }
            state.expected = expected
            state.work = work
            return work
        }
        guard let work else { throw deadline.error }
        let part = await withTaskCancellationHandler {
            await expected.value()
        } onCancel: {
            work.cancel()
        }
        switch part {
        case .success(.some(let part)): return part
        case .success(nil): end()
        case .failure: end()
        }
        return try part.get()
    }

    private func expire() {
        let (expected, work, released) = state.withLock { state in
            state.isExpired = true
            defer { (state.body, state.reader, state.expected, state.work) = (nil, nil, nil, nil) }
            return (state.expected, state.work, (state.body, state.reader))
        }
        expected?.answer(.failure(deadline.error))
        work?.cancel()
        withExtendedLifetime(released) {}
    }

    /// Cancels the deadline, as the body is at its end or no reader wants it.
    private func end() {
        let token = state.withLock { state in
            defer { state.token = nil }
            return state.token
        }
        if let token { deadline.cancel(token) }
    }
}

/// Holds the iterator, which is used by one task after the other.
private actor Reader {
    private var parts: HTTPBody.AsyncIterator

    init(_ body: HTTPBody) {
        parts = body.makeAsyncIterator()
    }

    func next() async -> TimedBody.Part {
        var parts = parts
        defer { self.parts = parts }
        do {
            return .success(try await parts.next(isolation: self))
        } catch {
            return .failure(error)
        }
    }
}
