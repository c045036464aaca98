// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import Hummingbird
import HummingbirdTesting
import Testing

@testable import CachedService

@Suite(.timeLimit(.minutes(1))) struct CachedServiceTests {
    private let time = ManualTicker()
    private let database = ProductDatabase([Product(id: 1, name: "Green tea", cents: 690)])

    private func test(_ body: @escaping @Sendable (any TestClientProtocol) async throws -> Void) async throws {
        let queries = ProductQueries(database: database, clock: time, ticker: time)
        try await Application(router: makeRouter(queries)).test(.router, body)
    }

    private func get(_ path: String, _ client: any TestClientProtocol) async throws -> (status: HTTPResponse.Status, text: String) {
        try await client.execute(uri: path, method: .get) { ($0.status, String(buffer: $0.body)) }
    }

    @Test func aHundredRequestsForAProductAreOneQuery() async throws {
        try await test { client async throws in
            try await withThrowingTaskGroup(of: HTTPResponse.Status.self) { group in
                for _ in 0..<100 { group.addTask { try await get("/products/1", client).status } }
                for try await status in group { #expect(status == .ok) }
            }
            #expect(await database.queryCount == 1)
        }
    }

    @Test func aChangeIsSeenAtOnce() async throws {
        try await test { client async throws in
            for path in ["/products/1", "/products"] { #expect(try await get(path, client).text.contains("690")) }
            let change = ByteBuffer(string: #"{"id": 1, "name": "Green tea", "cents": 490}"#)
            try await client.execute(uri: "/products/1", method: .put, body: change) { #expect($0.status == .noContent) }
            for path in ["/products/1", "/products"] { #expect(try await get(path, client).text.contains("490")) }
        }
    }

    @Test func aProductThatDoesNotExistIsAskedForOnce() async throws {
        try await test { client async throws in
            for _ in 0..<3 { #expect(try await get("/products/7", client).status == .notFound) }
            #expect(await database.queryCount == 1)
        }
    }

    @Test func anOldProductStandsInWhileTheDatabaseIsAway() async throws {
        try await test { client async throws in
            #expect(try await get("/products/1", client).status == .ok)
            await database.setAway(true)
            time.advance(by: .seconds(120))
            #expect(try await get("/products/1", client).status == .ok)
            #expect(try await get("/products/2", client).status == .serviceUnavailable)
            #expect(try await get("/products", client).status == .serviceUnavailable)
        }
    }
}
