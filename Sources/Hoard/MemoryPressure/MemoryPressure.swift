// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The level of memory pressure: how short of memory the machine, or the process's share of it, is.
///
/// The set of levels can grow, so compare with `>=` instead of listing them.
public struct MemoryPressure: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let description: String
    /// Orders the levels. There is room for others between them.
    private let rank: Int

    /// There is enough memory, or nothing is known about it.
    public static var normal: Self { Self(description: #function, rank: 0) }
    /// Memory is getting short. Release memory that can easily be filled again.
    public static var warning: Self { Self(description: #function, rank: 100) }
    /// Work stands still for memory, or the process is about to be ended. Release as much memory as possible.
    public static var critical: Self { Self(description: #function, rank: 200) }

    public static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }
}
