// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The cause for which an entry left a ``Cache``.
public struct RemovalCause: Hashable, Sendable, CustomStringConvertible {
    @usableFromInline enum Base: String, Hashable, Sendable { case explicit, replaced, expired, size }
    @usableFromInline let base: Base
    @inlinable init(_ base: Base) { self.base = base }

    /// The entry was removed by its key, by a tag or with all others.
    @inlinable public static var explicit: Self { .init(.explicit) }
    /// A newer value of its key took its place, or was refused in its place.
    @inlinable public static var replaced: Self { .init(.replaced) }
    /// The entry expired.
    @inlinable public static var expired: Self { .init(.expired) }
    /// The entry was evicted to make room, or because the cache was trimmed.
    @inlinable public static var size: Self { .init(.size) }

    /// Whether the cache removed the entry by itself.
    public var wasEvicted: Bool { base == .expired || base == .size }

    public var description: String { base.rawValue }
}
