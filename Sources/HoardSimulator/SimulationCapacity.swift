// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// How much a simulated cache may hold: a number of keys or of bytes, or a share of the access trace's different keys or of their bytes.
public struct SimulationCapacity: Hashable, Sendable {
    private enum Base: Hashable, Sendable {
        case count(Int)
        case percent(Double, minimum: Int)
        case bytes(Int)
        case percentOfBytes(Double)
    }
    private let base: Base
    private init(_ base: Base) { self.base = base }

    /// The largest number of keys there is.
    public static let maximum = 1_000_000_000

    /// The largest number of bytes there is, 1 PiB.
    public static let maximumBytes = 1 << 50

    /// A number of keys, from 1 to ``maximum``.
    public static func count(_ count: Int) -> Self {
        precondition((1...maximum).contains(count), "A capacity is from 1 to \(maximum), not \(count).")
        return .init(.count(count))
    }

    /// A share of the different keys, more than 0 and up to 100, rounded half to even, and at least 1 key.
    public static func percent(_ percent: Double) -> Self {
        precondition(percent > 0 && percent <= 100, "A share is more than 0 and up to 100 %, not \(percent).")
        return .init(.percent(percent, minimum: 1))
    }

    /// A number of bytes, from 1 to ``maximumBytes``.
    public static func bytes(_ bytes: Int) -> Self {
        precondition((1...maximumBytes).contains(bytes), "A capacity is from 1 to \(maximumBytes) bytes, not \(bytes).")
        return .init(.bytes(bytes))
    }

    /// A share of the bytes of all different keys, more than 0 and up to 100, and at least 1 byte and at most ``maximumBytes``. A key counts with its
    /// largest size.
    public static func percentOfBytes(_ percent: Double) -> Self {
        precondition(percent > 0 && percent <= 100, "A share is more than 0 and up to 100 %, not \(percent).")
        return .init(.percentOfBytes(percent))
    }

    /// 0.1, 1, 5, 10, 20 and 50 % of the different keys, and at least 10 keys.
    public static var defaults: [Self] {
        [0.1, 1, 5, 10, 20, 50].map { .init(.percent($0, minimum: 10)) }
    }

    /// Reads `1000` or `10%`, which are keys, and `64MiB` or `10%B`, which are bytes; `nil` if it is none of them, or out of range.
    ///
    /// Units of bytes are powers of 1024: `B`, `K`, `M`, `G` or `T`, to which `B` or `iB` may be added.
    public init?(_ text: String) {
        if let percent = text.lastIndex(of: "%") {
            let number = text[..<percent]
            guard number.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }), let share = Double(number) else { return nil }
            guard share > 0, share <= 100 else { return nil }
            switch text[percent...].lowercased() {
            case "%": self = .percent(share)
            case "%b": self = .percentOfBytes(share)
            default: return nil
            }
        } else {
            let digits = text.prefix { $0.isASCII && $0.isNumber }
            guard let number = Int(digits) else { return nil }
            guard digits.endIndex != text.endIndex else {
                guard (1...Self.maximum).contains(number) else { return nil }
                self = .count(number)
                return
            }
            guard let unit = Self.unit(text[digits.endIndex...].lowercased()) else { return nil }
            let (bytes, overflows) = number.multipliedReportingOverflow(by: unit)
            guard !overflows, (1...Self.maximumBytes).contains(bytes) else { return nil }
            self = .bytes(bytes)
        }
    }

    private static func unit(_ name: String) -> Int? {
        switch name {
        case "b": 1
        case "k", "kb", "kib": 1 << 10
        case "m", "mb", "mib": 1 << 20
        case "g", "gb", "gib": 1 << 30
        case "t", "tb", "tib": 1 << 40
        default: nil
        }
    }

    /// Whether the capacity is a number of bytes.
    public var countsBytes: Bool {
        switch base {
        case .bytes, .percentOfBytes: true
        case .count, .percent: false
        }
    }

    /// The number of bytes, where it is one.
    package var byteCount: Int? { if case .bytes(let bytes) = base { bytes } else { nil } }

    /// Whether the number depends on the access trace.
    var isRelative: Bool {
        switch base {
        case .percent, .percentOfBytes: true
        case .count, .bytes: false
        }
    }

    /// The number of keys or bytes, for an access trace with that many different ones.
    func resolved(keyCount: Int, byteCount: @autoclosure () -> Int = 0) -> Int {
        switch base {
        case .count(let count): count
        case .percent(let percent, let minimum):
            max(minimum, Int((Double(keyCount) * percent / 100).rounded(.toNearestOrEven)))
        case .bytes(let bytes): bytes
        case .percentOfBytes(let percent):
            max(1, min(Self.maximumBytes, Int(clamping: (Double(byteCount()) * percent / 100).rounded(.toNearestOrEven))))
        }
    }
}
