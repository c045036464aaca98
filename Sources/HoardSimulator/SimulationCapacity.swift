// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// How many keys a simulated cache may hold: a number, or a share of the access trace's different keys.
public struct SimulationCapacity: Hashable, Sendable {
    private enum Base: Hashable, Sendable {
        case count(Int)
        case percent(Double, minimum: Int)
    }
    private let base: Base
    private init(_ base: Base) { self.base = base }

    /// The largest capacity there is.
    public static let maximum = 1_000_000_000

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

    /// 0.1, 1, 5, 10, 20 and 50 % of the different keys, and at least 10 keys.
    public static var defaults: [Self] {
        [0.1, 1, 5, 10, 20, 50].map { .init(.percent($0, minimum: 10)) }
    }

    /// Reads `1000` or `10%`; `nil` if it is neither, or out of range.
    public init?(_ text: String) {
        if text.hasSuffix("%") {
            let number = text.dropLast()
            guard number.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }), let percent = Double(number) else { return nil }
            guard percent > 0, percent <= 100 else { return nil }
            self = .percent(percent)
        } else {
            guard text.allSatisfy({ $0.isASCII && $0.isNumber }), let count = Int(text) else { return nil }
            guard (1...Self.maximum).contains(count) else { return nil }
            self = .count(count)
        }
    }

    /// Whether the number depends on the access trace.
    var isRelative: Bool {
        if case .percent = base { true } else { false }
    }

    /// The number of keys, for an access trace with that many different ones.
    func resolved(keyCount: Int) -> Int {
        switch base {
        case .count(let count): count
        case .percent(let percent, let minimum):
            max(minimum, Int((Double(keyCount) * percent / 100).rounded(.toNearestOrEven)))
        }
    }
}
