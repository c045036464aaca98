// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Hoard
import HoardHTTPTestSupport
import HoardTesting
import NIOCore
import Testing

@testable import HoardHTTP
@testable import HoardMessages

/// The forms of a response that is confirmed again and again, and which of them the stores get.
@Suite(.timeLimit(.minutes(2))) struct HTTPCacheConfirmedWritesTests {
    private static let uri = "http://example.com/a"
    private let time = TestTime()
    private let store: SpyStore

    init() {
        store = SpyStore(clock: time)
    }

    /// An origin that confirms what it is asked about; its response is fresh for so many seconds.
    private func harness(
        maxAge: Int = 1,
        stores: [any RecordStore]? = nil,
        update: @escaping @Sendable (Int) -> HTTPFields = { _ in [:] },
        configure: (inout HTTPCache.Configuration) -> Void = { _ in }
    ) -> CacheHarness {
        CacheHarness(mode: .shared, stores: stores ?? [store], time: time, configure: configure) { [time] request in
            var fields: HTTPFields = [.cacheControl: "max-age=\(maxAge)", .eTag: "\"1\"", .date: HTTPDate(time.now()).description]
            fields[.expires] = HTTPDate(time.now().addingTimeInterval(Double(maxAge))).description
            fields += update(Int(time.now().timeIntervalSince(TestTime.start)))
            if request.head.headerFields.contains(.ifNoneMatch) { return .text(status: .notModified, fields: fields) }
            fields[.contentLength] = "5"
            return .text("hello", fields: fields)
        }
    }

    /// Asks every so many seconds, and returns the times of the forms that the store has got, in seconds.
    private func writes(_ harness: CacheHarness, every interval: Int64, for count: Int) async throws -> [Int] {
        var times: [Int] = []
        for _ in 0..<count {
            #expect(try await harness.get().text == "hello")
            await harness.cache.flush()
            let created = try #require(store.insertedRecords.values.first?.created)
            if let written = Int(exactly: created.timeIntervalSince(TestTime.start)), times.last != written { times.append(written) }
            time.advance(seconds: interval)
        }
        return times
    }

    /// The span is a sixteenth of the shortest time of a minute or more.
    @Test(arguments: [("", 3_600), ("stale-if-error=1600", 100), ("stale-while-revalidate=800, stale-if-error=59", 50)])
    func aStoreGetsTheFirstFormOfEachSpan(directives: String, span: Int) async throws {
        let harness = harness { _ in [.cacheControl: directives] }
        let times = try await writes(harness, every: Int64(span / 10), for: 100)
        #expect(harness.requestCount == 100)
        #expect((10...11).contains(times.count), "\(times)")
        // The first one is written whenever it comes, the next ones at the beginnings of spans.
        for (one, next) in zip(times.dropFirst(), times.dropFirst(2)) { #expect(next - one == span, "\(times)") }
    }

    @Test func aFormThatIsFreshForAMinuteIsWritten() async throws {
        #expect(try await writes(harness(maxAge: 60), every: 60, for: 5) == [0, 60, 120, 180, 240])
    }

    @Test func aChangeOfAnotherFieldIsWritten() async throws {
        let harness = harness { [.server: "\($0 / 10)"] }
        let times = try await writes(harness, every: 2, for: 30)
        #expect(times.count >= 6 && Set(times).isSuperset(of: [0, 10, 20, 30, 40, 50]), "\(times)")
    }

    @Test func aStoreLosesTheFreshnessThatAConfirmationEnds() async throws {
        let before = CacheHarness(mode: .shared, stores: [store], time: time) { [time] request in
            let isQuestion = request.head.headerFields.contains(.ifNoneMatch)
            var fields: HTTPFields = [.eTag: "\"1\"", .date: HTTPDate(time.now()).description]
            fields[.expires] = HTTPDate(time.now().addingTimeInterval(isQuestion ? 0 : 86_400)).description
            return isQuestion ? .text(status: .notModified, fields: fields) : .text("hello", fields: fields)
        }
        try await before.get()
        await before.cache.flush()
        time.advance(seconds: 1)
        try await before.get("/a", [.cacheControl: "no-cache"])
        await before.cache.flush()
        #expect(before.requestCount == 2)
        #expect(try await harness().get().cacheStatus.hasPrefix("hoard; fwd=stale"))
    }

    @Test func aStoreGetsEveryFormOfAResponseThatMemoryCannotKeep() async throws {
        let harness = harness(maxAge: 30, configure: { $0.maximumMemoryBytes = 0 })
        try await harness.get()
        for _ in 0..<3 {
            await harness.cache.flush()
            time.advance(seconds: 30)
            #expect(try await harness.get().cacheStatus.hasPrefix("hoard; fwd=stale; fwd-status=304"))
            await harness.cache.flush()
            time.advance(seconds: 1)
            #expect(try await harness.get().cacheStatus == "hoard; hit; ttl=29")
        }
    }

    @Test func theStoresKnowTheTagsOfTheLatestPolicy() async throws {
        // A head that is not kept as bytes.
        let harness = harness { _ in [.server: "\u{E4}"] }
        for tag in ["one", "two"] {
            var policy = HTTPCachePolicy()
            policy.tags = [tag]
            _ = try await Reply(harness.cache.respond(to: .test(.get, "/a"), policy: policy, through: harness.transport))
            await harness.cache.flush()
            time.advance(seconds: 2)
        }
        await harness.cache.remove(taggedWith: "two")
        #expect(try await self.harness().get().cacheStatus.hasPrefix("hoard; fwd=uri-miss"))
    }

    @Test func memoryHasTheLatestFormAndARestartGoesOnFromTheStores() async throws {
        let before = harness(maxAge: 10)
        for _ in 0..<3 {
            try await before.get()
            time.advance(seconds: 11)
        }
        #expect(try await before.get().cacheStatus == "hoard; fwd=stale; fwd-status=304; ttl=10; stored")
        #expect(try await before.get().cacheStatus == "hoard; hit; ttl=10")
        await before.cache.flush()
        let after = harness(maxAge: 10)
        let reply = try await after.get()
        #expect(reply.text == "hello")
        // The form of the store is 33 seconds old, or younger if a span has begun since.
        #expect(["hoard; hit; ttl=10", "hoard; fwd=stale; fwd-status=304; ttl=10; stored"].contains(reply.cacheStatus))
    }

    @Test func aStoreThatOthersReadGetsEveryForm() async throws {
        let server = SharedMemoryStore(clock: time, ticker: time)
        let (one, other) = (harness(maxAge: 5, stores: [server.connect()]), harness(maxAge: 5, stores: [server.connect()]))
        for _ in 0..<12 {
            try await one.get()
            await one.cache.flush()
            #expect(try await other.get().cacheStatus == "hoard; hit; ttl=5")
            time.advance(seconds: 5)
        }
        #expect(other.requestCount == 0)
    }

    @Test func theStoresLoseTheMarkOfAResponseThatIsConfirmed() async throws {
        let before = harness(maxAge: 86_400)
        try await before.get()
        await before.cache.flush()
        await before.cache.markStale(Self.uri)
        time.advance(seconds: 1)
        #expect(try await before.get().cacheStatus == "hoard; fwd=stale; fwd-status=304; ttl=86400; stored")
        await before.cache.flush()
        let after = harness(maxAge: 86_400)
        #expect(try await after.get().cacheStatus == "hoard; hit; ttl=86400")
    }

    @Test func aRemovalReachesTheStoresBehindFormsTheyHaveNotGot() async throws {
        let harness = harness()
        _ = try await writes(harness, every: 2, for: 5)
        await harness.cache.remove(Self.uri)
        let after = self.harness()
        #expect(try await after.get().cacheStatus.hasPrefix("hoard; fwd=uri-miss"))
        #expect(harness.openFenceCount == 0)
    }

    @Test func confirmationsByBytesAreWrittenLikeParsedOnes() async throws {
        let harness = harness()
        var times: [Int] = []
        try await harness.get()
        for step in 1...60 {
            time.advance(seconds: 300)
            guard case .miss(let miss) = harness.cache.beginMiss(targetURI: Self.uri, selectingFields: { HTTPFields() }) else {
                Issue.record("Nothing has begun.")
                return
            }
            let date = HTTPDate(time.now()).description
            let notModified = HTTPResponse(status: .notModified, headerFields: [.date: date, .expires: date, .eTag: "\"1\""])
            #expect(harness.cache.confirm(miss, notModified) != nil, "step \(step)")
            await harness.cache.flush()
            let created = try #require(store.insertedRecords.values.first?.created)
            if let written = Int(exactly: created.timeIntervalSince(TestTime.start)), times.last != written { times.append(written) }
        }
        #expect((5...6).contains(times.count), "\(times)")
        #expect(harness.openFenceCount == 0)
    }
}
