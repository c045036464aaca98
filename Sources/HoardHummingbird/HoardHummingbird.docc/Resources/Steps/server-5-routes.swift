// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hummingbird

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
