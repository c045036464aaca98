// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The names in an expression of PromQL: enough of the language for the rules and the board of this repository.
struct PrometheusQuery {
    /// The metrics that the expression asks for.
    private(set) var metrics: Set<String> = []
    /// The labels that it selects, groups and matches by.
    private(set) var labels: Set<String> = []

    private static let operators: Set<String> = ["and", "or", "unless", "bool", "offset"]
    private static let listWords: Set<String> = ["by", "without", "on", "ignoring", "group_left", "group_right"]

    init(_ text: String) {
        // Texts and spans of time contain no names.
        var rest = text.replacing(/"(?:[^"\\]|\\.)*"/, with: "\"\"").replacing(/\[[^\]]*\]/, with: "")
        for match in rest.matches(of: /\{([^}]*)\}/) {
            for label in match.output.1.matches(of: /([a-z_]+)\s*(?:=|!)/) { labels.insert(String(label.output.1)) }
        }
        rest = rest.replacing(/\{[^}]*\}/, with: "")
        for match in rest.matches(of: /\b([a-z_]+)\s*\(([^()]*)\)/) where Self.listWords.contains(String(match.output.1)) {
            for label in match.output.2.matches(of: /[a-z_]+/) { labels.insert(String(label.output)) }
        }
        rest = rest.replacing(/\b(?:by|without|on|ignoring|group_left|group_right)\s*\([^()]*\)/, with: "")
        for match in rest.matches(of: /\b([a-z_][a-z0-9_]*)\b\s*(\(?)/) {
            let name = String(match.output.1)
            if match.output.2.isEmpty, !Self.operators.contains(name), !Self.listWords.contains(name) { metrics.insert(name) }
        }
    }
}
