// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hoard
import HoardHTTP
import HoardTesting
import Testing

/// The examples of the article about testing a service, run.
@Suite(.timeLimit(.minutes(1))) struct TestingArticleExamples {
    struct Shop {
        let products: TieredCache<Int, String>
        let database: ProductTable

        init(database: ProductTable, stores: [any RecordStore] = [], clock: any WallClock = SystemWallClock(), ticker: any Ticker = MonotonicTicker())
        {
            var policy = CachePolicy(freshFor: .seconds(60))
            policy.staleIfError = .seconds(3_600)
            products = TieredCache(
                configuration: .init(maximumCount: 1_000, policy: policy),
                stores: stores,
                codec: .json,
                clock: clock,
                ticker: ticker
            )
            self.database = database
        }

        func name(of id: Int) async throws -> String {
            try await products.value(forKey: id) { id in try await database.name(of: id) }
        }

        func rename(_ id: Int, to name: String) async throws {
            try await database.setName(name, of: id)
            await products.removeValue(forKey: id)
        }
    }

    /// A table that counts its queries, and can be away.
    actor ProductTable {
        struct Unreachable: Error {}

        private var names = [42: "Green tea"]
        private var isAway = false
        private(set) var queryCount = 0

        func setAway(_ isAway: Bool) { self.isAway = isAway }
        func setName(_ name: String, of id: Int) throws { names[id] = name }

        func name(of id: Int) throws -> String {
            queryCount += 1
            if isAway { throw Unreachable() }
            return names[id, default: ""]
        }
    }

    private let database = ProductTable()

    @Test func timePasses() async throws {
        let time = ManualTicker()
        let shop = Shop(database: database, clock: time, ticker: time)
        _ = try await shop.name(of: 42)
        time.advance(by: .seconds(61))
        _ = try await shop.name(of: 42)
        #expect(await database.queryCount == 2)
    }

    @Test func theSourceFails() async throws {
        let time = ManualTicker()
        let shop = Shop(database: database, clock: time, ticker: time)

        _ = try await shop.name(of: 42)
        await database.setAway(true)
        time.advance(by: .seconds(120))
        #expect(try await shop.name(of: 42) == "Green tea")
    }

    @Test func aStoreFails() async throws {
        let time = ManualTicker()

        let store = FaultyStore(MemoryStore(clock: time), ticker: time)
        let shop = Shop(database: database, stores: [store], clock: time, ticker: time)
        store.fail()  // every call fails, until heal()
        #expect(try await shop.name(of: 42) == "Green tea")
        store.heal()
    }

    @Test func aLoadIsHeld() async throws {
        let time = ManualTicker()
        let shop = Shop(database: database, clock: time, ticker: time)

        let gate = Gate()
        async let old = shop.products.value(forKey: 42) { id in
            let name = try await database.name(of: id)
            await gate.pass()
            return name
        }
        await gate.arrivals(1)  // the query has read the old name
        try await shop.rename(42, to: "Black tea")
        gate.open()  // and now returns it
        #expect(try await old == "Green tea")
        #expect(try await shop.name(of: 42) == "Black tea")
    }

    @Test func everyOrderIsTried() async throws {
        for seed in 0..<20 as Range<UInt64> {
            let time = ManualTicker()
            let database = ProductTable()
            let shop = Shop(database: database, clock: time, ticker: time)
            try await SeededExecutor(seed: seed, time: time).run {
                async let first = shop.name(of: 42)
                try await shop.rename(42, to: "Black tea")
                _ = try await first
                #expect(try await shop.name(of: 42) == "Black tea", "seed \(seed)")
            }
        }
    }

    @Test func theServerIsPlayed() async throws {
        let transport = FakeTransport { request in
            request.head.path == "/tea" ? .text("Green tea", fields: [.cacheControl: "max-age=60"]) : .text(status: .notFound)
        }
        let client = CachingClient(transport: transport)
        _ = try await client.get("http://example.com/tea").body.collect(upTo: 100)
        _ = try await client.get("http://example.com/tea").body.collect(upTo: 100)
        #expect(transport.requests.count == 1)
    }
}
