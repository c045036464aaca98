// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The runs as a picture: above, how long the slowest hundredth of the requests of each minute took; below, the share that failed.
func plot(_ runs: [Run]) -> String {
    guard let scenario = runs.first?.scenario else { return "" }
    let picture = Picture(scenario: scenario)
    let minute = Duration.seconds(60)
    let summaries = runs.map { $0.summaries(every: minute) }
    var parts = [picture.head, picture.phases, picture.legend(runs.map(\.service))]
    parts.append(picture.latencyAxis)
    parts.append(picture.errorAxis)
    parts.append(picture.timeAxis)
    for (run, pieces) in summaries.enumerated() {
        parts.append(picture.curve(pieces.map { picture.latencyPosition($0.p99) }, every: minute, of: run))
    }
    for (run, pieces) in summaries.enumerated() {
        parts.append(picture.curve(pieces.map { picture.errorPosition($0.errorRatio) }, every: minute, of: run))
    }
    parts.append("</svg>")
    return parts.joined(separator: "\n") + "\n"
}

/// The places of things in the picture.
private struct Picture {
    let scenario: Scenario

    private let width = 960.0
    private let height = 610.0
    private let left = 84.0
    private let right = 936.0
    private let latency = (top: 112.0, bottom: 330.0)
    private let errors = (top: 390.0, bottom: 540.0)
    /// The lowest and the highest latency on the axis, as powers of ten of a millisecond.
    private let decades = 0.0...4.0

    var head: String {
        """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(text(width)) \(text(height))" font-family="system-ui, sans-serif" font-size="13" role="img" \
        aria-label="99th percentile of latency and share of failed requests over time, without a cache, with a dictionary and with Hoard.">
          <style>
            .paper { fill: #ffffff } .ink { fill: #1f2937 } .faint { fill: #4b5563 } .grid { stroke: #d1d5db } .axis { stroke: #4b5563 } .band { fill: #f3f4f6 }
            .curve { fill: none; stroke-width: 2; stroke-linejoin: round } .s0 { stroke: #d1b8a3; stroke-width: 7 }
            .s1 { stroke: #c2410c; stroke-dasharray: 9 4 } .s2 { stroke: #1d4ed8; stroke-width: 3 }
            @media (prefers-color-scheme: dark) {
              .paper { fill: #0d1117 } .ink { fill: #e5e7eb } .faint { fill: #9ca3af } .grid { stroke: #30363d } .axis { stroke: #9ca3af } .band { fill: #161b22 }
              .s0 { stroke: #5b4a3c } .s1 { stroke: #fb923c } .s2 { stroke: #60a5fa }
            }
          </style>
          <rect class="paper" width="\(text(width))" height="\(text(height))" rx="8"/>
          <text class="ink" x="24" y="32" font-size="17" font-weight="600">A service over a database that becomes slow, fails for an hour, and recovers</text>
        """
    }

    /// A name above each phase, and a band behind every other one.
    var phases: String {
        let boundaries = scenario.boundaries
        return scenario.phases.enumerated().map { number, phase in
            let start = position(boundaries[number])
            let end = position(boundaries[number + 1])
            let band = { (panel: (top: Double, bottom: Double)) in
                "  <rect class=\"band\" x=\"\(text(start))\" y=\"\(text(panel.top))\" width=\"\(text(end - start))\" height=\"\(text(panel.bottom - panel.top))\"/>"
            }
            let label =
                "  <text class=\"ink\" x=\"\(text((start + end) / 2))\" y=\"\(text(latency.top - 8))\" text-anchor=\"middle\" font-weight=\"600\">\(phase.name)</text>"
            return number.isMultiple(of: 2) ? label : [band(latency), band(errors), label].joined(separator: "\n")
        }.joined(separator: "\n")
    }

    func legend(_ names: [String]) -> String {
        names.enumerated().map { number, name in
            let x = left + Double(number) * 210
            return """
                  <line class="curve s\(number)" x1="\(text(x))" y1="62" x2="\(text(x + 44))" y2="62"/>
                  <text class="ink" x="\(text(x + 52))" y="66.5">\(name)</text>
                """
        }.joined(separator: "\n")
    }

    var latencyAxis: String {
        let ticks = [(0.0, "≤ 1 ms"), (1, "10 ms"), (2, "100 ms"), (3, "1 s"), (4, "10 s")]
        return title("99th percentile of latency", of: latency)
            + ticks.map { tick($0.1, at: position(decade: $0.0)) }.joined()
    }

    var errorAxis: String {
        title("failed requests", of: errors)
            + [(0.0, "0 %"), (0.5, "50 %"), (1, "100 %")].map { tick($0.1, at: errorPosition($0.0)) }.joined()
    }

    var timeAxis: String {
        let minutes = stride(from: 0.0, through: scenario.duration.seconds / 60, by: 10)
        let ticks = minutes.map { minute in
            let x = text(position(.seconds(minute * 60)))
            return """

                  <line class="axis" x1="\(x)" y1="\(text(errors.bottom))" x2="\(x)" y2="\(text(errors.bottom + 5))"/>
                  <text class="faint" x="\(x)" y="\(text(errors.bottom + 21))" text-anchor="middle">\(Int(minute))</text>
                """
        }
        return """
              <text class="faint" x="\(text((left + right) / 2))" y="\(text(errors.bottom + 46))" text-anchor="middle">minutes</text>
            """ + ticks.joined()
    }

    /// A curve through the middles of the pieces of time.
    func curve(_ positions: [Double], every length: Duration, of run: Int) -> String {
        let points = positions.enumerated().map { number, y in
            "\(text(position(length * Double(number) + length / 2))),\(text(y))"
        }
        return "  <polyline class=\"curve s\(run)\" points=\"\(points.joined(separator: " "))\"/>"
    }

    func latencyPosition(_ latency: Duration) -> Double {
        position(decade: log10(max(1, latency.seconds * 1_000)))
    }

    func errorPosition(_ ratio: Double) -> Double {
        errors.bottom - ratio * (errors.bottom - errors.top)
    }

    private func position(decade: Double) -> Double {
        let share = (min(decade, decades.upperBound) - decades.lowerBound) / (decades.upperBound - decades.lowerBound)
        return latency.bottom - share * (latency.bottom - latency.top)
    }

    private func position(_ time: Duration) -> Double {
        left + time.seconds / scenario.duration.seconds * (right - left)
    }

    private func title(_ title: String, of panel: (top: Double, bottom: Double)) -> String {
        let y = text((panel.top + panel.bottom) / 2)
        return "  <text class=\"faint\" x=\"20\" y=\"\(y)\" text-anchor=\"middle\" transform=\"rotate(-90 20 \(y))\">\(title)</text>"
    }

    private func tick(_ label: String, at y: Double) -> String {
        """

          <line class="grid" x1="\(text(left))" y1="\(text(y))" x2="\(text(right))" y2="\(text(y))"/>
          <text class="faint" x="\(text(left - 8))" y="\(text(y + 4.5))" text-anchor="end">\(label)</text>
        """
    }

    /// A number with at most one digit after the point.
    private func text(_ number: Double) -> String {
        let rounded = (number * 10).rounded() / 10
        return rounded == rounded.rounded() ? "\(Int(rounded))" : "\(rounded)"
    }
}
