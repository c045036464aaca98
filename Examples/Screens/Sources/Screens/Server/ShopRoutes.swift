// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import Hummingbird

/// The routes of the server.
///
/// `/admin` is for the shop's operator. Its only protection is that the server listens on the loopback interface only.
struct ShopRoutes: Sendable {
    let shop: Shop
    let counter = RequestCounter<BasicRequestContext>()

    private var screens: ShopScreens { ShopScreens(shop: shop) }

    func router() -> Router<BasicRequestContext> {
        let router = Router(context: BasicRequestContext.self)
        router.add(middleware: counter)
        let admin = router.group("admin")
        admin.get("requests") { [counter] _, _ in counter.counts }
        admin.post("price", use: setPrice)
        let screens = router.group("screens")
        screens.get("home") { request, _ in try self.screens.home().response(to: request.headers) }
        screens.get("categories") { request, _ in try self.screens.categories().response(to: request.headers) }
        screens.get("categories/:name") { request, context in
            let name = try context.parameters.require("name")
            return try self.found(self.screens.category(name)).response(to: request.headers)
        }
        screens.get("products/:id") { request, context in
            let id = try context.parameters.require("id", as: Int.self)
            return try self.found(self.screens.product(id)).response(to: request.headers)
        }
        screens.get("profile") { request, _ in try self.profile(request) }
        screens.get("terms") { request, _ in try self.screens.terms().response(to: request.headers) }
        return router
    }

    private func profile(_ request: Request) throws -> Response {
        let credentials = request.headers[.authorization]?.split(separator: " ") ?? []
        guard credentials.count == 2, credentials[0] == "Bearer", let customer = shop.customer(withToken: String(credentials[1])) else {
            throw HTTPError(.unauthorized, headers: [.wwwAuthenticate: "Bearer"])
        }
        return try screens.profile(of: customer).response(to: request.headers)
    }

    private struct NewPrice: Decodable {
        let product: Int
        let cents: Int
    }

    @Sendable
    private func setPrice(_ request: Request, context: BasicRequestContext) async throws -> HTTPResponse.Status {
        let price = try await request.decode(as: NewPrice.self, context: context)
        guard price.cents >= 0 else { throw HTTPError(.badRequest, message: "A price is not negative.") }
        guard shop.setPrice(price.cents, ofProduct: price.product) else { throw HTTPError(.notFound) }
        return .noContent
    }

    private func found(_ state: ScreenState?) throws -> ScreenState {
        guard let state else { throw HTTPError(.notFound) }
        return state
    }
}
