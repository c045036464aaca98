// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardNIOTestSupport
import Testing

@testable import HoardProxy

/// Explanations of a request describe its way through the proxy.
@Suite(.timeLimit(.minutes(1))) struct ProxyExplanationTests {
    private static let text = """
        upstreams:
          - name: app
            servers: http://10.0.0.1:3000/base
          - name: files
            servers: http://10.0.0.2
            forward-host: yes
        routes:
          - hosts: [example.com]
            upstream: app
            redirect: https://www.example.com{path}{query}
          - hosts: [files.example.com]
            path: /f/
            upstream: files
            bypass: yes
          - path: /api/
            upstream: app
            replace-path: /v2/
            deny: 10.6.0.0/16
            request-remove: [Cookie]
            request-set: ["X-Site: {host}"]
            response-set: ["X-Cache: {cache}"]
            cors-origins: https://app.example.com
          - path: /open/
            upstream: app
            security-fields: yes
        """

    private static func lines(_ url: String) async throws -> [String] {
        let configuration = try ProxySettings(.init(file: ("hoard.yaml", text))).configuration()
        return try await CachingProxy.explain(url, configuration: configuration)
    }

    @Test func stepsAreToldInTheirOrder() async throws {
        #expect(
            try await Self.lines("https://shop.example/x/../api/users?id=1") == [
                "Route: number 3, for all hosts and paths that begin with /api/.",
                "Clients: not those of 10.6.0.0/16.",
                "Request: without Cookie.",
                "Request: with X-Site.",
                "Goes to: the upstream “app”, as http://10.0.0.1:3000/base/v2/users?id=1.",
                "Cache: stored for http://10.0.0.1:3000/base/v2/users?id=1, and for the values of X-Site.",
                "Response: X-Cache: {cache}",
                "Scripts: those of https://app.example.com may ask.",
            ]
        )
    }

    @Test func answersOfRulesAreTold() async throws {
        let lines = try await Self.lines("http://example.com/a?b")
        #expect(lines.last == "Answer: 308 to https://www.example.com/a?b, without the cache and the servers.")
    }

    @Test func otherWaysAreTold() async throws {
        let bypassed = try await Self.lines("http://files.example.com/f/a")
        #expect(bypassed.contains("Cache: passed by.") && bypassed.contains { $0.hasSuffix("as http://files.example.com/f/a.") })
        #expect(try await Self.lines("/nowhere") == ["Route: none for the path, though there are some for the host: 404."])
        #expect(try await Self.lines("/open/a").contains("Response: the fields that tell browsers to be careful, where it has none."))
        for text in ["", "ftp://a/", "http://", "no url"] { await #expect(throws: ProxyError.self) { try await Self.lines(text) } }
    }

    @Test func adminAddressTellsTheSame() async throws {
        let routes = "origin: ORIGIN\nadmin:\n  address: 127.0.0.1:0\nroutes:\n  - response-set: [\"X-A: b\"]\n"
        try await RuledSite.with(routes) { site in
            let address = try #require(URL(string: site.proxy.adminAddress ?? ""))
            let client = try await RawClient.connect(port: try #require(address.port))
            try await client.send("GET /api/explain?url=/page HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            let content = try await client.receiveResponse().content
            #expect(content.contains("Route: number 1, for all hosts") && content.contains("Response: X-A: b"))
        }
    }
}
