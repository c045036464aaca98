// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard
import HoardNIOTestSupport
@_spi(Client) import HoardRedis
import HoardRedisTestSupport
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite(.enabled(if: RedisServer.isAvailable, "\(RedisServer.requirement)"), .timeLimit(.minutes(3)))
struct RefusingServerTests {
    /// Expects that callers get the values of their loaders, whichever command the server refuses.
    private func expectPassThrough(_ cache: FaultCache, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        #expect(try await cache.storedValue("a", loading: "1") == "1", sourceLocation: sourceLocation)
        #expect(try await cache.storedValue("a", loading: "2") == "2", sourceLocation: sourceLocation)
        await cache.cache.removeValue(forKey: "a")
        #expect(try await cache.value("a", loading: "3") == "3", sourceLocation: sourceLocation)
        #expect(cache.health?.failures ?? 0 > 0, sourceLocation: sourceLocation)
    }

    @Test func aWrongPasswordFailsNobody() async throws {
        let site = try await FaultSite(.init(users: ["default off", "hoard on >right ~* &* +@all"]))
        let wrong = try site.cache {
            $0.user = "hoard"
            $0.password = "wrong"
        }
        try await expectPassThrough(wrong)
        let right = try site.cache {
            $0.user = "hoard"
            $0.password = "right"
        }
        #expect(try await right.storedValue(loading: "1") == "1")
        #expect(try await right.storedValue(loading: "2") == "1")
        await site.end(wrong, right)
    }

    @Test func noErrorShowsAPassword() async throws {
        let site = try await FaultSite(.init(users: ["default off", "hoard on >right ~* &* +@all"]))
        let cache = try site.cache {
            $0.user = "hoard"
            $0.password = "wrong-and-secret"
        }
        do {
            _ = try await cache.store.record(forKey: RecordKey("some-key"))
            Issue.record("the server took a wrong password")
        } catch {
            for text in ["\(error)", String(reflecting: error), "\(error.underlyingError.map { "\($0)" } ?? "")"] {
                #expect(!text.contains("secret"))
                #expect(!text.contains("some-key"))
            }
        }
        await site.end(cache)
    }

    @Test(arguments: ["-client", "-client|tracking", "-eval -evalsha", "-set", "-get", "-hello"])
    func aUserWhoMayNotDoEverythingFailsNobody(missing: String) async throws {
        let site = try await FaultSite(.init(users: ["default off", "hoard on >right ~* &* +@all \(missing)"]))
        let cache = try site.cache {
            $0.user = "hoard"
            $0.password = "right"
        }
        #expect(try await cache.value("a", loading: "1") == "1")
        #expect(try await cache.value("b", loading: "1", tags: ["t"]) == "1")
        // A load over the present record, by a script.
        await cache.cache.removeValue(forKey: "a")
        #expect(try await cache.value("a", loading: "2") == "2")
        await cache.cache.removeValues(taggedWith: "t")
        #expect(try await cache.value("b", loading: "3", tags: ["t"]) == "3")
        await cache.cache.markStale(forKey: "b")
        #expect(try await cache.value("b", loading: "4", tags: ["t"]) == "4")
        await site.end(cache)
    }

    @Test func aServerThatIsFullKeepsNothingThatWasRemoved() async throws {
        let site = try await FaultSite(.init(settings: ["maxmemory-policy noeviction"]))
        let (first, second) = (try site.cache(), try site.cache())
        #expect(try await first.storedValue(loading: "1", tags: ["t"]) == "1")
        #expect(try await first.storedValue("tagged", loading: "1", tags: ["t"]) == "1")
        #expect(try await second.value(loading: "x") == "1")
        try site.server.command("CONFIG", "SET", "maxmemory", "1")
        #expect(try await first.storedValue("new", loading: "2") == "2")
        await first.cache.removeValue(forKey: "k")
        await first.cache.removeValues(taggedWith: "t")
        #expect(try await first.storedValue(loading: "2") == "2")
        #expect(try await first.storedValue("tagged", loading: "2") == "2")
        try site.server.command("CONFIG", "SET", "maxmemory", "0")
        try await first.recovered()
        #expect(try await second.storedValue(loading: "3") == "3")
        #expect(try await second.storedValue("tagged", loading: "3") == "3")
        await site.end(first, second)
    }

    @Test func whatIsEvictedNeverBringsBackWhatWasRemoved() async throws {
        let site = try await FaultSite(.init(settings: ["maxmemory-policy allkeys-lru"]))
        let (first, second) = (try site.cache(), try site.cache())
        let filling = String(repeating: "f", count: 10_000)
        for round in 0..<6 {
            for number in 0..<10 { #expect(try await first.storedValue("k\(number)", loading: "\(round)", tags: ["t"]) == "\(round)") }
            await first.cache.removeValues(taggedWith: "t")
            // Generations, records and tombstones are evicted alike.
            let used = Int(try site.server.information("used_memory") ?? "") ?? 0
            try site.server.command("CONFIG", "SET", "maxmemory", "\(used + 100_000)")
            for number in 0..<40 { _ = try await second.storedValue("fill-\(round)-\(number)", loading: filling) }
            try site.server.command("CONFIG", "SET", "maxmemory", "0")
            try await first.recovered()
            try await second.recovered()
            for number in 0..<10 {
                let found = try await second.storedValue("k\(number)", loading: "\(round + 1)", tags: ["t"])
                #expect(found == "\(round + 1)", "round \(round), key \(number)")
            }
        }
        #expect(Int(try site.server.information("evicted_keys") ?? "") ?? 0 > 0)
        await site.end(first, second)
    }

    @Test func aReplicaThatMayOnlyBeReadFailsNobody() async throws {
        let site = try await FaultSite()
        let cache = try site.cache()
        #expect(try await cache.storedValue(loading: "1") == "1")
        // A replica of a server that does not answer.
        try site.server.command("CONFIG", "SET", "replica-serve-stale-data", "yes")
        try site.server.command("REPLICAOF", "127.0.0.1", "1")
        #expect(try await cache.value("new", loading: "2") == "2")
        await cache.cache.removeValue(forKey: "k")
        #expect(cache.health?.isSound == false)
        #expect(try await cache.storedValue(loading: "3") == "3")
        try site.server.command("REPLICAOF", "NO", "ONE")
        try await cache.recovered()
        #expect(try await cache.storedValue(loading: "4") != "1")
        await site.end(cache)
    }

    private func trust(_ certificate: TestCertificate, in site: FaultSite) throws -> String {
        let path = site.server.directory + "/roots-\(UInt32.random(in: 0...UInt32.max)).pem"
        try Data(certificate.certificate.utf8).write(to: URL(filePath: path))
        return path
    }

    private func encrypted(_ site: FaultSite, trusting certificate: TestCertificate) throws -> FaultCache {
        let address = try #require(site.server.tlsAddress)
        let path = try trust(certificate, in: site)
        return try site.cache {
            $0.address = address
            $0.tls = .init()
            $0.tls?.additionalTrustRootsPath = path
        }
    }

    @Test func aCertificateThatIsNotTrustedFailsNobodyAndGivesNothingAway() async throws {
        let site = try await FaultSite(.init(certificate: .first))
        let distrusting = try encrypted(site, trusting: .second)
        try await expectPassThrough(distrusting)
        #expect(try site.server.command("DBSIZE") == .integer(0))
        let trusting = try encrypted(site, trusting: .first)
        #expect(try await trusting.storedValue(loading: "1") == "1")
        #expect(try await trusting.storedValue(loading: "2") == "1")
        await site.end(distrusting, trusting)
    }

    @Test func aCertificateThatHasExpiredFailsNobody() async throws {
        let site = try await FaultSite(.init(certificate: .expired))
        let cache = try encrypted(site, trusting: .expired)
        try await expectPassThrough(cache)
        await site.end(cache)
    }
}
