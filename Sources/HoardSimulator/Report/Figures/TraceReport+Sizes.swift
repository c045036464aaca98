// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension TraceReport.Section {
    /// Sizes of requests and of keys.
    var sizes: ReportFigure? {
        guard profile.hasSizes else { return nil }
        return HistogramFigure(
            title: "Size",
            text: "The sizes of objects, counted for each request, and once for each key with the size that was known last.",
            valueName: "size",
            series: [.init(label: "requests", histogram: profile.requestSizes), .init(label: "keys", histogram: profile.keySizes)],
            label: { ReportText.bytes(Double($0)) },
            marks: HistogramFigure.byteMarks
        ).figure
    }

    /// The time for which objects may be used.
    var lifetimes: ReportFigure? {
        guard !profile.lifetimes.isEmpty else { return nil }
        let share = Double(profile.lifetimes.total) / Double(profile.requestCount)
        return HistogramFigure(
            title: "Lifetime",
            text: "For how long an object may be used after it was loaded. \(ReportText.percent(share)) of the requests have a lifetime.",
            valueName: "lifetime",
            series: [.init(label: "requests", histogram: profile.lifetimes)],
            label: { ReportText.duration(Double($0)) },
            marks: HistogramFigure.timeMarks
        ).figure
    }
}
