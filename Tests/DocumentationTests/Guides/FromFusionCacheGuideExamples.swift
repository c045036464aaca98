// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import HoardRedis
import HoardTesting
import Testing

/// The examples of `docs/guides/from-fusioncache.md`, run.
@Suite(.timeLimit(.minutes(1))) struct FromFusionCacheGuideExamples {
    struct Product: Codable, Equatable {
        let id: Int
        var category = "tools"
        var isNew = false
    }

    struct Outage: Error {}

    /// A database that counts its queries and can be out of order.
    actor Database {
        private(set) var queryCount = 0
        var isOut = false

        func setIsOut(_ isOut: Bool) { self.isOut = isOut }

        func product(_ id: Int) throws -> Product {
            queryCount += 1
            if isOut { throw Outage() }
            return Product(id: id)
        }

        func find(_ id: Int) throws -> Product? { id < 1_000 ? try product(id) : nil }
    }

    @Test func entryOptionsAreAPolicy() async throws {
        let database = Database()
        let memory = MemoryStore()

        var policy = CachePolicy(freshFor: .seconds(60))
        policy.staleIfError = .seconds(7_200 - 60)  // counted from the end of freshFor
        policy.retryAfterFailure = .seconds(30)
        policy.softTimeout = .milliseconds(100)
        policy.hardTimeout = .milliseconds(1_500)
        policy.earlyRefresh = .atFraction(0.9)
        policy.jitter = .seconds(2)
        try policy.validate()

        let stores = StoreStack([memory], configuration: .init(deadline: .milliseconds(500)))
        let products = TieredCache<Int, Product>(
            name: "products",
            configuration: .init(maximumCount: 10_000, policy: policy),
            stores: stores,
            codec: .json
        )
        let product = try await products.value(forKey: 123, tags: ["catalogue"]) { id in try await database.product(id) }
        let fresh = try await products.value(forKey: 123, policy: policy.with { $0.skipping = .reads }) { id in try await database.product(id) }

        #expect(product == fresh)
        #expect(await database.queryCount == 2)
        await products.removeValues(taggedWith: "catalogue")
        #expect(await products.value(forKey: 123) == product, "A call's tags are for what that call loads: the second one named none.")
        await stores.close()
    }

    @Test func processesShareThroughRedis() async throws {
        let database = Database()
        let policy = CachePolicy(freshFor: .seconds(60))

        let redis = try RedisStore(connectingTo: RedisConfiguration(url: "redis://cache.internal:6379"))
        let products = TieredCache<Int, Product>(
            name: "products",
            configuration: .init(maximumCount: 10_000, policy: policy.with { $0.loadLease = .init() }),
            stores: StoreStack([redis]),
            codec: .json
        )
        let product = try await products.value(forKey: 123) { id in try await database.product(id) }

        #expect(product == Product(id: 123), "Without a server the database answers.")
        await redis.close()
        await products.close()
    }

    @Test func theLoaderAdaptsWhatIsKept() async throws {
        let database = Database()
        let products = TieredCache<Int, Product>(configuration: .init(maximumCount: 10, freshFor: .seconds(60)), stores: [], codec: .json)

        let product = try await products.valueIfExists(forKey: 123) { request in
            guard let product = try await database.find(request.key) else { return .absent(expiresAfter: .seconds(300)) }
            return .value(product, expiresAfter: product.isNew ? .seconds(60) : .seconds(1_800), tags: ["category-\(product.category)"])
        }

        #expect(product == Product(id: 123))
        for _ in 0..<2 {
            let none = try await products.valueIfExists(forKey: 5_000) { request in
                guard let product = try await database.find(request.key) else { return .absent(expiresAfter: .seconds(300)) }
                return .value(product)
            }
            #expect(none == nil)
        }
        #expect(products.statistics.negativeHits == 1)
    }

    @Test func removingAndExpiringAreTwoThings() async throws {
        let database = Database()
        var policy = CachePolicy(freshFor: .seconds(60))
        policy.staleIfError = .seconds(600)
        let products = TieredCache<Int, Product>(configuration: .init(maximumCount: 10, policy: policy), stores: [], codec: .json)
        func product() async throws -> Product {
            try await products.value(forKey: 123, tags: ["catalogue"]) { id in try await database.product(id) }
        }
        _ = try await product()
        await database.setIsOut(true)

        await products.markStale(taggedWith: "catalogue")  // RemoveByTag: fail-safe may still use the value
        #expect(try await product() == Product(id: 123))
        await products.removeValues(taggedWith: "catalogue")  // gone, for fail-safe too
        await #expect(throws: Outage.self) { try await product() }

        await database.setIsOut(false)
        _ = try await product()
        await products.markStale(forKey: 123)  // Expire
        await products.removeValue(forKey: 123)  // Remove
        await products.markAllStale()  // Clear(true)
        await products.removeAll()  // Clear(false)
        #expect(await products.value(forKey: 123) == nil)
    }

    @Test func withoutFreshForAValueIsFreshForEver() async throws {
        let time = ManualTicker()
        let products = TieredCache<Int, Product>(
            configuration: .init(maximumCount: 10),
            stores: [],
            codec: .json,
            clock: time,
            ticker: time
        )
        await products.insert(Product(id: 1), forKey: 1)
        time.advance(by: .seconds(365 * 86_400))
        #expect(await products.value(forKey: 1) != nil)
    }
}
