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
@testable import HoardMessages

/// Requests that wait for the answer to another one.
@Suite(.timeLimit(.minutes(5))) struct HTTPCacheCollapsingTests {
    private static let fresh: HTTPFields = [.cacheControl: "max-age=60"]

    /// Sends requests side by side. The first has reached the origin before the other requests are sent.
    private func replies(
        _ harness: CacheHarness,
        count: Int,
        while hold: FakeTransport.Hold,
        fields: @escaping @Sendable (Int) -> HTTPFields = { _ in [:] }
    ) async throws -> [Reply] {
        // A variable of its own for the awaited value: docs/compiler-defects.md.
        @Sendable func reply(_ number: Int) async throws -> (number: Int, reply: Reply) {
            let reply = try await harness.get("/a", fields(number))
            return (number, reply)
        }
        return try await withThrowingTaskGroup(of: (number: Int, reply: Reply).self) { group in
            group.addTask { try await reply(0) }
            await hold.arrivals(1)
            for number in 1..<count { group.addTask { try await reply(number) } }
            try await harness.followers(count - 1)
            hold.release()
            return try await group.reduce(into: []) { $0.append($1) }.sorted { $0.number < $1.number }.map(\.reply)
        }
    }

    // MARK: One answer for all

    @Test func thousandRequestsAtATimeAreOneForTheOrigin() async throws {
        let harness = CacheHarness { _ in .text("hello", fields: Self.fresh) }
        let hold = harness.transport.hold()
        let replies = try await replies(harness, count: 1_000, while: hold)
        #expect(harness.requestCount == 1)
        #expect(replies.allSatisfy { $0.text == "hello" })
        #expect(replies[0].cacheStatus == "hoard; fwd=uri-miss; fwd-status=200; ttl=60; stored")
        #expect(replies.dropFirst().allSatisfy { $0.cacheStatus == "hoard; fwd=uri-miss; ttl=60; collapsed" })
        #expect(harness.cache.statistics.collapsedHits == 999)
        #expect(harness.cache.statistics.misses == 1)
        #expect(harness.cache.flights.count == 0)
        #expect(harness.openFenceCount == 0)
    }

    @Test func requestsOnManyThreadsWithoutAnyOrderAreOneForTheOrigin() async throws {
        for _ in 1...20 {
            let harness = CacheHarness { _ in .parts(["one ", "two"], fields: Self.fresh) }
            try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 1...50 { group.addTask { try await harness.get().text } }
                for try await text in group { #expect(text == "one two") }
            }
            #expect(harness.requestCount == 1)
        }
    }

    @Test func followersGetTheBodyAsItArrives() async throws {
        let (body, feed) = BodyFeed.makeBody()
        let source = Mutex<HTTPBody?>(body)
        let harness = CacheHarness { _ in .response(.test(200, Self.fresh), body: source.withLock { $0.take() } ?? .empty) }
        var leader = try await harness.open().body.makeAsyncIterator()
        feed.send("one ")
        #expect(try await leader.next() == ByteBuffer(string: "one "))
        // A request that comes while the body arrives gets it from its first byte on.
        var follower = try await harness.open().body.makeAsyncIterator()
        #expect(try await follower.next() == ByteBuffer(string: "one "))
        feed.send("two")
        #expect(try await follower.next() == ByteBuffer(string: "two"))
        feed.finish()
        #expect(try await follower.next() == nil)
        #expect(try await leader.next() == ByteBuffer(string: "two"))
        #expect(try await leader.next() == nil)
        #expect(harness.requestCount == 1)
        #expect(try await harness.get().isFromCache)
    }

    @Test func confirmationIsSharedToo() async throws {
        let harness = CacheHarness { request in
            request.head.headerFields.contains(.ifNoneMatch)
                ? .text(status: .notModified, fields: Self.fresh) : .text("hello", fields: Self.fresh + [.eTag: "\"1\""])
        }
        try await harness.get()
        harness.time.advance(seconds: 60)
        let hold = harness.transport.hold()
        let replies = try await replies(harness, count: 20, while: hold)
        #expect(harness.requestCount == 2)
        #expect(replies.allSatisfy { $0.text == "hello" && $0.isFromCache })
        #expect(harness.cache.statistics.validatedHits == 1)
    }

    // MARK: What is not shared

    @Test(arguments: ["no-store", "private", "max-age=0"])
    func answerThatIsForOneAloneIsGivenToNobodyElse(directives: String) async throws {
        let count = Counter()
        let harness = CacheHarness(mode: .shared) { _ in .text("\(count.increment())", fields: [.cacheControl: directives]) }
        let hold = harness.transport.hold()
        let replies = try await replies(harness, count: 20, while: hold)
        #expect(Set(replies.map(\.text)).count == 20)
        #expect(harness.requestCount == 20)
        #expect(!replies.contains { $0.cacheStatus.contains("collapsed") })
    }

    @Test func requestsForWhatCannotBeSharedDoNotQueueUpBehindEachOther() async throws {
        let harness = CacheHarness(mode: .shared) { _ in .text("mine", fields: [.cacheControl: "no-store"]) }
        try await harness.get()
        // All of them reach the origin before any is answered.
        let hold = harness.transport.hold()
        try await withThrowingTaskGroup(of: Reply.self) { group in
            for _ in 1...10 { group.addTask { try await harness.get() } }
            await hold.arrivals(10)
            hold.release()
            try await group.waitForAll()
        }
        // After a second it is tried again.
        harness.time.advance(seconds: 1)
        let later = harness.transport.hold()
        async let first = harness.get()
        await later.arrivals(1)
        async let second = harness.get()
        try await harness.followers(1)
        later.release()
        _ = try await (first, second)
    }

    @Test(
        arguments: [
            [.cacheControl: "no-cache"], [.cacheControl: "no-store"], [.cacheControl: "max-age=0"], [.authorization: "ann"], [.ifMatch: "\"1\""],
        ] as [HTTPFields]
    )
    func requestThatWantsAnAnswerOfItsOwnWaitsForNobody(fields: HTTPFields) async throws {
        let harness = CacheHarness(mode: .shared) { request in
            .text(request.head.headerFields.contains(.accept) ? "first" : "own", fields: [.cacheControl: "max-age=60"])
        }
        let hold = harness.transport.hold { $0.head.headerFields.contains(.accept) }
        async let first = harness.get("/a", [.accept: "*/*"])
        await hold.arrivals(1)
        #expect(try await harness.get("/a", fields).text == "own")
        hold.release()
        #expect(try await first.text == "first")
    }

    @Test func variantsAreFetchedOnceEach() async throws {
        let harness = CacheHarness { request in
            .text(request.head.headerFields[.acceptLanguage] ?? "", fields: [.cacheControl: "max-age=60", .vary: "Accept-Language"])
        }
        let languages = ["fi", "sv", "en"]
        let hold = harness.transport.hold { $0.head.headerFields[.acceptLanguage] == "fi" }
        let replies = try await replies(harness, count: 60, while: hold) { [.acceptLanguage: languages[$0 % 3]] }
        for (number, reply) in replies.enumerated() { #expect(reply.text == languages[number % 3]) }
        #expect(harness.requestCount == 3)
    }

    @Test func secondRoundOfVariantsIsFetchedOnceEachAsWell() async throws {
        let harness = CacheHarness { request in
            .text(request.head.headerFields[.acceptLanguage] ?? "", fields: [.cacheControl: "max-age=60", .vary: "Accept-Language"])
        }
        try await harness.get("/a", [.acceptLanguage: "en"])
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 1...60 {
                let language = ["fi", "sv"][number % 2]
                group.addTask {
                    let reply = try await harness.get("/a", [.acceptLanguage: language])
                    #expect(reply.text == language)
                }
            }
            try await group.waitForAll()
        }
        #expect(harness.requestCount == 3)
    }

    // MARK: Leaving

    @Test func leaderThatLeavesBeforeTheHeadLeavesTheExchangeToItsFollowers() async throws {
        let harness = CacheHarness { _ in .parts(["one ", "two"], fields: Self.fresh) }
        let hold = harness.transport.hold()
        let leader = Task { try await harness.get() }
        await hold.arrivals(1)
        let follower = Task { try await harness.get() }
        try await harness.followers(1)
        leader.cancel()
        let error = await #expect(throws: HTTPCacheError.self) { try await leader.value }
        #expect(error?.transportError?.code == .cancelled)
        hold.release()
        #expect(try await follower.value.text == "one two")
        #expect(harness.requestCount == 1)
        #expect(try await harness.get().isFromCache)
    }

    @Test func leaderThatDropsTheBodyLeavesItToItsFollowers() async throws {
        let (body, feed) = BodyFeed.makeBody()
        let source = Mutex<HTTPBody?>(body)
        let harness = CacheHarness { _ in .response(.test(200, Self.fresh), body: source.withLock { $0.take() } ?? .empty) }
        var leader: HTTPCacheResponse? = try await harness.open()
        var follower = try await harness.open().body.makeAsyncIterator()
        feed.send("one ")
        #expect(leader?.head.status == .ok)
        leader = nil
        #expect(try await follower.next() == ByteBuffer(string: "one "))
        #expect(!feed.isAbandoned)
        feed.send("two")
        feed.finish()
        #expect(try await follower.next() == ByteBuffer(string: "two"))
        #expect(try await follower.next() == nil)
        #expect(try await harness.get().text == "one two")
    }

    @Test func followerThatLeavesDisturbsNobody() async throws {
        let harness = CacheHarness { _ in .text("hello", fields: Self.fresh) }
        let hold = harness.transport.hold()
        async let leader = harness.get()
        await hold.arrivals(1)
        let follower = Task { try await harness.get() }
        try await harness.followers(1)
        follower.cancel()
        await #expect(throws: HTTPCacheError.self) { try await follower.value }
        hold.release()
        #expect(try await leader.text == "hello")
        #expect(harness.requestCount == 1)
    }

    @Test func exchangeThatEverybodyHasLeftIsBrokenOff() async throws {
        let harness = CacheHarness { _ in .text("hello", fields: Self.fresh) }
        let hold = harness.transport.hold()
        let leader = Task { try await harness.get() }
        await hold.arrivals(1)
        let follower = Task { try await harness.get() }
        try await harness.followers(1)
        leader.cancel()
        _ = await leader.result
        follower.cancel()
        _ = await follower.result
        await harness.transfersEnd()
        #expect(hold.heldCount == 0)
        #expect(harness.openFenceCount == 0)
        hold.release()
        #expect(try await !harness.get().isFromCache)
    }

    // MARK: Waiting too long, and failures

    @Test func followerThatHasWaitedLongEnoughAsksTheOriginItself() async throws {
        let time = TestTime()
        let harness = CacheHarness(time: time, configure: { $0.collapseTimeout = .seconds(2) }) { request in
            .text(request.head.headerFields[.accept] ?? "slow", fields: Self.fresh)
        }
        let hold = harness.transport.hold { !$0.head.headerFields.contains(.accept) }
        async let leader = harness.get()
        await hold.arrivals(1)
        async let follower = harness.get("/a", [.accept: "quick"])
        try await harness.followers(1)
        await time.sleepers(1)
        time.advance(seconds: 2)
        #expect(try await follower.text == "quick")
        hold.release()
        #expect(try await leader.text == "slow")
    }

    @Test func nobodyWaitsIfTheTimeoutIsZero() async throws {
        let harness = CacheHarness(configure: { $0.collapseTimeout = .zero }) { _ in .text("hello", fields: Self.fresh) }
        let hold = harness.transport.hold()
        async let first = harness.get()
        async let second = harness.get()
        await hold.arrivals(2)
        hold.release()
        _ = try await (first, second)
        #expect(harness.requestCount == 2)
    }

    @Test func failureOfTheLeaderIsThatOfItsFollowers() async throws {
        let harness = CacheHarness(transport: FakeTransport(failingWith: TransportError(.cannotConnect, "Nothing listens.")))
        let hold = harness.transport.hold()
        let leader = Task { try await harness.get() }
        await hold.arrivals(1)
        let followers = (1...5).map { _ in Task { try await harness.get() } }
        try await harness.followers(5)
        hold.release()
        await #expect(throws: HTTPCacheError.self) { try await leader.value }
        for follower in followers {
            let error = await #expect(throws: HTTPCacheError.self) { try await follower.value }
            #expect(error?.transportError?.code == .cannotConnect)
        }
        #expect(harness.requestCount == 1)
        #expect(harness.cache.statistics.failures == 6)
    }

    @Test(arguments: [TransportError.Code.connectionClosed, .invalidResponse, .requestTooLarge])
    func failureThatTheLeaderMayHaveCausedIsItsOwn(_ code: TransportError.Code) async throws {
        let harness = CacheHarness { request in
            request.head.headerFields.contains(.accept) ? .failure(TransportError(code, "Not like this.")) : .text("hello", fields: Self.fresh)
        }
        let hold = harness.transport.hold { $0.head.headerFields.contains(.accept) }
        let leader = Task { try await harness.get("/a", [.accept: "bad"]) }
        await hold.arrivals(1)
        let followers = (1...5).map { _ in Task { try await harness.get() } }
        try await harness.followers(5)
        hold.release()
        await #expect(throws: HTTPCacheError.self) { try await leader.value }
        for follower in followers { #expect(try await follower.value.text == "hello") }
    }

    @Test func followersServeStaleResponsesByRulesOfTheirOwn() async throws {
        let time = TestTime()
        let harness = CacheHarness(time: time) { _ in
            time.now() == TestTime.start
                ? .text("hello", fields: [.cacheControl: "max-age=60, stale-if-error=100"]) : .failure(TransportError(.failed, "Broken."))
        }
        try await harness.get()
        time.advance(seconds: 90)
        let hold = harness.transport.hold()
        let replies = try await replies(harness, count: 5, while: hold)
        #expect(replies.allSatisfy { $0.text == "hello" && $0.isFromCache })
        #expect(harness.requestCount == 2)
        #expect(harness.cache.statistics.staleHits == 5)
    }

    @Test func bodyThatBreaksOffIsAnErrorToAllItsReadersAndNotStored() async throws {
        let (body, feed) = BodyFeed.makeBody()
        let source = Mutex<HTTPBody?>(body)
        let harness = CacheHarness { _ in .response(.test(200, Self.fresh), body: source.withLock { $0.take() } ?? HTTPBody("later")) }
        var readers = [try await harness.open().body.makeAsyncIterator(), try await harness.open().body.makeAsyncIterator()]
        feed.send("half")
        feed.breakOff()
        for index in readers.indices {
            #expect(try await readers[index].next() == ByteBuffer(string: "half"))
            await #expect(throws: TransportError.self) { try await readers[index].next() }
        }
        #expect(harness.openFenceCount == 0)
        #expect(try await harness.get().text == "later")
    }

    /// The origin may have broken off because of the leader's request.
    @Test func followersOfAShortBodyThatBreaksOffAskForThemselves() async throws {
        let (body, feed) = BodyFeed.makeBody(length: 10)
        let source = Mutex<HTTPBody?>(body)
        let harness = CacheHarness { _ in
            guard let body = source.withLock({ $0.take() }) else { return .text("own", fields: Self.fresh) }
            return .response(.test(200, Self.fresh), body: body)
        }
        let hold = harness.transport.hold()
        async let opened = harness.open()
        await hold.arrivals(1)
        async let first = harness.get()
        async let second = harness.get()
        try await harness.followers(2)
        hold.release()
        var leader = try await opened.body.makeAsyncIterator()
        feed.send("half")
        #expect(try await leader.next() == ByteBuffer(string: "half"))
        feed.breakOff()
        await #expect(throws: TransportError.self) { try await leader.next() }
        let texts = try await [first.text, second.text]
        #expect(texts == ["own", "own"])
        #expect(harness.openFenceCount == 0)
    }

    @Test func followersOfAShortBodyGetItWhenItIsWhole() async throws {
        let (body, feed) = BodyFeed.makeBody(length: 10)
        let harness = CacheHarness { _ in .response(.test(200, Self.fresh), body: body) }
        let hold = harness.transport.hold()
        async let leader = harness.get()
        await hold.arrivals(1)
        async let first = harness.get()
        async let second = harness.get()
        try await harness.followers(2)
        hold.release()
        feed.send("01234")
        feed.send("56789")
        feed.finish()
        let texts = try await [leader.text, first.text, second.text]
        #expect(texts == Array(repeating: "0123456789", count: 3))
        #expect(harness.requestCount == 1)
    }

    // MARK: Requests that begin early

    @Test func requestsThatWaitForOneThatWasBegunInVainAreOneForTheOrigin() async throws {
        let harness = CacheHarness { _ in .text("hello", fields: Self.fresh) }
        let key = HTTPCacheKey(scope: harness.cache.baseScope, targetURI: "http://example.com/a")
        let flight = Flight(key: key, space: harness.cache.space, selectingFields: .known([:]), cache: harness.cache)
        let miss = try #require(harness.cache.begin(HTTPCache.Found(base: key), flight, .known([:])))
        let hold = harness.transport.hold()
        try await withThrowingTaskGroup(of: Reply.self) { group in
            for _ in 1...20 { group.addTask { try await harness.get() } }
            try await harness.followers(20)
            harness.cache.takeBack(miss)
            await hold.arrivals(1)
            try await harness.followers(19)
            hold.release()
            for try await reply in group { #expect(reply.text == "hello") }
        }
        #expect(harness.requestCount == 1)
        #expect(harness.cache.flights.count == 0)
        #expect(harness.openFenceCount == 0)
    }

    @Test func requestThatIsAboutToAskSeesTheResponseOfAnExchangeThatHasJustEnded() async throws {
        let clock = InterruptedClock()
        let cache = HTTPCache(clock: clock, ticker: clock.time)
        let transport = FakeTransport { _ in .text("old", fields: [.cacheControl: "max-age=1", .eTag: "\"1\""]) }
        _ = try await Reply(cache.respond(to: HTTPRequest.test(), through: transport))
        clock.time.advance(seconds: 2)
        let (first, second) = (try pendingRequest(to: cache), try pendingRequest(to: cache))
        let early = try #require(cache.beginEarly(first))
        // The first is answered when the second has just found the stale response.
        clock.interrupt { _ = cache.answer(early, with: HTTPResponse.test(200, Self.fresh), ByteBuffer(string: "new")) }
        #expect(cache.beginEarly(second) == nil)
        let reply = try await Reply(cache.respond(to: second, through: transport, isFresh: true))
        #expect(reply.text == "new" && reply.isFromCache)
        #expect(transport.requests.count == 1)
        #expect(cache.flights.count == 0)
    }

    @Test func staleVariantsBeginEarlySideBySideAndEachIsJoined() async throws {
        let varying: HTTPFields = [.cacheControl: "max-age=1", .vary: "Accept-Language", .eTag: "\"1\""]
        let harness = CacheHarness { request in .text(request.head.headerFields[.acceptLanguage] ?? "", fields: varying) }
        for language in ["fi", "sv"] { try await harness.get("/a", [.acceptLanguage: language]) }
        harness.time.advance(seconds: 2)
        let requests = try ["fi", "sv"].map { try pendingRequest(to: harness.cache, [.acceptLanguage: $0]) }
        let first = try #require(harness.cache.beginEarly(requests[0]))
        let second = try #require(harness.cache.beginEarly(requests[1]))
        async let follower = harness.get("/a", [.acceptLanguage: "fi"])
        try await #require(first.miss.exchange).followers(1)
        for early in [first, second] {
            let answer = harness.cache.answer(early, with: HTTPResponse.test(200, varying), ByteBuffer(string: "new"))
            if case .responseToStore(_, let store) = answer { await store() } else { Issue.record("A variant takes more than a step.") }
        }
        #expect(try await follower.text == "new")
        #expect(harness.requestCount == 2)
        #expect(harness.exchangeCount == 0)
    }

    private func pendingRequest(to cache: HTTPCache, _ fields: HTTPFields = [:]) throws -> HTTPCache.PendingRequest {
        var begun: HTTPCache.PendingRequest?
        if case .pending(let pending) = try cache.begin(HTTPCache.Request(HTTPRequest.test(.get, "/a", fields))) { begun = pending }
        return try #require(begun)
    }

    // MARK: Changes

    @Test func requestAfterAChangeDoesNotJoinAnExchangeFromBefore() async throws {
        let version = Mutex(1)
        let harness = CacheHarness { request in
            if request.head.method == .post { version.withLock { $0 += 1 } }
            return .text("v\(version.withLock { $0 })", fields: Self.fresh)
        }
        let hold = harness.transport.hold { $0.head.method == .get }
        async let early = harness.get()
        await hold.arrivals(1)
        try await harness.send(.post)
        async let late = harness.get()
        await hold.arrivals(2)
        hold.release()
        #expect(try await early.text == "v1")
        #expect(try await late.text == "v2")
        #expect(try await harness.get().text == "v2")
    }

    @Test func requestDuringAChangeDoesNotJoinAnExchangeFromBeforeAndIsNotStored() async throws {
        let harness = CacheHarness { request in .text(request.head.method.rawValue, fields: Self.fresh) }
        let gets = harness.transport.hold { $0.head.method == .get }
        let posts = harness.transport.hold { $0.head.method == .post }
        async let before = harness.get()
        await gets.arrivals(1)
        async let change = harness.send(.post)
        await posts.arrivals(1)
        async let during = harness.get()
        await gets.arrivals(2)
        posts.release()
        _ = try await change
        gets.release()
        _ = try await (before, during)
        #expect(try await !harness.get().isFromCache)
    }

    @Test func changeThatGetsNoAnswerKeepsWhatWasUnderWayFromBeingStored() async throws {
        let harness = CacheHarness { request in
            request.head.method == .post ? .failure(TransportError(.connectionClosed, "Closed.")) : .text("hello", fields: Self.fresh)
        }
        let hold = harness.transport.hold { $0.head.method == .get }
        async let early = harness.get()
        await hold.arrivals(1)
        await #expect(throws: HTTPCacheError.self) { try await harness.send(.post) }
        hold.release()
        _ = try await early
        #expect(try await !harness.get().isFromCache)
    }

    @Test(arguments: ["remove", "tag", "all"])
    func requestAfterARemovalDoesNotJoinAnExchangeFromBefore(removal: String) async throws {
        let count = Counter()
        let harness = CacheHarness { _ in .text("\(count.increment())", fields: Self.fresh + [.cacheTag: "t"]) }
        let hold = harness.transport.hold()
        async let early = harness.get()
        await hold.arrivals(1)
        switch removal {
        case "remove": await harness.cache.remove("http://example.com/a")
        case "tag": await harness.cache.remove(taggedWith: "t")
        default: await harness.cache.removeAll()
        }
        async let late = harness.get()
        await hold.arrivals(2)
        hold.release()
        #expect(try await early.text == "1")
        #expect(try await late.text == "2")
        #expect(try await harness.get().text == "2")
    }

    @Test func keyWhoseAnswerCouldNotBeSharedIsLeftAloneAtTheEndOfTimeToo() {
        let time = ManualTicker()
        time.advance(by: .nanoseconds(Int64.max - 10 - time.nanoseconds()))
        let flights = Flights(ticker: time)
        let cache = CacheHarness { _ in .text("") }.cache
        let key = FlightKey(key: HTTPCacheKey(scope: cache.baseScope, targetURI: "http://example.com/a"), variant: nil)
        func isAlone() -> Bool {
            let entry = flights.enter(key) {
                Exchange(
                    key: key,
                    leaderFields: .known([:]),
                    flight: Flight(key: key.key, space: cache.space, selectingFields: .known([:]), cache: cache)
                )
            }
            if case .alone = entry { return true }
            return false
        }
        flights.markUnshareable(key)
        #expect(isAlone())
        flights.markShareable(key)
        #expect(!isAlone())
    }
}

/// A test's time that calls a function once when it is asked.
private final class InterruptedClock: WallClock {
    let time = TestTime()
    private let interruption = Mutex<(@Sendable () -> Void)?>(nil)

    /// - Parameter function: Called when the time is asked for the next time.
    func interrupt(_ function: @escaping @Sendable () -> Void) { interruption.withLock { $0 = function } }

    func now() -> Date {
        let function = interruption.withLock { $0.take() }
        function?()
        return time.now()
    }
}
