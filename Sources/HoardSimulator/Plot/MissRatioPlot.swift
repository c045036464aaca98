// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Miss-ratio curves as an SVG document: a panel for each access trace and unit of capacities, a curve for each policy.
///
/// The document needs nothing else. Its ground, text and grid follow the reader's light or dark colour scheme.
public struct MissRatioPlot: Sendable {
    /// The results of one access trace.
    struct Panel: Sendable {
        let title: String
        let results: [SimulationResult]
        /// Whether the capacities are bytes.
        let countsBytes: Bool
    }

    let panels: [Panel]
    let policies: [SimulationPolicy]

    /// - Parameter results: For each access trace, its results.
    public init(_ results: [[SimulationResult]]) {
        panels = results.flatMap { results in
            let units = [false, true].filter { unit in results.contains { $0.countsBytes == unit } }
            return (units.isEmpty ? [false] : units).map { unit in
                Panel(title: results.first?.trace ?? "", results: results.filter { $0.countsBytes == unit }, countsBytes: unit)
            }
        }
        let used = Set(results.joined().map(\.policy))
        policies = SimulationPolicy.all.filter(used.contains)
    }

    // All in pixels.
    private static let panelWidth = 460.0
    private static let panelHeight = 320.0
    private static let margin = 20.0
    private static let legendItemWidth = 88.0

    /// The document.
    public var svg: String {
        let columns = min(max(panels.count, 1), 3)
        let rows = (max(panels.count, 1) + columns - 1) / columns
        let width = Self.margin * 2 + Self.panelWidth * Double(columns)
        let perLine = max(1, Int((width - Self.margin * 2) / Self.legendItemWidth))
        let legendHeight = Double((policies.count + perLine - 1) / perLine) * 20
        let top = 44 + legendHeight + 10
        let height = top + Self.panelHeight * Double(rows) + Self.margin

        var drawing = SVGDrawing(width: width, height: height)
        drawing.text("Miss ratio by capacity", x: Self.margin, y: 30, class: "heading")
        for (index, policy) in policies.enumerated() {
            let x = Self.margin + Double(index % perLine) * Self.legendItemWidth
            let y = 52 + Double(index / perLine) * 20
            drawing.line(from: (x, y), to: (x + 26, y), class: "curve \(policy.name)")
            drawing.text(policy.name, x: x + 32, y: y + 4)
        }
        for (index, panel) in panels.enumerated() {
            let x = Self.margin + Double(index % columns) * Self.panelWidth
            let y = top + Double(index / columns) * Self.panelHeight
            draw(panel, x: x, y: y, in: &drawing)
        }
        return drawing.document(style: Self.style)
    }

    private func draw(_ panel: Panel, x: Double, y: Double, in drawing: inout SVGDrawing) {
        let left = x + 44
        let right = x + Self.panelWidth - 20
        let top = y + 28
        let bottom = y + Self.panelHeight - 44
        let axis = LogarithmicAxis(values: panel.results.map(\.capacity))
        func across(_ capacity: Double) -> Double { left + axis.position(of: capacity) * (right - left) }
        func down(_ missRatio: Double) -> Double { bottom - missRatio * (bottom - top) }

        drawing.text(panel.title, x: left, y: y + 18, class: "title")
        for step in 0...5 {
            let ratio = Double(step) / 5
            drawing.line(from: (left, down(ratio)), to: (right, down(ratio)), class: step == 0 ? "axis" : "grid")
            drawing.text(step == 0 ? "0" : step == 5 ? "1" : "0.\(step * 2)", x: left - 8, y: down(ratio) + 4, anchor: "end")
        }
        for tick in axis.ticks {
            drawing.line(from: (across(Double(tick)), top), to: (across(Double(tick)), bottom), class: "grid")
            drawing.text(LogarithmicAxis.label(tick), x: across(Double(tick)), y: bottom + 17, anchor: "middle")
        }
        drawing.line(from: (left, top), to: (left, bottom), class: "axis")
        drawing.text(
            panel.countsBytes ? "capacity (bytes)" : "capacity (keys)",
            x: (left + right) / 2,
            y: bottom + 34,
            class: "name",
            anchor: "middle"
        )
        drawing.text("miss ratio", x: x + 10, y: (top + bottom) / 2, class: "name", anchor: "middle", isUpward: true)
        // The first policies are drawn last, on top of the others.
        for policy in policies.reversed() {
            let points = panel.results.filter { $0.policy == policy }.sorted { $0.capacity < $1.capacity }
                .map { (across(Double($0.capacity)), down($0.missRatio)) }
            guard !points.isEmpty else { continue }
            drawing.curve(points, class: "curve \(policy.name)", hint: policy.name)
        }
    }

    // Colours of medium lightness are told apart on white and on black; dashes tell them apart without colour.
    private static let style = """
        svg { font: 12px system-ui, "Helvetica Neue", Arial, "DejaVu Sans", sans-serif; background: #ffffff; }
        .ground { fill: #ffffff; }
        text { fill: #24292f; }
        .heading { font-size: 18px; font-weight: 600; }
        .title { font-size: 14px; font-weight: 600; }
        .name { fill: #6e7781; }
        .axis { stroke: #6e7781; }
        .grid { stroke: #d0d7de; stroke-width: 0.6; }
        .curve { fill: none; stroke-width: 1.8; stroke-linejoin: round; stroke-linecap: round; }
        .dot { stroke: none; }
        .hoard { stroke: #e5484d; stroke-width: 3.2; } .dot.hoard { fill: #e5484d; }
        .lru { stroke: #3b82f6; } .dot.lru { fill: #3b82f6; }
        .fifo { stroke: #8b95a1; stroke-dasharray: 6 4; } .dot.fifo { fill: #8b95a1; }
        .clock { stroke: #06a5b5; stroke-dasharray: 9 3; } .dot.clock { fill: #06a5b5; }
        .sieve { stroke: #c2850c; stroke-dasharray: 2 4; } .dot.sieve { fill: #c2850c; }
        .s3fifo { stroke: #22a05a; } .dot.s3fifo { fill: #22a05a; }
        .arc { stroke: #a855f7; } .dot.arc { fill: #a855f7; }
        .lirs { stroke: #e2689f; stroke-dasharray: 10 3 2 3; } .dot.lirs { fill: #e2689f; }
        .hoard-bytes { stroke: #f0883e; stroke-width: 2.6; } .dot.hoard-bytes { fill: #f0883e; }
        .tinylfu { stroke: #0f9d8a; stroke-dasharray: 12 3; } .dot.tinylfu { fill: #0f9d8a; }
        .gdsf { stroke: #7a9a01; stroke-dasharray: 5 2; } .dot.gdsf { fill: #7a9a01; }
        .lhd { stroke: #b9770e; stroke-dasharray: 8 2 2 2; } .dot.lhd { fill: #b9770e; }
        .adaptsize { stroke: #6e7bd9; stroke-dasharray: 3 3; } .dot.adaptsize { fill: #6e7bd9; }
        .pfoo-l { stroke: #7d8590; stroke-width: 2.4; stroke-dasharray: 1 5; } .dot.pfoo-l { fill: #7d8590; }
        .opt { stroke: #7d8590; stroke-width: 2.4; stroke-dasharray: 1 5; } .dot.opt { fill: #7d8590; }
        .dot { stroke: none; }
        @media (prefers-color-scheme: dark) {
          svg { background: #0d1117; }
          .ground { fill: #0d1117; }
          text { fill: #e6edf3; }
          .name { fill: #9198a1; }
          .axis { stroke: #9198a1; }
          .grid { stroke: #30363d; }
        }
        """
}
