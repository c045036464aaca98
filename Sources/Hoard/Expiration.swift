// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// When the entries of a ``Cache`` expire, unless an entry brings its own time.
public struct Expiration: Hashable, Sendable {
    package enum Base: Hashable, Sendable {
        case never
        case afterWrite(nanoseconds: Int64)
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
}
