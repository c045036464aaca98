// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard
import HoardTesting
import Hummingbird
import HummingbirdTesting
import NIOCore
import Testing

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
