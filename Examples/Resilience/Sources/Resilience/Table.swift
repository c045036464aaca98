// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The runs, phase by phase, as a table.
func table(_ runs: [Run]) -> String {
    guard let scenario = runs.first?.scenario else { return "" }
    var rows = [["phase", "service", "requests", "fresh", "stale", "failed", "oldest", "p50", "p99", "max", "calls"]]
    for (number, phase) in scenario.phases.enumerated() {
        for (position, run) in runs.enumerated() {
            let summary = run.phaseSummaries[number]
            rows.append([
                position == 0 ? phase.name : "", run.service, "\(summary.requests)", "\(summary.fresh)", "\(summary.stale)", "\(summary.failed)",
                summary.maximumAge?.inSecondsOrMinutes ?? "–", summary.median.inMilliseconds, summary.p99.inMilliseconds,
                summary.maximum.inMilliseconds,
                "\(summary.databaseCalls)",
            ])
        }
    }
    let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    func line(_ row: [String]) -> String {
        let cells = zip(row, widths).enumerated().map { column, cell in
            let padding = String(repeating: " ", count: cell.1 - cell.0.count)
            // Words begin at the left, numbers end at the right.
            return column < 2 ? cell.0 + padding : padding + cell.0
        }
        return cells.joined(separator: "  ")
    }
    var lines = rows.map(line)
    lines.insert(widths.map { String(repeating: "─", count: $0) }.joined(separator: "  "), at: 1)
    return lines.joined(separator: "\n")
}

extension Duration {
    /// The time in milliseconds, such as `0 ms`, `21 ms` or `2500 ms`. A time above zero is at least 1 ms.
    var inMilliseconds: String {
        "\(Int((seconds * 1_000).rounded(.up))) ms"
    }

    /// Such as `89 s` or `62 min`.
    var inSecondsOrMinutes: String {
        seconds < 120 ? "\(Int(seconds.rounded())) s" : "\(Int((seconds / 60).rounded())) min"
    }
}
