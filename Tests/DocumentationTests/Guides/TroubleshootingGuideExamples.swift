// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Hoard
import HoardDisk
import HoardHTTP
import HoardTesting
import NIOCore
import Synchronization
import Testing

/// The examples of `docs/guides/troubleshooting.md`, run. What they print stands there.
@Suite(.timeLimit(.minutes(2))) struct TroubleshootingGuideExamples {
    struct User: Codable, Equatable {
        let name: String
    }

    actor Database {
        private var names = ["42": "Ada"]
        private(set) var queryCount = 0

        func user(_ id: String) throws -> User {
            queryCount += 1
            guard let name = names[id] else { throw CancellationError() }
            return User(name: name)
        }

        func rename(_ id: String, to name: String) throws { names[id] = name }
        func remove(_ id: String) { names[id] = nil }
    }

    // MARK: My value is not there

    @Test func explainNamesTheReasonOfAnAbsence() {
        let time = ManualTicker()
        let cache = Cache<String, Int>(maximumCount: 2, expiration: .afterWrite(.seconds(60)), ticker: time)

        cache["a"] = 1
        print(cache.explain("a"))
        cache.removeValue(forKey: "a")
        print(cache.explain("a"))
        print(cache.explain("b"))

        #expect("\(cache.explain("a"))" == "absent, left because: explicit, seen once lately")
        #expect("\(cache.explain("b"))".hasPrefix("absent, not seen leaving lately"))

        cache["c"] = 3
        time.advance(by: .seconds(60))
        #expect("\(cache.explain("c"))".hasPrefix("expired") || "\(cache.explain("c"))".hasPrefix("absent, left because: expired"))
    }

    @Test func whatIsTooHeavyIsRefused() {
        let cache = Cache<String, Data>(configuration: .init(maximumWeight: 1_000, weigher: { _, value in value.count }))

        cache.insert(Data(count: 2_000), forKey: "large")
        print(cache.statistics.refusals, cache.explain("large"))

        #expect(cache.statistics.refusals == 1 && !cache.contains("large"))
    }

    @Test func aLoadThatWasOvertakenIsNotKept() async throws {
        let cache = Cache<String, String>(maximumCount: 10)
        let gate = Gate()
        async let value = cache.value(forKey: "42") { _ in
            await gate.pass()
            return "old"
        }
        await gate.arrivals(1)
        cache.removeValue(forKey: "42")  // while the load is under way
        gate.open()
        #expect(try await value == "old")

        print(cache.statistics.fencedLoads, cache.explain("42"))

        #expect(cache.statistics.fencedLoads == 1 && !cache.contains("42"))
    }

    @Test func aTieredCacheExplainsEachTier() async throws {
        let (time, database) = (ManualTicker(), Database())
        var policy = CachePolicy(freshFor: .seconds(60))
        policy.staleIfError = .seconds(600)
        let users = TieredCache<String, User>(
            configuration: .init(maximumCount: 100, policy: policy),
            stores: [FaultyStore(MemoryStore(clock: time), name: "disk", ticker: time)],
            codec: .json,
            clock: time,
            ticker: time
        )

        _ = try await users.value(forKey: "42") { id in try await database.user(id) }
        print(await users.explain("42"))

        #expect("\(await users.explain("42"))".hasPrefix("memory: fresh"))
        time.advance(by: .seconds(90))
        print(await users.explain("42"))
        #expect("\(await users.explain("42"))".contains("served on errors for"))

        await database.remove("42")  // the source fails
        #expect(try await users.value(forKey: "42") { id in try await database.user(id) }.name == "Ada")
        print(await users.explain("42"))
        #expect("\(await users.explain("42"))".contains("the last load has failed"))
    }

    @Test func aKeyThatIsSpelledInAnotherWayIsAnotherKey() {
        let cache = Cache<String, Int>(maximumCount: 10)

        cache["User-42"] = 1
        print(cache.contains("user-42"), cache.contains("User-42"))

        #expect(!cache.contains("user-42") && cache.contains("User-42"))
        cache["caf\u{E9}"] = 2
        #expect(cache.contains("cafe\u{301}"), "one character or two: one key")
    }

    // MARK: Why was this response not cached

    @Test func theHTTPCacheExplainsAResponse() async throws {
        let transport = FakeTransport { _ in .text("Hello", fields: [.cacheControl: "private, max-age=60"]) }
        var configuration = HTTPCache.Configuration()
        configuration.mode = .shared
        let client = CachingClient(transport: transport, cache: HTTPCache(configuration: configuration, stores: []))

        let response = try await client.get("https://example.com/account")
        _ = try await response.body.collect(upTo: 100)
        print(response.cacheStatus)
        print(await client.cache.explain("https://example.com/account"))

        #expect("\(response.cacheStatus)" == "hoard; fwd=uri-miss; fwd-status=200; detail=PRIVATE")
        let explanation = "\(await client.cache.explain("https://example.com/account"))"
        #expect(explanation.contains("A GET would be sent to the origin: Nothing is stored for the URI. (RFC 9111 §4)"))
        #expect(explanation.contains("The last response: The response is for one user, and the cache is shared. (RFC 9111 §5.2.2.7)"))
    }

    // MARK: Stale data after a write

    @Test func aWriteIsFollowedByARemoval() async throws {
        let database = Database()
        let users = TieredCache<String, User>(configuration: .init(maximumCount: 100, freshFor: .seconds(300)), stores: [], codec: .json)
        _ = try await users.value(forKey: "42") { id in try await database.user(id) }

        try await database.rename("42", to: "Grace")  // first the source
        await users.removeValue(forKey: "42")  // then the cache: a load under way is not kept
        let user = try await users.value(forKey: "42") { id in try await database.user(id) }

        #expect(user.name == "Grace")
    }

    @Test func whatBelongsTogetherHasATag() async throws {
        let users = TieredCache<String, User>(configuration: .init(maximumCount: 100, freshFor: .seconds(300)), stores: [], codec: .json)

        await users.insert(User(name: "Ada"), forKey: "42", tags: ["team-7"])
        await users.removeValues(taggedWith: "team-7")
        print(await users.explain("42"))

        #expect(await users.value(forKey: "42") == nil)
    }

    // MARK: Stores that fail

    @Test func aStoreTellsHowItIs() async throws {
        let database = Database()
        let time = ManualTicker()
        let store = FaultyStore(MemoryStore(), name: "redis", ticker: time)
        let users = TieredCache<String, User>(
            configuration: .init(maximumCount: 100, freshFor: .seconds(300)),
            stores: [store],
            codec: .json,
            ticker: time
        )
        store.fail()

        for id in ["42", "42", "42"] {
            _ = try await users.value(forKey: id, policy: users.policy.with { $0.skipping = .memory }) { id in try await database.user(id) }
        }
        await users.removeValue(forKey: "42")

        for health in users.storeHealth {
            print(health.store, health.circuit, "failures:", health.failures, "waiting removals:", health.pendingInvalidations)
        }
        print(await users.explain("42"))

        #expect(users.storeHealth[0].failures > 0 && users.storeHealth[0].pendingInvalidations > 0)
        #expect(!users.storeHealth[0].isSound)
    }

    // MARK: Memory grows

    @Test func whatACacheHolds() {
        let cache = Cache<String, Data>(maximumCount: 10_000)
        cache["a"] = Data(count: 1 << 20)

        print(cache.count, "entries of", cache.maximumCount ?? 0, "and a weight of", cache.totalWeight)

        #expect(cache.count == 1 && cache.totalWeight == 1, "without a weigher an entry of a mebibyte weighs 1")
    }
}
