// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import HoardSimulator

/// Simulation results as tables: a line for each access trace and capacity, a column for each policy.
///
/// The first table has hit ratios. Others follow where there are sizes, a disk, costs or lifetimes.
struct SimulationTable {
    /// How far below LRU a hit ratio must be to be counted.
    static let tolerance = 0.005

    /// A number that each result has, or does not have.
    private struct Measure: Sendable {
        let name: String
        /// From 0 to 1; `nil` if the result says nothing about it.
        let ratio: @Sendable (SimulationResult) -> Double?
    }

    private static let hits = Measure(name: "hit ratio") { $0.hitRatio }
    private static let others = [
        Measure(name: "byte hit ratio") { $0.showsBytes ? $0.byteHitRatio : nil },
        Measure(name: "disk hit ratio") { $0.diskHitRatio },
        Measure(name: "saved time") { $0.savedTimeRatio },
        Measure(name: "expired") { result in result.expired.map { Double($0) / Double(max(1, result.requests)) } },
    ]

    private let policies: [SimulationPolicy]
    /// The results of each line, in the order of the policies; `nil` for a policy that cannot count the capacity's unit.
    private let cells: [[SimulationResult?]]

    /// - Parameter results: In the order in which a simulation returns them.
    init(_ results: [SimulationResult]) {
        var policies: [SimulationPolicy] = []
        for result in results where !policies.contains(result.policy) { policies.append(result.policy) }
        self.policies = policies
        var cells: [[SimulationResult?]] = []
        var last: SimulationResult?
        for result in results {
            let isSameLine = last.map { $0.trace == result.trace && $0.capacity == result.capacity && $0.countsBytes == result.countsBytes } ?? false
            guard let column = policies.firstIndex(of: result.policy) else { continue }
            if !isSameLine || cells.last?[column] != nil { cells.append(Array(repeating: nil, count: policies.count)) }
            cells[cells.count - 1][column] = result
            last = result
        }
        self.cells = cells
    }

    /// The mean hit ratio of each policy over all lines.
    var means: [Double] { means(of: Self.hits).map { $0 ?? 0 } }

    private func means(of measure: Measure) -> [Double?] {
        policies.indices.map { column in
            let ratios = cells.compactMap { $0[column].flatMap(measure.ratio) }
            return ratios.isEmpty ? nil : ratios.reduce(0, +) / Double(ratios.count)
        }
    }

    /// For each policy, how many lines lie more than ``tolerance`` under LRU; `nil` without LRU.
    var underLRU: [Int]? {
        guard let lru = policies.firstIndex(of: .lru) else { return nil }
        return policies.indices.map { column in
            cells.count { line in
                guard let ratio = line[column]?.hitRatio, let base = line[lru]?.hitRatio else { return false }
                return ratio < base - Self.tolerance
            }
        }
    }

    var lines: [String] {
        var lines = table(of: Self.hits, withUnderLRU: true)
        for measure in Self.others where cells.contains(where: { $0.contains { $0.flatMap(measure.ratio) != nil } }) {
            lines += ["", "\(measure.name) in %"] + table(of: measure, withUnderLRU: false)
        }
        return lines
    }

    private func table(of measure: Measure, withUnderLRU: Bool) -> [String] {
        var table = TextTable(
            [("TRACE", .left), ("CAPACITY", .right), ("REQUESTS", .right)] + policies.map { ($0.name.uppercased(), .right) }
        )
        for cell in cells {
            guard let first = cell.lazy.compactMap(\.self).first else { continue }
            let capacity = first.countsBytes ? "\(ByteCount(first.capacity))" : "\(first.capacity)"
            table.append([first.trace, capacity, "\(first.requests)"] + cell.map { Self.percent($0.flatMap(measure.ratio)) })
        }
        if cells.count > 1 {
            table.append(["mean \(measure.name) in %", "", ""] + means(of: measure).map(Self.percent))
            if withUnderLRU, let underLRU, policies.count > 1 {
                table.append(["lines more than 0.5 points under LRU", "", ""] + zip(policies, underLRU).map { $0 == .lru ? "-" : "\($1)" })
            }
        }
        return table.lines
    }

    private static func percent(_ ratio: Double?) -> String {
        ratio.map { String(format: "%.2f", $0 * 100) } ?? "-"
    }
}
