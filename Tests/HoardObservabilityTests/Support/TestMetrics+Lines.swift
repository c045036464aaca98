// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import CoreMetrics
import MetricsTestKit

extension TestMetrics {
    /// Every metric with its labels, sorted: `cache.requests{cache=users, …} 3`. Counters give their totals, gauges their last values, timers the
    /// number of durations.
    var lines: [String] {
        func line(_ label: String, _ dimensions: [(String, String)], _ value: Int64) -> String {
            "\(label){\(dimensions.map { "\($0.0)=\($0.1)" }.joined(separator: ", "))} \(value)"
        }
        let counters = counters.map { line($0.label, $0.dimensions, $0.totalValue) }
        let gauges = recorders.map { line($0.label, $0.dimensions, Int64($0.values.last ?? -1)) }
        let timers = timers.map { line($0.label, $0.dimensions, Int64($0.values.count)) }
        return (counters + gauges + timers).sorted()
    }

    /// The lines of one metric.
    func lines(_ label: String) -> [String] {
        lines.filter { $0.hasPrefix(label + "{") }
    }
}
