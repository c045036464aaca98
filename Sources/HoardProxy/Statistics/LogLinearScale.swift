// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Divides the numbers from 0 up into buckets that grow with the numbers: exact below 64, then 32 buckets for each doubling.
///
/// A bucket is at most 1/32 as wide as its smallest number, so that its middle is off by 1/64 (1.6 %) at most. The idea is that of HdrHistogram (Gil Tene).
enum LogLinearScale {
    private static let precisionBits = 5
    private static let exactCount = 2 << precisionBits

    /// How far the middle of a bucket is from any number in it, relative to that number.
    static let relativeError = 1.0 / Double(exactCount)

    /// The bucket of a number; negative ones are in the first. O(1).
    @inline(__always)
    static func bucket(of number: Int) -> Int {
        guard number >= exactCount else { return max(0, number) }
        let shift = Int.bitWidth &- 1 &- number.leadingZeroBitCount &- precisionBits
        return shift &<< precisionBits &+ number &>> shift
    }

    /// The number of buckets that the numbers from 0 to `maximum` take.
    static func bucketCount(upTo maximum: Int) -> Int { bucket(of: maximum) + 1 }

    /// The smallest number of a bucket, and how many numbers are in it.
    static func extent(of bucket: Int) -> (lowest: Int, count: Int) {
        guard bucket >= exactCount else { return (bucket, 1) }
        let shift = bucket >> precisionBits - 1
        let leading = bucket & (1 << precisionBits - 1) | 1 << precisionBits
        return (leading << shift, 1 << shift)
    }

    /// The middle of a bucket, which stands for all numbers in it.
    static func middle(of bucket: Int) -> Int {
        let (lowest, count) = extent(of: bucket)
        return lowest + count / 2
    }
}
