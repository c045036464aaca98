// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Why an entry left a ``Cache``.
public struct RemovalCause: Hashable, Sendable, CustomStringConvertible {
    @usableFromInline enum Base: String, Hashable, Sendable { case explicit, replaced, expired, size }
    @usableFromInline let base: Base
    @inlinable init(_ base: Base) { self.base = base }

    /// It was removed by its key, by a tag or with all others.
    @inlinable public static var explicit: Self { .init(.explicit) }
    /// A newer value of its key took its place, or was refused in its place.
    @inlinable public static var replaced: Self { .init(.replaced) }
    /// Its time was up.
    @inlinable public static var expired: Self { .init(.expired) }
    /// It made room: for others, or because the cache was trimmed.
    @inlinable public static var size: Self { .init(.size) }

    /// Whether the cache removed the entry by itself.
    public var wasEvicted: Bool { base == .expired || base == .size }

    public var description: String { base.rawValue }
}
