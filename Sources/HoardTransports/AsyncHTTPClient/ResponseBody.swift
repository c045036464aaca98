// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if AsyncHTTPClient
    internal import AsyncHTTPClient
    internal import HoardHTTP
    internal import NIOCore
    internal import Synchronization

    /// The content of a response as it arrives, with this package's errors.
    ///
    /// It ends without an error only if the content is complete. Dropping it, or its iterator, ends the exchange.
    final class ResponseBody: AsyncSequence, Sendable {
        private let parts: HTTPClientResponse.Body
        private let length: Int?
        private let asTransportError: @Sendable (any Error) -> TransportError
        private let hasReader = Atomic(false)

        init(_ parts: HTTPClientResponse.Body, length: Int?, asTransportError: @escaping @Sendable (any Error) -> TransportError) {
            self.parts = parts
            self.length = length
            self.asTransportError = asTransportError
        }

        struct AsyncIterator: AsyncIteratorProtocol {
            /// `nil` for all readers but the first: the client's body stops the process if it is read twice.
            fileprivate var parts: HTTPClientResponse.Body.AsyncIterator?
            fileprivate var missing: MissingBytes
            fileprivate let asTransportError: @Sendable (any Error) -> TransportError

            mutating func next() async throws -> ByteBuffer? {
                guard parts != nil else { throw TransportError.alreadyRead }
                do {
                    if let part = try await parts?.next() {
                        missing.arrived(part)
                        return part
                    }
                    // A reader that is cancelled is told that the sequence has ended, which it has not.
                    try Task.checkCancellation()
                } catch {
                    throw asTransportError(error)
                }
                guard missing.isComplete else { throw asTransportError(HTTPClientError.remoteConnectionClosed) }
                return nil
            }
        }

        func makeAsyncIterator() -> AsyncIterator {
            let isFirst = !hasReader.exchange(true, ordering: .relaxed)
            return AsyncIterator(
                parts: isFirst ? parts.makeAsyncIterator() : nil,
                missing: MissingBytes(of: length),
                asTransportError: asTransportError
            )
        }
    }
#endif
