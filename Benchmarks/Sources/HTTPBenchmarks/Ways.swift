// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import BenchmarkSupport

/// Several ways of asking for the same, timed in turn. The others are compared with the first.
struct Ways: Sendable {
    let title: String
    let cases: [String]
    var unit = Unit.microseconds
    /// Whether the last column is the difference to the first, and not the ratio.
    var isDifference = false
    /// A round asks as often as it is told to, divided by this: more than 1 for slow ways.
    var divisor = 1
    /// Asks so many times in one of the ways, and returns the nanoseconds of each.
    let run: @Sendable (_ name: String, _ count: Int) async throws -> Double

    /// The unit of times.
    enum Unit: String {
        case nanoseconds = "ns"
        case microseconds = "µs"

        var length: Double { self == .nanoseconds ? 1 : 1e3 }
    }

    func table(rounds: Int, count: Int) async throws -> String {
        var samples = cases.map { _ in Sample() }
        for round in 0...rounds {
            for (number, name) in cases.enumerated() {
                let time = try await run(name, max(1, count / divisor)) / unit.length
                // The first round warms up.
                if round > 0 { samples[number].add(time) }
            }
        }
        var table = Table(header: [title, unit.rawValue, "min", "max", isDifference ? "less the first" : "to the first"], leading: 1)
        for (name, sample) in zip(cases, samples) {
            let comparison = isDifference ? decimal(sample.median - samples[0].median) : decimal(sample.medianRatio(to: samples[0]), digits: 2)
            table.add([name, decimal(sample.median), decimal(sample.minimum), decimal(sample.maximum), comparison])
        }
        return table.text
    }
}
