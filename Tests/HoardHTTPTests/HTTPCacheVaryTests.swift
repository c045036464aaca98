// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hoard
import HoardHTTP
import HoardHTTPTestSupport
import HoardTesting
import NIOCore
import Synchronization
import Testing

/// Responses that differ by request fields (RFC 9111 §4.1).
@Suite(.timeLimit(.minutes(5))) struct HTTPCacheVaryTests {
    /// An origin that answers in the language asked for.
    private func multilingual(mode: CacheMode = .private, stores: [any RecordStore] = [], time: TestTime = TestTime()) -> CacheHarness {
        CacheHarness(mode: mode, stores: stores, time: time) { request in
            .text(
                request.head.headerFields[.acceptLanguage] ?? "none",
                fields: [.cacheControl: "max-age=60", .vary: "Accept-Language", .eTag: "\"\(request.head.headerFields[.acceptLanguage] ?? "")\""]
            )
        }
    }

    @Test func variantsAreStoredSideBySide() async throws {
        let harness = multilingual()
        #expect(try await harness.get("/a", [.acceptLanguage: "fi"]).cacheStatus == "hoard; fwd=uri-miss; fwd-status=200; ttl=60; stored")
        #expect(try await harness.get("/a", [.acceptLanguage: "sv"]).cacheStatus == "hoard; fwd=vary-miss; fwd-status=200; ttl=60; stored")
        for language in ["fi", "sv", "fi"] {
            let reply = try await harness.get("/a", [.acceptLanguage: language])
            #expect(reply.text == language)
            #expect(reply.isFromCache)
        }
        #expect(harness.requestCount == 2)
    }

    @Test func absentFieldSelectsAVariantOfItsOwn() async throws {
        let harness = multilingual()
        #expect(try await harness.get().text == "none")
        #expect(try await harness.get("/a", [.acceptLanguage: ""]).text == "")
        #expect(try await harness.get().isFromCache)
        #expect(harness.requestCount == 2)
    }

    @Test func fieldsThatDoNotSelectDoNotMatter() async throws {
        let harness = multilingual()
        try await harness.get("/a", [.acceptLanguage: "fi", .accept: "text/html"])
        #expect(try await harness.get("/a", [.acceptLanguage: "fi", .accept: "image/png"]).isFromCache)
    }

    @Test func responseThatVariesByEverythingIsNeverReused() async throws {
        let harness = CacheHarness { _ in .text("hello", fields: [.cacheControl: "max-age=60", .vary: "*"]) }
        for _ in 1...2 {
            #expect(try await harness.get().cacheStatus == "hoard; fwd=uri-miss; fwd-status=200; detail=VARY-STAR")
        }
    }

    @Test func staleVariantIsRevalidatedWithItsOwnValidator() async throws {
        let harness = multilingual()
        try await harness.get("/a", [.acceptLanguage: "fi"])
        try await harness.get("/a", [.acceptLanguage: "sv"])
        harness.time.advance(seconds: 60)
        try await harness.get("/a", [.acceptLanguage: "fi"])
        #expect(harness.transport.requests.last?.head.headerFields[.ifNoneMatch] == "\"fi\"")
        #expect(try await harness.get("/a", [.acceptLanguage: "fi"]).isFromCache)
        #expect(try await harness.get("/a", [.acceptLanguage: "sv"]).cacheStatus.hasPrefix("hoard; fwd=stale"))
    }

    @Test func laterVaryFieldDecidesTogetherWithEarlierOnes() async throws {
        // The origin begins to vary by language, and later by encoding.
        let vary = Mutex("Accept-Language")
        let harness = CacheHarness { request in
            let fields = request.head.headerFields
            return .text(
                "\(fields[.acceptLanguage] ?? "-") \(fields[.acceptEncoding] ?? "-")",
                fields: [.cacheControl: "max-age=60", .vary: vary.withLock { $0 }]
            )
        }
        try await harness.get("/a", [.acceptLanguage: "fi", .acceptEncoding: "br"])
        vary.withLock { $0 = "Accept-Language, Accept-Encoding" }
        harness.time.advance(seconds: 1)
        try await harness.get("/a", [.acceptLanguage: "sv", .acceptEncoding: "br"])
        // Both sets of fields select; each response is found by the one that it named.
        #expect(try await harness.get("/a", [.acceptLanguage: "fi", .acceptEncoding: "gzip"]).text == "fi br")
        #expect(try await harness.get("/a", [.acceptLanguage: "sv", .acceptEncoding: "br"]).text == "sv br")
        #expect(try await harness.get("/a", [.acceptLanguage: "sv", .acceptEncoding: "gzip"]).text == "sv gzip")
        #expect(harness.requestCount == 3)
    }

    @Test func ofSeveralSelectedResponsesTheMostRecentIsUsed() async throws {
        let vary = Mutex("")
        let harness = CacheHarness { _ in .text(vary.withLock { $0 }, fields: [.cacheControl: "max-age=60", .vary: vary.withLock { $0 }]) }
        let fields: HTTPFields = [.acceptLanguage: "fi", .acceptEncoding: "br"]
        for name in ["Accept-Language", "Accept-Encoding", "Accept-Language"] {
            vary.withLock { $0 = name }
            harness.time.advance(seconds: 1)
            try await harness.get("/a", fields + [.cacheControl: "no-cache"])
            let reply = try await harness.get("/a", fields)
            #expect(reply.text == name)
            #expect(reply.isFromCache)
        }
        #expect(harness.requestCount == 3)
    }

    @Test func responseWithoutVaryTakesThePlaceOfAllVariants() async throws {
        let isVarying = Mutex(true)
        let harness = CacheHarness { request in
            isVarying.withLock { $0 }
                ? .text(request.head.headerFields[.acceptLanguage] ?? "", fields: [.cacheControl: "max-age=60", .vary: "accept-language"])
                : .text("all", fields: [.cacheControl: "max-age=60"])
        }
        try await harness.get("/a", [.acceptLanguage: "fi"])
        isVarying.withLock { $0 = false }
        try await harness.get("/a", [.acceptLanguage: "sv"])
        for language in ["fi", "sv", "en"] {
            #expect(try await harness.get("/a", [.acceptLanguage: language]).text == "all")
        }
        isVarying.withLock { $0 = true }
        try await harness.get("/a", [.acceptLanguage: "en", .cacheControl: "no-cache"])
        #expect(try await harness.get("/a", [.acceptLanguage: "en"]).text == "en")
        // The response stored before does not come back.
        #expect(try await harness.get("/a", [.acceptLanguage: "fi"]).cacheStatus.hasPrefix("hoard; fwd=vary-miss"))
    }

    @Test func setsOfSelectingFieldsAreBounded() async throws {
        let vary = Mutex("")
        let harness = CacheHarness { _ in .text(vary.withLock { $0 }, fields: [.cacheControl: "max-age=600", .vary: vary.withLock { $0 }]) }
        let count = VariantIndex.maximumFieldNameSets + 1
        // Each request has a field that no other has, so that none is answered by an earlier response.
        func fields(_ number: Int) throws -> HTTPFields { [try #require(HTTPField.Name("X-\(number)")): "1"] }
        for number in 1...count {
            vary.withLock { $0 = "X-\(number)" }
            #expect(try await !harness.get("/a", fields(number)).isFromCache)
        }
        for number in 2...count {
            #expect(try await harness.get("/a", fields(number)).text == "X-\(number)")
        }
        #expect(harness.requestCount == count)
        #expect(try await harness.get("/a", fields(1)).cacheStatus.hasPrefix("hoard; fwd=vary-miss"))
    }

    @Test func selectingFieldsAreThoseThatTheOriginSees() async throws {
        let harness = multilingual()
        // The connection's own field does not reach the origin, so it selects nothing.
        try await harness.get("/a", [.acceptLanguage: "fi", .connection: "accept-language"])
        #expect(harness.transport.requests.last?.head.headerFields.contains(.acceptLanguage) == false)
        #expect(try await harness.get().isFromCache)
        #expect(try await harness.get("/a", [.acceptLanguage: "fi"]).text == "fi")
    }

    @Test func bytesBeyondTextSelectByTheirBytes() async throws {
        let harness = CacheHarness { _ in .text("hello", fields: [.cacheControl: "max-age=60", .vary: "Accept-Language"]) }
        for byte in [0xE4, 0xF6] as [UInt8] {
            var fields = HTTPFields()
            fields.append(HTTPField(name: .acceptLanguage, value: [byte]))
            #expect(try await !harness.get("/a", fields).isFromCache)
            #expect(try await harness.get("/a", fields).isFromCache)
        }
    }

    @Test func variantsComeBackFromAStore() async throws {
        let time = TestTime()
        let store = MemoryStore(clock: time)
        let before = multilingual(stores: [store], time: time)
        try await before.get("/a", [.acceptLanguage: "fi"])
        try await before.get("/a", [.acceptLanguage: "sv"])
        await before.cache.flush()
        let after = multilingual(stores: [store], time: time)
        for language in ["fi", "sv"] {
            let reply = try await after.get("/a", [.acceptLanguage: language])
            #expect(reply.text == language)
            #expect(reply.isFromCache)
        }
        #expect(after.requestCount == 0)
    }

    @Test func confirmedVariantIsFreshAgain() async throws {
        let harness = CacheHarness { request in
            request.head.headerFields.contains(.ifNoneMatch)
                ? .text(status: .notModified)
                : .text("hello", fields: [.cacheControl: "max-age=60", .vary: "Accept-Language", .eTag: "\"1\""])
        }
        try await harness.get("/a", [.acceptLanguage: "fi"])
        harness.time.advance(seconds: 60)
        #expect(try await harness.get("/a", [.acceptLanguage: "fi"]).cacheStatus == "hoard; fwd=stale; fwd-status=304; ttl=60; stored")
        #expect(try await harness.get("/a", [.acceptLanguage: "fi"]).cacheStatus == "hoard; hit; ttl=60")
    }

    @Test func responseThatVariesAccordingToHeadAnswersNoOtherRequest() async throws {
        let varies = Mutex(false)
        let harness = CacheHarness { request in
            let fields: HTTPFields = [.cacheControl: "max-age=60", .eTag: "\"1\""] + (varies.withLock { $0 } ? [.vary: "Accept-Language"] : [:])
            return .text(request.head.method == .head ? "" : request.head.headerFields[.acceptLanguage] ?? "none", fields: fields)
        }
        try await harness.get("/a", [.acceptLanguage: "fi"])
        harness.time.advance(seconds: 60)
        varies.withLock { $0 = true }
        try await harness.send(.head, "/a", [.acceptLanguage: "fi"])
        #expect(try await harness.get("/a", [.acceptLanguage: "sv"]).text == "sv")
        #expect(try await harness.get("/a", [.acceptLanguage: "fi"]).text == "fi")
    }

    @Test func anExplanationCountsTheVariantsAndNamesTheFieldsInWhichClientsDiffer() async throws {
        let harness = CacheHarness { _ in
            .text("page", fields: [.cacheControl: "max-age=60", .vary: "User-Agent, Accept-Language, Sec-CH-UA-Mobile"])
        }
        for agent in ["a", "b", "c"] { try await harness.get("/a", [.userAgent: agent]) }
        let variants = try #require(await harness.cache.explain("http://example.com/a", fields: [.userAgent: "a"]).variants)
        #expect(variants.count == 3 && variants.limit == 64)
        #expect(variants.fields == ["accept-language", "sec-ch-ua-mobile", "user-agent"] && variants.unboundedFields == ["user-agent"])
        let text = "\(await harness.cache.explain("http://example.com/a"))"
        #expect(text.contains("Variants of the URI: 3 of at most 64, by accept-language, sec-ch-ua-mobile, user-agent (RFC 9111 §4.1)."))
        #expect(text.contains("Nearly every client has values of its own in user-agent"))
        try await harness.get("/b")
        #expect(await harness.cache.explain("http://example.com/c").variants == nil)
    }
}
