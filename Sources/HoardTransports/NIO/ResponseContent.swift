// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HoardHTTP
internal import NIOCore
internal import Synchronization

/// The content of a response and the fields behind it, from the connection to whoever reads them.
final class ResponseContent: Sendable {
    let pipe: BodyPipe
    /// The fields behind the content, and whether its reader has come to them.
    private let trailers = Mutex<(fields: HTTPFields?, areReached: Bool)>((nil, false))

    init(highWatermark: Int, wantsMore: @escaping @Sendable (BodyPipe) -> Void) {
        pipe = BodyPipe(highWatermark: highWatermark, alreadyRead: TransportError.alreadyRead, wantsMore: wantsMore)
    }

    /// To be called before the pipe's end.
    func setTrailers(_ fields: HTTPFields) {
        trailers.withLock { $0.fields = fields }
    }

    /// The body for a reader.
    ///
    /// - Parameter onRelease: Called when neither the body nor a reader of it is left.
    func body(
        length: Int?,
        asTransportError: @escaping @Sendable (any Error) -> TransportError,
        onRelease: @escaping @Sendable () -> Void
    ) -> HTTPBody {
        let parts = Parts(content: self, asTransportError: asTransportError, onRelease: onRelease)
        return HTTPBody(parts, length: length) { self.trailers.withLock { $0.areReached ? $0.fields : nil } }
    }

    private final class Parts: AsyncSequence, Sendable {
        let content: ResponseContent
        let asTransportError: @Sendable (any Error) -> TransportError
        private let onRelease: @Sendable () -> Void

        init(
            content: ResponseContent,
            asTransportError: @escaping @Sendable (any Error) -> TransportError,
            onRelease: @escaping @Sendable () -> Void
        ) {
            self.content = content
            self.asTransportError = asTransportError
            self.onRelease = onRelease
        }

        deinit {
            onRelease()
        }

        struct AsyncIterator: AsyncIteratorProtocol {
            /// Kept because its end is the end of the reading.
            fileprivate let parts: Parts
            fileprivate var iterator: BodyPipe.AsyncIterator

            mutating func next() async throws -> ByteBuffer? {
                try await next(isolation: nil)
            }

            mutating func next(isolation actor: isolated (any Actor)?) async throws -> ByteBuffer? {
                do {
                    if let part = try await iterator.next(isolation: actor) { return part }
                    parts.content.trailers.withLock { $0.areReached = true }
                    return nil
                } catch {
                    throw parts.asTransportError(error)
                }
            }
        }

        func makeAsyncIterator() -> AsyncIterator {
            AsyncIterator(parts: self, iterator: content.pipe.makeAsyncIterator())
        }
    }
}
