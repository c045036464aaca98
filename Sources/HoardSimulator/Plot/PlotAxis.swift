// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// A scale with a name, and marks that have labels.
struct PlotAxis: Sendable {
    /// A round value, and how it is written.
    struct Tick: Sendable {
        let value: Double
        let label: String
    }

    let name: String
    let ticks: [Tick]
    private let low: Double
    private let high: Double
    private let isLogarithmic: Bool

    /// Where a value is, from 0 to 1. Values outside the scale stand at its ends.
    func position(of value: Double) -> Double {
        // Large values that are next to each other have the same logarithm.
        if low == high { return 0.5 }
        let place = isLogarithmic ? log10(max(value, .leastNormalMagnitude)) : value
        return min(max((place - low) / (high - low), 0), 1)
    }
}

extension PlotAxis {
    /// A scale from 0 to 1.
    static func ratio(_ name: String) -> Self {
        let ticks = (0...5).map { Tick(value: Double($0) / 5, label: $0 == 0 ? "0" : $0 == 5 ? "1" : "0.\($0 * 2)") }
        return Self(name: name, ticks: ticks, low: 0, high: 1, isLogarithmic: false)
    }

    /// A scale on which each decade has the same length, and all the values have a place. Values below 1 count as 1.
    ///
    /// Its marks are three to eight or so: 1, 2 and 5 in each decade, or less where that would be too many.
    static func logarithmic(_ name: String, values: [Int]) -> Self {
        let smallest = Double(max(1, values.min() ?? 1))
        let largest = Double(max(1, values.max() ?? 1))
        // A single value stands in the middle.
        let room = smallest == largest ? 2.0 : 1.0
        let (low, high) = (log10(smallest / room), log10(largest * room))
        let decades = Int(low.rounded(.down))...Int(high.rounded(.up))
        let slack = (high - low) / 1000
        let range = low - slack...high + slack
        func ticks(_ steps: [Double]) -> [Int] {
            let values: [Double] = decades.flatMap { decade in steps.map { $0 * pow(10, Double(decade)) } }
            return values.filter { $0 >= 1 && $0 < 0x1p63 && range.contains(log10($0)) }.map { Int($0.rounded()) }
        }
        let choices = [[1, 2, 3, 4, 5, 6, 7, 8, 9], [1, 2, 5], [1, 3], [1]].map(ticks)
        let shown = (choices.first { $0.count <= 8 } ?? choices[choices.count - 1]).map { Tick(value: Double($0), label: label($0)) }
        return Self(name: name, ticks: shown, low: low, high: high, isLogarithmic: true)
    }

    /// A short number: `500`, `2k`, `10M`.
    static func label(_ value: Int) -> String {
        for (unit, suffix) in [(1_000_000_000, "G"), (1_000_000, "M"), (1000, "k")] where value >= unit && value % unit == 0 {
            return "\(value / unit)\(suffix)"
        }
        return "\(value)"
    }

    /// A logarithmic scale from one value to another, with those of the ticks that lie on it.
    static func logarithmic(_ name: String, from low: Double, to high: Double, ticks: [Tick]) -> Self {
        let ticks = ticks.filter { (low...high).contains($0.value) }
        // Each label needs room: every second is left out, and again, until eight are left.
        let step = (ticks.count + 7) / 8
        let shown = ticks.indices.filter { $0 % max(step, 1) == 0 }.map { ticks[$0] }
        return Self(name: name, ticks: shown, low: log10(low), high: log10(high), isLogarithmic: true)
    }

    /// A scale from 0 to the value, with about five round steps.
    ///
    /// - Parameters:
    ///   - headroom: The share of the value that is left free above it.
    ///   - unit: The number that counts as one step of 1, such as 3,600,000 ms for hours.
    static func linear(
        _ name: String,
        upTo largest: Double,
        headroom: Double = 0,
        unit: Double = 1,
        label: (Double) -> String = ReportText.short
    ) -> Self {
        let range = max(largest / unit, .leastNormalMagnitude)
        let decade = pow(10, log10(range / 5).rounded(.down))
        let step = [1, 2, 5, 10].map { $0 * decade }.first { range / $0 <= 6 } ?? range
        let ticks = largest > 0 ? (0...6).map { Double($0) * step }.filter { $0 <= range * 1.000_001 } : [0]
        return Self(
            name: name,
            ticks: ticks.map { Tick(value: $0 * unit, label: label($0)) },
            low: 0,
            high: largest > 0 ? largest * (1 + headroom) : 1,
            isLogarithmic: false
        )
    }
}
