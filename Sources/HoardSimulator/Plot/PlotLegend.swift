// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// A piece of line for each curve, with its name, in as many rows as it takes.
struct PlotLegend: Sendable {
    /// A curve or bars.
    struct Item: Sendable {
        /// The class in the style.
        let name: String
        let label: String
        var isBar = false
    }

    let items: [Item]
    let itemWidth: Double
    private let perRow: Int

    init(_ items: [Item], width: Double) {
        self.items = items
        let longest = items.map(\.label.count).max() ?? 0
        itemWidth = max(88, 44 + Double(longest) * 7)
        perRow = max(1, Int(width / itemWidth))
    }

    /// In pixels.
    var height: Double { Double((items.count + perRow - 1) / perRow) * 20 }

    /// Draws the legend with the middle of its first row at that height.
    func draw(x: Double, y: Double, in drawing: inout SVGDrawing) {
        for (index, item) in items.enumerated() {
            let x = x + Double(index % perRow) * itemWidth
            let y = y + Double(index / perRow) * 20
            if item.isBar {
                drawing.bar(x: x, y: y - 6, width: 26, height: 12, class: item.name)
            } else {
                drawing.line(from: (x, y), to: (x + 26, y), class: "curve \(item.name)")
            }
            drawing.text(item.label, x: x + 32, y: y + 4)
        }
    }
}
