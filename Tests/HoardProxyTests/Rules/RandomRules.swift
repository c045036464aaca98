// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardTesting

@testable import HoardProxy

extension CachingProxy.Configuration.Rules {
    /// Rules about the fields of responses, most of which can be applied to bytes.
    static func random(_ generator: inout SeededGenerator) -> Self {
        var rules = Self()
        rules.responseFields = .random(&generator)
        rules.addsSecurityFields = Bool.random(using: &generator)
        if Int.random(in: 0..<3, using: &generator) == 0 {
            var crossOrigin = CachingProxy.Configuration.CrossOrigin(
                origins: [["*"], ["*"], ["https://app.example"]].randomElement(using: &generator) ?? []
            )
            if Bool.random(using: &generator) { crossOrigin.responseFields = ["X-Total", "X-A"] }
            rules.crossOrigin = crossOrigin
        }
        if Int.random(in: 0..<6, using: &generator) == 0 { rules.requestFields = .random(&generator) }
        return rules
    }
}

extension CachingProxy.Configuration.FieldRules {
    private static let names = [
        "Server", "Content-Type", "ETag", "Set-Cookie", "Cache-Control", "X-A", "x-a", "X-Frame-Options", "Referrer-Policy", "Vary", "Last-Modified",
        "Via",
        "Access-Control-Allow-Origin",
    ]
    private static let values = ["a", "b, c", "", "x: y", "\"q\"", "{host}", "{path}{query}", "{cache}", "{{}}"]

    static func random(_ generator: inout SeededGenerator) -> Self {
        var rules = Self()
        // Mostly values that do not depend on the request.
        let values = Int.random(in: 0..<4, using: &generator) == 0 ? Self.values : Array(Self.values.prefix(5))
        func name() -> HTTPField.Name { Self.names.randomElement(using: &generator).flatMap { HTTPField.Name($0) } ?? .server }
        func fields() -> [CachingProxy.Configuration.FieldRule] {
            (0..<Int.random(in: 0...2, using: &generator)).compactMap { _ in
                let value = try? MessageTemplate(values.randomElement(using: &generator) ?? "")
                return value.map { .init(name: name(), value: $0) }
            }
        }
        rules.removed = (0..<Int.random(in: 0...2, using: &generator)).map { _ in name() }
        rules.set = fields()
        rules.added = fields()
        return rules
    }
}
