// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import HoardDisk
import HoardTesting
import Testing

/// The examples of the articles about the module `Hoard`, run.
@Suite(.timeLimit(.minutes(1))) struct HoardArticlesExamples {
    struct Product: Codable, Equatable {
        let id: Int
        var name: String
    }

    struct User: Codable, Equatable {
        let id: String
    }

    /// A database that counts its queries. It has every product but number 0.
    actor Database {
        private var changes: [Int: Product] = [:]
        private(set) var queryCount = 0

        func product(_ id: Int) throws -> Product? {
            queryCount += 1
            return id == 0 ? nil : try existingProduct(id)
        }

        func product(_ id: Int) throws -> Product {
            queryCount += 1
            return try existingProduct(id)
        }

        func existingProduct(_ id: Int) throws -> Product { changes[id] ?? Product(id: id, name: "Tea \(id)") }
        func save(_ product: Product) throws { changes[product.id] = product }
        func price(of key: String) throws -> Int { key.utf8.count * 100 }
        func user(_ id: String) throws -> User { User(id: id) }
    }

    private let directory = FileManager.default.temporaryDirectory.appendingPathComponent("hoard-articles-\(UUID().uuidString)").path

    // MARK: Getting started

    @Test func valuesAreKeptInMemory() async throws {
        let database = Database()

        let prices = Cache<String, Int>(maximumCount: 1_000, expiration: .afterWrite(.seconds(60)))
        prices["tea"] = 690
        let price = prices["tea"]

        #expect(price == 690)
        prices["tea"] = nil
        let teaPrice = try await prices.value(forKey: "tea") { key in try await database.price(of: key) }

        #expect(teaPrice == 300)
        let pages = Cache<String, String>(
            configuration: .init(maximumWeight: 64 << 20, weigher: { key, page in key.utf8.count + page.utf8.count })
        )
        pages["/tea"] = "Tea"
        #expect(pages.totalWeight == 7)
    }

    @Test func aDiskIsBelowTheMemory() async throws {
        let (database, cacheDirectory) = (Database(), directory)
        defer { try? FileManager.default.removeItem(atPath: cacheDirectory) }

        let disk = try DiskStore(configuration: .init(directory: cacheDirectory))
        let products = TieredCache<Int, Product>(
            configuration: .init(maximumCount: 10_000, freshFor: .seconds(300)),
            stores: [disk],
            codec: .json
        )
        let product = try await products.value(forKey: 42) { id in try await database.product(id) }

        let changed = Product(id: 42, name: "Black tea")
        try await database.save(changed)
        await products.removeValue(forKey: changed.id)

        let counts = products.statistics
        print(counts.memoryHits, counts.storeHits, counts.loads)
        print(await products.explain(42))

        #expect(product == Product(id: 42, name: "Tea 42"))
        #expect(counts.loads == 1)
        #expect(await products.explain(42).memory == nil)
        await products.close()
    }

    // MARK: Choosing a policy

    @Test func aPolicySaysHowLongValuesAreUsed() async throws {
        let database = Database()

        var policy = CachePolicy(freshFor: .seconds(60))
        policy.jitter = .seconds(6)
        policy.staleWhileRevalidate = .seconds(30)
        policy.staleIfError = .seconds(3_600)
        policy.retryAfterFailure = .seconds(10)
        policy.softTimeout = .milliseconds(200)
        policy.hardTimeout = .seconds(5)
        policy.negativeFor = .seconds(10)

        let products = TieredCache<Int, Product>(
            configuration: .init(maximumCount: 10_000, policy: policy),
            stores: [],
            codec: .json
        )
        let product = try await products.valueIfExists(forKey: 42) { request in
            guard let product = try await database.product(request.key) else { return .absent() }
            return .value(product, tags: ["shop"])
        }

        policy.earlyRefresh = .atFraction(0.9)

        try policy.validate()
        #expect(product == Product(id: 42, name: "Tea 42"))
        for _ in 0..<2 {
            let absent = try await products.valueIfExists(forKey: 0) { request in
                guard let product = try await database.product(request.key) else { return .absent() }
                return .value(product, tags: ["shop"])
            }
            #expect(absent == nil)
        }
        #expect(await database.queryCount == 2)

        try await database.save(Product(id: 42, name: "Black tea"))
        let newest = try await products.value(forKey: 42, policy: products.policy.with { $0.skipping = .reads }) { id in
            try await database.existingProduct(id)
        }
        #expect(newest.name == "Black tea")
        #expect(await products.value(forKey: 42)?.name == "Black tea")
    }

    @Test func aSoftTimeoutNeedsAStaleValue() {
        var policy = CachePolicy(freshFor: .seconds(60))
        policy.softTimeout = .milliseconds(200)
        #expect(throws: CacheError.self) { try policy.validate() }
    }

    // MARK: Removing what is out of date

    @Test func valuesAreRemovedAndMarkedStale() async throws {
        let database = Database()
        let products = TieredCache<Int, Product>(
            configuration: .init(maximumCount: 10_000, freshFor: .seconds(300)),
            stores: [MemoryStore()],
            codec: .json
        )
        let changed = Product(id: 42, name: "Black tea")

        try await database.save(changed)
        await products.removeValue(forKey: changed.id)

        await products.insert(changed, forKey: 42)
        await products.markStale(forKey: 42)
        #expect(await products.value(forKey: 42) == nil)

        let product = try await products.value(forKey: 42, tags: ["shelf-7"]) { id in try await database.product(id) }
        #expect(await products.value(forKey: 42) == changed)
        await products.removeValues(taggedWith: "shelf-7")
        #expect(await products.value(forKey: 42) == nil)

        await products.insert(product, forKey: 42, partition: "alice")
        #expect(await products.value(forKey: 42) == changed)
        await products.removePartition("alice")
        #expect(await products.value(forKey: 42) == nil)

        await products.markAllStale()
        await products.removeAll()
        #expect(products.memoryCount == 0)
    }

    @Test func aCacheWithoutStoresHasTags() {
        let prices = Cache<String, Int>(maximumCount: 1_000)
        prices.insert(690, forKey: "tea", tags: ["shelf-7"])
        prices.removeValues(taggedWith: "shelf-7")
        #expect(prices.peek("tea") == nil)
    }

    // MARK: How eviction works

    @Test func anAccessTraceIsRecorded() async throws {
        let database = Database()
        let recordingPath = directory
        defer { try? FileManager.default.removeItem(atPath: recordingPath) }
        let users = TieredCache<String, User>(configuration: .init(maximumCount: 10, freshFor: .seconds(300)), stores: [], codec: .json)

        let recorder = try CacheTraceRecorder(path: recordingPath)
        users.recordAccesses(with: recorder)
        _ = try await users.value(forKey: "42") { id in try await database.user(id) }
        users.recordAccesses(with: nil)
        try recorder.finish()

        #expect(FileManager.default.fileExists(atPath: recordingPath))
    }

    @Test func aCacheExplainsItself() {
        let pages = Cache<String, String>(
            configuration: .init(maximumWeight: 64 << 20, weigher: { key, page in key.utf8.count + page.utf8.count }, favouring: .bytes)
        )
        pages.insert("<h1>Tea</h1>", forKey: "/tea")

        print(pages.explain("/tea"))
        let popular = pages.hottest(10)
        let next = pages.coldest(10)

        #expect(popular.map(\.key) == ["/tea"])
        #expect(next.map(\.key) == ["/tea"])
    }
}
