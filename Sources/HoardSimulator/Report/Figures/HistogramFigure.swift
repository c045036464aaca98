// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// A histogram by powers of two, of one series of values or two.
struct HistogramFigure {
    /// Values, and their label.
    struct Series {
        let label: String
        let histogram: PowerHistogram
    }

    let title: String
    let text: String
    /// The name of the lower axis.
    let valueName: String
    let series: [Series]
    /// A value as text.
    let label: (UInt64) -> String
    /// The values that may be marked on the lower axis.
    let marks: [UInt64]

    var figure: ReportFigure {
        let classes = ["first", "second"]
        let bins = series.map(\.histogram.bins)
        let lowest = bins.compactMap { $0.first?.lower }.min() ?? 0
        let highest = bins.compactMap { $0.last?.upper }.max() ?? 1
        let largestShare = series.flatMap { series in series.histogram.bins.map(series.histogram.share) }.max() ?? 1
        let ticks = ([0] + marks).map { PlotAxis.Tick(value: Self.place(of: $0), label: label($0)) }
        var panel = PlotPanel(
            across: .logarithmic(valueName, from: Self.place(of: lowest), to: Self.place(of: highest), ticks: ticks),
            up: .linear("share", upTo: largestShare, headroom: 0.05, unit: 0.01) { ReportText.short($0) + " %" }
        )
        for (index, series) in series.enumerated() {
            panel.bars += series.histogram.bins.map { bar($0, of: series, index: index, class: classes[min(index, 1)]) }
        }
        let legend = zip(series, classes).map { PlotLegend.Item(name: $1, label: $0.label, isBar: true) }
        return ReportFigure(title, text: text, panel: panel, legend: series.count > 1 ? legend : [], table: table(lowest: lowest, highest: highest))
    }

    /// A bar that has its part of the room of the bin, so that those of two series stand side by side.
    private func bar(_ bin: PowerHistogram.Bin, of series: Series, index: Int, class name: String) -> PlotPanel.Bar {
        let (from, to) = (Self.place(of: bin.lower), Self.place(of: bin.upper))
        let middle = (from * to).squareRoot()
        let share = series.histogram.share(bin)
        return PlotPanel.Bar(
            name: name,
            from: self.series.count == 1 || index == 0 ? from : middle,
            to: self.series.count == 1 || index == 1 ? to : middle,
            height: share,
            hint: "\(range(bin)): \(ReportText.percent(share))"
        )
    }

    private func table(lowest: UInt64, highest: UInt64) -> ReportTable {
        var all = PowerHistogram()
        for bin in series.flatMap(\.histogram.bins) { all.add(bin.lower) }
        let rows = all.bins.map { bin in
            [range(bin)]
                + series.flatMap { series in
                    let found = series.histogram.bins.first { $0.lower == bin.lower }
                    return [
                        ReportText.grouped(found?.count ?? 0), ReportText.percent(found.map(series.histogram.share) ?? 0),
                        ReportText.percent(bin.upper == .max ? 1 : series.histogram.share(below: bin.upper)),
                    ]
                }
        }
        return ReportTable(header: [valueName] + series.flatMap { [$0.label, "share", "up to here"] }, rows: rows)
    }

    /// The values of a bin: `0`, `1`, `64–127`.
    private func range(_ bin: PowerHistogram.Bin) -> String {
        bin.upper - bin.lower <= 1 ? label(bin.lower) : "\(label(bin.lower))–\(label(bin.upper))"
    }

    /// Where a value is on a logarithmic axis, on which 0 stands one step below 1.
    private static func place(of value: UInt64) -> Double { value == 0 ? 0.5 : Double(value) }
}

extension HistogramFigure {
    /// 1, 10, 100 and so on.
    static let decades = (0...19).map { power in (0..<power).reduce(UInt64(1)) { value, _ in value * 10 } }
    /// 1 B, 16 B, 256 B, 4 KiB and so on.
    static let byteMarks = stride(from: 0, through: 60, by: 4).map { UInt64(1) << UInt64($0) }
    /// From 1 ms to 10 years, as people count time.
    static let timeMarks: [UInt64] = [
        1, 10, 100, 1000, 10_000, 60_000, 600_000, 3_600_000, 21_600_000, 86_400_000, 604_800_000, 2_592_000_000, 31_536_000_000, 315_360_000_000,
    ]
}
