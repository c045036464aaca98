// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hoard
import HoardHTTPTestSupport
import HoardTesting
import Testing

@testable import HoardHTTP

/// `No-Vary-Search` merges only the URIs that the resource's own origin allows to merge.
@Suite(.timeLimit(.minutes(5))) struct SearchRuleAbuseTests {
    /// An origin whose responses to `/a` name their target and say that the query does not matter.
    private static func careless(_ rule: String = "params") -> FakeTransport.Handler {
        { request in
            var fields: HTTPFields = [.cacheControl: "max-age=60"]
            if request.head.path?.hasPrefix("/a") == true { fields[.noVarySearch] = rule }
            return .text(
                "\(request.head.authority ?? "") \(request.head.path ?? "") \(request.head.headerFields[.authorization] ?? "-")",
                fields: fields
            )
        }
    }

    @Test func ruleIsHeededForItsPath() async throws {
        let harness = CacheHarness(origin: Self.careless())
        try await harness.get("/a?user=1")
        #expect(try await harness.get("/a?user=2").text == "example.com /a?user=1 -")
    }

    @Test func ruleDoesNotReachOtherPathsAndOrigins() async throws {
        let harness = CacheHarness(origin: Self.careless())
        try await harness.get("/a?user=1")
        for path in ["/b?user=1", "/b?user=2", "/?user=2", "/A?user=2"] {
            #expect(try await harness.get(path).text == "example.com \(path) -")
        }
        let elsewhere = HTTPRequest(method: .get, scheme: "http", authority: "other.example", path: "/a?user=2")
        #expect(try await Reply(harness.cache.respond(to: elsewhere, through: harness.transport)).text == "other.example /a?user=2 -")
    }

    @Test func ruleDoesNotLeadToOtherUsers() async throws {
        let harness = CacheHarness(origin: Self.careless())
        try await harness.get("/a?user=1", [.authorization: "ann"])
        #expect(try await harness.get("/a?user=2", [.authorization: "bob"]).text == "example.com /a?user=2 bob")
        #expect(try await harness.get("/a?user=3").text == "example.com /a?user=3 -")
    }

    @Test(arguments: [
        "params=", "params=(a)", "params=1", "params, params=?", "except=(\"a\")", "&", "params=(\"a\" b)", "key-order=1, params", "params,",
    ])
    func malformedRuleHasNoEffect(rule: String) async throws {
        let harness = CacheHarness(origin: Self.careless(rule))
        try await harness.get("/a?user=1")
        #expect(try await harness.get("/a?user=2").text == "example.com /a?user=2 -")
    }

    @Test func parametersThatMatterStillDo() async throws {
        let harness = CacheHarness(origin: Self.careless("params=(\"utm\")"))
        try await harness.get("/a?user=1&utm=x")
        #expect(try await harness.get("/a?user=1&utm=y").text == "example.com /a?user=1&utm=x -")
        for path in ["/a?user=2&utm=x", "/a?utm=x", "/a?user=1&user=2&utm=x", "/a?user=1;utm=y", "/a?USER=1"] {
            #expect(try await harness.get(path).text == "example.com \(path) -", "\(path)")
        }
    }

    @Test func floodOfRulesIsBounded() async throws {
        let harness = CacheHarness { request in
            .text(
                request.head.path ?? "",
                fields: [.cacheControl: "max-age=60", .noVarySearch: "params=(\"p\(request.head.path?.dropFirst(3) ?? "")\")"]
            )
        }
        for number in 1...100 { try await harness.get("/a?\(number)") }
        for number in 1...100 { #expect(try await harness.get("/a?\(number)").text == "/a?\(number)") }
    }
}
