// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A source of calendar time.
///
/// A wall clock dates things that outlive a process or cross a network: records on disk and HTTP messages. A ``Ticker``
/// times the values that live in memory only.
public protocol WallClock: Sendable {
    /// Returns the current date. It can jump in both directions when the clock is set.
    func now() -> Date
}

/// The system's wall clock.
public struct SystemWallClock: WallClock {
    /// Creates the system's clock.
    public init() {}

    public func now() -> Date { Date() }
}
