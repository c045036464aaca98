// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

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
        /// Whether the misses are counted in bytes of objects, and not in requests.
        let weighsBytes: Bool
    }

    let panels: [Panel]
    let policies: [SimulationPolicy]

    /// - Parameter results: For each access trace, its results.
    public init(_ results: [[SimulationResult]]) {
        self.init(results, showsBytes: false)
    }

    /// - Parameter showsBytes: Whether a trace that has sizes gets panels of the bytes that were missed, too.
    init(_ results: [[SimulationResult]], showsBytes: Bool) {
        panels = results.flatMap { results in
            let units = [false, true].filter { unit in results.contains { $0.countsBytes == unit } }
            let weights = showsBytes && results.contains(where: \.hasSizes) ? [false, true] : [false]
            return (units.isEmpty ? [false] : units).flatMap { unit in
                weights.map { weight in
                    let results = results.filter { $0.countsBytes == unit }
                    return Panel(title: results.first?.trace ?? "", results: results, countsBytes: unit, weighsBytes: weight)
                }
            }
        }
        let used = Set(results.joined().map(\.policy))
        policies = SimulationPolicy.all.filter(used.contains)
    }

    /// In pixels.
    private static let margin = 20.0

    /// The document.
    public var svg: String { drawing(heading: "Miss ratio by capacity").document(style: PlotStyle.sheet) }

    /// The panels below a legend and, if there is one, a heading.
    ///
    /// - Parameter columns: How many panels stand side by side at most.
    func drawing(heading: String? = nil, columns: Int = 3) -> SVGDrawing {
        let columns = min(max(panels.count, 1), columns)
        let rows = (max(panels.count, 1) + columns - 1) / columns
        let width = Self.margin * 2 + PlotPanel.width * Double(columns)
        let legend = PlotLegend(policies.map { PlotLegend.Item(name: $0.name, label: $0.name) }, width: width - Self.margin * 2)
        let legendTop = heading == nil ? 10.0 : 44
        let top = legendTop + legend.height + 10
        var drawing = SVGDrawing(width: width, height: top + PlotPanel.height * Double(rows) + Self.margin)
        if let heading { drawing.text(heading, x: Self.margin, y: 30, class: "heading") }
        legend.draw(x: Self.margin, y: legendTop + 8, in: &drawing)
        for (index, panel) in panels.enumerated() {
            let x = Self.margin + Double(index % columns) * PlotPanel.width
            let y = top + Double(index / columns) * PlotPanel.height
            plot(panel).draw(x: x, y: y, in: &drawing)
        }
        return drawing
    }

    private func plot(_ panel: Panel) -> PlotPanel {
        var plot = PlotPanel(
            title: panel.title,
            across: .logarithmic(panel.countsBytes ? "capacity (bytes)" : "capacity (keys)", values: panel.results.map(\.capacity)),
            up: .ratio(panel.weighsBytes ? "miss ratio of bytes" : "miss ratio")
        )
        // The first policies are drawn last, on top of the others.
        plot.curves = policies.reversed().map { policy in
            let results = panel.results.filter { $0.policy == policy }.sorted { $0.capacity < $1.capacity }
            let points = results.map { (Double($0.capacity), panel.weighsBytes ? 1 - $0.byteHitRatio : $0.missRatio) }
            return PlotPanel.Curve(name: policy.name, points: points, hasDots: true)
        }
        return plot
    }
}
