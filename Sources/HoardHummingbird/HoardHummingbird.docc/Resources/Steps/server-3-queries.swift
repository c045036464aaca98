// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard

struct ProductQueries: Sendable {
    let database: ProductDatabase
    let products: TieredCache<Int, Product>

    init(database: ProductDatabase) {
        self.database = database
        var policy = CachePolicy(freshFor: .seconds(60))
        policy.staleIfError = .seconds(3_600)
        policy.negativeFor = .seconds(10)
        products = TieredCache(configuration: .init(maximumCount: 10_000, policy: policy), stores: [], codec: .json)
    }

    func product(_ id: Int) async throws -> Product? {
        try await products.valueIfExists(forKey: id) { request in
            guard let product = try await database.product(request.key) else { return .absent() }
            return .value(product)
        }
    }
}
