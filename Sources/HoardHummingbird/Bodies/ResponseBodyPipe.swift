// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import Hoard
internal import HoardHTTP
internal import Hummingbird
internal import NIOCore
internal import Synchronization

/// Turns a body that writes itself into one that is read.
///
/// The body is asked to write only when somebody reads, or asks for ``contentAtHand()``, and in a task of its own; it waits when ``BodyPipeState/capacity`` bytes lie
/// unread. When the reader leaves, that task is cancelled and whatever it writes fails.
final class ResponseBodyPipe: Sendable {
    private struct State {
        var pipe = BodyPipeState()
        var hasReader = false
        var hasBegun = false
        var reader: CheckedContinuation<ByteBuffer?, any Error>?
        var writers: [Int: CheckedContinuation<Void, any Error>] = [:]
        var lastWriter = 0
        var task: Task<Void, Never>?

        mutating func takeWriters() -> [CheckedContinuation<Void, any Error>] {
            defer { writers = [:] }
            return Array(writers.values)
        }
    }

    private let body: ResponseBody
    private let state = Mutex(State())

    init(_ body: ResponseBody) {
        self.body = body
    }

    /// The fields behind the content, once that has been read.
    var trailers: HTTPFields? { state.withLock { $0.pipe.trailers } }

    // MARK: Writing

    /// Has the body write on the caller's thread, until it waits for the first time.
    private func start() {
        guard state.withLock({ !exchange(&$0.hasBegun, with: true) }) else { return }
        let task = startImmediateTask { [self] in
            do {
                try await body.write(Writer(pipe: self))
                end(.failed(ResponseBodyError.unfinished))
            } catch {
                end(.failed(error))
            }
        }
        let isAbandoned = state.withLock { state in
            state.task = task
            return state.pipe.isAbandoned
        }
        if isAbandoned { task.cancel() }
    }

    /// All of a body that is known to fit into the pipe, and that writes itself without waiting, as one of bytes does. Called before anybody reads.
    ///
    /// - Returns: `nil` if it has to be read, which goes on where this has stopped.
    func contentAtHand() -> ByteBuffer? {
        guard let length = body.contentLength, length > 0, length < BodyPipeState.capacity else { return nil }
        start()
        return state.withLock { $0.pipe.whole(byteCount: length) }
    }

    fileprivate func write(_ part: ByteBuffer) async throws {
        let (action, reader) = state.withLock { state -> (BodyPipeState.WriteAction, CheckedContinuation<ByteBuffer?, any Error>?) in
            let action = state.pipe.write(part)
            if case .deliver = action { return (action, state.reader.take()) }
            return (action, nil)
        }
        switch action {
        case .deliver: reader?.resume(returning: part)
        case .proceed: break
        case .wait: try await waitForRoom()
        case .refuse: throw CancellationError()
        }
    }

    private func waitForRoom() async throws {
        let id = state.withLock { state in
            state.lastWriter += 1
            return state.lastWriter
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let result = state.withLock { state -> Result<Void, any Error>? in
                    if state.pipe.isAbandoned || Task.isCancelled { return .failure(CancellationError()) }
                    // What was in the way may have been read meanwhile.
                    if !state.pipe.areWritersWaiting { return .success(()) }
                    state.writers[id] = continuation
                    return nil
                }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            state.withLock { $0.writers.removeValue(forKey: id) }?.resume(throwing: CancellationError())
        }
    }

    fileprivate func end(_ ending: BodyPipeState.Ending) {
        let reader = state.withLock { state in
            defer { if case .failed = ending { state.task = nil } }
            return state.pipe.end(ending) ? state.reader.take() : nil
        }
        switch ending {
        case .finished: reader?.resume(returning: nil)
        case .failed(let error): reader?.resume(throwing: error)
        }
    }

    // MARK: Reading

    /// The next part, for the only reader.
    fileprivate func next(isolation: isolated (any Actor)?) async throws -> ByteBuffer? {
        try await withTaskCancellationHandler(
            operation: {
                try await withCheckedThrowingContinuation(isolation: isolation) { continuation in read(continuation) }
            },
            onCancel: {
                let reader = state.withLock { state in
                    state.pipe.stopWaiting()
                    return state.reader.take()
                }
                reader?.resume(throwing: CancellationError())
            },
            isolation: isolation
        )
    }

    private func read(_ continuation: CheckedContinuation<ByteBuffer?, any Error>) {
        let (action, writers) = state.withLock { state -> (BodyPipeState.ReadAction, [CheckedContinuation<Void, any Error>]) in
            let action = state.pipe.read()
            switch action {
            case .take(_, wakesWriters: true): return (action, state.takeWriters())
            case .wait:
                // A task cancelled before it came here would wait for ever: its cancellation handler has already run.
                if Task.isCancelled {
                    state.pipe.stopWaiting()
                    return (.fail(CancellationError()), [])
                }
                state.reader = continuation
                return (action, [])
            default: return (action, [])
            }
        }
        for writer in writers { writer.resume() }
        switch action {
        case .take(let part, _): continuation.resume(returning: part)
        case .end: continuation.resume(returning: nil)
        case .fail(let error): continuation.resume(throwing: error)
        case .wait: break
        }
    }

    /// Makes the caller the reader, unless there has been one.
    fileprivate func claim() -> Bool {
        state.withLock { state in
            defer { state.hasReader = true }
            return !state.hasReader
        }
    }

    fileprivate func begin() { start() }

    fileprivate func abandon() {
        let (task, writers) = state.withLock { state in
            state.pipe.abandon()
            return (state.task.take(), state.takeWriters())
        }
        task?.cancel()
        for writer in writers { writer.resume(throwing: CancellationError()) }
    }
}

extension ResponseBodyPipe {
    /// The body for whoever may read it. When it goes, and nobody has begun to, the body's task is cancelled.
    final class Content: AsyncSequence, Sendable {
        private let pipe: ResponseBodyPipe

        fileprivate init(_ pipe: ResponseBodyPipe) { self.pipe = pipe }

        deinit { if pipe.claim() { pipe.abandon() } }

        func makeAsyncIterator() -> AsyncIterator { pipe.makeAsyncIterator() }
    }

    var content: Content { Content(self) }
}

extension ResponseBodyPipe: AsyncSequence {
    struct AsyncIterator: AsyncIteratorProtocol {
        /// Leaves when the last copy of the iterator goes.
        private final class Reader {
            let pipe: ResponseBodyPipe
            var hasBegun = false

            init(_ pipe: ResponseBodyPipe) { self.pipe = pipe }

            deinit { pipe.abandon() }
        }

        private let reader: Reader?

        fileprivate init(_ pipe: ResponseBodyPipe) {
            reader = pipe.claim() ? Reader(pipe) : nil
        }

        mutating func next() async throws -> ByteBuffer? { try await next(isolation: nil) }

        mutating func next(isolation actor: isolated (any Actor)?) async throws -> ByteBuffer? {
            guard let reader else { throw TransportError.alreadyRead }
            if !reader.hasBegun {
                reader.hasBegun = true
                reader.pipe.begin()
            }
            return try await reader.pipe.next(isolation: actor)
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }
}

/// What a body is given to write itself to.
private struct Writer: ResponseBodyWriter {
    let pipe: ResponseBodyPipe

    func write(_ buffer: ByteBuffer) async throws { try await pipe.write(buffer) }

    consuming func finish(_ trailingHeaders: HTTPFields?) async throws { pipe.end(.finished(trailers: trailingHeaders)) }
}

/// Why the body of a handler's response broke off.
enum ResponseBodyError: Error, CustomStringConvertible {
    /// Whatever wrote it has returned without saying that this is the end.
    case unfinished

    var description: String { "The body of the response ended without finish(_:)." }
}
