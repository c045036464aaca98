// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard
import HoardHTTP
import HoardHummingbird
import HoardRedis
import HoardTesting
import Hummingbird
import HummingbirdTesting
import NIOCore
import Testing

/// The code files of the tutorial about a server of products, a namespace for each state of the server.
enum ServerTutorial {
    /// Queries in front of the database.
    enum Memory {
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

        struct ProductQueries: Sendable {
            let database: ProductDatabase
            let products: TieredCache<Int, Product>

            init(database: ProductDatabase) {
                self.database = database
                products = TieredCache(configuration: .init(maximumCount: 10_000, freshFor: .seconds(60)), stores: [], codec: .json)
            }

            func product(_ id: Int) async throws -> Product? {
                try await products.valueIfExists(forKey: id) { request in
                    guard let product = try await database.product(request.key) else { return .absent() }
                    return .value(product)
                }
            }
        }
    }

    /// A policy.
    enum Policy {
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
    }

    /// Saving, and the handlers.
    enum Handlers {
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

            /// Writes to the database first: a query that began before the removal is answered, and its result is not kept.
            func save(_ product: Product) async throws {
                try await database.save(product)
                await products.removeValue(forKey: product.id)
            }
        }

        struct ProductRoutes: Sendable {
            let queries: ProductQueries

            func router() -> Router<BasicRequestContext> {
                let router = Router()
                router.get("products/:id", use: show)
                router.put("products/:id", use: change)
                return router
            }

            @Sendable private func show(_ request: Request, context: BasicRequestContext) async throws -> Product {
                let id = try context.parameters.require("id", as: Int.self)
                guard let product = try await queries.product(id) else { throw HTTPError(.notFound) }
                return product
            }

            @Sendable private func change(_ request: Request, context: BasicRequestContext) async throws -> HTTPResponse.Status {
                let product = try await request.decode(as: Product.self, context: context)
                guard try context.parameters.require("id", as: Int.self) == product.id else { throw HTTPError(.badRequest) }
                try await queries.save(product)
                return .noContent
            }
        }
    }

    /// Stores below the memory.
    enum Stores {
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

        struct ProductRoutes: Sendable {
            let queries: ProductQueries

            func router() -> Router<BasicRequestContext> {
                let router = Router()
                router.get("products/:id", use: show)
                router.put("products/:id", use: change)
                return router
            }

            @Sendable private func show(_ request: Request, context: BasicRequestContext) async throws -> Product {
                let id = try context.parameters.require("id", as: Int.self)
                guard let product = try await queries.product(id) else { throw HTTPError(.notFound) }
                return product
            }

            @Sendable private func change(_ request: Request, context: BasicRequestContext) async throws -> HTTPResponse.Status {
                let product = try await request.decode(as: Product.self, context: context)
                guard try context.parameters.require("id", as: Int.self) == product.id else { throw HTTPError(.badRequest) }
                try await queries.save(product)
                return .noContent
            }
        }

        struct ProductServer {
            static func main() async throws {
                let database = ProductDatabase([Product(id: 1, name: "Green tea", cents: 690), Product(id: 2, name: "Black tea", cents: 590)])
                let redis = try RedisStore(connectingTo: RedisConfiguration(url: "redis://127.0.0.1:6379"))
                let routes = ProductRoutes(queries: ProductQueries(database: database, stores: [redis]))
                var application = Application(
                    router: routes.router(),
                    configuration: .init(address: .hostname("127.0.0.1", port: 8_080))
                )
                application.addServices(redis)
                try await application.runService()
            }
        }
    }

    /// Whole responses, and the test.
    enum Responses {
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

        struct ProductRoutes: Sendable {
            let queries: ProductQueries
            let caching: HTTPCacheMiddleware<BasicRequestContext>

            init(queries: ProductQueries, cache: HTTPCache = HTTPCache(configuration: .server)) {
                self.queries = queries
                caching = HTTPCacheMiddleware(cache: cache)
            }

            func router() -> Router<BasicRequestContext> {
                let router = Router()
                router.get("products/:id", use: show)
                router.put("products/:id", use: change)
                router.group("list", cache: caching).get(use: list)
                return router
            }

            @Sendable private func show(_ request: Request, context: BasicRequestContext) async throws -> Product {
                let id = try context.parameters.require("id", as: Int.self)
                guard let product = try await queries.product(id) else { throw HTTPError(.notFound) }
                return product
            }

            @Sendable private func change(_ request: Request, context: BasicRequestContext) async throws -> HTTPResponse.Status {
                let product = try await request.decode(as: Product.self, context: context)
                guard try context.parameters.require("id", as: Int.self) == product.id else { throw HTTPError(.badRequest) }
                try await queries.save(product)
                await caching.cache.remove(taggedWith: "products")
                return .noContent
            }

            /// May be five seconds old in other processes: this cache is each process's own.
            @Sendable private func list(_ request: Request, context: BasicRequestContext) async throws -> Response {
                let names = try await queries.database.products().map(\.name).joined(separator: "\n")
                var response = Response(
                    status: .ok,
                    headers: [.cacheControl: "max-age=5, stale-if-error=3600", .contentType: "text/plain; charset=utf-8"],
                    body: ResponseBody(byteBuffer: ByteBuffer(string: names))
                )
                response.cacheTags = ["products"]
                return response
            }
        }

        @Suite(.timeLimit(.minutes(1))) struct ProductServerTests {
            private let time = ManualTicker()
            private let database = ProductDatabase([Product(id: 1, name: "Green tea", cents: 690)])

            @Test func anOldProductStandsInAndAChangeIsSeenAtOnce() async throws {
                let queries = ProductQueries(database: database, stores: [MemoryStore(clock: time)], clock: time, ticker: time)
                let application = Application(router: ProductRoutes(queries: queries).router())
                try await application.test(.router) { client async throws in
                    try await client.execute(uri: "/products/1", method: .get) { #expect(String(buffer: $0.body).contains("690")) }

                    await database.setAway(true)
                    time.advance(by: .seconds(120))
                    try await client.execute(uri: "/products/1", method: .get) { #expect($0.status == .ok) }

                    await database.setAway(false)
                    let change = ByteBuffer(string: #"{"id": 1, "name": "Green tea", "cents": 490}"#)
                    try await client.execute(uri: "/products/1", method: .put, body: change) { #expect($0.status == .noContent) }
                    try await client.execute(uri: "/products/1", method: .get) { #expect(String(buffer: $0.body).contains("490")) }
                }
            }
        }
    }
}
