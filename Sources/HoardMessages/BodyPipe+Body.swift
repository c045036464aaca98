// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore

extension BodyPipe {
    /// The content as a body, for one reader.
    ///
    /// - Parameters:
    ///   - length: The number of bytes, if that is known beforehand.
    ///   - describing: Turns the error with which the content breaks off into the error for the reader.
    ///   - onRelease: Called once, when the reader leaves, or when the body is released unread.
    package func body(
        length: Int?,
        describing: @escaping @Sendable (any Error) -> any Error = { $0 },
        onRelease: @escaping @Sendable () -> Void
    ) -> HTTPBody {
        HTTPBody(Parts(pipe: self, describing: describing, onRelease: onRelease), length: length) { self.trailers }
    }

    private final class Parts: AsyncSequence, Sendable {
        let pipe: BodyPipe
        let describing: @Sendable (any Error) -> any Error
        let onRelease: @Sendable () -> Void

        init(pipe: BodyPipe, describing: @escaping @Sendable (any Error) -> any Error, onRelease: @escaping @Sendable () -> Void) {
            self.pipe = pipe
            self.describing = describing
            self.onRelease = onRelease
        }

        deinit {
            if !pipe.hasReader { onRelease() }
        }

        /// Leaves when the last copy of its iterator goes.
        final class Reader: Sendable {
            private let onRelease: @Sendable () -> Void

            init(onRelease: @escaping @Sendable () -> Void) { self.onRelease = onRelease }

            deinit { onRelease() }
        }

        struct AsyncIterator: AsyncIteratorProtocol {
            fileprivate let describing: @Sendable (any Error) -> any Error
            /// `nil` for all readers but the first.
            fileprivate let reader: Reader?
            fileprivate var iterator: BodyPipe.AsyncIterator

            mutating func next() async throws -> ByteBuffer? {
                try await next(isolation: nil)
            }

            mutating func next(isolation actor: isolated (any Actor)?) async throws -> ByteBuffer? {
                do {
                    return try await iterator.next(isolation: actor)
                } catch {
                    throw describing(error)
                }
            }
        }

        func makeAsyncIterator() -> AsyncIterator {
            let iterator = pipe.makeAsyncIterator()
            return AsyncIterator(describing: describing, reader: iterator.isReader ? Reader(onRelease: onRelease) : nil, iterator: iterator)
        }
    }
}
