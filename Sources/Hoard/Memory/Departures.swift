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
        /// Taken along because the error of a negative entry may have a deinitialiser, too.
        @usableFromInline let details: EntryDetails?

        @inlinable init(key: Key, value: Value?, cause: RemovalCause, details: EntryDetails? = nil) {
            self.key = key
            self.value = value
            self.cause = cause
            self.details = details
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
