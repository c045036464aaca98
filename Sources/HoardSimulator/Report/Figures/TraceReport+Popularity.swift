// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation

extension TraceReport.Section {
    /// Requests by rank, with the Zipf law that fits best.
    var popularity: ReportFigure? {
        let popularity = profile.popularity
        let ranks = popularity.ranks
        guard let first = ranks.first, let last = ranks.last else { return nil }
        let fit = popularity.zipfFit
        // The line may begin above the most popular key.
        let highest = max(Double(first.requests), fit?.requests(rank: 1) ?? 0, 2)
        var panel = PlotPanel(
            across: .logarithmic("rank", values: [1, max(last.rank, 2)]),
            up: .logarithmic("requests", values: [1, Int(min(highest, 1e18).rounded(.up))])
        )
        var legend = [PlotLegend.Item(name: "first", label: "requests of the key")]
        var text = """
            Requests of each key, from the most popular one on. The top 1 % of the keys have \
            \(ReportText.percent(popularity.share(ofTop: 0.01))) of the requests, the top 10 % \(ReportText.percent(popularity.share(ofTop: 0.1))); \
            \(ReportText.grouped(popularity.keysRequestedOnce)) keys are requested once only.
            """
        if let fit {
            let ends = [1, fit.lastRank].map { (x: Double($0), y: max(fit.requests(rank: $0), 1)) }
            panel.curves.append(PlotPanel.Curve(name: "second", points: ends, hint: "Zipf law"))
            legend.append(PlotLegend.Item(name: "second", label: "Zipf law"))
            text += String(
                format: " Zipf exponent %.2f (R² %.2f): least squares on logarithmic axes, over ranks at even distances with 5 requests or more.",
                fit.exponent,
                fit.determination
            )
        }
        let points = ranks.map { (x: Double($0.rank), y: Double($0.requests)) }
        panel.curves.append(PlotPanel.Curve(name: "first", points: points, hint: "requests by rank"))
        let rows = ranks.map { rank in
            let share = Double(popularity.requests(ofTop: rank.rank)) / Double(popularity.requestCount)
            return [ReportText.grouped(rank.rank), ReportText.grouped(rank.requests), ReportText.percent(share)]
        }
        return ReportFigure(
            "Popularity",
            text: text,
            panel: panel,
            legend: legend,
            table: ReportTable(header: ["rank", "requests", "share of all requests up to here"], rows: rows)
        )
    }
}
