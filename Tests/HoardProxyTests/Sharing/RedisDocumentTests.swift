// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Hoard
import HoardHTTP
import HoardRedis
import HoardRedisTestSupport
import HoardTesting
import Testing

@testable import HoardProxy

/// The instructions of `docs/redis.md` work.
@Suite(.enabled(if: RedisServer.isAvailable, Comment(rawValue: RedisServer.requirement)), .timeLimit(.minutes(5)))
struct RedisDocumentTests {
    private var text: String {
        get throws {
            let url = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../docs/redis.md").standardizedFileURL
            return try String(contentsOf: url, encoding: .utf8)
        }
    }

    /// The rights of the document's user, without the name and the password.
    private var rules: String {
        get throws {
            let start = "ACL SETUSER hoard on >PASSWORD "
            let line = try #require(try text.split(separator: "\n").first { $0.hasPrefix(start) })
            return String(line.dropFirst(start.count))
        }
    }

    private func server(_ rules: String) async throws -> RedisServer {
        try await RedisServer.start(.init(users: ["default off", "hoard on >s3cret \(rules)"]))
    }

    @Test func theUserOfTheDocumentMayDoAllThatProxiesDo() async throws {
        let server = try await server(rules)
        let login = ProxyFleet.Login(user: "hoard", password: "s3cret")
        try await ProxyFleet.run(redis: server, login: login, isPatient: true, configure: { $0.cache.collapsesAcrossCaches = true }) {
            (fleet: ProxyFleet) async throws in
            for path in ["/a", "/x/1", "/x/2", "/tag"] { try await fleet.first.fill(path) }
            for path in ["/a", "/x/1", "/x/2", "/tag"] { #expect(try await fleet.second.probe.send(.get, path).isHit) }
            for extent in [#""url":"/a""#, #""prefix":"/x/""#, #""tag":"news""#, #""all":true"#] {
                for isStale in [true, false] { #expect(try await fleet.first.purge("{\(extent),\"stale\":\(isStale)}").status == 200) }
            }
            let statistics = try await fleet.first.admin.send(.get, "/api/statistics").json
            let shared = statistics["shared"] as? [String: any Sendable]
            #expect(shared?["state"] as? String == "sound")
            let refused = try server.command("ACL", "LOG")
            #expect(refused == .array([]), "nothing was refused")
        }
    }

    @Test(arguments: ["+get", "+set", "+client|tracking"]) func aUserWhoMayNotDoThatIsNoUse(rule: String) async throws {
        let server = try await server(rules.split(separator: " ").filter { $0 != rule }.joined(separator: " "))
        let login = ProxyFleet.Login(user: "hoard", password: "s3cret")
        try await ProxyFleet.run(redis: server, login: login, isPatient: true) { (fleet: ProxyFleet) async throws in
            try await waitUntil {
                let path = "/\(UInt64.random(in: 0...UInt64.max))"
                for member in fleet.members {
                    let reply = try await member.probe.send(.get, path)
                    #expect(reply.status == 200)
                }
                await fleet.first.proxy.cache.flush()
                return fleet.first.proxy.cache.storeHealth.contains { $0.failures > 0 }
            }
        }
    }

    @Test func settingsOfTheServerAreUnderstoodByIt() async throws {
        let block = try #require(try text.components(separatedBy: "```\nmaxmemory").dropFirst().first?.components(separatedBy: "```").first)
        let settings = ("maxmemory" + block).split(separator: "\n").map(String.init)
        #expect(settings.count >= 4)
        let server = try await RedisServer.start(.init(settings: settings))
        let policy = try server.command("CONFIG", "GET", "maxmemory-policy").description
        #expect(policy.contains("allkeys-lru"))
        server.stop()
    }

    @Test func theSettingsOfTheProxyInTheDocumentMakeSense() throws {
        let examples = try text.components(separatedBy: "```yaml\n").dropFirst().compactMap { $0.components(separatedBy: "```").first }
        #expect(examples.count >= 1)
        for example in examples {
            let settings = try ProxySettings(.init(file: ("example.yaml", example)))
            _ = try settings.configuration()
        }
    }
}
