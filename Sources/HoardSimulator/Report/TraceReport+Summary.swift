// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension TraceReport.Section {
    /// The numbers at the top.
    var summary: ReportTable {
        var rows = [["requests", ReportText.grouped(profile.requestCount)], ["different keys", ReportText.grouped(profile.keyCount)]]
        guard profile.requestCount > 0 else { return ReportTable(rows: rows) }
        if let duration = profile.duration {
            rows.append(["duration", ReportText.duration(Double(duration))])
            if duration > 0 {
                rows.append(["requests per second", ReportText.short(Double(profile.requestCount) * 1000 / Double(duration))])
            }
        }
        if let meanSize = profile.meanSize, let meanKeySize = profile.meanKeySize {
            rows += [
                ["bytes requested", ReportText.bytes(Double(profile.requestedBytes))],
                ["bytes of all different keys", ReportText.bytes(Double(profile.distinctBytes))],
                ["mean size of a request", ReportText.bytes(meanSize)],
                ["mean size of a key", ReportText.bytes(meanKeySize)],
            ]
        }
        rows += [
            ["requests for keys seen once", ReportText.percent(profile.shareOfRequestsSeenOnce)],
            ["keys seen once", ReportText.percent(profile.shareOfKeysSeenOnce)],
            ["compulsory miss ratio, the bound of any cache", ReportText.percent(profile.compulsoryMissRatio)],
        ]
        if profile.hasSizes {
            rows.append(["compulsory miss ratio of bytes", ReportText.percent(profile.compulsoryByteMissRatio)])
        }
        return ReportTable(rows: rows)
    }
}
