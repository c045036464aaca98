// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardHTTP
import HoardHummingbird
import Hummingbird

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
