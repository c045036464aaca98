// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The alert rules and the board ask for metrics that the proxy reports, and for nothing else.
@Suite struct MonitoringTests {
    /// The names of metrics and labels that `/metrics` of the admin address has, read from the code that writes it.
    struct Told {
        var metrics: Set<String> = []
        var labels: Set<String> = []

        init() throws {
            for file in ["PrometheusText+Statistics.swift", "PrometheusText+Recording.swift"] {
                let text = try Repository.text("Sources/HoardProxy/Admin/\(file)")
                for match in text.matches(of: /add\(\s*"([a-z_]+)",\s*\.(counter|gauge|summary)\b/) {
                    metrics.insert(String(match.output.1))
                    if match.output.2 == "summary" { metrics.insert("\(match.output.1)_count") }
                }
                for match in text.matches(of: #/\("([a-z]+)", /#) { labels.insert(String(match.output.1)) }
                for match in text.matches(of: /label: "([a-z]+)"/) { labels.insert(String(match.output.1)) }
            }
        }
    }

    /// The metrics and labels that Prometheus adds itself: whether a scrape succeeded, its target, and its job.
    private static let metricsOfPrometheus: Set<String> = ["up"]
    private static let labelsOfPrometheus: Set<String> = ["instance", "job"]

    private static func rules() throws -> [YAMLValue] {
        let file = try YAMLValue(yaml: Repository.text("dist/prometheus/hoard.rules.yml"))
        return file["groups"]?.list?.flatMap { $0["rules"]?.list ?? [] } ?? []
    }

    private static func panels() throws -> [[String: Any]] {
        let data = Data(try Repository.text("dist/grafana/hoard.json").utf8)
        let board = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        return try #require(board["panels"] as? [[String: Any]])
    }

    private static func expressions(of panel: [String: Any]) -> [String] {
        (panel["targets"] as? [[String: Any]] ?? []).compactMap { $0["expr"] as? String }
    }

    private func check(_ expression: String, against told: Told) {
        let query = PrometheusQuery(expression)
        #expect(!query.metrics.isEmpty, "no metric in “\(expression)”")
        #expect(query.metrics.subtracting(told.metrics).subtracting(Self.metricsOfPrometheus) == [], "“\(expression)”")
        #expect(query.labels.subtracting(told.labels).subtracting(Self.labelsOfPrometheus) == [], "“\(expression)”")
    }

    @Test func theCodeHasTheNames() throws {
        let told = try Told()
        #expect(told.metrics.count > 40)
        #expect(told.metrics.isSuperset(of: ["hoard_requests_total", "hoard_response_seconds_count", "hoard_recording_failed", "process_open_fds"]))
        #expect(told.labels.isSuperset(of: ["outcome", "class", "tier", "quantile", "upstream", "server", "site", "policy"]))
    }

    @Test func rulesAskForWhatTheProxyTells() throws {
        let told = try Told()
        let rules = try Self.rules()
        #expect(rules.count > 10)
        for rule in rules { check(try #require(rule["expr"]?.text), against: told) }
    }

    @Test func boardAsksForWhatTheProxyTells() throws {
        let told = try Told()
        let expressions = try Self.panels().flatMap { Self.expressions(of: $0) }
        #expect(expressions.count > 20)
        for expression in expressions { check(expression, against: told) }
    }

    @Test func eachAlertSaysHowUrgentItIsAndIsExplained() throws {
        let guide = try Repository.text("docs/guides/operating.md")
        let rules = try Self.rules()
        #expect(Set(rules.compactMap { $0["alert"]?.text }).count == rules.count, "a name comes once")
        for rule in rules {
            let name = try #require(rule["alert"]?.text)
            #expect(["page", "ticket"].contains(rule["labels"]?["severity"]?.text), "\(name)")
            #expect(rule["annotations"]?["summary"]?.text?.isEmpty == false && rule["annotations"]?["description"]?.text?.isEmpty == false)
            #expect(guide.contains("`\(name)`"), "\(name) is not in the guide")
        }
    }

    @Test func panelsHaveNumbersOfTheirOwnAndDoNotOverlap() throws {
        let panels = try Self.panels()
        #expect(Set(panels.compactMap { $0["id"] as? Int }).count == panels.count)
        var cells: Set<[Int]> = []
        for panel in panels {
            let place = try #require(panel["gridPos"] as? [String: Int])
            let (x, y, width, height) = (place["x"] ?? 0, place["y"] ?? 0, place["w"] ?? 0, place["h"] ?? 0)
            #expect(x + width <= 24)
            for column in x..<(x + width) {
                for line in y..<(y + height) { #expect(cells.insert([column, line]).inserted, "\(panel["title"] ?? "") lies on another panel") }
            }
        }
    }

    // MARK: The reading of expressions

    @Test(arguments: [
        ("hoard_origin_up == 0", "hoard_origin_up", ""),
        ("rate(a_total{class=\"5xx\", job!=\"b c\"}[5m]) > 0.5", "a_total", "class job"),
        ("sum by (instance, site) (rate(a[5m])) / on (instance) group_left (x) b_c", "a b_c", "instance site x"),
        ("a offset 1d unless b and on (tier) c", "a b c", "tier"),
        ("3 * a + 500000000 > histogram_quantile(0.9, b)", "a b", ""),
        ("rate(a{x=~\"b{2}|c\"}[$__rate_interval])", "a", "x"),
    ])
    func namesInAnExpressionAreFound(expression: String, metrics: String, labels: String) {
        let query = PrometheusQuery(expression)
        #expect(query.metrics.sorted().joined(separator: " ") == metrics)
        #expect(query.labels.sorted().joined(separator: " ") == labels)
    }
}
