// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import BenchmarkSupport

/// The goal that a row has to reach. Its first subject is `DiskStore`.
enum Goal: Sendable {
    /// The time, at most so many times that of the subject of this index.
    case timeRatio(to: Int, wanted: Double, reach: Double)
    /// The time, at most so many microseconds.
    case microseconds(wanted: Double, reach: Double)
    /// The throughput, at least so many times that of the subject of this index.
    case speedRatio(to: Int, wanted: Double, reach: Double)
    /// For information.
    case none
}

extension Goal {
    struct Verdict {
        let value: Double
        let wanted: Double
        let reach: Double
        fileprivate let unit: String
        fileprivate let isUpperBound: Bool

        var word: String {
            holds(reach) ? "reached" : holds(wanted) ? "as wanted" : "missed"
        }

        var text: String { decimal(value, digits: 2) + unit }
        var wantedText: String { bound(wanted) }
        var reachText: String { bound(reach) }

        private func holds(_ limit: Double) -> Bool {
            isUpperBound ? value <= limit : value >= limit
        }

        private func bound(_ limit: Double) -> String {
            "\(isUpperBound ? "≤" : "≥") \(decimal(limit))\(unit)"
        }
    }

    /// The verdict of the line of this index on the goal; `nil` if the goal is about another line.
    func verdict(on own: Sample, beside other: Sample, index: Int) -> Verdict? {
        switch self {
        case .timeRatio(index, let wanted, let reach):
            Verdict(value: own.medianRatio(to: other), wanted: wanted, reach: reach, unit: "×", isUpperBound: true)
        case .speedRatio(index, let wanted, let reach):
            Verdict(value: other.medianRatio(to: own), wanted: wanted, reach: reach, unit: "×", isUpperBound: false)
        case .microseconds(let wanted, let reach) where index == 0:
            Verdict(value: own.median, wanted: wanted, reach: reach, unit: " µs", isUpperBound: true)
        default: nil
        }
    }
}
