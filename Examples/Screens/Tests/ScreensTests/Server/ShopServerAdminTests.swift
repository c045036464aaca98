// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardHTTP
import HoardTransports
import NIOCore
import Testing

@testable import Screens

@Suite(.timeLimit(.minutes(5)))
struct ShopServerAdminTests {
    @Test
    func newPriceMakesANewStateOfTheProduct() async throws {
        try await withServer { _, url in
            let raw = Raw(url)
            let before = try await raw.get("/screens/products/1")
            let other = try await raw.get("/screens/products/2")
            #expect(try await raw.post("/admin/price", #"{"product": 1, "cents": 100}"#).status == 204)
            let hash = try #require(before["beagle-hash"])
            let after = try await raw.get("/screens/products/1", ["beagle-hash": hash])
            #expect(after.status == 200)
            #expect(after["beagle-hash"] != hash)
            #expect(after.body != before.body)
            // The old state comes back with the old price: it is the same screen.
            #expect(try await raw.post("/admin/price", #"{"product": 1, "cents": 690}"#).status == 204)
            #expect(try await raw.get("/screens/products/1", ["beagle-hash": hash]).status == 304)
            #expect(try await raw.get("/screens/products/2", ["beagle-hash": other["beagle-hash"] ?? ""]).status == 304)
        }
    }

    @Test(arguments: [
        ("", 400), ("[]", 400), (#"{"product": 1}"#, 400), (#"{"product": 1, "cents": "x"}"#, 400), (#"{"product": 1, "cents": -1}"#, 400),
        (#"{"product": 99, "cents": 1}"#, 404),
    ])
    func pricesThatMakeNoSenseAreRefused(body: String, status: Int) async throws {
        try await withServer { _, url in
            let raw = Raw(url)
            let before = try await raw.get("/screens/products/1").body
            #expect(try await raw.post("/admin/price", body).status == status)
            #expect(try await raw.get("/screens/products/1").body == before)
        }
    }

    @Test
    func requestsForScreensAreCountedAndOthersAreNot() async throws {
        try await withServer { _, url in
            let raw = Raw(url)
            #expect(try await raw.counts() == RequestCounts())
            let hash = try #require(try await raw.get("/screens/home")["beagle-hash"])
            _ = try await raw.get("/screens/home", ["beagle-hash": hash])
            _ = try await raw.get("/screens/products/99")
            _ = try await raw.get("/nothing")
            _ = try await raw.get("/admin/requests")
            #expect(try await raw.counts() == RequestCounts(requests: 4, notModified: 1))
        }
    }

    @Test
    func serverThatIsStoppedRefusesAndComesBackOnTheSamePort() async throws {
        try await withServer { server, url in
            let raw = Raw(url)
            _ = try await raw.get("/screens/home")
            await server.stop()
            await server.stop()
            await #expect(throws: TransportError.self) { try await Raw(url).get("/screens/home") }
            #expect(try await server.start() == url)
            #expect(try await server.start() == url)
            #expect(try await Raw(url).get("/screens/home").status == 200)
            #expect(try await Raw(url).counts() == RequestCounts(requests: 2))
        }
    }

    @Test
    func portThatIsTakenIsAnError() async throws {
        try await withServer { _, url in
            let port = try #require(url.split(separator: ":").last.flatMap { Int($0) })
            await #expect(throws: (any Error).self) { try await ShopServer(port: port).start() }
        }
    }

    /// The server has two ways to revalidate, hash and entity tag. HoardHTTP by itself uses the entity tag.
    @Test
    func cachingClientRevalidatesByEntityTag() async throws {
        try await withServer { server, url in
            let client = CachingClient(transport: NIOTransport())
            let first = try await client.get(url + "/screens/home")
            let body = try await first.body.collect(upTo: 1 << 20)
            let second = try await client.get(url + "/screens/home")
            #expect(try await second.body.collect(upTo: 1 << 20) == body)
            #expect(second.isFromCache)
            let third = try await client.get(url + "/screens/home", options: RequestOptions(cacheMode: .noCache))
            #expect(try await third.body.collect(upTo: 1 << 20) == body)
            #expect(third.isFromCache)
            #expect(await server.counts == RequestCounts(requests: 2, notModified: 1))
        }
    }
}
