// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Numbers of bytes as a person writes them: `1000000`, `64K`, `512MiB`, `1G`. Units are powers of 1024.
package enum SizeText {
    package static func byteCount(_ text: String) -> Int? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        guard let number = Int(digits), let shift = shift(ofUnit: text[digits.endIndex...].lowercased()) else { return nil }
        let (bytes, overflows) = number.multipliedReportingOverflow(by: 1 << shift)
        return overflows ? nil : bytes
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

    /// The text of a number of bytes, which reads back as the same.
    package static func text(_ byteCount: Int) -> String {
        for (unit, shift) in [("TiB", 40), ("GiB", 30), ("MiB", 20), ("KiB", 10)] where byteCount >= 1 << shift && byteCount % (1 << shift) == 0 {
            return "\(byteCount >> shift)\(unit)"
        }
        return "\(byteCount)"
    }
}
