// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// How short of memory the machine, or the process's share of it, is.
///
/// The set of levels can grow, so compare with `>=` instead of listing them.
public struct MemoryPressure: Hashable, Comparable, Sendable, CustomStringConvertible {
    private enum Base: String, Hashable, Sendable { case normal, warning, critical }
    private let base: Base
    /// Orders the levels. There is room for others between them.
    private let rank: Int

    private init(_ base: Base, rank: Int) {
        self.base = base
        self.rank = rank
    }

    /// There is enough memory, or nothing is known about it.
    public static var normal: Self { .init(.normal, rank: 0) }
    /// Memory is getting short: give up what is easily had again.
    public static var warning: Self { .init(.warning, rank: 100) }
    /// Work stands still for memory, or the process is about to be ended: give up all that can be given up.
    public static var critical: Self { .init(.critical, rank: 200) }

    public static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }

    public var description: String { base.rawValue }
}
