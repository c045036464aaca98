// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

// A trace may say anything of sizes.

extension Int {
    /// The sum, or the largest number if it is larger.
    func adding(_ other: Int) -> Int {
        let (sum, overflows) = addingReportingOverflow(other)
        return overflows ? .max : sum
    }

    /// The number without its fraction, or the largest number if it is larger.
    init(clamping number: Double) { self = number < Double(Int.max) ? Int(number) : .max }
}
