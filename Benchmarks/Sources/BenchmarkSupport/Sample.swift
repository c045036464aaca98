// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The measurements of one thing, one for each round.
public struct Sample: Sendable {
    public private(set) var values: [Double] = []

    public init() {}

    public mutating func add(_ value: Double) {
        values.append(value)
    }

    /// 0 if there are no measurements.
    public var median: Double {
        guard !values.isEmpty else { return 0 }
        let sorted = values.sorted()
        let middle = sorted.count / 2
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }

    public var minimum: Double { values.min() ?? 0 }
    public var maximum: Double { values.max() ?? 0 }

    /// The median of this sample's measurements, each divided by the other's of the same round.
    public func medianRatio(to other: Sample) -> Double {
        var ratios = Sample()
        for (value, reference) in zip(values, other.values) where reference > 0 { ratios.add(value / reference) }
        return ratios.median
    }
}
