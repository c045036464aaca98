// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The text of a line between its type and its end, read in one way or another.
extension Span<UInt8> {
    var isMinusOne: Bool { count == 2 && self[0] == UInt8(ascii: "-") && self[1] == UInt8(ascii: "1") }
    var isQuestionMark: Bool { count == 1 && self[0] == UInt8(ascii: "?") }
    var isOK: Bool { count == 2 && self[0] == UInt8(ascii: "O") && self[1] == UInt8(ascii: "K") }

    /// Decimal digits without a sign; `nil` if it is something else, or more than an `Int` holds.
    var respLength: Int? {
        guard !isEmpty else { return nil }
        var length = 0
        for index in indices {
            let digit = self[index] &- UInt8(ascii: "0")
            // An Int has room for 18 digits, whatever they are.
            guard digit <= 9, index < 18 else { return nil }
            length = length &* 10 &+ Int(digit)
        }
        return length
    }

    /// Decimal digits, with a sign or without; `nil` if it is something else, or out of the range of 64 bits.
    var respInteger: Int64? {
        guard !isEmpty else { return nil }
        let isNegative = self[0] == UInt8(ascii: "-")
        let start = isNegative || self[0] == UInt8(ascii: "+") ? 1 : 0
        guard start < count else { return nil }
        // Downwards, because there is one negative number more than there are positive ones.
        var negated: Int64 = 0
        for index in start..<count {
            let digit = self[index] &- UInt8(ascii: "0")
            guard digit <= 9 else { return nil }
            let (product, isTooMuch) = negated.multipliedReportingOverflow(by: 10)
            let (difference, isStillTooMuch) = product.subtractingReportingOverflow(Int64(digit))
            guard !isTooMuch, !isStillTooMuch else { return nil }
            negated = difference
        }
        if isNegative { return negated }
        return negated == .min ? nil : -negated
    }

    var respBoolean: Bool? {
        guard count == 1 else { return nil }
        switch self[0] {
        case UInt8(ascii: "t"): return true
        case UInt8(ascii: "f"): return false
        default: return nil
        }
    }

    /// Decimal digits of any number, with a sign or without.
    var isRESPBigNumber: Bool {
        var index = hasSign ? 1 : 0
        return passDigits(&index) && index == count
    }

    /// An integral part, perhaps with a fractional part and an exponent; or `inf`, `-inf`, or a spelling of NaN that a
    /// C library may write.
    var respDouble: Double? {
        var index = hasSign ? 1 : 0
        guard passDigits(&index) else { return respSpecialDouble }
        if index < count, self[index] == UInt8(ascii: ".") {
            index += 1
            guard passDigits(&index) else { return nil }
        }
        if index < count, self[index] | 0x20 == UInt8(ascii: "e") {
            index += 1
            if index < count, self[index] == UInt8(ascii: "-") || self[index] == UInt8(ascii: "+") { index += 1 }
            guard passDigits(&index) else { return nil }
        }
        return index == count ? Double(asciiString) : nil
    }

    private var respSpecialDouble: Double? {
        guard count <= 64 else { return nil }
        let text = asciiString.lowercased()
        switch text {
        case "inf", "+inf": return .infinity
        case "-inf": return -.infinity
        case "nan", "-nan": return .nan
        default: return (text.hasPrefix("nan(") || text.hasPrefix("-nan(")) && text.hasSuffix(")") ? .nan : nil
        }
    }

    private var hasSign: Bool { count > 0 && (self[0] == UInt8(ascii: "-") || self[0] == UInt8(ascii: "+")) }

    /// Moves past digits. False if there is none.
    private func passDigits(_ index: inout Int) -> Bool {
        let start = index
        while index < count, self[index] &- UInt8(ascii: "0") <= 9 { index += 1 }
        return index > start
    }

    /// For short texts.
    private var asciiString: String {
        var text = ""
        for index in indices { text.unicodeScalars.append(Unicode.Scalar(self[index])) }
        return text
    }
}
