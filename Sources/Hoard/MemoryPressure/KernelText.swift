// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Reads the texts in which Linux tells about memory. A text that does not look as the kernel writes it gives `nil`,
/// never a guess.
enum KernelText {
    /// A limit of a control group.
    enum Limit: Hashable {
        case bytes(UInt64)
        /// The text was `max`.
        case none
    }

    /// `/proc/pressure/memory` or a group's `memory.pressure`: a line for `some`, and one for `full`.
    static func stall(_ text: [UInt8]) -> MemoryReadings.Stall? {
        var stall = MemoryReadings.Stall()
        for line in text.split(separator: UInt8(ascii: "\n")) {
            let fields = line.split(separator: UInt8(ascii: " "))
            guard let kind = fields.first else { continue }
            if kind.elementsEqual("some".utf8) { stall.some = stallShare(fields.dropFirst()) }
            if kind.elementsEqual("full".utf8) { stall.full = stallShare(fields.dropFirst()) }
        }
        return stall == MemoryReadings.Stall() ? nil : stall
    }

    /// `memory.high` or `memory.max`.
    static func limit(_ text: [UInt8]) -> Limit? {
        if line(text).elementsEqual("max".utf8) { return Limit.none }
        return bytes(text).map(Limit.bytes)
    }

    /// `memory.current`.
    static func bytes(_ text: [UInt8]) -> UInt64? {
        number(line(text))
    }

    /// The number behind `name` in `memory.stat`, which has one name and one number in each line.
    static func statistic(_ name: String, in text: [UInt8]) -> UInt64? {
        for line in text.split(separator: UInt8(ascii: "\n")) {
            let fields = line.split(separator: UInt8(ascii: " "))
            if fields.count == 2, fields[0].elementsEqual(name.utf8) { return number(fields[1]) }
        }
        return nil
    }

    /// The path of the process's group in the version 2 hierarchy, from `/proc/self/cgroup`, in components.
    ///
    /// The hierarchy is the one with number 0 and no controllers' names: `0::/user.slice/session-1.scope`.
    static func groupPath(_ text: [UInt8]) -> [String]? {
        for line in text.split(separator: UInt8(ascii: "\n")) where line.starts(with: "0::/".utf8) {
            guard let path = String(validating: line.dropFirst(4), as: UTF8.self), !path.utf8.contains(0) else { return nil }
            let components = path.split(separator: "/").map(String.init)
            // A group outside of the process's own view has no directory that it could read.
            return components.contains("..") ? nil : components
        }
        return nil
    }

    /// The share behind `avg10`, a percentage, in a line that is complete.
    private static func stallShare(_ fields: ArraySlice<ArraySlice<UInt8>>) -> Double? {
        // The last field: where it is missing, the line was cut, maybe within a number.
        guard let total = value("total", in: fields), number(total) != nil,
            let average = value("avg10", in: fields), let percentage = decimal(average), percentage <= 100
        else { return nil }
        return percentage / 100
    }

    private static func value(_ name: String, in fields: ArraySlice<ArraySlice<UInt8>>) -> ArraySlice<UInt8>? {
        for field in fields {
            let parts = field.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2, parts[0].elementsEqual(name.utf8) { return parts[1] }
        }
        return nil
    }

    /// The text without the line end that it may have.
    private static func line(_ text: [UInt8]) -> ArraySlice<UInt8> {
        text.last == UInt8(ascii: "\n") ? text.dropLast() : text[...]
    }

    /// Digits, a point, digits.
    private static func decimal(_ text: ArraySlice<UInt8>) -> Double? {
        let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 2, let whole = number(parts[0]), number(parts[1]) != nil, parts[1].count <= 9 else { return nil }
        let scale = parts[1].reduce(1.0) { scale, _ in scale * 10 }
        let fraction = Double(number(parts[1]) ?? 0) / scale
        return Double(whole) + fraction
    }

    /// Digits, and nothing else: no sign, no space.
    private static func number(_ digits: ArraySlice<UInt8>) -> UInt64? {
        guard !digits.isEmpty else { return nil }
        var number: UInt64 = 0
        for digit in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            let (product, overflowed) = number.multipliedReportingOverflow(by: 10)
            let (sum, overflowedSum) = product.addingReportingOverflow(UInt64(digit - UInt8(ascii: "0")))
            if overflowed || overflowedSum { return nil }
            number = sum
        }
        return number
    }
}
