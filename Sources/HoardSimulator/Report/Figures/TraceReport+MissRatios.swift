// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension TraceReport.Section {
    /// Miss ratios by capacity, of requests and, where there are sizes, of bytes.
    var missRatios: ReportFigure? {
        guard !results.isEmpty else { return nil }
        let hasSizes = results.contains(where: \.hasSizes)
        let rows = results.map { result in
            [result.policy.name, result.countsBytes ? ReportText.bytes(Double(result.capacity)) : ReportText.grouped(result.capacity)]
                + [ReportText.percent(result.missRatio)]
                + (hasSizes ? [ReportText.percent(1 - result.byteHitRatio)] : [])
        }
        return ReportFigure(
            "Miss ratio by capacity",
            text: "The share of the requests that miss, also those to the empty cache in the beginning. "
                + "No cache that loads on a miss gets below \(ReportText.percent(profile.compulsoryMissRatio))."
                + (hasSizes ? " Of bytes: the share of the requested bytes that has to be loaded." : ""),
            drawing: MissRatioPlot([results], showsBytes: true).drawing(columns: 2),
            table: ReportTable(header: ["policy", "capacity", "miss ratio"] + (hasSizes ? ["miss ratio of bytes"] : []), rows: rows)
        )
    }
}
