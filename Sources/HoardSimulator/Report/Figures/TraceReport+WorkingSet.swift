// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension TraceReport.Section {
    /// Different keys in each window of the trace.
    var workingSet: ReportFigure? {
        let (windows, length) = (profile.workingSet.windows, profile.workingSet.length)
        guard windows.count > 1 else { return nil }
        let end = Double(profile.now)
        let unit = profile.hasTimes ? ReportText.durationUnit(upTo: end) : (milliseconds: 1, name: "requests")
        func place(_ time: UInt64) -> String {
            profile.hasTimes ? ReportText.duration(Double(time)) : ReportText.grouped(Int(clamping: time))
        }
        var panel = PlotPanel(
            across: .linear(profile.hasTimes ? "time (\(unit.name))" : "requests", upTo: end, unit: unit.milliseconds),
            up: .linear("keys", upTo: Double(windows.map(\.keys).max() ?? 0), headroom: 0.05)
        )
        // A last window that is not over has fewer keys for that reason alone.
        let isComplete = windows.last.map { $0.start + (length - 1) <= profile.now } ?? true
        let complete = isComplete ? windows : windows.dropLast()
        func curve(_ name: String, _ hint: String, _ count: KeyPath<WorkingSet.Window, Int>) -> PlotPanel.Curve {
            let points = complete.map { (x: min(Double($0.start) + Double(length) / 2, end), y: Double($0[keyPath: count])) }
            return PlotPanel.Curve(name: name, points: points, hint: hint)
        }
        panel.curves = [curve("second", "new keys", \.newKeys), curve("first", "different keys", \.keys)]
        let rows = windows.map { window in
            [place(window.start)] + [window.requests, window.keys, window.newKeys].map(ReportText.grouped)
        }
        return ReportFigure(
            "Working set",
            text: "How many different keys are requested in each window of \(place(length))\(profile.hasTimes ? "" : " requests"), "
                + "and how many of them are requested for the first time.",
            panel: panel,
            legend: [.init(name: "first", label: "different keys"), .init(name: "second", label: "new keys")],
            table: ReportTable(header: ["from", "requests", "different keys", "new keys"], rows: rows)
        )
    }
}
