// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// All that a write brings.
@usableFromInline struct NewEntry<Value: Sendable>: Sendable {
    /// `nil` for a negative entry.
    @usableFromInline var value: Value?
    @usableFromInline var weight: Int
    /// The tick at which the entry expires; `Int64.max` for never, `Int64.min` for an entry that must not be kept.
    @usableFromInline var deadline: Int64
    /// When the entry was written; 0 in a cache that does not use time.
    @usableFromInline var writeTime: Int64
    @usableFromInline var details: EntryDetails?

    /// The weight for which others have to make room: none if the entry must not be kept.
    @inlinable var weightToKeep: Int { deadline > .min ? weight : 0 }

    @inlinable init(value: Value?, weight: Int, deadline: Int64, writeTime: Int64) {
        self.value = value
        self.weight = weight
        self.deadline = deadline
        self.writeTime = writeTime
    }
}
