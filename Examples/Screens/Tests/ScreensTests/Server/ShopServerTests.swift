// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Screens

@Suite(.timeLimit(.minutes(5)))
struct ShopServerTests {
    private static let screens = ["home", "categories", "categories/tea", "products/1"].map { "/screens/" + $0 }

    @Test(arguments: screens)
    func screenSaysWhichStateItIsIn(path: String) async throws {
        try await withServer { _, url in
            let answer = try await Raw(url).get(path)
            #expect(answer.status == 200)
            let hash = try #require(answer["beagle-hash"])
            #expect(hash.count == 32)
            #expect(answer["etag"] == "\"\(hash)\"")
            #expect(answer["content-type"] == "application/json")
            #expect(answer.body.contains("_beagleComponent_"))
        }
    }

    @Test(arguments: screens, ["beagle-hash", "if-none-match"])
    func screenThatTheClientHasIsNotSentAgain(path: String, field: String) async throws {
        try await withServer { _, url in
            let raw = Raw(url)
            let first = try await raw.get(path)
            let value = try #require(first[field == "beagle-hash" ? field : "etag"])
            let second = try await raw.get(path, [field: value])
            #expect(second.status == 304)
            #expect(second.body.isEmpty)
            // RFC 9110 §15.4.5: the fields about caching that the 200 would have had.
            for name in ["beagle-hash", "etag", "cache-control", "vary"] { #expect(second[name] == first[name]) }
        }
    }

    @Test
    func otherHashesAndTagsGetTheScreen() async throws {
        try await withServer { _, url in
            let raw = Raw(url)
            for fields in [["beagle-hash": "0"], ["beagle-hash": ""], ["if-none-match": "\"0\", W/\"1\""], ["if-none-match": ""]] {
                let answer = try await raw.get("/screens/home", fields)
                #expect(answer.status == 200)
            }
        }
    }

    @Test
    func entityTagsAreFoundInListsAndComparedWeakly() async throws {
        try await withServer { _, url in
            let raw = Raw(url)
            let tag = try #require(try await raw.get("/screens/terms")["etag"])
            for list in ["\"0\", \(tag)", "W/\(tag)", "\"0\",W/\(tag)\t, \"1\"", "*"] {
                #expect(try await raw.get("/screens/terms", ["if-none-match": list]).status == 304)
            }
        }
    }

    @Test
    func lifetimeIsOnlySaidWhereTheShopKnowsIt() async throws {
        try await withServer { _, url in
            let raw = Raw(url)
            for (path, lifetime) in [("home", "max-age=60"), ("categories", nil), ("products/2", "max-age=120")] {
                let answer = try await raw.get("/screens/" + path)
                #expect(answer["cache-control"] == lifetime)
            }
        }
    }

    @Test
    func termsHaveNoHash() async throws {
        try await withServer { _, url in
            let answer = try await Raw(url).get("/screens/terms")
            #expect(answer["beagle-hash"] == nil)
            #expect(answer["etag"] != nil)
            #expect(answer["cache-control"] == "max-age=3600")
        }
    }

    @Test
    func profileIsForItsOwnerOnly() async throws {
        try await withServer { _, url in
            let raw = Raw(url)
            let ana = try await raw.get("/screens/profile", ["authorization": "Bearer token-ana"])
            #expect(ana.status == 200)
            #expect(ana.body.contains("Ana"))
            #expect(ana["cache-control"] == "private, max-age=60")
            #expect(ana["vary"] == "authorization")
            let hash = try #require(ana["beagle-hash"])
            // It does not help to name the state of another customer's screen.
            let ben = try await raw.get("/screens/profile", ["authorization": "Bearer token-ben", "beagle-hash": hash])
            #expect(ben.status == 200)
            #expect(ben.body.contains("Ben"))
            #expect(!ben.body.contains("Ana"))
        }
    }

    @Test(arguments: [nil, "Bearer", "Bearer nobody", "Basic token-ana", "Bearer token-ana more"])
    func profileNeedsAToken(authorization: String?) async throws {
        try await withServer { _, url in
            let answer = try await Raw(url).get("/screens/profile", authorization.map { ["authorization": $0] } ?? [:])
            #expect(answer.status == 401)
            #expect(answer["www-authenticate"] == "Bearer")
            #expect(!answer.body.contains("Ana"))
        }
    }

    @Test(arguments: ["/screens", "/screens/nothing", "/screens/categories/cars", "/screens/products/99", "/screens/../admin/requests"])
    func whatIsNotThereIsNotFound(path: String) async throws {
        try await withServer { _, url in
            let answer = try await Raw(url).get(path)
            #expect(answer.status == 404)
        }
    }

    @Test(arguments: ["x", "1.5", "99999999999999999999", "%00"])
    func productsAreNumbers(id: String) async throws {
        try await withServer { _, url in
            let answer = try await Raw(url).get("/screens/products/\(id)")
            #expect(answer.status == 400)
        }
    }
}
