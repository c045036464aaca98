// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// One diagram: two axes, and bars or curves between them.
struct PlotPanel: Sendable {
    /// Points, and the line through them.
    struct Curve: Sendable {
        /// The class in the style, and the text for a pointer that rests on the curve.
        let name: String
        let points: [(x: Double, y: Double)]
        /// Whether each point is a dot. Many of them hide the line.
        var hasDots = false
        var hint: String?
    }

    /// A bar that stands on the lower axis.
    struct Bar: Sendable {
        let name: String
        let from: Double
        let to: Double
        let height: Double
        let hint: String
    }

    var title = ""
    let across: PlotAxis
    let up: PlotAxis
    /// Drawn one after the other; the last lies on top.
    var curves: [Curve] = []
    var bars: [Bar] = []

    /// In pixels, with the labels.
    static let width = 460.0
    static let height = 320.0

    /// Draws the panel.
    ///
    /// - Parameters:
    ///   - x: The left edge.
    ///   - y: The upper edge.
    func draw(x: Double, y: Double, width: Double = Self.width, in drawing: inout SVGDrawing) {
        let (left, right) = (x + 52, x + width - 20)
        let (top, bottom) = (y + 28, y + Self.height - 44)
        func horizontal(_ value: Double) -> Double { left + across.position(of: value) * (right - left) }
        func vertical(_ value: Double) -> Double { bottom - up.position(of: value) * (bottom - top) }

        drawing.text(title, x: left, y: y + 18, class: "title")
        for tick in up.ticks {
            let height = vertical(tick.value)
            drawing.line(from: (left, height), to: (right, height), class: height == bottom ? "axis" : "grid")
            drawing.text(tick.label, x: left - 8, y: height + 4, anchor: "end")
        }
        for tick in across.ticks {
            drawing.line(from: (horizontal(tick.value), top), to: (horizontal(tick.value), bottom), class: "grid")
            drawing.text(tick.label, x: horizontal(tick.value), y: bottom + 17, anchor: "middle")
        }
        for bar in bars where bar.height > 0 {
            let (start, end) = (horizontal(bar.from), horizontal(bar.to))
            drawing.bar(x: start, y: vertical(bar.height), width: end - start, height: bottom - vertical(bar.height), class: bar.name, hint: bar.hint)
        }
        drawing.line(from: (left, top), to: (left, bottom), class: "axis")
        drawing.line(from: (left, bottom), to: (right, bottom), class: "axis")
        drawing.text(across.name, x: (left + right) / 2, y: bottom + 34, class: "name", anchor: "middle")
        drawing.text(up.name, x: x + 10, y: (top + bottom) / 2, class: "name", anchor: "middle", isUpward: true)
        for curve in curves where !curve.points.isEmpty {
            let points = curve.points.map { (horizontal($0.x), vertical($0.y)) }
            drawing.curve(points, class: "curve \(curve.name)", hint: curve.hint ?? curve.name, hasDots: curve.hasDots)
        }
    }
}
