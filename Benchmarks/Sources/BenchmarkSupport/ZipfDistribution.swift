// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Draws the numbers 0 ..< `count` with Zipf's distribution: the *k*-th most popular one is drawn in proportion to 1 / *k*^`skew`.
///
/// Which number is how popular is shuffled, so that popular keys do not lie side by side.
public struct ZipfDistribution: Sendable {
    private let cumulative: [Double]
    private let numberOfRank: [Int]

    /// - Precondition: `count` is positive.
    public init(count: Int, skew: Double = 0.99, seed: UInt64 = 1) {
        precondition(count > 0, "A distribution needs at least one number.")
        var sum = 0.0
        cumulative = (1...count).map { rank in
            sum += 1 / pow(Double(rank), skew)
            return sum
        }
        var generator = SeededGenerator(seed: seed)
        numberOfRank = (0..<count).shuffled(using: &generator)
    }

    /// `length` drawn numbers.
    public func sequence(length: Int, seed: UInt64) -> [Int] {
        var generator = SeededGenerator(seed: seed)
        let total = cumulative[cumulative.count - 1]
        return (0..<length).map { _ in
            let drawn = Double.random(in: 0..<total, using: &generator)
            var low = 0
            var high = cumulative.count - 1
            while low < high {
                let middle = (low + high) / 2
                if cumulative[middle] > drawn { high = middle } else { low = middle + 1 }
            }
            return numberOfRank[low]
        }
    }
}
