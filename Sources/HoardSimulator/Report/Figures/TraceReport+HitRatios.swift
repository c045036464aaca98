// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension TraceReport.Section {
    /// Hit ratios in the course of the trace.
    var hitRatios: ReportFigure? {
        guard let history, let longest = history.policies.map({ history.windows(of: $0) }).max(by: { $0.count < $1.count }) else { return nil }
        let policies = SimulationPolicy.all.filter(history.policies.contains)
        let ends = Self.ends(of: longest)
        var panel = PlotPanel(across: .linear("requests", upTo: Double(ends.last ?? 0)), up: .ratio("hit ratio"))
        // The first policies are drawn last, on top of the others.
        panel.curves = policies.reversed().map { policy in
            let windows = history.windows(of: policy)
            let points = zip(windows, Self.ends(of: windows)).map { window, end in (x: Double(end - window.requests / 2), y: window.hitRatio) }
            return PlotPanel.Curve(name: policy.name, points: points)
        }
        let capacity = history.countsBytes ? ReportText.bytes(Double(history.capacity)) : "\(ReportText.grouped(history.capacity)) keys"
        let rows = ends.enumerated().map { place, end in
            [ReportText.grouped(end)]
                + policies.map { policy in
                    let windows = history.windows(of: policy)
                    return place < windows.count ? ReportText.percent(windows[place].hitRatio) : ""
                }
        }
        return ReportFigure(
            "Hit ratio over time",
            text: "The share of hits in each window of \(ReportText.grouped(longest.first?.requests ?? 0)) requests, with a capacity of \(capacity).",
            panel: panel,
            legend: policies.map { PlotLegend.Item(name: $0.name, label: $0.name) },
            table: ReportTable(header: ["up to request"] + policies.map(\.name), rows: rows)
        )
    }

    /// The number of requests at the end of each window.
    private static func ends(of windows: [HitRatioHistory.Window]) -> [Int] {
        var sum = 0
        return windows.map { window in
            sum += window.requests
            return sum
        }
    }
}
