// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The entries that left a shard while its lock was held.
///
/// The lock's holder takes them along, and drops or reports them when it has released the lock. So no deinitialiser and no
/// listener runs under a lock. One departure, the usual case, costs no allocation.
@usableFromInline struct Departures<Key: Sendable, Value: Sendable>: Sendable {
    @usableFromInline struct Departure: Sendable {
        @usableFromInline let key: Key
        /// `nil` for a negative entry.
        @usableFromInline let value: Value?
        @usableFromInline let cause: RemovalCause

        @inlinable init(key: Key, value: Value?, cause: RemovalCause) {
            self.key = key
            self.value = value
            self.cause = cause
        }
    }

    @usableFromInline private(set) var first: Departure?
    @usableFromInline private(set) var others: [Departure] = []

    @inlinable init() {}

    @inlinable mutating func append(_ departure: Departure) {
        if first == nil { first = departure } else { others.append(departure) }
    }

    @inlinable var isEmpty: Bool { first == nil }
}
