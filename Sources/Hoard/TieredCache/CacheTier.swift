// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The place where a ``TieredCache`` found a value.
public struct CacheTier: Hashable, Sendable, CustomStringConvertible {
    private enum Base: Hashable, Sendable { case memory, store(String), loader }
    private let base: Base
    private init(_ base: Base) { self.base = base }

    /// The memory tier, in front of the stores.
    public static var memory: Self { .init(.memory) }
    /// The store with that name.
    public static func store(_ name: String) -> Self { .init(.store(name)) }
    /// No tier: the caller's loader made the value.
    public static var loader: Self { .init(.loader) }

    /// `memory`, `loader`, or the store's name. Safe as a metric label.
    public var description: String {
        switch base {
        case .memory: "memory"
        case .store(let name): name
        case .loader: "loader"
        }
    }
}
