// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// How many values there are of each power of two: 0, 1, 2 to 3, 4 to 7 and so on.
struct PowerHistogram: Hashable, Sendable {
    /// The values from one bound up to, but without, the other.
    struct Bin: Hashable, Sendable {
        let lower: UInt64
        /// A value of 2^64 is written as the largest number.
        let upper: UInt64
        let count: Int
    }

    private var counts = Array(repeating: 0, count: 65)
    /// How many values there are.
    private(set) var total = 0

    /// Counts a value as many times.
    mutating func add(_ value: UInt64, times: Int = 1) {
        counts[64 - value.leadingZeroBitCount] += times
        total += times
    }

    var isEmpty: Bool { total == 0 }

    /// The bins from the first that has values to the last one.
    var bins: [Bin] {
        guard let first = counts.firstIndex(where: { $0 > 0 }), let last = counts.lastIndex(where: { $0 > 0 }) else { return [] }
        return (first...last).map { Bin(lower: Self.lower($0), upper: $0 == 64 ? .max : Self.lower($0 + 1), count: counts[$0]) }
    }

    /// The share of the values that a bin has, from 0 to 1.
    func share(_ bin: Bin) -> Double { Double(bin.count) / Double(max(total, 1)) }

    /// The share of the values below a bound, which is a power of two.
    func share(below bound: UInt64) -> Double {
        let below = counts[..<(64 - bound.leadingZeroBitCount)].reduce(0, +)
        return Double(below) / Double(max(total, 1))
    }

    private static func lower(_ place: Int) -> UInt64 { place == 0 ? 0 : 1 << UInt64(place - 1) }
}
