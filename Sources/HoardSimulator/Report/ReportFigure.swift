// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// A drawing of a report, with its words and its numbers.
struct ReportFigure: Sendable {
    let title: String
    /// A sentence or two that say how to read it.
    let text: String
    let drawing: SVGDrawing
    /// The numbers that the drawing shows.
    let table: ReportTable

    init(_ title: String, text: String, drawing: SVGDrawing, table: ReportTable) {
        self.title = title
        self.text = text
        self.drawing = drawing
        self.table = table
    }

    /// A figure of one panel, with a legend if there is more than one thing to tell apart.
    init(_ title: String, text: String, panel: PlotPanel, legend: [PlotLegend.Item] = [], table: ReportTable) {
        let (width, margin) = (760.0, 10.0)
        let legend = PlotLegend(legend, width: width - margin * 2)
        var drawing = SVGDrawing(width: width, height: PlotPanel.height + legend.height)
        legend.draw(x: margin + 52, y: 12, in: &drawing)
        panel.draw(x: margin, y: legend.height, width: width - margin * 2, in: &drawing)
        self.init(title, text: text, drawing: drawing, table: table)
    }

    /// The markup.
    ///
    /// - Parameter id: A name that no other figure of the page has.
    func html(id: String) -> String {
        """
        <figure>
        <h3>\(SVGDrawing.escaped(title))</h3>
        \(drawing.element(id: id, title: title, description: text))
        <figcaption>\(SVGDrawing.escaped(text))</figcaption>
        <details>
        <summary>Numbers</summary>
        \(table.html)
        </details>
        </figure>
        """
    }
}
