// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hoard
import HoardHTTPTestSupport
import HoardTesting
import Testing

@testable import HoardHTTP

/// An attacker that chooses request fields or `Vary` cannot fill the cache, nor make it slow.
@Suite(.timeLimit(.minutes(5))) struct VariantFloodTests {
    private static func varying(_ names: String) -> FakeTransport.Handler {
        { request in .text(request.head.headerFields[.cookie] ?? "none", fields: [.cacheControl: "max-age=60", .vary: names]) }
    }

    @Test func variantsOfOneURIAreBounded() async throws {
        let harness = CacheHarness(mode: .shared, configure: { $0.maximumVariants = 16 }, origin: Self.varying("Cookie"))
        for number in 1...100 { try await harness.get("/a", [.cookie: "\(number)"]) }
        var hits = 0
        for number in 1...100 where try await harness.get("/a", [.cookie: "\(number)", .cacheControl: "only-if-cached"]).code == 200 { hits += 1 }
        #expect((1...16).contains(hits))
    }

    @Test func floodOfOneURILeavesOthersAlone() async throws {
        let harness = CacheHarness(mode: .shared, origin: Self.varying("Cookie"))
        try await harness.get("/b")
        for number in 1...200 { try await harness.get("/a", [.cookie: "\(number)"]) }
        #expect(try await harness.get("/b").isFromCache)
        #expect(try await harness.get("/a", [.cookie: "200"]).isFromCache)
    }

    @Test func responseThatVariesByTooMuchIsNotKept() async throws {
        let names = (0...Vary.maximumNames).map { "X-\($0)" }.joined(separator: ",")
        let harness = CacheHarness(mode: .shared, origin: Self.varying(names))
        for _ in 1...2 { #expect(try await !harness.get().isFromCache) }
    }

    @Test func differentSetsOfNamesAreBounded() async throws {
        let harness = CacheHarness(mode: .shared) { request in
            .text("x", fields: [.cacheControl: "max-age=60", .vary: "X-\(request.head.headerFields[.cookie] ?? ""), Cookie"])
        }
        for number in 1...100 { try await harness.get("/a", [.cookie: "\(number)"]) }
        var hits = 0
        for number in 1...100 where try await harness.get("/a", [.cookie: "\(number)", .cacheControl: "only-if-cached"]).code == 200 { hits += 1 }
        #expect((1...VariantIndex.maximumFieldNameSets).contains(hits))
    }

    @Test func memoryStaysWithinItsLimit() async throws {
        let harness = CacheHarness(mode: .shared, configure: { $0.maximumMemoryBytes = 64 << 10 }) { request in
            .text(String(repeating: "x", count: 4_000), fields: [.cacheControl: "max-age=60", .vary: "Cookie"])
        }
        for number in 1...200 { try await harness.get("/\(number % 7)", [.cookie: "\(number)"]) }
        var hits = 0
        for number in 1...200 {
            let fields: HTTPFields = [.cookie: "\(number)", .cacheControl: "only-if-cached"]
            if try await harness.get("/\(number % 7)", fields).code == 200 { hits += 1 }
        }
        #expect((1...16).contains(hits))
    }
}
