// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardHTTPTestSupport
import HoardTesting
import Testing

@testable import HoardHTTP

@Suite(.timeLimit(.minutes(5))) struct HTTPCacheConfigurationTests {
    @Test func limitFollowsFromMemoryAndStores() {
        var configuration = HTTPCache.Configuration()
        #expect(configuration.maximumObjectBytes(hasStores: true) == 512 << 20)
        #expect(configuration.maximumObjectBytes(hasStores: false) == 8 << 20)
        configuration.maximumObjectBytes = 5
        #expect(configuration.maximumObjectBytes(hasStores: false) == 5)
    }

    @Test func targetsFollowFromTheMode() {
        var configuration = HTTPCache.Configuration()
        #expect(configuration.rules(hasStores: false).targets.isEmpty)
        configuration.mode = .shared
        #expect(configuration.rules(hasStores: false).targets.map(\.rawName) == ["CDN-Cache-Control"])
        configuration.targets = ["Edge-Cache-Control", "no name", ""]
        #expect(configuration.rules(hasStores: false).targets.map(\.rawName) == ["Edge-Cache-Control"])
    }

    @Test func nonsenseIsTakenForTheNearestThingThatMakesSense() async throws {
        let harness = CacheHarness {
            $0.maximumMemoryBytes = -1
            $0.maximumObjectBytes = -1
            $0.inlineBodyBytes = .min
            $0.maximumBytesInFlight = -5
            $0.maximumVariants = -3
            $0.revalidationPeriod = .seconds(-1)
            $0.staleIfUnreachable = .seconds(-1)
            $0.collapseTimeout = .seconds(-1)
        } origin: { _ in
            .parts(["hello"], fields: [.cacheControl: "max-age=60", .vary: "Accept"])
        }
        for _ in 1...2 { #expect(try await harness.get().text == "hello") }
        #expect(harness.cache.rules.staleIfUnreachable == 0)
        #expect(harness.openFenceCount == 0)
    }

    @Test func hugeDurationsDoNoHarm() async throws {
        let harness = CacheHarness {
            $0.revalidationPeriod = .seconds(Int64.max)
            $0.staleIfUnreachable = .seconds(Int64.max)
            $0.collapseTimeout = .seconds(Int64.max)
        } origin: { _ in
            .parts(["hello"], fields: [.cacheControl: "max-age=60", .eTag: "\"1\""])
        }
        try await harness.get()
        #expect(try await harness.get().isFromCache)
        harness.time.advance(seconds: 100)
        let hold = harness.transport.hold()
        async let first = harness.get()
        await hold.arrivals(1)
        async let second = harness.get()
        try await harness.followers(1)
        hold.release()
        #expect(try await (first.text, second.text) == ("hello", "hello"))
    }
}
