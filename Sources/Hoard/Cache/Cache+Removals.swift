// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension Cache {
    /// A value that left the cache.
    public struct Removal: Sendable {
        /// The key of the value.
        public let key: Key
        /// The value that left.
        public let value: Value
        /// The cause for which it left.
        public let cause: RemovalCause

        @inlinable init(key: Key, value: Value, cause: RemovalCause) {
            self.key = key
            self.value = value
            self.cause = cause
        }
    }

    /// Returns the values that leave the cache from now on, with the cause.
    ///
    /// Each call makes a stream of its own, which ends when its task is cancelled or the cache is gone. A consumer that is slower than the
    /// cache loses the oldest removals it has not taken.
    ///
    /// - Parameter limit: How many removals wait for the consumer at most.
    public func removals(bufferingNewest limit: Int = 1_024) -> AsyncStream<Removal> {
        observers.makeStream(bufferingNewest: limit)
    }
}
