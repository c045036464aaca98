// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import HoardHTTP
import HoardNIO
import HoardTesting
import NIOCore
import Testing

@testable import HoardProxy

/// The answers of the admin server, without a socket.
@Suite(.timeLimit(.minutes(1))) struct AdminHandlerTests {
    // MARK: Pages

    @Test func healthIsToldToWhoeverAsks() async throws {
        let harness = AdminHarness()
        for host in ["127.0.0.1", "evil.example", nil] {
            let reply = try await harness.send(.get, "/healthz", host: host)
            #expect(reply.code == 200)
            #expect(try reply.json["status"] as? String == "ok")
        }
    }

    @Test func readinessFollowsTheProxy() async throws {
        let harness = AdminHarness()
        #expect(try await harness.send(.get, "/readyz").code == 200)
        harness.readiness.update { $0 = .notReady("No origin is healthy.") }
        let reply = try await harness.send(.get, "/readyz")
        #expect(reply.code == 503)
        #expect(reply.error == "No origin is healthy.")
        #expect(try await harness.send(.get, "/healthz").code == 200, "it lives all the same")
    }

    @Test func pageKnowsWhetherThingsCanBeChanged() async throws {
        #expect(try await AdminHarness().send(.get, "/").text == "page with buttons")
        #expect(try await AdminHarness(token: nil).send(.get, "/").text == "page")
        #expect(try await AdminHarness(token: "").send(.get, "/").text == "page")
    }

    @Test func statisticsAreTheSnapshot() async throws {
        let harness = AdminHarness()
        try await harness.fill("/a", "/b")
        let reply = try await harness.send(.get, "/api/statistics")
        #expect(reply.code == 200)
        let snapshot = try JSONDecoder().decode(ProxyStatistics.Snapshot.self, from: Data(reply.text.utf8))
        #expect(snapshot.version == "1.2.3")
        #expect(snapshot.time == 1_800_000_000)
        #expect(snapshot.memory?.entries == 2)
        #expect(snapshot.memory?.limit == 64 << 20)
        #expect(snapshot.disk?.entries == 2)
        #expect(snapshot.disk?.bytes ?? 0 > 0)
        #expect(snapshot.evictions?.memory?.capacity == 0)
        #expect(!snapshot.history.isEmpty)
    }

    @Test func metricsAreTextForPrometheus() async throws {
        let harness = AdminHarness()
        try await harness.fill("/a")
        let reply = try await harness.send(.get, "/metrics")
        #expect(reply.head.headerFields[.contentType] == "text/plain; version=0.0.4; charset=utf-8")
        #expect(reply.text.contains("\nhoard_cache_entries{tier=\"disk\"} 1\n"))
        #expect(reply.text.contains("# TYPE hoard_requests_total counter\n"))
    }

    @Test func answersAreForThisMomentAndThisSiteOnly() async throws {
        let harness = AdminHarness()
        for path in ["/healthz", "/readyz", "/metrics", "/api/statistics", "/api/entries", "/api/explain?url=/a", "/nowhere"] {
            let fields = try await harness.send(.get, path).head.headerFields
            #expect(fields[.cacheControl] == "no-store")
            #expect(fields[.xContentTypeOptions] == "nosniff")
            #expect(fields[.accessControlAllowOrigin] == nil)
            #expect(fields[.contentType] != nil)
        }
    }

    // MARK: What is refused

    @Test(arguments: ["/x", "/api", "/api/", "/api/purge/", "/../etc/passwd", "//", "/healthz/", "/API/statistics"])
    func pathsThatAreNotThereGetASentence(path: String) async throws {
        let reply = try await AdminHarness().send(.get, path)
        #expect(reply.code == 404)
        #expect(reply.error?.hasSuffix(".") == true)
    }

    @Test(arguments: [
        ("POST", "/"), ("DELETE", "/api/entries"), ("PUT", "/api/statistics"), ("GET", "/api/purge"), ("HEAD", "/api/purge"),
        ("OPTIONS", "/api/purge"),
        ("TRACE", "/healthz"),
    ])
    func otherMethodsAreRefused(method: String, path: String) async throws {
        let reply = try await AdminHarness().send(try #require(.init(method)), path)
        #expect(reply.code == 405)
        #expect(reply.head.headerFields[.allow] == (path == "/api/purge" ? "POST" : "GET, HEAD"))
    }

    @Test(arguments: [
        "evil.example", "evil.example:9901", "127.0.0.1.evil.example", "localhost.evil.example", "", "[::1", "1.2.3", "admin.internal.evil.example",
    ])
    func namesThatAnybodyCanHaveAreRefused(host: String) async throws {
        let harness = AdminHarness(hostNames: ["admin.internal"])
        for path in ["/", "/metrics", "/api/statistics", "/api/entries", "/api/events", "/api/explain?url=/a"] {
            #expect(try await harness.send(.get, path, host: host).code == 421, "\(path)")
        }
        let fields: HTTPFields = [.authorization: "Bearer secret", .contentType: "application/json"]
        #expect(try await harness.send(.post, "/api/purge", fields, host: host, body: #"{"all":true}"#).code == 421)
        #expect(try await harness.send(.get, "/metrics", host: nil).code == 421)
    }

    @Test(arguments: [
        "127.0.0.1", "127.0.0.1:1", "192.168.1.7:9901", "[::1]:9901", "[fe80::1]", "localhost", "LOCALHOST:9901", "hoard.localhost", "localhost.",
        "admin.internal:80", "Admin.Internal",
    ])
    func addressesAndConfiguredNamesAreAnswered(host: String) async throws {
        #expect(try await AdminHarness(hostNames: ["Admin.internal"]).send(.get, "/api/statistics", host: host).code == 200)
    }

    @Test func namesBelowAConfiguredOneAreAnswered() async throws {
        let harness = AdminHarness(hostNames: ["*.Example", "*"])
        for (host, code) in [("hoard.example:80", 200), ("a.b.example", 200), ("example", 421), ("evil.test", 421)] {
            #expect(try await harness.send(.get, "/api/statistics", host: host).code == code, "\(host)")
        }
    }

    @Test func anyNameWillDoOnASocketInTheFileSystem() async throws {
        #expect(try await AdminHarness(hostNames: nil).send(.get, "/api/statistics", host: "anything").code == 200)
        #expect(try await AdminHarness(hostNames: nil).send(.get, "/api/statistics", host: nil).code == 200)
    }

    @Test func otherSitesPagesAreRefused() async throws {
        let harness = AdminHarness()
        let site = try #require(HTTPField.Name("Sec-Fetch-Site"))
        let foreign: [HTTPFields] = [
            [.origin: "http://evil.example"], [.origin: "null"], [.origin: "http://127.0.0.1:9902"], [site: "cross-site"], [site: "same-site"],
        ]
        for fields in foreign {
            #expect(try await harness.send(.get, "/api/statistics", fields).code == 403)
            #expect(
                try await harness.purge(#"{"all":true}"#, fields + [.authorization: "Bearer secret", .contentType: "application/json"]).code == 403
            )
        }
        for fields: HTTPFields in [[.origin: "http://127.0.0.1:9901", site: "same-origin"], [site: "none"], [.origin: "HTTP://127.0.0.1:9901"]] {
            #expect(try await harness.send(.get, "/api/statistics", fields).code == 200)
        }
        #expect(try await harness.send(.get, "/", [site: "cross-site"]).code == 200, "links to the page may be followed")
    }

    @Test(arguments: [
        "/api/entries?limit=0", "/api/entries?limit=1001", "/api/entries?limit=x", "/api/entries?after=nonsense", "/api/entries?search=%FF",
        "/api/entries?seach=a", "/api/entries?limit=1&limit=2", "/api/explain", "/api/explain?url=", "/api/explain?url=ftp://a/",
        "/api/statistics?x=1",
    ])
    func queriesThatMakeNoSenseGetASentence(path: String) async throws {
        let reply = try await AdminHarness().send(.get, path)
        #expect(reply.code == 400)
        #expect(reply.error?.hasSuffix(".") == true)
    }

    // MARK: Entries

    @Test func entriesAreListedInPages() async throws {
        let harness = AdminHarness()
        for number in 0..<25 { try await harness.fill("/\(number)") }
        try await harness.fill("/tag?a=b%26c")
        var uris: [String] = []
        var after = ""
        repeat {
            let json = try await harness.send(.get, "/api/entries?limit=10\(after)").json
            let entries = try #require(json["entries"] as? [[String: any Sendable]])
            uris += entries.compactMap { $0["uri"] as? String }
            for entry in entries {
                #expect(entry["status"] as? Int == 200)
                #expect(entry["isFresh"] as? Bool == true)
                #expect(entry["tiers"] as? [String] == ["memory", "store"])
                #expect(entry["storedAt"] as? Double == 1_800_000_000)
                #expect(entry["freshUntil"] as? Double == 1_800_000_600)
                #expect(entry["bytes"] as? Int == (entry["uri"] as? String)?.dropFirst("http://origin.example".count).utf8.count)
            }
            after = (json["next"] as? String).map { "&after=\($0)" } ?? ""
        } while !after.isEmpty
        #expect(uris.count == 26 && Set(uris).count == 26)
        #expect(uris.contains("http://origin.example/tag?a=b%26c"))
    }

    @Test(arguments: [
        ("search=A%26C", 1), ("search=nothing", 0), ("prefix=/x/", 2), ("prefix=http%3A%2F%2Forigin.example%2Fx%2F1", 1), ("tag=news", 1),
        ("tag=new", 0),
        ("search=x+y", 0), ("prefix=&search=&tag=", 4),
    ])
    func entriesAreSearched(query: String, count: Int) async throws {
        let harness = AdminHarness()
        try await harness.fill("/x/1", "/x/2", "/tag", "/q?a&c")
        let json = try await harness.send(.get, "/api/entries?\(query)").json
        #expect((json["entries"] as? [[String: any Sendable]])?.count == count)
    }

    @Test func urlIsExplained() async throws {
        let harness = AdminHarness()
        try await harness.fill("/a?x=1")
        let json = try await harness.send(.get, "/api/explain?url=/a%3Fx%3D1").json
        #expect(json["uri"] as? String == "http://origin.example/a?x=1")
        #expect(json["stored"] as? Bool == true)
        let lines = try #require(json["lines"] as? [String])
        #expect(lines.first?.hasPrefix("Stored: a response with status 200") == true)
        #expect(lines.contains { $0.contains("A GET would be answered from the cache") })
        let other = try await harness.send(.get, "/api/explain?url=/b").json
        #expect(other["stored"] as? Bool == false)
    }

    @Test func headIsAnsweredLikeGet() async throws {
        let harness = AdminHarness()
        for path in ["/", "/healthz", "/metrics", "/api/statistics", "/api/events"] {
            #expect(try await harness.send(.head, path).code == 200)
        }
        #expect(harness.handler.events.count == 0)
    }
}

func + (left: HTTPFields, right: HTTPFields) -> HTTPFields {
    var fields = left
    for field in right { fields.append(field) }
    return fields
}
