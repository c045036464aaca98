// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard
import HoardMacros

struct Product: Codable, Hashable, Sendable {
    let id: Int
    var name: String
    var cents: Int
}

/// Stands for the driver of a real database. It counts its queries, and can be away.
actor ProductDatabase {
    struct Unreachable: Error {}

    private var rows: [Int: Product]
    private var isAway = false
    private(set) var queryCount = 0

    init(_ products: [Product]) { rows = Dictionary(products.map { ($0.id, $0) }) { $1 } }

    func setAway(_ isAway: Bool) { self.isAway = isAway }
    func product(_ id: Int) throws -> Product? { try query()[id] }
    func products(after id: Int, limit: Int) throws -> [Product] {
        Array(try query().values.filter { $0.id > id }.sorted { $0.id < $1.id }.prefix(limit))
    }
    func save(_ product: Product) throws { rows = try query().merging([product.id: product]) { $1 } }

    private func query() throws -> [Int: Product] {
        queryCount += 1
        if isAway { throw Unreachable() }
        return rows
    }
}

/// The questions that the service asks its database, each answered from a cache.
struct ProductQueries: Sendable {
    let database: ProductDatabase
    let products: TieredCache<Int, Product>
    let pages: Cache<FunctionCall<Int, Int>, [Product]>

    init(database: ProductDatabase, clock: any WallClock = SystemWallClock(), ticker: any Ticker = MonotonicTicker()) {
        self.database = database
        var policy = CachePolicy(freshFor: .seconds(60))
        policy.staleIfError = .seconds(3_600)
        // A missing product costs the table one query in 10 seconds, however many requests want it.
        policy.negativeFor = .seconds(10)
        products = TieredCache(configuration: .init(maximumCount: 10_000, policy: policy), stores: [], codec: .json, clock: clock, ticker: ticker)
        pages = Cache(maximumCount: 1_000, ticker: ticker)
    }

    // The only parameter has the type of the cache's keys, and so it is the key. The database
    // is the same for all instances.
    @Cached(in: \Self.products, ignoring: ["database"])
    func product(_ id: Int) async throws -> Product? { try await self.database.product(id) }

    @Cached(in: \Self.pages, freshFor: .seconds(10), tags: ["pages"], ignoring: ["database"])
    func page(after id: Int, limit: Int) async throws -> [Product] { try await self.database.products(after: id, limit: limit) }

    /// Writes to the database first: a query that began before the removal is answered, but not kept.
    func save(_ product: Product) async throws {
        try await database.save(product)
        await products.removeValue(forKey: product.id)
        pages.removeValues(taggedWith: "pages")
    }
}
