// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardRedis
import Hummingbird

@main struct ProductServer {
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
