// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Figures in the text format of Prometheus, version 0.0.4.
///
/// [Exposition formats](https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format)
package struct PrometheusText: Sendable {
    package enum Kind: String, Sendable { case counter, gauge, summary }

    /// A figure of a family.
    package struct Sample: Sendable {
        /// The text after the family's name: `_sum`, `_count` or nothing.
        var suffix = ""
        var labels: [(name: String, value: String)] = []
        var value: Double

        package init(_ value: Double, suffix: String = "", _ labels: [(name: String, value: String)] = []) {
            self.value = value
            self.suffix = suffix
            self.labels = labels
        }
    }

    package static var contentType: String { "text/plain; version=0.0.4; charset=utf-8" }

    /// Every line ends with a line feed, as the format demands.
    package private(set) var text = ""

    package init() {}

    /// Adds figures that belong together. Without a sample nothing is added.
    package mutating func add(_ name: String, _ kind: Kind, _ help: String, _ samples: [Sample]) {
        if samples.isEmpty { return }
        text += "# HELP \(name) \(Self.escaped(help, quotes: false))\n# TYPE \(name) \(kind.rawValue)\n"
        for sample in samples {
            text += name
            text += sample.suffix
            if !sample.labels.isEmpty {
                let labels = sample.labels.map { "\($0.name)=\"\(Self.escaped($0.value, quotes: true))\"" }
                text += "{\(labels.joined(separator: ","))}"
            }
            text += " \(Self.number(sample.value))\n"
        }
    }

    /// The same with one figure.
    package mutating func add(_ name: String, _ kind: Kind, _ help: String, _ value: some BinaryInteger) {
        add(name, kind, help, [Sample(Double(value))])
    }

    private static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        // Whole numbers without an exponent, as far as a double holds them.
        if value.rounded() == value, abs(value) < 9e15 { return String(Int64(value)) }
        return String(value)
    }

    private static func escaped(_ text: String, quotes: Bool) -> String {
        var escaped = ""
        for character in text.unicodeScalars {
            switch character {
            case "\\": escaped += "\\\\"
            case "\n": escaped += "\\n"
            case "\"" where quotes: escaped += "\\\""
            default: escaped.unicodeScalars.append(character)
            }
        }
        return escaped
    }
}
