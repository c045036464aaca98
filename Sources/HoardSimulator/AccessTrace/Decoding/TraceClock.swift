// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Turns times of an access trace into milliseconds since its first request.
struct TraceClock {
    private var first: UInt64?

    /// The milliseconds from the first time that was given to this one; 0 if this one lies before it.
    mutating func elapsed(_ milliseconds: UInt64) -> UInt64 {
        guard let first else {
            self.first = milliseconds
            return 0
        }
        return milliseconds > first ? milliseconds - first : 0
    }
}

extension UInt64 {
    /// The milliseconds of so many seconds, with the largest number for a product that does not fit.
    static func milliseconds(seconds: UInt64) -> UInt64 {
        let (product, overflows) = seconds.multipliedReportingOverflow(by: 1_000)
        return overflows ? .max : product
    }
}
