// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import HoardSimulator

/// Simulation results as tables: a line for each access trace and capacity, a column for each policy.
///
/// The first table has hit ratios. Others follow where there are sizes, a disk, a fleet, costs or lifetimes.
struct SimulationTable {
    /// How far below LRU a hit ratio must be to be counted.
    static let tolerance = 0.005

    /// A number that each result has, or does not have.
    private struct Measure: Sendable {
        let name: String
        var text: @Sendable (Double) -> String = { String(format: "%.2f", $0 * 100) }
        /// A ratio is from 0 to 1; `nil` if the result says nothing about it.
        let value: @Sendable (SimulationResult) -> Double?
    }

    private static let hits = Measure(name: "hit ratio in %") { $0.hitRatio }
    private static let others = [
        Measure(name: "byte hit ratio in %") { $0.showsBytes ? $0.byteHitRatio : nil },
        Measure(name: "disk hit ratio in %") { $0.diskHitRatio },
        Measure(name: "hit ratio of the near caches in %") { result in result.sharedHitRatio.map { result.hitRatio - $0 } },
        Measure(name: "hit ratio of the shared tier in %") { $0.sharedHitRatio },
        Measure(name: "origin loads", text: count) { $0.fleet.map { Double($0.originLoads) } },
        Measure(name: "origin loads without leases", text: count) { $0.fleet?.originLoadsWithoutLeases.map(Double.init) },
        Measure(name: "origin loads per key", text: average) { $0.fleet?.loadsPerKey },
        Measure(name: "most origin loads of a key", text: count) { $0.fleet.map { Double($0.mostLoadsOfAKey) } },
        Measure(name: "from the shared tier", text: bytes) { result in result.showsBytes ? result.fleet?.sharedBytes(\.bytesFromShared) : nil },
        Measure(name: "to the shared tier", text: bytes) { result in result.showsBytes ? result.fleet?.sharedBytes(\.bytesToShared) : nil },
        Measure(name: "saved time in %") { $0.savedTimeRatio },
        Measure(name: "stale hits in %") { result in result.staleHits.map { Double($0) / Double(max(1, result.requests)) } },
        Measure(name: "expired in %") { result in result.expired.map { Double($0) / Double(max(1, result.requests)) } },
    ]

    private static let count: @Sendable (Double) -> String = { String(format: "%.0f", $0) }
    private static let average: @Sendable (Double) -> String = { String(format: "%.2f", $0) }
    // A sum of sizes may be the largest number there is, and is then rounded up.
    private static let bytes: @Sendable (Double) -> String = { "\(ByteCount(Int(clamping: $0)))" }

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
            let ratios = cells.compactMap { $0[column].flatMap(measure.value) }
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
        for measure in Self.others where cells.contains(where: { $0.contains { $0.flatMap(measure.value) != nil } }) {
            lines += ["", measure.name] + table(of: measure, withUnderLRU: false)
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
            table.append([first.trace, capacity, "\(first.requests)"] + cell.map { $0.flatMap(measure.value).map(measure.text) ?? "-" })
        }
        if cells.count > 1 {
            table.append(["mean \(measure.name)", "", ""] + means(of: measure).map { $0.map(measure.text) ?? "-" })
            if withUnderLRU, let underLRU, policies.count > 1 {
                table.append(["lines more than 0.5 points under LRU", "", ""] + zip(policies, underLRU).map { $0 == .lru ? "-" : "\($1)" })
            }
        }
        return table.lines
    }
}

extension FleetResult {
    /// Bytes that went from or to the shared tier; `nil` if there is none.
    fileprivate func sharedBytes(_ bytes: KeyPath<Self, Int>) -> Double? { sharedHits.map { _ in Double(self[keyPath: bytes]) } }
}
