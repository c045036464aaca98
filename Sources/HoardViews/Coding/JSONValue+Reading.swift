// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension JSONValue {
    /// Stands for JSON that is no value in Swift. No number of JSON is NaN.
    static var unusable: JSONValue { .double(.nan) }

    /// Where there is something ``unusable``, if there is.
    var unusablePath: [PathStep]? {
        switch self {
        case .double(let double): return double.isNaN ? [] : nil
        case .array(let elements):
            for (index, element) in elements.enumerated() {
                if let path = element.unusablePath { return [.init(index: index)] + path }
            }
            return nil
        case .object(let members):
            for (name, value) in members {
                if let path = value.unusablePath { return [.init(name: name)] + path }
            }
            return nil
        default: return nil
        }
    }

    /// The number that a text of RFC 8259 §6 stands for; `nil` if it is none or too big.
    init?(number text: String) {
        guard Self.isNumber(text) else { return nil }
        if let integer = Int64(text) {
            self = .integer(integer)
            return
        }
        guard let double = Double(text), double.isFinite else { return nil }
        guard Self.decimalMagnitudes.contains(abs(double)) || double == 0, text.utf8.count <= 200, let decimal = Decimal(string: text), !decimal.isNaN
        else {
            self = .double(double)
            return
        }
        // Whole numbers may be written with a fraction or an exponent.
        if abs(double) < 0x1p53, let integer = Int64(exactly: double), Decimal(integer) == decimal {
            self = .integer(integer)
        } else {
            self = .decimal(decimal)
        }
    }

    /// The range of numbers that are kept as decimal ones. A `Decimal` can be far larger and smaller, and would then be
    /// written with more than a hundred digits.
    static let decimalMagnitudes = 1e-30...1e38

    private static func isNumber(_ text: String) -> Bool {
        var rest = text.utf8[...]
        func digits() -> Int {
            let count = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }.count
            rest = rest.dropFirst(count)
            return count
        }
        func take(_ bytes: UInt8...) -> Bool {
            guard let first = rest.first, bytes.contains(first) else { return false }
            rest = rest.dropFirst()
            return true
        }
        _ = take(UInt8(ascii: "-"))
        // No zeros before other digits.
        let startsWithZero = rest.first == UInt8(ascii: "0")
        let count = digits()
        guard count > 0, count == 1 || !startsWithZero else { return false }
        if take(UInt8(ascii: ".")), digits() == 0 { return false }
        if take(UInt8(ascii: "e"), UInt8(ascii: "E")) {
            _ = take(UInt8(ascii: "+"), UInt8(ascii: "-"))
            guard digits() > 0 else { return false }
        }
        return rest.isEmpty
    }
}
