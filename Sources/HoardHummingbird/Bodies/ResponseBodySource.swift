// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import Hoard
internal import HoardHTTP
internal import Hummingbird
internal import NIOCore
internal import Synchronization

/// Runs a body that writes itself, so that its content can be read.
///
/// The body begins to write when its reader wants content, or at once where all of it may be at hand. It has a
/// task of its own, and waits when ``capacity`` bytes lie unread. When its reader leaves, that task is
/// cancelled, and its writes fail.
final class ResponseBodySource: Sendable {
    private struct State {
        var hasBegun = false
        /// Whether the body has ended, or its reader has left.
        var isOver = false
        var isAbandoned = false
        var writers: [Int: CheckedContinuation<Void, any Error>] = [:]
        var lastWriter = 0
        var task: Task<Void, Never>?

        mutating func takeWriters() -> [CheckedContinuation<Void, any Error>] {
            if writers.isEmpty { return [] }
            defer { writers = [:] }
            return Array(writers.values)
        }
    }

    /// The most bytes that may lie unread.
    static let capacity = 64 << 10

    private let body: ResponseBody
    private let state = Mutex(State())

    private init(_ body: ResponseBody) {
        self.body = body
    }

    /// A body that is read.
    ///
    /// - Parameter isRead: Whether the body will be read. If so, a short body is asked to write on the caller's thread, and is at hand if it has not had to wait.
    static func content(of body: ResponseBody, isRead: Bool) -> HTTPBody {
        let source = ResponseBodySource(body)
        let pipe = BodyPipe(highWatermark: capacity, alreadyRead: TransportError.alreadyRead) { source.goOn($0) }
        if isRead, let length = body.contentLength, length > 0, length < capacity {
            source.goOn(pipe)
            if let whole = pipe.whole(byteCount: length) { return HTTPBody(whole) }
        }
        return pipe.body(length: body.contentLength) { source.abandon(pipe) }
    }

    /// The reader wants content: has the body write on the caller's thread until it waits for the first time, or wakes those that wait for room.
    private func goOn(_ pipe: BodyPipe) {
        let (isFirst, writers) = state.withLock { state in (!exchange(&state.hasBegun, with: true), state.takeWriters()) }
        for writer in writers { writer.resume() }
        guard isFirst else { return }
        let task = startImmediateTask { [self] in
            do {
                try await body.write(Writer(source: self, pipe: pipe))
                end(pipe, ResponseBodyError.unfinished)
            } catch {
                end(pipe, error)
            }
        }
        let isAbandoned = state.withLock { state in
            if !state.isOver { state.task = task }
            return state.isAbandoned
        }
        if isAbandoned { task.cancel() }
    }

    // MARK: Writing

    fileprivate func write(_ part: ByteBuffer, to pipe: BodyPipe) async throws {
        if state.withLock({ $0.isOver }) { throw CancellationError() }
        guard part.readableBytes > 0, !pipe.push(part) else { return }
        let id = state.withLock { state in
            state.lastWriter += 1
            return state.lastWriter
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let isOver = state.withLock { state in
                    if !state.isOver, !Task.isCancelled { state.writers[id] = continuation }
                    return state.writers[id] == nil
                }
                if isOver { return continuation.resume(throwing: CancellationError()) }
                // The reader may have made room before the writer was known.
                if !pipe.isFull { state.withLock { $0.writers.removeValue(forKey: id) }?.resume() }
            }
        } onCancel: {
            state.withLock { $0.writers.removeValue(forKey: id) }?.resume(throwing: CancellationError())
        }
    }

    /// Ends the body; only the first end counts.
    ///
    /// - Parameter error: The error with which it breaks off; `nil` if it is whole.
    fileprivate func end(_ pipe: BodyPipe, _ error: (any Error)?, trailers: HTTPFields? = nil) {
        let (isFirst, writers) = state.withLock { state in
            state.task = nil
            return (!exchange(&state.isOver, with: true), state.takeWriters())
        }
        // Others that write at the same time have come too late.
        for writer in writers { writer.resume(throwing: CancellationError()) }
        guard isFirst else { return }
        if let error { return pipe.fail(error, keepsUnread: true) }
        pipe.setTrailers(trailers)
        pipe.finish()
    }

    /// Cancels the body's task, since the reader has left.
    private func abandon(_ pipe: BodyPipe) {
        let (task, writers) = state.withLock { state in
            state.isOver = true
            state.isAbandoned = true
            return (state.task.take(), state.takeWriters())
        }
        task?.cancel()
        pipe.fail(CancellationError())
        for writer in writers { writer.resume(throwing: CancellationError()) }
    }
}

/// The end of the pipe that a body writes to.
private struct Writer: ResponseBodyWriter {
    let source: ResponseBodySource
    let pipe: BodyPipe

    func write(_ buffer: ByteBuffer) async throws { try await source.write(buffer, to: pipe) }

    consuming func finish(_ trailingHeaders: HTTPFields?) async throws { source.end(pipe, nil, trailers: trailingHeaders) }
}

/// The reason why the body of a handler's response broke off.
enum ResponseBodyError: Error, CustomStringConvertible {
    /// The writer has returned without saying that this is the end.
    case unfinished

    var description: String { "The body of the response ended without finish(_:)." }
}
