// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The rule by which the entries of a ``Cache`` expire, unless an entry has its own time.
public struct Expiration: Hashable, Sendable {
    package enum Base: Hashable, Sendable {
        case never
        case afterWrite(nanoseconds: Int64)
        case afterAccess(nanoseconds: Int64)
    }

    package let base: Base

    /// Entries stay until they are removed or evicted.
    public static var never: Self { .init(base: .never) }

    /// An entry expires when `duration` has passed since it was last written. Reading it changes nothing.
    ///
    /// With a `duration` of zero or less, nothing is ever kept.
    public static func afterWrite(_ duration: Duration) -> Self {
        .init(base: .afterWrite(nanoseconds: duration.saturatingNanoseconds))
    }

    /// An entry expires when `duration` has passed since it was last read or written.
    ///
    /// Reads that count as a use put the end off; ``Cache/peek(_:)`` and ``Cache/contains(_:)`` do not. The time of a read is taken from a
    /// coarse clock, which may be some milliseconds behind. Entries that bring a time of their own are put off by reads too, if that gives
    /// them longer; negative entries are not. With a `duration` of zero or less, nothing is ever kept.
    public static func afterAccess(_ duration: Duration) -> Self {
        .init(base: .afterAccess(nanoseconds: duration.saturatingNanoseconds))
    }

    /// Nanoseconds from a write to the end, if there is no read.
    @usableFromInline var writeLifetime: Int64 {
        switch base {
        case .never: .max
        case .afterWrite(let nanoseconds), .afterAccess(let nanoseconds): nanoseconds
        }
    }

    /// Nanoseconds from a read to the end; 0 if reads do not matter.
    @usableFromInline var accessLifetime: Int64 {
        if case .afterAccess(let nanoseconds) = base { max(0, nanoseconds) } else { 0 }
    }
}
