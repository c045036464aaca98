// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension TraceReport.Section {
    /// Distances at which keys come again.
    var reuseDistances: ReportFigure? {
        let distances = profile.reuseDistances
        guard !distances.histogram.isEmpty else { return nil }
        let method =
            distances.halvings == 0
            ? "Exact." : "Estimated from one key in \(ReportText.grouped(1 << distances.halvings)), chosen by a hash (SHARDS)."
        return HistogramFigure(
            title: "Reuse distance",
            text: "For each request for a known key: the keys that an LRU cache has to hold so that it hits. \(method)",
            valueName: "reuse distance (keys)",
            series: [.init(label: "requests", histogram: distances.histogram)],
            label: { ReportText.short(Double($0)) },
            marks: HistogramFigure.decades
        ).figure
    }

    /// Times after which keys come again.
    var reuseTimes: ReportFigure? {
        guard !profile.reuseTimes.isEmpty else { return nil }
        let hasTimes = profile.hasTimes
        return HistogramFigure(
            title: "Time between requests",
            text: hasTimes
                ? "For each request for a known key: the time since it was requested before."
                : "For each request for a known key: how many requests ago it was requested before. The trace has no times.",
            valueName: hasTimes ? "time since the last request" : "requests since the last one",
            series: [.init(label: "requests", histogram: profile.reuseTimes)],
            label: { hasTimes ? ReportText.duration(Double($0)) : ReportText.short(Double($0)) },
            marks: hasTimes ? HistogramFigure.timeMarks : HistogramFigure.decades
        ).figure
    }
}
