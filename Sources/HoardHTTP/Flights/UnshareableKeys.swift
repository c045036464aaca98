// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard
internal import NIOCore

/// Keys whose answer could not be shared a moment ago. Each operation but `removeAll(where:)` is O(1), spread over the keys that were added.
struct UnshareableKeys: Sendable {
    /// The time for which a key counts, in nanoseconds.
    static let period: Int64 = 1_000_000_000
    /// Of more keys, the oldest are forgotten.
    static let maximumCount = 1_024

    private var ends: [FlightKey: Int64] = [:]
    /// All that were added, in that order, which is nearly that of the ends. A key that `ends` has with another end, or not at all, was added again or taken back.
    private var inOrder = CircularBuffer<(key: FlightKey, end: Int64)>()

    /// Whether the key counts. If its time is up, it is forgotten.
    mutating func contains(_ key: FlightKey, at now: () -> Int64) -> Bool {
        guard !ends.isEmpty, let end = ends[key] else { return false }
        if now() < end { return true }
        ends[key] = nil
        return false
    }

    mutating func insert(_ key: FlightKey, at now: Int64) {
        let end = now.addingSaturated(Self.period)
        guard ends.updateValue(end, forKey: key) != end else { return }
        inOrder.append((key, end))
        while let oldest = inOrder.first, inOrder.count > Self.maximumCount || oldest.end <= now {
            inOrder.removeFirst()
            if ends[oldest.key] == oldest.end { ends[oldest.key] = nil }
        }
    }

    mutating func remove(_ key: FlightKey) { ends[key] = nil }

    mutating func removeAll(where isRemoved: (FlightKey) -> Bool) { ends = ends.filter { !isRemoved($0.key) } }
}
