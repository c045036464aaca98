// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension Span where Element == UInt8 {
    /// Whether a digit stands here.
    @inline(__always)
    func isDigit(_ index: Int, before end: Int) -> Bool { index < end && self[index] &- 0x30 < 10 }

    /// Reads the digits that begin here.
    ///
    /// - Returns: Their number, `nil` if it is larger than 64 bits, and the place behind them.
    @inline(__always)
    func digits(from start: Int, to end: Int) -> (value: UInt64?, next: Int) {
        var value: UInt64 = 0
        var index = start
        // Nineteen digits always fit.
        let safeEnd = Swift.min(end, start + 19)
        while index < safeEnd {
            let digit = self[index] &- 0x30
            guard digit < 10 else { return (value, index) }
            value = value &* 10 &+ UInt64(digit)
            index += 1
        }
        return index < end ? moreDigits(behind: value, from: index, to: end) : (value, index)
    }

    private func moreDigits(behind first: UInt64, from start: Int, to end: Int) -> (value: UInt64?, next: Int) {
        var value: UInt64? = first
        var index = start
        while isDigit(index, before: end) {
            if let known = value {
                let (tens, isTooLarge) = known.multipliedReportingOverflow(by: 10)
                let (sum, isTooLargeWithDigit) = tens.addingReportingOverflow(UInt64(self[index] &- 0x30))
                value = isTooLarge || isTooLargeWithDigit ? nil : sum
            }
            index += 1
        }
        return (value, index)
    }

    /// The number that all of these bytes are; `nil` if they are something else, or too large.
    func number(_ range: Range<Int>) -> UInt64? {
        guard !range.isEmpty else { return nil }
        let (value, next) = digits(from: range.lowerBound, to: range.upperBound)
        return next == range.upperBound ? value : nil
    }

    /// A decimal fraction that all of these bytes are, such as `12.5`, in units of 10⁻ᵈ, cut off; `nil` if
    /// they are something else, or too large.
    func fraction(_ range: Range<Int>, decimals: Int) -> UInt64? {
        let (whole, point) = digits(from: range.lowerBound, to: range.upperBound)
        guard var value = whole, point > range.lowerBound else { return nil }
        var index = point
        if index < range.upperBound, self[index] == 0x2e { index += 1 }
        for _ in 0..<decimals {
            var digit: UInt64 = 0
            if index > point, isDigit(index, before: range.upperBound) {
                digit = UInt64(self[index] &- 0x30)
                index += 1
            }
            let (tens, isTooLarge) = value.multipliedReportingOverflow(by: 10)
            let (sum, isTooLargeWithDigit) = tens.addingReportingOverflow(digit)
            if isTooLarge || isTooLargeWithDigit { return nil }
            value = sum
        }
        while index > point, isDigit(index, before: range.upperBound) { index += 1 }
        return index == range.upperBound ? value : nil
    }

    /// A key: the number, if these bytes are one, otherwise a hash of them.
    func key(_ range: Range<Int>) -> UInt64 {
        number(range) ?? hash(range)
    }
}
