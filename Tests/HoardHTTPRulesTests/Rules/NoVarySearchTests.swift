// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardHTTP
import HoardHTTPTestSupport
import Testing

@Suite struct NoVarySearchTests {
    private func read(_ lines: String...) -> NoVarySearch? { NoVarySearch(fields(lines.map { "No-Vary-Search: \($0)" })) }

    @Test(
        arguments: [
            ("key-order", "key-order"), ("key-order=?1", "key-order"), ("params", "params"), ("params=?1", "params"),
            ("params=(\"a\")", "params=(\"a\")"),
            ("params=(\"b\" \"a\" \"b\")", "params=(\"a\" \"b\")"), ("params, except=(\"x\")", "params, except=(\"x\")"),
            ("params, except=()", "params"),
            ("params, key-order, except=(\"x\")", "key-order, params, except=(\"x\")"),
            ("params=(\"%C3%A9+%E6%B0%97\")", "params=(\"%C3%A9+%E6%B0%97\")"),
            ("params=(\"%61\")", "params=(\"a\")"), ("params=(\"a\");x=1, key-order;y", "key-order, params=(\"a\")"),
            ("params=(\"a\";x), other=1", "params=(\"a\")"),
            ("params=?0, key-order", "key-order"), ("params=(), key-order", "key-order"), ("key-order=?0, params", "params"),
            ("params=(\"\")", "params=(\"\")"),
            ("params=(\"\\\"&=\")", "params=(\"%22%26%3D\")"), ("params=(\"a\"), params=(\"b\")", "params=(\"b\")"), ("key-order, except", nil),
        ] as [(String, String?)]
    )
    func saysWhatDoesNotMatter(value: String, text: String?) {
        #expect(read(value)?.text == text)
    }

    @Test(arguments: [
        "", ",", "unknown-key", "key-order=\"not a boolean\"", "key-order=1", "key-order=(\"a\")", "params=\"a\"", "params=1", "params=a",
        "params=(not-a-string)",
        "params=(\"a\"), except=(\"x\")", "params=(), except=()", "params=?0, except=(\"x\")", "params, except=(not-a-string)",
        "params, except=\"x\"",
        "params, except=?1", "except=(\"x\")", "except=()", "params=?0", "params=()", "key-order=?0", "key-order=?0, params=()", "params=(\"a\" 1)",
        "PARAMS",
        "params=(\"a\"", "params=(\"\u{E9}\")", "params,", "key-order, params=x", "params, key-order=x",
    ])
    func saysNothingIfMalformedOrUsual(value: String) {
        #expect(read(value) == nil)
    }

    @Test func saysNothingIfAbsentOrTooLong() {
        #expect(NoVarySearch(HTTPFields()) == nil)
        #expect(read("params=(\"" + String(repeating: "a", count: 20_000) + "\")") == nil)
    }

    @Test func joinsLines() {
        #expect(read("key-order", "params")?.text == "key-order, params")
        #expect(read("params", "except=(\"a\")")?.text == "params, except=(\"a\")")
    }

    @Test(
        arguments: [
            ("params=(\"u\")", "u=1", nil), ("params=(\"u\")", "a=1&u=1&b=2", "a=1&b=2"), ("params=(\"u\")", "u", nil),
            ("params=(\"u\")", "U=1", "U=1"),
            ("params=(\"u\")", "%75=1&a=1", "a=1"), ("params=(\"u\")", "b=1&a=1", "b=1&a=1"), ("params=(\"a b\")", "a+b=1&a%20b=2&ab=3", "ab=3"),
            ("params", "a=1&b=2", nil), ("params, except=(\"a\")", "a=1&b=2&a=3", "a=1&a=3"), ("params, except=(\"a\")", "a=3&a=1", "a=3&a=1"),
            ("key-order", "b=1&a=2", "a=2&b=1"), ("key-order", "a=2&b=1&a=1", "a=2&a=1&b=1"), ("key-order", "a=1&a=2&b=1", "a=1&a=2&b=1"),
            ("key-order", "", nil), ("key-order", nil, nil), ("key-order", "&&", nil), ("key-order", "a=x&&&&", "a=x"), ("key-order", "a", "a="),
            ("key-order", "a=", "a="), ("key-order", "a=%20", "a=+"), ("key-order", "a=+", "a=+"), ("key-order", "a=%2B", "a=%2B"),
            ("key-order", "a=b=c", "a=b%3Dc"),
            ("key-order", "%61=%78", "a=x"), ("key-order", "a=%C3%A9", "a=%C3%A9"), ("key-order", "a=\u{E9}", "a=%C3%A9"),
            ("key-order", "a=%f6", "a=%F6"),
            ("key-order", "a=%ef%bf%bd", "a=%EF%BF%BD"), ("key-order", "=1&a", "=1&a="), ("key-order", "a=%&b=%2&c=%zz", "a=%25&b=%252&c=%25zz"),
            ("key-order", "a=%26b", "a=%26b"), ("key-order, params=(\"a\")", "c&a&b", "b=&c="), ("params=(\"\")", "=1&a=1", "a=1"),
            ("params=(\"u\")", "a;u=1", "a%3Bu=1"),
            ("params=(\"u\")", "A=B*-._~", "A=B*-._%7E"),
        ] as [(String, String?, String?)]
    )
    func findsTheQueryThatStandsForAllEqualOnes(rule: String, query: String?, expected: String?) throws {
        #expect(try #require(read(rule)).canonicalQuery(query) == expected)
    }

    @Test func keepsDifferentValuesApart() throws {
        let rule = try #require(read("key-order, params=(\"u\")"))
        let queries = [
            "a=1", "a=2", "a=1&a=2", "a=2&a=1", "a=1&b=2", "b=1&a=2", "A=1", "a=1+", "a=%F6", "a=%EF%BF%BD", "a=", "aa=1", "a=1%26b=2", nil,
        ]
        #expect(Set(queries.map { rule.canonicalQuery($0) }).count == queries.count)
    }

    @Test func readsWhatItWrites() throws {
        for value in ["key-order", "params", "params=(\"a\" \"b\")", "key-order, params, except=(\"%C3%A9\" \"x+y\")", "params=(\"%0A\")"] {
            let rule = try #require(read(value))
            #expect(NoVarySearch(text: rule.text) == rule)
            #expect(rule.text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F })
        }
        #expect(NoVarySearch(text: "") == nil)
        #expect(NoVarySearch(text: "params=()") == nil)
    }

    @Test func findsTheSameAgainForWhatItFound() throws {
        var generator = TestGenerator()
        let rules = try ["key-order", "params=(\"a\")", "params, except=(\"a\" \"%\")", "key-order, params=(\"+\")"].map { try #require(read($0)) }
        for _ in 0..<3_000 {
            let query = String(decoding: generator.bytes(upTo: 30, alphabet: "ab=&%+1f"), as: UTF8.self)
            for rule in rules {
                let found = rule.canonicalQuery(query)
                #expect(rule.canonicalQuery(found) == found, "seed \(generator.seed)")
                #expect(found.map { $0.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } } ?? true, "seed \(generator.seed)")
            }
        }
    }

    @Test func survivesRandomFields() {
        var generator = TestGenerator()
        for _ in 0..<5_000 {
            var message = HTTPFields()
            message.append(HTTPField(name: .noVarySearch, lenientValue: generator.bytes(upTo: 40, alphabet: "params=(\"a\"), key-order?1")))
            if let rule = NoVarySearch(message) { #expect(NoVarySearch(text: rule.text) == rule, "seed \(generator.seed)") }
        }
    }
}
