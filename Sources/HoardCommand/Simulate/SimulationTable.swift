// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import HoardSimulator

/// Simulation results as a table: a line for each access trace and capacity, a column for each policy.
struct SimulationTable {
    /// How far below LRU a hit ratio must be to be counted.
    static let tolerance = 0.005

    private let policies: [SimulationPolicy]
    /// The results of each line, in the order of the policies.
    private let cells: [[SimulationResult]]

    /// - Parameter results: In the order in which a simulation returns them.
    init(_ results: [SimulationResult]) {
        var policies: [SimulationPolicy] = []
        for result in results where !policies.contains(result.policy) { policies.append(result.policy) }
        self.policies = policies
        self.cells = stride(from: 0, to: results.count, by: max(1, policies.count)).map { Array(results[$0..<$0 + policies.count]) }
    }

    /// The mean hit ratio of each policy over all lines.
    var means: [Double] {
        policies.indices.map { column in cells.reduce(0) { $0 + $1[column].hitRatio } / Double(cells.count) }
    }

    /// For each policy, how many lines lie more than ``tolerance`` under LRU; `nil` without LRU.
    var underLRU: [Int]? {
        guard let lru = policies.firstIndex(of: .lru) else { return nil }
        return policies.indices.map { column in cells.count { $0[column].hitRatio < $0[lru].hitRatio - Self.tolerance } }
    }

    var lines: [String] {
        var table = TextTable(
            [("TRACE", .left), ("CAPACITY", .right), ("REQUESTS", .right)] + policies.map { ($0.name.uppercased(), .right) }
        )
        for cell in cells {
            guard let first = cell.first else { continue }
            table.append([first.trace, "\(first.capacity)", "\(first.requests)"] + cell.map { Self.percent($0.hitRatio) })
        }
        if cells.count > 1 {
            table.append(["mean hit ratio in %", "", ""] + means.map(Self.percent))
            if let underLRU, policies.count > 1 {
                table.append(["lines more than 0.5 points under LRU", "", ""] + zip(policies, underLRU).map { $0 == .lru ? "-" : "\($1)" })
            }
        }
        return table.lines
    }

    private static func percent(_ ratio: Double) -> String {
        String(format: "%.2f", ratio * 100)
    }
}
