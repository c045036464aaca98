// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The products of the shop and its customers. Prices can change while the server runs.
public final class Shop: Sendable {
    struct Product: Sendable {
        let id: Int
        let category: String
        let name: String
        let text: String
        var cents: Int
    }

    struct Customer: Sendable {
        let name: String
        let address: String
        let points: Int
    }

    private let stock: Mutex<[Product]>
    /// The customers, by the token that they send.
    private let customers: [String: Customer] = [
        "token-ana": Customer(name: "Ana", address: "Rua das Flores 7, Porto", points: 120),
        "token-ben": Customer(name: "Ben", address: "Mill Lane 4, Leeds", points: 15),
    ]

    public init() {
        stock = Mutex([
            Product(id: 1, category: "tea", name: "Green tea", text: "A hundred grams, first flush.", cents: 690),
            Product(id: 2, category: "tea", name: "Black tea", text: "A hundred grams, strong.", cents: 590),
            Product(id: 3, category: "pots", name: "Small pot", text: "For two cups, clay.", cents: 2_400),
            Product(id: 4, category: "pots", name: "Large pot", text: "For eight cups, iron.", cents: 5_900),
        ])
    }

    var products: [Product] { stock.withLock { $0 } }

    /// In the order in which they first appear.
    var categories: [String] {
        products.reduce(into: []) { names, product in
            if !names.contains(product.category) { names.append(product.category) }
        }
    }

    func product(_ id: Int) -> Product? { products.first { $0.id == id } }

    func customer(withToken token: String) -> Customer? { customers[token] }

    /// Changes a price.
    ///
    /// - Returns: Whether there is such a product.
    func setPrice(_ cents: Int, ofProduct id: Int) -> Bool {
        stock.withLock { stock in
            guard let index = stock.firstIndex(where: { $0.id == id }) else { return false }
            stock[index].cents = cents
            return true
        }
    }
}
