// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hummingbird

extension Product: ResponseEncodable {}

extension ProductDatabase.Unreachable: HTTPResponseError {
    var status: HTTPResponse.Status { .serviceUnavailable }

    func response(from request: Request, context: some RequestContext) -> Response { Response(status: status) }
}

/// The handlers know nothing of caching: they call functions.
func makeRouter(_ queries: ProductQueries) -> Router<BasicRequestContext> {
    let router = Router()
    router.get("products") { request, _ in
        try await queries.page(after: request.uri.queryParameters.get("after", as: Int.self) ?? 0, limit: 20)
    }
    router.get("products/:id") { _, context in
        let id = try context.parameters.require("id", as: Int.self)
        guard let product = try await queries.product(id) else { throw HTTPError(.notFound) }
        return product
    }
    router.put("products/:id") { request, context -> HTTPResponse.Status in
        let product = try await request.decode(as: Product.self, context: context)
        guard try context.parameters.require("id", as: Int.self) == product.id else { throw HTTPError(.badRequest) }
        try await queries.save(product)
        return .noContent
    }
    return router
}

@main
enum Service {
    static func main() async throws {
        let database = ProductDatabase([Product(id: 1, name: "Green tea", cents: 690), Product(id: 2, name: "Black tea", cents: 590)])
        let application = Application(
            router: makeRouter(ProductQueries(database: database)),
            configuration: .init(address: .hostname("127.0.0.1", port: 8_080))
        )
        try await application.runService()
    }
}
