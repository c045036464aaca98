// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The number of times that each latency occurred, in buckets of ``LogLinearScale``.
///
/// Percentiles are off by 1/64 (1.6 %) at most; the greatest latency is exact. Latencies above 73 minutes count as 73 minutes.
/// Memory: nothing before the first latency, then 10 KiB.
struct LatencyHistogram: Sendable, Hashable {
    /// In nanoseconds.
    static let maximum = 1 << 42
    private static let bucketCount = LogLinearScale.bucketCount(upTo: maximum)

    private var counts: [Int] = []
    private(set) var count = 0
    /// The greatest latency that was recorded, in nanoseconds.
    private(set) var greatest = 0

    /// Adds a latency in nanoseconds. O(1).
    @inline(__always)
    mutating func record(_ nanoseconds: Int) {
        if counts.isEmpty { counts = Array(repeating: 0, count: Self.bucketCount) }
        let latency = min(max(0, nanoseconds), Self.maximum)
        counts[LogLinearScale.bucket(of: latency)] &+= 1
        count &+= 1
        if latency > greatest { greatest = latency }
    }

    /// Adds all that another has recorded. O(buckets).
    mutating func add(_ other: LatencyHistogram) {
        guard !other.counts.isEmpty else { return }
        if counts.isEmpty {
            self = other
            return
        }
        for bucket in counts.indices { counts[bucket] &+= other.counts[bucket] }
        count += other.count
        greatest = max(greatest, other.greatest)
    }

    /// Returns the latencies recorded since this histogram was the same as `earlier`. The greatest of them is known only as exactly as percentiles are.
    func since(_ earlier: LatencyHistogram) -> LatencyHistogram {
        guard !earlier.counts.isEmpty else { return self }
        var difference = self
        difference.greatest = 0
        for bucket in counts.indices {
            difference.counts[bucket] &-= earlier.counts[bucket]
            if difference.counts[bucket] > 0 { difference.greatest = min(greatest, LogLinearScale.middle(of: bucket)) }
        }
        difference.count -= earlier.count
        return difference
    }

    /// The latency in nanoseconds that a share of all latencies, from 0 to 1, does not exceed; 0 if there are none. O(buckets).
    func percentile(_ share: Double) -> Int {
        guard count > 0 else { return 0 }
        var rest = max(1, Int((Double(count) * share).rounded(.up)))
        for (bucket, number) in counts.enumerated() where number > 0 {
            rest -= number
            if rest <= 0 { return min(LogLinearScale.middle(of: bucket), greatest) }
        }
        return greatest
    }
}
