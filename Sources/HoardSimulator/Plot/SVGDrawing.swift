// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Collects the elements of an SVG document.
struct SVGDrawing {
    private let width: Double
    private let height: Double
    private var elements: [String] = []

    init(width: Double, height: Double) {
        self.width = width
        self.height = height
    }

    mutating func line(from start: (x: Double, y: Double), to end: (x: Double, y: Double), class name: String) {
        elements.append(
            #"<line class="\#(name)" x1="\#(Self.number(start.x))" y1="\#(Self.number(start.y))" x2="\#(Self.number(end.x))" y2="\#(Self.number(end.y))"/>"#
        )
    }

    mutating func text(
        _ text: String,
        x: Double,
        y: Double,
        class name: String? = nil,
        anchor: String? = nil,
        isUpward: Bool = false
    ) {
        var attributes = #"x="\#(Self.number(x))" y="\#(Self.number(y))""#
        if let name { attributes += #" class="\#(name)""# }
        if let anchor { attributes += #" text-anchor="\#(anchor)""# }
        if isUpward { attributes += #" transform="rotate(-90 \#(Self.number(x)) \#(Self.number(y)))""# }
        elements.append("<text \(attributes)>\(Self.escaped(text))</text>")
    }

    /// A rectangle. A pointer that rests on it shows the hint.
    mutating func bar(x: Double, y: Double, width: Double, height: Double, class name: String, hint: String? = nil) {
        let place = #"x="\#(Self.number(x))" y="\#(Self.number(y))""#
        // A small bar has to be seen, too.
        let size = #"width="\#(Self.number(max(width - 1, 1)))" height="\#(Self.number(max(height, 0.5)))""#
        let title = hint.map { "<title>\(Self.escaped($0))</title>" } ?? ""
        elements.append(#"<rect class="bar \#(name)" \#(place) \#(size)>\#(title)</rect>"#)
    }

    /// Points and the line through them. A pointer that rests on it shows the hint.
    mutating func curve(_ points: [(x: Double, y: Double)], class name: String, hint: String, hasDots: Bool = true) {
        let path = points.map { "\(Self.number($0.x)),\(Self.number($0.y))" }.joined(separator: " ")
        elements.append(#"<g><title>\#(Self.escaped(hint))</title><polyline class="\#(name)" points="\#(path)"/>"#)
        // A single point has no line.
        for point in points where hasDots || points.count == 1 {
            let dot = name.replacingOccurrences(of: "curve", with: "dot")
            elements.append(#"<circle class="\#(dot)" cx="\#(Self.number(point.x))" cy="\#(Self.number(point.y))" r="2.6"/>"#)
        }
        elements.append("</g>")
    }

    /// The drawing as a part of a page that has the style. The title and the description are for readers who do not see
    /// it.
    func element(id: String, title: String, description: String) -> String {
        let size = "0 0 \(Self.number(width)) \(Self.number(height))"
        return """
            <svg viewBox="\(size)" style="max-width: \(Self.number(width))px" role="img" aria-labelledby="\(id)-title \(id)-text">
            <title id="\(id)-title">\(Self.escaped(title))</title>
            <desc id="\(id)-text">\(Self.escaped(description))</desc>
            \(elements.joined(separator: "\n"))
            </svg>
            """
    }

    func document(style: String) -> String {
        let size = #"width="\#(Self.number(width))" height="\#(Self.number(height))""#
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <svg xmlns="http://www.w3.org/2000/svg" \(size) viewBox="0 0 \(Self.number(width)) \(Self.number(height))" role="img">
            <style>
            \(style)
            </style>
            <rect class="ground" \(size)/>
            \(elements.joined(separator: "\n"))
            </svg>

            """
    }

    /// At most one decimal place.
    static func number(_ value: Double) -> String {
        let tenths = (value * 10).rounded() / 10
        return tenths == tenths.rounded() ? "\(Int(tenths))" : "\(tenths)"
    }

    /// Text without the characters that mean something in XML, and without those that may not be in it.
    static func escaped(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case _ where scalar.value < 0x20: result += "\u{FFFD}"
            case "\u{FFFE}", "\u{FFFF}": result += "\u{FFFD}"
            default: result.unicodeScalars.append(scalar)
            }
        }
    }
}
