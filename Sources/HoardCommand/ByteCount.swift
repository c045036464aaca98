// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import HoardSimulator

/// A number of bytes on the command line: `1000000`, `64K`, `512MiB`, `1G`. Units are powers of 1024.
struct ByteCount: ExpressibleByArgument, Hashable, Sendable {
    let bytes: Int

    init(_ bytes: Int) { self.bytes = bytes }

    init?(argument: String) {
        guard let bytes = SizeText.byteCount(argument) else { return nil }
        self.bytes = bytes
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
