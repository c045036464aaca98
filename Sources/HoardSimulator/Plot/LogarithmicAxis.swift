// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// A scale on which each decade has the same length.
struct LogarithmicAxis {
    let low: Double
    let high: Double

    /// A scale on which all the values have a place. Values below 1 count as 1.
    init(values: [Int]) {
        let smallest = Double(max(1, values.min() ?? 1))
        let largest = Double(max(1, values.max() ?? 1))
        // A single value stands in the middle.
        let room = smallest == largest ? 2.0 : 1.0
        low = log10(smallest / room)
        high = log10(largest * room)
    }

    /// Where a value is, from 0 to 1.
    func position(of value: Double) -> Double {
        (log10(value) - low) / (high - low)
    }

    /// Round values on the scale, three to eight or so: 1, 2 and 5 in each decade, or less where that would be too many.
    var ticks: [Int] {
        let decades = Int(low.rounded(.down))...Int(high.rounded(.up))
        func ticks(_ steps: [Double]) -> [Int] {
            decades.flatMap { decade in steps.map { $0 * pow(10, Double(decade)) } }
                .filter { $0 >= 1 && (-0.001...1.001).contains(position(of: $0)) }.map { Int($0.rounded()) }
        }
        let choices = [[1, 2, 3, 4, 5, 6, 7, 8, 9], [1, 2, 5], [1, 3], [1]].map(ticks)
        return choices.first { $0.count <= 8 } ?? choices[choices.count - 1]
    }

    /// A short number: `500`, `2k`, `10M`.
    static func label(_ value: Int) -> String {
        for (unit, suffix) in [(1_000_000_000, "G"), (1_000_000, "M"), (1000, "k")] where value >= unit && value % unit == 0 {
            return "\(value / unit)\(suffix)"
        }
        return "\(value)"
    }
}
