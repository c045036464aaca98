// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser

/// A number of bytes on the command line: `1000000`, `64K`, `512MiB`, `1G`. Units are powers of 1024.
struct ByteCount: ExpressibleByArgument, Hashable, Sendable {
    let bytes: Int

    init(_ bytes: Int) { self.bytes = bytes }

    init?(argument: String) {
        let digits = argument.prefix { $0.isASCII && $0.isNumber }
        guard let number = Int(digits), let shift = Self.shift(ofUnit: argument[digits.endIndex...].lowercased()) else { return nil }
        let (bytes, overflowed) = number.multipliedReportingOverflow(by: 1 << shift)
        guard !overflowed else { return nil }
        self.bytes = bytes
    }

    private static func shift(ofUnit unit: String) -> Int? {
        switch unit {
        case "", "b": 0
        case "k", "kb", "kib": 10
        case "m", "mb", "mib": 20
        case "g", "gb", "gib": 30
        case "t", "tb", "tib": 40
        default: nil
        }
    }

    var defaultValueDescription: String { description }
}

extension ByteCount: CustomStringConvertible {
    /// Three significant digits and a unit: `999 B`, `1.5 KiB`, `64 MiB`.
    var description: String {
        var value = Double(bytes)
        var units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"][...]
        while value >= 1000, units.count > 1 {
            value /= 1024
            units.removeFirst()
        }
        let tenths = (value * 10).rounded()
        let isWhole = value >= 100 || tenths.truncatingRemainder(dividingBy: 10) == 0
        return "\(isWhole ? "\(Int(value.rounded()))" : "\(tenths / 10)") \(units.first ?? "B")"
    }
}
