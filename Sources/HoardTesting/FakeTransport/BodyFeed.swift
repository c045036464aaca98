// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import HoardHTTP
internal import NIOCore
internal import Synchronization

/// Feeds a body by hand, part by part, while a reader reads it.
///
/// ```swift
/// let (body, feed) = BodyFeed.makeBody()
/// var parts = body.makeAsyncIterator()
/// feed.send("first")
/// let first = try await parts.next()      // is there before the second part exists
/// feed.send("second")
/// feed.finish()
/// ```
///
/// Like many streams, the body ends early instead of throwing when the task that reads it is cancelled.
public struct BodyFeed: Sendable {
    private let continuation: AsyncThrowingStream<ByteBuffer, any Error>.Continuation
    private let abandonment: Abandonment

    /// Makes a body and its feed.
    ///
    /// - Parameter length: The length that the body announces, true or not. `nil`: none.
    public static func makeBody(length: Int? = nil) -> (body: HTTPBody, feed: BodyFeed) {
        let (stream, continuation) = AsyncThrowingStream<ByteBuffer, any Error>.makeStream()
        let abandonment = Abandonment()
        continuation.onTermination = { reason in
            if case .cancelled = reason { abandonment.hasHappened.store(true, ordering: .relaxed) }
        }
        return (HTTPBody(stream, length: length), BodyFeed(continuation: continuation, abandonment: abandonment))
    }

    /// Hands over the next part. Never waits: parts that the reader has not read yet are kept.
    public func send(_ part: String) {
        continuation.yield(ByteBuffer(string: part))
    }

    /// Ends the body.
    public func finish() {
        continuation.finish()
    }

    /// Breaks the body off: its reader gets `error` after the parts sent so far.
    public func breakOff(with error: TransportError = TransportError(.connectionClosed, "The connection was closed.")) {
        continuation.finish(throwing: error)
    }

    /// Whether the body was dropped, or its reader cancelled, before it had ended.
    public var isAbandoned: Bool { abandonment.hasHappened.load(ordering: .relaxed) }

    private final class Abandonment: Sendable {
        let hasHappened = Atomic(false)
    }
}
