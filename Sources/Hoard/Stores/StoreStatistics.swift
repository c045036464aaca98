// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The statistics of a store: its contents, and its work since it was opened.
public struct StoreStatistics: Sendable, Hashable, Codable {
    /// The number of records. Includes expired records, and records removed by tag, until the store finds them.
    public var count: Int = 0
    /// The bytes charged against ``maximumBytes``: keys, payloads and a fixed overhead for each record.
    public var bytes: Int = 0
    /// The limit on ``count``, if there is one.
    public var maximumCount: Int?
    /// The limit on ``bytes``, if there is one.
    public var maximumBytes: Int?

    /// Reads that returned a record.
    public var hits: Int = 0
    /// Reads that returned `nil`, for whatever reason.
    public var misses: Int = 0
    /// Writes that were stored.
    public var insertions: Int = 0
    /// Records removed to make room.
    public var evictions: Int = 0
    /// Records removed because they had expired.
    public var expirations: Int = 0
    /// Writes refused because the record alone is larger than the limit.
    public var refusals: Int = 0
    /// Records that failed their checksum and were removed.
    public var corruptions: Int = 0
    /// Records removed because a caller asked for it. Records of a tag or partition count when the store frees their room, which may be later.
    public var removals: Int = 0

    /// Creates counters that are all zero.
    public init() {}
}
