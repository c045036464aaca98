// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hoard
import HoardHTTPTestSupport
import HoardTesting
import Synchronization
import Testing

@testable import HoardHTTP

/// Queries of which parts do not matter (`No-Vary-Search`), and how many variants are kept.
@Suite(.timeLimit(.minutes(5))) struct HTTPCacheSearchTests {
    private func harness(_ rules: String?, stores: [any RecordStore] = [], time: TestTime = TestTime(), fields: HTTPFields = [:]) -> CacheHarness {
        let count = Mutex(0)
        return CacheHarness(stores: stores, time: time) { request in
            guard request.head.method == .get else { return .text("done") }
            let number = count.withLock {
                $0 += 1; return $0
            }
            let search: HTTPFields = rules.map { [.noVarySearch: $0] } ?? [:]
            return .text("\(number)", fields: [.cacheControl: "max-age=60"] + search + fields)
        }
    }

    @Test(arguments: [false, true])
    func responseServesURIsThatDifferOnlyWhereItDoesNotMatter(hasStore: Bool) async throws {
        let time = TestTime()
        let stores: [any RecordStore] = hasStore ? [MemoryStore(clock: time)] : []
        let harness = harness("params=(\"utm\"), key-order", stores: stores, time: time)
        try await harness.get("/a?x=1&y=2&utm=mail")
        for path in ["/a?x=1&y=2", "/a?y=2&x=1", "/a?utm=web&x=1&y=2", "/a?x=1&y=2&utm=mail"] {
            let reply = try await harness.get(path)
            #expect(reply.text == "1", "\(path)")
            #expect(reply.isFromCache, "\(path)")
        }
        for path in ["/a?x=2&y=2", "/a", "/b?x=1&y=2"] { #expect(try await !harness.get(path).isFromCache, "\(path)") }
        guard hasStore else { return }
        await harness.cache.flush()
        let after = self.harness(nil, stores: stores, time: time)
        #expect(try await after.get("/a?y=2&x=1&utm=other").isFromCache)
    }

    @Test func missAsksMemoryTwiceAndTheStoreOnceForEachKey() async throws {
        let time = TestTime()
        let harness = harness(nil, time: time)
        try await harness.get("/a")
        #expect(harness.cache.entries.memoryStatistics.misses == 2)
        let store = FaultyStore(MemoryStore(clock: time), answersAtOnce: true, ticker: time)
        let other = self.harness(nil, stores: [store], time: time)
        try await other.get("/a")
        // The rules of a path may come from another process.
        #expect(store.callCount(.record) == 2)
        await other.cache.close()
    }

    @Test func requestThatCannotBeginEarlyIsNoMissOfTheTiersYet() async throws {
        let harness = harness("params=(\"utm\")")
        try await harness.get("/a?utm=1")
        guard case .pending(let pending) = try harness.cache.begin(HTTPCache.Request(HTTPRequest.test(.get, "/a?x=1"))) else {
            Issue.record("The request should need the origin.")
            return
        }
        let misses = harness.cache.tierStatistics.misses
        // The rules of the path may lead to a response.
        #expect(harness.cache.beginEarly(pending) == nil)
        #expect(harness.cache.tierStatistics.misses == misses)
        #expect(harness.cache.flights.count == 0)
    }

    @Test func changeOfOneSpellingRemovesWhatTheOthersShare() async throws {
        let harness = harness("params=(\"utm\")")
        try await harness.get("/a?utm=1")
        try await harness.send(.post, "/a?utm=2")
        #expect(try await harness.get("/a?utm=1").text == "2")
        await harness.cache.remove("http://example.com/a?utm=9")
        #expect(try await harness.get("/a?utm=3").text == "3")
        #expect(try await harness.get("/a").text == "3")
    }

    @Test(arguments: [CacheMode.private, .shared]) func changeRemovesWhatIsStoredByRulesThatAreForgotten(mode: CacheMode) async throws {
        let count = Mutex(0)
        let harness = CacheHarness(mode: mode) { request in
            guard request.head.method == .get else { return .text("done") }
            let number = count.withLock {
                $0 += 1; return $0
            }
            return .text("\(number)", fields: [.cacheControl: "max-age=60", .noVarySearch: request.head.headerFields[.accept] ?? ""])
        }
        try await harness.get("/a?x=1", [.accept: "params=(\"utm\")"])
        for number in 1...HTTPCacheEntry.maximumSearchRules { try await harness.get("/a?y=\(number)", [.accept: "params=(\"p\(number)\")"]) }
        try await harness.send(.post, "/a?x=1")
        // The rule comes back with another response.
        try await harness.get("/a?z=1", [.accept: "params=(\"utm\")"])
        #expect(try await !harness.get("/a?x=1").isFromCache)
    }

    /// A cancelled task gets nothing when it reads a store. A change finds the responses that
    /// it has to remove all the same.
    @Test(arguments: [true, false])
    func changeInACancelledTaskFindsWhatOnlyAStoreKnows(isRemoval: Bool) async throws {
        let time = TestTime()
        let store = MemoryStore(clock: time)
        let first = harness("params=(\"utm\")", stores: [store], time: time)
        try await first.get("/a?utm=1")
        await first.cache.flush()
        let second = harness("params=(\"utm\")", stores: [store], time: time)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            _ = isRemoval ? await second.cache.remove("http://example.com/a?utm=2") : await second.cache.markStale("http://example.com/a?utm=2")
        }
        await task.value
        #expect(try await !second.get("/a?utm=3").isFromCache)
    }

    @Test func changeOfOneSpellingKeepsWhatIsUnderWayForAnotherFromBeingStored() async throws {
        let harness = harness("params=(\"utm\")")
        let hold = harness.transport.hold { $0.head.method == .get }
        async let early = harness.get("/a?utm=1")
        await hold.arrivals(1)
        try await harness.send(.post, "/a?utm=2")
        hold.release()
        #expect(try await early.text == "1")
        #expect(try await harness.get("/a?utm=1").text == "2")
    }

    @Test func spellingsShareAnExchangeOnceTheRulesAreKnown() async throws {
        let harness = harness("params=(\"utm\")")
        try await harness.get("/a?utm=1")
        harness.time.advance(seconds: 86_400 * 2)
        try await withThrowingTaskGroup(of: String.self) { group in
            for number in 1...30 { group.addTask { try await harness.get("/a?utm=\(number)").text } }
            for try await text in group { #expect(text == "2") }
        }
        #expect(harness.requestCount == 2)
    }

    @Test func variantsOfOneSpellingAreThoseOfTheOthers() async throws {
        let harness = harness("params=(\"utm\")", fields: [.vary: "Accept-Language"])
        try await harness.get("/a?utm=1", [.acceptLanguage: "fi"])
        #expect(try await harness.get("/a?utm=2", [.acceptLanguage: "fi"]).isFromCache)
        #expect(try await harness.get("/a?utm=2", [.acceptLanguage: "sv"]).text == "2")
        #expect(try await harness.get("/a", [.acceptLanguage: "sv"]).text == "2")
    }

    @Test func responseWithoutRulesIsNotOvershadowedByOneWith() async throws {
        let rules = Mutex<String?>("params=(\"utm\")")
        let harness = CacheHarness { request in
            let search: HTTPFields = rules.withLock { $0 }.map { [.noVarySearch: $0] } ?? [:]
            return .text(request.head.path ?? "", fields: [.cacheControl: "max-age=60"] + search)
        }
        try await harness.get("/a?utm=1")
        rules.withLock { $0 = nil }
        #expect(try await harness.get("/a?utm=2", [.cacheControl: "no-cache"]).text == "/a?utm=2")
        #expect(try await harness.get("/a?utm=2").text == "/a?utm=2")
        #expect(try await harness.get("/a?utm=3").text == "/a?utm=3")
    }

    // MARK: Variants

    @Test func variantsOfAnUnboundedFieldAreBounded() async throws {
        let time = TestTime()
        let store = MemoryStore(clock: time)
        let harness = CacheHarness(stores: [store], time: time, configure: { $0.maximumVariants = 8 }) { _ in
            .text("hello", fields: [.cacheControl: "max-age=60", .vary: "User-Agent"])
        }
        for number in 1...100 { try await harness.get("/a", [.userAgent: "browser \(number)"]) }
        await harness.cache.flush()
        #expect(try await store.statistics().count == 8 + 1)
        #expect(harness.cache.entries.memoryCount == 8 + 1)
        for number in 93...100 { #expect(try await harness.get("/a", [.userAgent: "browser \(number)"]).isFromCache) }
        #expect(try await !harness.get("/a", [.userAgent: "browser 92"]).isFromCache)
    }

    @Test func variantsThatArriveTogetherAreAllStored() async throws {
        let harness = CacheHarness { request in
            .text(request.head.headerFields[.acceptLanguage] ?? "", fields: [.cacheControl: "max-age=60", .vary: "Accept-Language"])
        }
        let hold = harness.transport.hold()
        try await withThrowingTaskGroup(of: Void.self) { group in
            // No two of them wait for each other.
            for number in 1...20 {
                group.addTask { try await harness.get("/a", [.acceptLanguage: "l\(number)", .cacheControl: "no-cache"]) }
            }
            await hold.arrivals(20)
            hold.release()
            try await group.waitForAll()
        }
        for number in 1...20 { #expect(try await harness.get("/a", [.acceptLanguage: "l\(number)"]).text == "l\(number)") }
        #expect(harness.requestCount == 20)
    }
}
