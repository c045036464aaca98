// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardHTTP
import HoardRedisTestSupport
import HoardTesting
import Testing

@testable import HoardProxy

/// Two proxies whose Redis fails: both go on, and agree again when it is back.
@Suite(.enabled(if: RedisServer.isAvailable, Comment(rawValue: RedisServer.requirement)), .timeLimit(.minutes(5)))
struct SharedProxiesFaultTests {
    private func sharedState(_ member: ProxyFleet.Member) async throws -> String? {
        let shared = try await member.admin.send(.get, "/api/statistics").json["shared"] as? [String: any Sendable]
        return shared?["state"] as? String
    }

    @Test func theTierIsCalledRedisWhereverItIsShown() async throws {
        try await ProxyFleet.run(isPatient: true) { (fleet: ProxyFleet) async throws in
            try await fleet.first.fill("/a")
            #expect(try await fleet.second.probe.send(.get, "/a").isHit)
            let shared = try await fleet.second.admin.send(.get, "/api/statistics").json["shared"] as? [String: any Sendable]
            #expect(shared?["name"] as? String == "redis" && shared?["state"] as? String == "sound" && shared?["hits"] as? Int ?? 0 >= 1)
            let metrics = try await fleet.second.admin.send(.get, "/metrics").text
            #expect(metrics.contains("hoard_response_seconds_count{tier=\"redis\"} 1\n"))
            #expect(metrics.contains("hoard_store_up{tier=\"redis\"} 1\n"))
            #expect(!metrics.contains("tier=\"store\"") && !metrics.contains("tier=\"disk\""))
            // News of the write that come during the first hit keep it out of memory; the next one is kept.
            try await waitUntil {
                _ = try await fleet.second.probe.send(.get, "/a")
                let entries = try await fleet.second.admin.send(.get, "/api/entries").json["entries"] as? [[String: any Sendable]]
                return entries?.first?["tiers"] as? [String] == ["memory", "redis"]
            }
        }
    }

    @Test func proxiesThatStartWithoutRedisServeAndUseItWhenItComes() async throws {
        let redis = try await RedisServer.start()
        redis.kill()
        try await ProxyFleet.run(redis: redis) { (fleet: ProxyFleet) async throws in
            for member in fleet.members {
                #expect(try await member.probe.send(.get, "/a").status == 200)
                #expect(try await sharedState(member) == "unreachable")
                #expect(try await member.admin.send(.get, "/readyz").status == 200)
            }
            try await redis.restart()
            for member in fleet.members {
                try await waitUntil { try await sharedState(member) == "sound" }
            }
            try await waitUntil {
                let path = "/b\(UInt64.random(in: 0...UInt64.max))"
                try await fleet.first.fill(path)
                return try await fleet.second.probe.send(.get, path).isHit
            }
        }
    }

    @Test func aRedisThatDiesAndComesBackLeavesBothServing() async throws {
        try await ProxyFleet.run { (fleet: ProxyFleet) async throws in
            try await fleet.first.fill("/a")
            #expect(try await fleet.second.probe.send(.get, "/a").isHit)
            fleet.redis.kill()
            for member in fleet.members {
                for path in ["/a", "/b"] { #expect(try await member.probe.send(.get, path).status == 200) }
            }
            let purge = try await fleet.first.purge(#"{"url":"/a"}"#)
            #expect(purge.status == 200)
            let old = try await fleet.first.probe.send(.get, "/a").text
            try await fleet.redis.restart()
            for member in fleet.members {
                try await waitUntil { try await sharedState(member) == "sound" }
            }
            #expect(old != "/a 1")
            try await waitUntil {
                try await fleet.second.probe.send(.get, "/a").text != "/a 1"
            }
        }
    }

    @Test func whatWasPurgedWhileRedisDidNotAnswerIsGoneOnTheOtherWhenItDoes() async throws {
        try await ProxyFleet.run { (fleet: ProxyFleet) async throws in
            try await fleet.first.fill("/a", "/b")
            for path in ["/a", "/b"] { #expect(try await fleet.second.probe.send(.get, path).isHit) }
            fleet.redis.pause()
            try await fleet.first.purge(#"{"url":"/a"}"#)
            #expect(try await fleet.first.probe.send(.get, "/a").text != "/a 1")
            fleet.redis.resume()
            try await waitUntil {
                try await fleet.second.probe.send(.get, "/a").text != "/a 1"
            }
            for member in fleet.members {
                try await waitUntil { try await sharedState(member) == "sound" }
                #expect(try await member.probe.send(.get, "/a").text != "/a 1")
            }
        }
    }
}
