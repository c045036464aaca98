// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Times, in buckets that are at most an eighth wide.
struct LatencyHistogram: Sendable {
    private var counts = [Int](repeating: 0, count: 64 * 8)
    private(set) var count = 0
    private(set) var worst: Int64 = 0

    mutating func add(_ nanoseconds: Int64) {
        counts[Self.bucket(nanoseconds)] += 1
        count += 1
        worst = max(worst, nanoseconds)
    }

    mutating func add(_ other: LatencyHistogram) {
        for index in counts.indices { counts[index] += other.counts[index] }
        count += other.count
        worst = max(worst, other.worst)
    }

    private static func bucket(_ nanoseconds: Int64) -> Int {
        let value = UInt64(max(nanoseconds, 8))
        let exponent = 63 - value.leadingZeroBitCount
        return exponent * 8 + Int(value >> UInt64(exponent - 3) & 7)
    }

    /// The upper border of the bucket that a share of all times lies below.
    func microseconds(_ share: Double) -> Double {
        let wanted = Int(Double(count) * share)
        var seen = 0
        for (index, count) in counts.enumerated() {
            seen += count
            if seen > wanted { return Double(UInt64(9 + index % 8) << UInt64(index / 8 - 3)) / 1_000 }
        }
        return Double(worst) / 1_000
    }
}
