// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hoard
import HoardHTTPTestSupport
import HoardTesting
import NIOCore
import Synchronization
import Testing

@testable import HoardHTTP
@testable import HoardMessages

/// Bodies that are stored while they stream through.
@Suite(.timeLimit(.minutes(5))) struct HTTPCacheStreamingTests {
    private static let fields: HTTPFields = [.cacheControl: "max-age=60"]

    /// A cache whose origin gives the first request `body` and every other one `later`.
    private func harness(
        _ body: HTTPBody,
        later: String = "later",
        configure: (inout HTTPCache.Configuration) -> Void = { _ in }
    ) -> CacheHarness {
        // Taken out when it is given away, so that only its reader keeps it alive.
        let first = Mutex<HTTPBody?>(body)
        return CacheHarness(configure: configure) { _ in
            let body = first.withLock { first in
                defer { first = nil }
                return first
            }
            return .response(.test(200, Self.fields), body: body ?? HTTPBody(later))
        }
    }

    private func harness(parts: [String], length: Int? = nil, breakingOff: Bool = false) -> CacheHarness {
        CacheHarness { request in
            request.head.headerFields.contains(.accept)
                ? .text("later", fields: Self.fields)
                : .parts(
                    parts,
                    length: length,
                    breakingOffWith: breakingOff ? TransportError(.connectionClosed, "Closed.") : nil,
                    fields: Self.fields
                )
        }
    }

    /// The answer to a second request: the stored body, or `nil` if there is none.
    private func stored(in harness: CacheHarness) async throws -> String? {
        let reply = try await harness.get("/a", [.accept: "*/*"])
        return reply.isFromCache ? reply.text : nil
    }

    // MARK: Storing

    @Test func firstPartIsDeliveredBeforeTheSecondExists() async throws {
        let (body, feed) = BodyFeed.makeBody()
        let harness = harness(body)
        var parts = try await harness.open().body.makeAsyncIterator()
        feed.send("one ")
        #expect(try await parts.next() == ByteBuffer(string: "one "))
        feed.send("two")
        #expect(try await parts.next() == ByteBuffer(string: "two"))
        feed.finish()
        #expect(try await parts.next() == nil)
        #expect(try await stored(in: harness) == "one two")
    }

    @Test func responseIsInMemoryWhenItsLastByteHasBeenDelivered() async throws {
        let (body, feed) = BodyFeed.makeBody(length: 7)
        let harness = harness(body)
        var parts = try await harness.open().body.makeAsyncIterator()
        feed.send("one ")
        _ = try await parts.next()
        #expect(harness.openFenceCount > 0)
        feed.send("two")
        _ = try await parts.next()
        // No reader has seen the end yet, but there is nothing more to come.
        #expect(harness.openFenceCount == 0)
        #expect(try await stored(in: harness) == "one two")
    }

    @Test(arguments: [nil, 9])
    func bodyThatArrivesAsAnnouncedIsStored(length: Int?) async throws {
        let harness = harness(parts: ["abc", "", "def", "ghi"], length: length)
        let first = try await harness.get()
        #expect(first.text == "abcdefghi")
        #expect(first.cacheStatus == "hoard; fwd=uri-miss; fwd-status=200; ttl=60; stored")
        #expect(try await stored(in: harness) == "abcdefghi")
        #expect(harness.openFenceCount == 0)
    }

    @Test(arguments: [nil, 0])
    func emptyBodyIsStored(length: Int?) async throws {
        let harness = harness(parts: [], length: length)
        #expect(try await harness.get().text == "")
        #expect(try await stored(in: harness) == "")
    }

    @Test(arguments: [(200, 0), (204, nil), (205, nil), (301, 0)])
    func bodyOfNoLengthNeedNotBeReadToBeStored(code: Int, length: Int?) async throws {
        let harness = CacheHarness { _ in .parts([], length: length, status: .init(code: code), fields: Self.fields) }
        _ = try await harness.open()
        let reply = try await harness.get()
        #expect(reply.isFromCache)
        #expect(reply.code == code)
        #expect(reply.text == "")
    }

    // MARK: Not storing

    @Test(arguments: [nil, 6, 9])
    func bodyThatBreaksOffIsAnErrorToItsReaderAndNotStored(length: Int?) async throws {
        let harness = harness(parts: ["abc", "de"], length: length, breakingOff: true)
        do {
            var parts = try await harness.open().body.makeAsyncIterator()
            #expect(try await parts.next() == ByteBuffer(string: "abc"))
            #expect(try await parts.next() == ByteBuffer(string: "de"))
            let error = await #expect(throws: TransportError.self) { try await parts.next() }
            #expect(error?.code == .connectionClosed)
        }
        #expect(harness.openFenceCount == 0)
        #expect(try await stored(in: harness) == nil)
    }

    @Test(arguments: [10, 100])
    func bodyThatEndsBeforeItsAnnouncedLengthIsAnErrorToItsReaderAndNotStored(length: Int) async throws {
        let harness = harness(parts: ["abc", "def", "ghi"], length: length)
        var text = ""
        await #expect(throws: TransportError.self) {
            for try await part in try await harness.open().body { text += String(buffer: part) }
        }
        #expect(text == "abcdefghi")
        #expect(try await stored(in: harness) == nil)
    }

    @Test(arguments: [1, 4, 7, 8])
    func bodyThatIsLongerThanAnnouncedIsNotStored(length: Int) async throws {
        let harness = harness(parts: ["abc", "def", "ghi"], length: length)
        let response = try await harness.open()
        var text = ""
        for try await part in response.body { text += String(buffer: part) }
        #expect(text == "abcdefghi")
        #expect(try await stored(in: harness) == nil)
    }

    @Test func whatFollowsTheAnnouncedEndIsNotStored() async throws {
        // By the message's framing the response was complete after six bytes.
        let harness = harness(parts: ["abc", "def", "ghi"], length: 6)
        let response = try await harness.open()
        for try await _ in response.body {}
        #expect(try await stored(in: harness) == "abcdef")
    }

    @Test(arguments: [0, 1, 2])
    func bodyThatItsReaderDropsIsNotStored(partsRead: Int) async throws {
        let (body, feed) = BodyFeed.makeBody()
        let harness = harness(body)
        for part in ["one", "two"] { feed.send(part) }
        try await {
            var parts = try await harness.open().body.makeAsyncIterator()
            for _ in 0..<partsRead { _ = try await parts.next() }
            #expect(harness.openFenceCount > 0)
            _ = parts
        }()
        // The task that receives the body notices it too, and may be about to close the fences one after the other.
        try await waitUntil { harness.openFenceCount == 0 }
        #expect(try await stored(in: harness) == nil)
    }

    @Test func bodyThatItsReaderDropsClosesTheExchange() async throws {
        func makeHarness() -> (CacheHarness, BodyFeed) {
            let (body, feed) = BodyFeed.makeBody()
            return (self.harness(body), feed)
        }
        // Only the cache holds the body.
        let (harness, feed) = makeHarness()
        feed.send("one")
        try await {
            var parts = try await harness.open().body.makeAsyncIterator()
            _ = try await parts.next()
        }()
        await harness.transfersEnd()
        // The task of the transfer holds the body until it has ended, which is a moment after it has said so.
        try await waitUntil { feed.isAbandoned }
        #expect(harness.cache.budget.take(harness.cache.configuration.maximumBytesInFlight))
    }

    @Test(arguments: [(SharedBody.worthwhileRest, true), (SharedBody.worthwhileRest + 1, false)])
    func bodyThatIsNearlyWholeIsReceivedAndStoredThoughItsReaderHasLeft(rest: Int, isStored: Bool) async throws {
        let (body, feed) = BodyFeed.makeBody(length: 3 + rest)
        let harness = harness(body)
        feed.send("one")
        try await {
            var parts = try await harness.open().body.makeAsyncIterator()
            _ = try await parts.next()
        }()
        feed.send(String(repeating: "x", count: rest))
        feed.finish()
        await harness.transfersEnd()
        #expect(try await stored(in: harness)?.utf8.count == (isStored ? 3 + rest : nil))
        #expect(harness.openFenceCount == 0)
    }

    @Test func bodyWhoseReaderIsCancelledIsAnErrorToItAndNotStored() async throws {
        let (body, feed) = BodyFeed.makeBody()
        let harness = harness(body)
        let (readSoFar, reading) = AsyncStream<Void>.makeStream()
        let reader = Task {
            for try await _ in try await harness.open().body { reading.yield() }
        }
        feed.send("half")
        for await _ in readSoFar.prefix(1) {}
        reader.cancel()
        await #expect(throws: CancellationError.self) { try await reader.value }
        await harness.transfersEnd()
        #expect(try await stored(in: harness) == nil)
        #expect(harness.openFenceCount == 0)
    }

    @Test func bodyThatIsReadTwiceIsAnErrorToTheSecondReader() async throws {
        let harness = harness(parts: ["abc", "def"])
        let response = try await harness.open()
        var first = response.body.makeAsyncIterator()
        #expect(try await first.next() == ByteBuffer(string: "abc"))
        var second = response.body.makeAsyncIterator()
        await #expect(throws: HTTPBodyIncompleteError.self) { try await second.next() }
        #expect(try await first.next() == ByteBuffer(string: "def"))
        #expect(try await first.next() == nil)
        #expect(try await stored(in: harness) == "abcdef")
    }

    // MARK: Lengths

    @Test(arguments: [nil, 3] as [Int?], ["3", "10"])
    func bodyThatIsShorterThanItsHeadStatesIsAnErrorAndNotStored(_ known: Int?, _ stated: String) async throws {
        let isTrue = stated == "3"
        // A body at hand, one in parts, and one whose transport says how long it is.
        for (number, isAtHand) in [true, false].enumerated() where !isAtHand || known == 3 {
            let harness = CacheHarness { request in
                let fields = Self.fields + [.contentLength: stated]
                return isAtHand ? .text("abc", fields: fields) : .parts(["ab", "c"], length: known, fields: fields)
            }
            for _ in 0..<2 {
                do {
                    let reply = try await harness.get()
                    #expect(isTrue && reply.text == "abc")
                } catch { #expect(!isTrue) }
            }
            await harness.transfersEnd()
            #expect(harness.requestCount == (isTrue ? 1 : 2), "\(number)")
            #expect(harness.openFenceCount == 0)
        }
    }

    @Test(arguments: [HTTPResponse.Status.noContent, .notModified])
    func lengthOfContentThatIsNotSentIsNoError(_ status: HTTPResponse.Status) async throws {
        let harness = CacheHarness { _ in .parts([], length: nil, status: status, fields: Self.fields + [.contentLength: "10"]) }
        #expect(try await harness.get().text == "")
        #expect(try await harness.send(.head).text == "")
    }

    @Test func lengthsThatContradictEachOtherAreNotStored() async throws {
        for lengths in [["3", "10"], ["-3"], ["3, 10"], ["3.0"]] {
            let harness = CacheHarness { _ in
                var fields = Self.fields
                fields[values: .contentLength] = lengths
                return .parts(["abc"], length: nil, fields: fields)
            }
            for _ in 0..<2 { #expect(try await harness.get().cacheStatus == "hoard; fwd=uri-miss; fwd-status=200; detail=CONTENT-LENGTH") }
            #expect(harness.requestCount == 2)
        }
    }

    // MARK: Limits

    @Test(arguments: [(9, true), (8, false)])
    func bodyLongerThanTheLimitStreamsThroughUnstored(limit: Int, isStored: Bool) async throws {
        for length in [nil, 9] as [Int?] {
            let harness = CacheHarness(configure: { $0.maximumObjectBytes = limit }) { _ in
                .parts(["abc", "def", "ghi"], length: length, fields: Self.fields)
            }
            #expect(try await harness.get().text == "abcdefghi")
            #expect(try await harness.get().isFromCache == isStored)
            #expect(harness.openFenceCount == 0)
        }
    }

    @Test func bodyAtHandIsHeldToTheSameLimit() async throws {
        let harness = CacheHarness(configure: { $0.maximumObjectBytes = 4 }) { _ in .text("hello", fields: Self.fields) }
        #expect(try await harness.get().cacheStatus == "hoard; fwd=uri-miss; fwd-status=200; detail=TOO-LARGE")
        #expect(try await harness.get().text == "hello")
        #expect(harness.requestCount == 2)
    }

    @Test func bodyForWhichTheBudgetHasNoRoomIsForwardedUnstored() async throws {
        let (body, feed) = BodyFeed.makeBody()
        let first = Mutex<HTTPBody?>(body)
        let harness = CacheHarness(configure: { $0.maximumBytesInFlight = 8 }) { request in
            let body = request.head.path == "/first" ? first.withLock { $0 } : nil
            return body.map { .response(.test(200, Self.fields), body: $0) } ?? .parts(["abc", "def"], fields: Self.fields)
        }
        var parts = try await harness.open("/first").body.makeAsyncIterator()
        feed.send("abcdef")
        _ = try await parts.next()
        // Six bytes are taken, two are left.
        #expect(try await harness.get("/second").text == "abcdef")
        #expect(try await !harness.get("/second").isFromCache)
        feed.finish()
        #expect(try await parts.next() == nil)
        #expect(try await harness.get("/first").isFromCache)
        // All of it has been given back, also by the body that did not fit.
        #expect(try await harness.get("/third").text == "abcdef")
        #expect(try await harness.get("/third").isFromCache)
        #expect(harness.cache.budget.take(8))
        #expect(!harness.cache.budget.take(1))
    }

    @Test func budgetIsGivenBackByBodiesThatBreakOff() async throws {
        let harness = CacheHarness(configure: { $0.maximumBytesInFlight = 8 }) { _ in
            .parts(["abc", "def"], breakingOffWith: TransportError(.connectionClosed, "Closed."), fields: Self.fields)
        }
        for _ in 1...3 { await #expect(throws: TransportError.self) { try await harness.get() } }
        #expect(harness.cache.budget.take(8))
    }

    @Test func budgetOfNothingForwardsEverything() async throws {
        let harness = CacheHarness(configure: { $0.maximumBytesInFlight = 0 }) { _ in .parts(["abc"], fields: Self.fields) }
        for _ in 1...2 {
            let reply = try await harness.get()
            #expect(reply.text == "abc")
            #expect(!reply.isFromCache)
        }
    }

    @Test func laterRequestThatDemandsANewAnswerIsNotKeptWaitingByABodyUnderWay() async throws {
        let (body, feed) = BodyFeed.makeBody()
        let harness = harness(body)
        var parts = try await harness.open().body.makeAsyncIterator()
        feed.send("slow")
        _ = try await parts.next()
        #expect(try await harness.get("/a", [.cacheControl: "no-cache"]).text == "later")
        feed.finish()
        #expect(try await parts.next() == nil)
        // The newer response has been stored meanwhile, so the older one is not.
        #expect(try await stored(in: harness) == "later")
    }
}
