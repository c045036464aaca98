// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardHTTP
import HoardNIO
import HoardTesting
import Testing

@testable import HoardProxy

private let campaign = ProgramCampaign(defaultCount: 4_000)

/// Random rules beside a plain evaluation of the same rules, on lists of texts.
@Suite(.timeLimit(.minutes(campaign.isLong ? 60 : 2))) struct RouteRulesTests {
    private typealias Field = (name: String, value: String)

    private static let fields: [HTTPFields] = [
        [:], [.server: "s", .eTag: "\"1\""], [.setCookie: "a=b", .contentType: "text/plain", .vary: "Accept"],
        [.accessControlAllowOrigin: "https://other.example", .cacheControl: "max-age=1", .via: "1.1 hoard"],
    ]

    @Test(arguments: 0..<campaign.blockCount) func rulesDoWhatAPlainEvaluationDoes(block: UInt64) throws {
        for seed in campaign.seeds(inBlock: block) {
            var generator = SeededGenerator(seed: seed)
            let rules = CachingProxy.Configuration.Rules.random(&generator)
            var start = Self.fields.randomElement(using: &generator) ?? [:]
            for name in ["X-A", "x-a", "X-Frame-Options"] where Bool.random(using: &generator) {
                if let name = HTTPField.Name(name) { start.append(HTTPField(name: name, value: "there")) }
            }
            var head = HTTPRequest(
                method: .get,
                scheme: Bool.random(using: &generator) ? "https" : "http",
                authority: "A.example:1",
                path: ["/a?b", "/", "/x/./y"].randomElement(using: &generator)
            )
            if Bool.random(using: &generator) {
                head.headerFields[.origin] = ["https://app.example", "https://evil.example"].randomElement(using: &generator)
            }
            let outcome = AnswerReport.Outcome.allCases.randomElement(using: &generator) ?? .hit
            let request = RuledRequest(
                head: head,
                authority: head.authority,
                client: .init(address: "192.0.2.1", scheme: head.scheme ?? ""),
                pathPrefix: "/"
            )
            var response = HTTPServerResponse(
                head: HTTPResponse(status: .ok, headerFields: start),
                body: .empty,
                report: AnswerReport(outcome, tier: .memory)
            )
            try RouteRules(rules)?.change(&response, to: request)
            let result = response.head.headerFields.map { "\($0.name.canonicalName): \($0.value)" }
            let expected = Self.evaluated(rules, start.map { ($0.name.rawName.lowercased(), $0.value) }, head, outcome)
            guard result == expected else {
                Issue.record("seed \(seed), \(rules): \(result), and not \(expected)")
                return
            }
        }
    }

    private static func evaluated(
        _ rules: CachingProxy.Configuration.Rules,
        _ start: [Field],
        _ request: HTTPRequest,
        _ outcome: AnswerReport.Outcome
    ) -> [String] {
        var fields = start
        func text(_ template: MessageTemplate) -> String {
            let target = request.path ?? ""
            let path = target == "/x/./y" ? "/x/y" : target.split(separator: "?")[0]
            let word =
                switch outcome {
                case .staleHit: "stale"
                case .validatedHit: "revalidated"
                case .collapsedHit: "collapsed"
                case .abandoned: "failure"
                default: "\(outcome)"
                }
            return template.description.replacing("{{}}", with: "\u{1}").replacing("{host}", with: "a.example").replacing("{path}", with: path)
                .replacing("{query}", with: target.contains("?") ? "?b" : "").replacing("{cache}", with: word).replacing("\u{1}", with: "{}")
        }
        for name in rules.responseFields.removed { fields.removeAll { $0.name == name.rawName.lowercased() } }
        for rule in rules.responseFields.set {
            fields.removeAll { $0.name == rule.name.rawName.lowercased() }
            fields.append((rule.name.rawName.lowercased(), text(rule.value)))
        }
        for rule in rules.responseFields.added { fields.append((rule.name.rawName.lowercased(), text(rule.value))) }
        if rules.addsSecurityFields {
            var careful = [
                ("x-content-type-options", "nosniff"), ("x-frame-options", "SAMEORIGIN"), ("referrer-policy", "strict-origin-when-cross-origin"),
            ]
            if request.scheme == "https" { careful.append(("strict-transport-security", "max-age=31536000")) }
            for field in careful where !fields.contains(where: { $0.name == field.0 }) { fields.append(field) }
        }
        if let crossOrigin = rules.crossOrigin {
            let prefix = "access-control-"
            fields.removeAll { [prefix + "allow-origin", prefix + "allow-credentials", prefix + "expose-headers"].contains($0.name) }
            let exposed = crossOrigin.responseFields.isEmpty ? [] : [(prefix + "expose-headers", crossOrigin.responseFields.joined(separator: ", "))]
            if crossOrigin.origins == ["*"] {
                fields += [(prefix + "allow-origin", "*")] + exposed
            } else {
                fields.append(("vary", "Origin"))
                if request.headerFields[.origin] == "https://app.example" { fields += [(prefix + "allow-origin", "https://app.example")] + exposed }
            }
        }
        return fields.map { "\($0.name): \($0.value)" }
    }
}
