// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Arithmetic of ticks, in which "never" is a time like any other.
extension Int64 {
    /// The sum, or the nearest number there is.
    package func addingSaturated(_ other: Int64) -> Int64 {
        let (sum, overflowed) = addingReportingOverflow(other)
        return overflowed ? (other < 0 ? .min : .max) : sum
    }

    /// The difference, or the nearest number there is.
    func subtractingSaturated(_ other: Int64) -> Int64 {
        let (difference, overflowed) = subtractingReportingOverflow(other)
        return overflowed ? (other > 0 ? .min : .max) : difference
    }
}
