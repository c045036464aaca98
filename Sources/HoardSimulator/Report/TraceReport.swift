// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// A page about access traces, and about the results of caches on them: one HTML file that needs nothing else.
///
/// It has no script. Drawings are inline SVG, each with its numbers in a table. Its colours follow the reader's light or dark scheme.
///
/// ```swift
/// let section = TraceReport.Section(profile: profile, results: results, history: history)
/// try TraceReport([section]).html.write(toFile: "report.html", atomically: true, encoding: .utf8)
/// ```
public struct TraceReport: Sendable {
    /// All that is known about one access trace.
    public struct Section: Sendable {
        /// The profile of the access trace.
        public let profile: TraceProfile
        /// The results of a ``Simulation``; there may be none.
        public let results: [SimulationResult]
        /// Hit ratios in the course of the access trace; `nil` if there is nothing to show.
        public let history: HitRatioHistory?

        /// Creates the part about an access trace.
        public init(profile: TraceProfile, results: [SimulationResult] = [], history: HitRatioHistory? = nil) {
            self.profile = profile
            self.results = results
            self.history = history
        }
    }

    /// In the order in which they are shown.
    public let sections: [Section]

    /// Creates a report of these parts.
    public init(_ sections: [Section]) {
        self.sections = sections
    }

    /// The page.
    ///
    /// - Complexity: O(*n*) in the different keys of all access traces.
    public var html: String {
        let title = sections.count == 1 ? "Access trace \(sections[0].profile.name)" : "\(sections.count) access traces"
        let parts = sections.enumerated().map { number, section in
            let figures = section.figures.enumerated().map { $1.html(id: "trace-\(number + 1)-figure-\($0 + 1)") }
            return """
                <section>
                <h2>\(SVGDrawing.escaped(section.profile.name))</h2>
                \(section.summary.html)
                \(figures.joined(separator: "\n"))
                </section>
                """
        }
        return """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8"/>
            <meta name="viewport" content="width=device-width, initial-scale=1"/>
            <meta name="color-scheme" content="light dark"/>
            <title>\(SVGDrawing.escaped(title))</title>
            <style>
            \(PlotStyle.sheet)
            \(Self.pageStyle)
            </style>
            </head>
            <body>
            <main>
            <h1>\(SVGDrawing.escaped(title))</h1>
            \(parts.joined(separator: "\n"))
            </main>
            </body>
            </html>

            """
    }
}

extension TraceReport.Section {
    /// The figures that there is something to show in.
    var figures: [ReportFigure] {
        guard profile.requestCount > 0 else { return [] }
        return [
            missRatios, hitRatios, reuseDistances, reuseTimes, popularity, sizes, lifetimes, workingSet,
        ].compactMap(\.self)
    }
}
