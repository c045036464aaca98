// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// One entry of a recording: an access to a cache, or a change of its contents.
package struct TraceEvent: Hashable, Sendable {
    /// The kinds of event. The raw values are part of the file format.
    package enum Kind: UInt8, Sendable, CaseIterable {
        /// A read that the cache answered with the value that it had.
        case hit = 0
        /// A read that was answered with a stale value.
        case stale = 1
        /// A read that was answered after the source had confirmed the stored value.
        case revalidated = 2
        /// A read for which the cache had nothing.
        case miss = 3
        /// A read of something that the cache does not keep.
        case pass = 4
        /// An entry was written.
        case write = 5
        /// An entry was removed, or all of them.
        case removal = 6
        /// An entry that was there when the recording began.
        case present = 7
    }

    package var kind: Kind
    /// The key's pseudonym: 48 bits.
    package var key: UInt64
    /// When it happened, in ticks since the recording began.
    package var tick: UInt64
    package var details: Details?

    package init(_ kind: Kind, key: UInt64, tick: UInt64, details: Details? = nil) {
        self.kind = kind
        self.key = key
        self.tick = tick
        self.details = details
    }

    /// Removes everything, if the event is a removal.
    package static let everything = UInt64.max >> 16

    /// The facts that only some events have.
    package struct Details: Hashable, Sendable {
        /// The bytes of the entry.
        package var size: Int?
        /// How many milliseconds after it was written the entry may be used.
        package var lifetime: UInt64?
        /// The number of microseconds that the load took.
        package var cost: UInt32?
        /// The pseudonym of the group that the key belongs to.
        package var group: UInt32?
        /// The number of the tier that answered; 0 is memory.
        package var tier: UInt8

        package init(size: Int? = nil, lifetime: UInt64? = nil, cost: UInt32? = nil, group: UInt32? = nil, tier: UInt8 = 0) {
            self.size = size
            self.lifetime = lifetime
            self.cost = cost
            self.group = group
            self.tier = tier
        }

        var isEmpty: Bool { self == Details() }
    }
}
