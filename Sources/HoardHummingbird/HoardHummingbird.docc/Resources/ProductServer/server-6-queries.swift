// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard

struct ProductQueries: Sendable {
    let database: ProductDatabase
    let products: TieredCache<Int, Product>

    init(
        database: ProductDatabase,
        stores: [any RecordStore],
        clock: any WallClock = SystemWallClock(),
        ticker: any Ticker = MonotonicTicker()
    ) {
        self.database = database
        var policy = CachePolicy(freshFor: .seconds(60))
        policy.staleIfError = .seconds(3_600)
        policy.negativeFor = .seconds(10)
        policy.loadLease = CachePolicy.LoadLease()
        products = TieredCache(
            configuration: .init(maximumCount: 10_000, policy: policy),
            stores: stores,
            codec: .json(schema: "product/1"),
            clock: clock,
            ticker: ticker
        )
    }

    func product(_ id: Int) async throws -> Product? {
        try await products.valueIfExists(forKey: id) { request in
            guard let product = try await database.product(request.key) else { return .absent() }
            return .value(product)
        }
    }

    /// Writes to the database first: a query that began before the removal is answered, and its result is not kept.
    func save(_ product: Product) async throws {
        try await database.save(product)
        await products.removeValue(forKey: product.id)
    }
}
