// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The progress of a warm-up. See ``TieredCache/warmUp(_:maximumConcurrency:policy:onProgress:load:)``.
public struct WarmUpProgress: Sendable {
    /// The number of different keys to warm up.
    public let total: Int
    /// Keys that had a fresh value.
    public internal(set) var found = 0
    /// Keys whose value was loaded.
    public internal(set) var loaded = 0
    /// Keys that have no value.
    public internal(set) var absent = 0
    /// Keys whose load failed.
    public internal(set) var failed = 0
    /// The error of the last load that failed.
    public internal(set) var lastError: (any Error)?

    /// Keys that are done: the sum of the four counts.
    public var completed: Int { found + loaded + absent + failed }

    init(total: Int) { self.total = total }
}
