// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hummingbird

struct Product: ResponseCodable, Hashable, Sendable {
    let id: Int
    var name: String
    var cents: Int
}

/// Stands for the driver of a real database.
actor ProductDatabase {
    struct Unreachable: Error {}

    private var rows: [Int: Product]
    private var isAway = false
    private(set) var queryCount = 0

    init(_ products: [Product]) { rows = Dictionary(products.map { ($0.id, $0) }) { $1 } }

    func setAway(_ isAway: Bool) { self.isAway = isAway }
    func product(_ id: Int) throws -> Product? { try query()[id] }
    func products() throws -> [Product] { try query().values.sorted { $0.id < $1.id } }
    func save(_ product: Product) throws { rows = try query().merging([product.id: product]) { $1 } }

    private func query() throws -> [Int: Product] {
        queryCount += 1
        if isAway { throw Unreachable() }
        return rows
    }
}
