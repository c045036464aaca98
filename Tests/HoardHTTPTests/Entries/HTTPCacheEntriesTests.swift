// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Hoard
import HoardHTTPTestSupport
import HoardTesting
import NIOCore
import Synchronization
import Testing

@testable import HoardHTTP

/// Lists of the cached responses.
@Suite(.timeLimit(.minutes(5))) struct HTTPCacheEntriesTests {
    private let host = PrefixHarness.host

    private func all(
        _ cache: HTTPCache,
        _ filter: HTTPCache.EntryFilter = .init(),
        limit: Int = 7,
        between: () async throws -> Void = {}
    ) async throws -> [HTTPCache.Entry] {
        var entries: [HTTPCache.Entry] = []
        var cursor: HTTPCache.EntryCursor?
        repeat {
            let page = await cache.entries(matching: filter, after: cursor, limit: limit)
            #expect(page.entries.count <= limit)
            entries += page.entries
            // A client sends the text.
            cursor = page.next.flatMap { HTTPCache.EntryCursor($0.text) }
            #expect(cursor == page.next)
            try await between()
        } while cursor != nil
        return entries
    }

    @Test func entryTellsWhatIsKnownOfAResponse() async throws {
        let time = TestTime()
        let harness = CacheHarness(mode: .shared, stores: [MemoryStore(clock: time)], time: time) { _ in
            .text(
                "0123456789",
                status: .notFound,
                fields: [.cacheControl: "max-age=60", .vary: "Accept", HTTPField.Name("Cache-Tag") ?? .server: "b, a"]
            )
        }
        time.advance(seconds: 5)
        try await harness.get("/a?q=1", [.accept: "text/html"])
        await harness.cache.flush()
        let entries = try await all(harness.cache)
        let entry = try #require(entries.first)
        #expect(entries.count == 1)
        #expect(entry.uri == "http://example.com/a?q=1")
        #expect(entry.variant?.hasPrefix("accept #") == true)
        #expect(entry.status == 404)
        #expect(entry.byteCount == 10)
        #expect(entry.storedAt == .test(5))
        #expect(entry.freshUntil == .test(65))
        #expect(entry.isFresh && entry.isInMemory && entry.isInStore)
        #expect(entry.tags == ["a", "b"])
        harness.cache.entries.evictEverything()
        time.advance(seconds: 60)
        #expect(try await all(harness.cache).map(\.isFresh) == [false])
        time.advance(seconds: 2 * 86_400)
        #expect(try await all(harness.cache).isEmpty, "what nobody may use any more is not there")
    }

    @Test func staleResponsesAreListedAsSuch() async throws {
        let harness = PrefixHarness(.listing)
        try await harness.get("/etag")
        try await harness.get("/a")
        await harness.cache.markStale(host + "/a")
        let entries = try await all(harness.cache)
        #expect(entries.map(\.isFresh).filter { $0 }.count == 1)
        #expect(entries.first { $0.uri.hasSuffix("/a") }?.isFresh == false)
    }

    @Test(arguments: PrefixHarness.Stores.allCases, [1, 3, 7, 1_000])
    func everyResponseIsListedOnce(_ stores: PrefixHarness.Stores, limit: Int) async throws {
        let harness = PrefixHarness(stores)
        let paths = (0..<40).map { "/\($0)" } + ["/long", "/search?a=1"]
        for path in paths { try await harness.get(path) }
        for language in ["fi", "sv"] { try await harness.get("/vary", [.acceptLanguage: language]) }
        await harness.cache.flush()
        let expected = Set(paths + ["/vary"]).map { host + $0 }
        for _ in 0..<2 {
            let entries = try await all(harness.cache, limit: limit)
            #expect(entries.count == paths.count + 2)
            #expect(Set(entries.map(\.uri)) == Set(expected))
            #expect(Set(entries.filter { $0.uri.hasSuffix("/vary") }.compactMap(\.variant)).count == 2)
            // Half of it is in memory, half is not; then it is listed the same.
            if [.listing, .twoListing].contains(stores) {
                await harness.leaveToTheStores()
                for path in paths.prefix(20) { try await harness.get(path) }
            }
        }
        #expect(try await all(harness.cache).first { $0.uri.hasSuffix("/long") }?.byteCount ?? 0 > 900_000)
    }

    @Test func tiersAreTold() async throws {
        let harness = PrefixHarness(.listing)
        try await harness.get("/a")
        await harness.leaveToTheStores()
        #expect(try await all(harness.cache).map { [$0.isInMemory, $0.isInStore] } == [[false, true]])
        try await harness.get("/a")
        #expect(try await all(harness.cache).map { [$0.isInMemory, $0.isInStore] } == [[true, true]])
        let memoryOnly = PrefixHarness()
        try await memoryOnly.get("/a")
        #expect(try await all(memoryOnly.cache).map { [$0.isInMemory, $0.isInStore] } == [[true, false]])
    }

    @Test func whatStaysIsListedOnceThoughOthersComeAndGo() async throws {
        let harness = PrefixHarness(.listing)
        let lasting = (0..<30).map { "/lasting/\($0)" }
        for path in lasting { try await harness.get(path) }
        // A response that is still being written to the store does not count as one that stays.
        await harness.cache.flush()
        var random = RandomSource(seed: 3)
        let entries = try await all(harness.cache, limit: 4) {
            await harness.cache.flush()
            switch random.int(0...2) {
            case 0: await harness.leaveToTheStores()
            case 1: try await harness.get("/passing/\(random.int(0...9))")
            default: for _ in 0..<5 { try await harness.get(lasting[random.int(0...29)]) }
            }
        }
        let uris = entries.map(\.uri).filter { $0.contains("lasting") }
        #expect(uris.count == 30 && Set(uris).count == 30)
    }

    // MARK: Filters

    @Test(arguments: [
        (HTTPCache.EntryFilter(text: "IMG"), ["/img/1", "/Img/2", "/a?img"]), (.init(prefix: "http://example.com/img"), ["/img/1"]),
        (.init(prefix: "HTTP://EXAMPLE.com/img/"), ["/img/1"]), (.init(prefix: "http://example.co"), []), (.init(tag: "news"), ["/tag"]),
        (.init(tag: "new"), []), (.init(text: "g", prefix: "http://example.com/t", tag: "sport"), ["/tag"]), (.init(text: "1", tag: "news"), []),
        (.init(text: "example.com/img/1"), ["/img/1"]), (.init(tag: "uri, x"), []),
    ])
    func filtersSelect(filter: HTTPCache.EntryFilter, expected: [String]) async throws {
        for stores in [PrefixHarness.Stores.none, .listing] {
            let harness = PrefixHarness(stores)
            for path in ["/img/1", "/Img/2", "/a?img", "/tag", "/other"] { try await harness.get(path) }
            await harness.cache.flush()
            for limit in [1, 100] {
                #expect(Set(try await all(harness.cache, filter, limit: limit).map(\.uri)) == Set(expected.map { host + $0 }))
            }
        }
    }

    @Test func workForAPageIsBounded() async throws {
        let time = TestTime()
        let store = FaultyStore(MemoryStore(maximumBytes: nil, clock: time))
        let harness = CacheHarness(mode: .shared, stores: [store], time: time) { _ in .text("x") }
        for number in 0..<HTTPCache.maximumExaminedCount + 500 {
            let key = HTTPCacheKey(scope: harness.cache.baseScope, targetURI: "http://example.com/\(number)")
            try await store.insert(Record(payload: Data(), created: time.now(), freshUntil: time.now() + 60), forKey: key.recordKey)
        }
        let first = await harness.cache.entries(matching: .init(text: "nowhere"))
        #expect(first.entries.isEmpty && first.next != nil)
        #expect(store.callCount(.peekRecord) == 0, "what does not match is not read")
        #expect(store.callCount(.recordPage) <= HTTPCache.maximumExaminedCount / 256 + 1)
        var next = first.next
        var pages = 1
        while let cursor = next {
            next = await harness.cache.entries(matching: .init(text: "nowhere"), after: cursor).next
            pages += 1
        }
        #expect(pages == 2)
    }

    @Test func listingIsNoUseAndCountsNothing() async throws {
        let harness = PrefixHarness(.listing)
        for path in ["/a", "/b"] { try await harness.get(path) }
        await harness.leaveToTheStores()
        let before = (harness.cache.statistics, harness.cache.tierStatistics, try await harness.bases[0].statistics())
        _ = try await all(harness.cache)
        let after = (harness.cache.statistics, harness.cache.tierStatistics, try await harness.bases[0].statistics())
        #expect(before == after)
        #expect(harness.cache.memoryEntryCount == 0)
    }

    @Test func storeThatFailsIsPassedBy() async throws {
        let time = TestTime()
        let store = FaultyStore(MemoryStore(clock: time))
        let harness = CacheHarness(mode: .shared, stores: [store], time: time) { _ in .text("x", fields: [.cacheControl: "max-age=60"]) }
        try await harness.get("/a")
        await harness.cache.flush()
        store.fail()
        let entries = try await all(harness.cache)
        #expect(entries.map { [$0.isInMemory, $0.isInStore] } == [[true, false]])
    }

    @Test(arguments: ["", "s", "m", "x1", "s-1", "m1", "m1-", "m1-x", "m-1-0", "s0-", "1", "s99999999999999999999"])
    func foreignTextIsNoCursor(text: String) {
        #expect(HTTPCache.EntryCursor(text) == nil)
    }

    @Test(arguments: ["s7", "s0-nonsense", "m9-0", "m0-999999999", "s999999999-5"])
    func cursorOfAnotherCacheEndsTheListing(text: String) async throws {
        let harness = PrefixHarness(.listing)
        try await harness.get("/a")
        var cursor = HTTPCache.EntryCursor(text)
        #expect(cursor != nil)
        var pages = 0
        while let next = cursor, pages < 10 {
            cursor = await harness.cache.entries(after: next).next
            pages += 1
        }
        #expect(pages < 10)
    }

    // MARK: Figures

    @Test func figuresAreThoseOfMemoryAndTheStores() async throws {
        let harness = PrefixHarness(.listing)
        #expect(harness.cache.memoryByteCount == 0)
        for path in ["/a", "/b", "/c"] { try await harness.get(path) }
        await harness.cache.flush()
        #expect(harness.cache.memoryEntryCount == 3)
        #expect(harness.cache.memoryByteCount > 3 * 512)
        #expect(harness.cache.maximumMemoryBytes == 64 << 20)
        await harness.cache.remove(host + "/a")
        await harness.cache.remove(prefix: host + "/b")
        harness.cache.entries.evictEverything()
        #expect(harness.cache.memoryStatistics.removals == 3)
        let stores = await harness.cache.storeStatistics()
        #expect(stores.map { $0?.count } == [1])
        #expect(stores.map { $0?.removals } == [2])
    }
}
