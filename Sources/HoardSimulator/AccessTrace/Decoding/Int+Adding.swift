// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

// A trace may say anything of sizes.

extension Int {
    /// The sum, or the largest number if it is larger.
    func adding(_ other: Int) -> Int {
        let (sum, overflows) = addingReportingOverflow(other)
        return overflows ? .max : sum
    }

    /// The bytes of a key and its value.
    init(sum keySize: UInt64, _ valueSize: UInt64) throws(TraceFault) {
        let (sum, overflows) = keySize.addingReportingOverflow(valueSize)
        guard !overflows, let sum = Int(exactly: sum) else { throw TraceFault("the size is larger than \(Int.max).") }
        self = sum
    }

    /// The number without its fraction, or the largest number if it is larger.
    package init(clamping number: Double) { self = number < Double(Int.max) ? Int(number) : .max }
}
