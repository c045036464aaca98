// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if URLSession
    internal import HoardHTTP
    internal import NIOCore
    internal import Synchronization

    /// The content of a response as it arrives. It ends without an error only if it is complete. Dropping it, or its iterator, ends the exchange.
    final class SessionBody: AsyncSequence, Sendable {
        /// `nil` once a reader has begun.
        private let reading: Mutex<Reading?>

        /// - Parameters:
        ///   - length: The number of bytes that have to come, if known.
        ///   - breakOff: The error if fewer or more come.
        init(_ exchange: SessionExchange, length: Int?, breakOff: TransportError) {
            reading = Mutex(Reading(exchange, length: length, breakOff: breakOff))
        }

        struct AsyncIterator: AsyncIteratorProtocol {
            /// `nil` for all readers but the first.
            private let reading: Reading?
            private var missing: MissingBytes

            fileprivate init(_ reading: Reading?) {
                self.reading = reading
                missing = MissingBytes(of: reading?.length)
            }

            mutating func next() async throws -> ByteBuffer? {
                guard let reading else { throw TransportError.alreadyRead }
                if let part = try await reading.exchange.next() {
                    missing.arrived(part)
                    return part
                }
                guard missing.isComplete else { throw reading.breakOff }
                return nil
            }
        }

        func makeAsyncIterator() -> AsyncIterator {
            AsyncIterator(
                reading.withLock { reading in
                    defer { reading = nil }
                    return reading
                }
            )
        }
    }

    /// Ends the exchange when it is dropped.
    private final class Reading: Sendable {
        let exchange: SessionExchange
        let length: Int?
        let breakOff: TransportError

        init(_ exchange: SessionExchange, length: Int?, breakOff: TransportError) {
            self.exchange = exchange
            self.length = length
            self.breakOff = breakOff
        }

        deinit {
            exchange.abandon()
        }
    }
#endif
