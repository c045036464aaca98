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

/// Requests that change something, and the responses that are under way meanwhile (RFC 9111 §4.4).
@Suite(.timeLimit(.minutes(5))) struct HTTPCacheInvalidationTests {
    /// An origin whose pages have a version that every request but GET, HEAD and OPTIONS raises.
    private final class Origin: Sendable {
        let version = Mutex(1)
        /// The answer to a change.
        let answer: FakeTransport.Answer
        let fields: HTTPFields

        init(_ answer: FakeTransport.Answer = .text("done"), fields: HTTPFields = [.cacheControl: "max-age=600"]) {
            self.answer = answer
            self.fields = fields
        }

        @Sendable func handle(_ request: FakeTransport.Request) -> FakeTransport.Answer {
            switch request.head.method {
            case .get, .head, .options:
                return .text("\(request.head.path ?? "") v\(version.withLock { $0 })", fields: fields)
            default:
                version.withLock { $0 += 1 }
                return answer
            }
        }
    }

    private func harness(_ origin: Origin, mode: CacheMode = .private, stores: [any RecordStore] = [], time: TestTime = TestTime()) -> CacheHarness {
        CacheHarness(mode: mode, stores: stores, time: time) { origin.handle($0) }
    }

    // MARK: What is sent

    @Test func postIsAlwaysSentAndNeverAnsweredFromTheCache() async throws {
        let harness = CacheHarness { request in
            .text("\(request.head.method.rawValue) \(String(buffer: request.body))", fields: [.cacheControl: "max-age=600"])
        }
        try await harness.get()
        for body in ["one", "one", "two"] {
            let reply = try await harness.send(.post, "/a", body: HTTPBody(body))
            #expect(reply.text == "POST \(body)")
            #expect(!reply.isFromCache)
            #expect(reply.cacheStatus == "hoard; fwd=method; fwd-status=200")
        }
        #expect(harness.transport.requests.map { String(buffer: $0.body) } == ["", "one", "one", "two"])
        #expect(try await harness.get().text == "GET ")
    }

    @Test func streamedContentOfARequestReachesTheOrigin() async throws {
        let harness = CacheHarness { request in .text(String(buffer: request.body)) }
        let (body, feed) = BodyFeed.makeBody()
        feed.send("one ")
        feed.send("two")
        feed.finish()
        #expect(try await harness.send(.put, "/a", body: body).text == "one two")
    }

    @Test func getWithContentBypassesTheCache() async throws {
        let harness = CacheHarness { request in .text(String(buffer: request.body), fields: [.cacheControl: "max-age=600"]) }
        #expect(try await harness.send(.get, "/a", body: HTTPBody("x")).cacheStatus == "hoard; fwd=bypass; fwd-status=200")
        #expect(try await harness.get().text == "")
        #expect(try await harness.send(.get, "/a", body: HTTPBody("y")).text == "y")
    }

    // MARK: What goes

    @Test(arguments: ["POST", "PUT", "DELETE", "PATCH", "PROPFIND", "FROB"])
    func changeRemovesWhatIsStoredForItsTarget(name: String) async throws {
        let method = try #require(HTTPRequest.Method(name))
        let harness = harness(Origin())
        #expect(try await harness.get().text == "/a v1")
        try await harness.get("/b")
        try await harness.send(method)
        #expect(try await harness.get().text == "/a v2")
        #expect(try await harness.get("/b").text == "/b v1", "Other URIs stay.")
    }

    @Test(arguments: [TransportError.Code.connectionClosed, .timedOut, .cancelled, .invalidResponse])
    func changeOfWhichNobodyKnowsHowItEndedLeavesNothingFresh(code: TransportError.Code) async throws {
        let harness = harness(Origin(.failure(TransportError(code, "Lost."))))
        try await harness.get()
        await #expect(throws: HTTPCacheError.self) { try await harness.send(.post) }
        #expect(try await harness.get().text == "/a v2")
    }

    @Test(arguments: [TransportError.Code.cannotConnect, .tlsFailed])
    func changeThatTheOriginNeverGotLeavesAllAsItWas(code: TransportError.Code) async throws {
        let harness = harness(Origin(.failure(TransportError(code, "Not sent."))))
        try await harness.get()
        await #expect(throws: HTTPCacheError.self) { try await harness.send(.post) }
        #expect(try await harness.get().isFromCache)
    }

    @Test(arguments: [HTTPRequest.Method.options, .head])
    func requestThatChangesNothingRemovesNothing(method: HTTPRequest.Method) async throws {
        let harness = harness(Origin())
        try await harness.get()
        try await harness.send(method, "/a", [.range: "bytes=0-1"])
        #expect(try await harness.get().isFromCache)
    }

    @Test(arguments: [400, 404, 409, 500, 503])
    func changeThatFailsRemovesNothing(code: Int) async throws {
        let harness = harness(Origin(.text(status: .init(code: code), fields: [.location: "/b", .contentLocation: "/b"])))
        try await harness.get("/a")
        try await harness.get("/b")
        try await harness.send(.post)
        #expect(try await harness.get("/a").isFromCache)
        #expect(try await harness.get("/b").isFromCache)
    }

    @Test(arguments: [HTTPField.Name.location, .contentLocation])
    func changeRemovesWhatItsResponseNames(field: HTTPField.Name) async throws {
        let harness = harness(Origin(.text(status: .created, fields: [field: "b?x=1"])))
        try await harness.get("/b?x=1")
        try await harness.get("/b")
        try await harness.send(.post)
        #expect(try await harness.get("/b?x=1").text == "/b?x=1 v2")
        #expect(try await harness.get("/b").isFromCache)
    }

    @Test(arguments: [HTTPField.Name.location, .contentLocation])
    func changeRemovesNothingOfAnotherOrigin(field: HTTPField.Name) async throws {
        let harness = harness(Origin(.text(status: .created, fields: [field: "http://example.com/a"])))
        try await harness.get("/a")
        var request = HTTPRequest.test(.post)
        for (scheme, authority) in [("http", "example.org"), ("https", "example.com"), ("http", "example.com:8080")] {
            request.scheme = scheme
            request.authority = authority
            _ = try await harness.cache.respond(to: request, through: harness.transport)
        }
        #expect(try await harness.get("/a").isFromCache)
    }

    @Test func changeRemovesAllVariants() async throws {
        let time = TestTime()
        let store = MemoryStore(clock: time)
        let origin = Origin(fields: [.cacheControl: "max-age=600", .vary: "Accept-Language"])
        let harness = harness(origin, stores: [store], time: time)
        for language in ["fi", "sv"] { try await harness.get("/a", [.acceptLanguage: language]) }
        try await harness.send(.post)
        for language in ["fi", "sv"] {
            #expect(try await harness.get("/a", [.acceptLanguage: language]).text == "/a v2")
        }
        // The old ones do not come back from the store.
        await harness.cache.flush()
        let restarted = self.harness(origin, stores: [store], time: time)
        for language in ["fi", "sv"] {
            let reply = try await restarted.get("/a", [.acceptLanguage: language])
            #expect(reply.text == "/a v2")
            #expect(reply.isFromCache)
        }
    }

    @Test func changeRemovesWhatTheStoresHave() async throws {
        let time = TestTime()
        let store = MemoryStore(clock: time)
        let origin = Origin()
        let harness = harness(origin, stores: [store], time: time)
        try await harness.get()
        await harness.cache.flush()
        try await harness.send(.delete)
        #expect(try await store.statistics().count == 0)
        let restarted = self.harness(origin, stores: [store], time: time)
        #expect(try await restarted.get().text == "/a v2")
    }

    @Test func changeBySomebodyRemovesWhatTheirCredentialsGotAndWhatNobodysDid() async throws {
        let harness = harness(Origin())
        try await harness.get("/a", [.authorization: "ann"])
        try await harness.get("/a")
        try await harness.send(.post, "/a", [.authorization: "ann"])
        #expect(try await harness.get("/a", [.authorization: "ann"]).text == "/a v2")
        #expect(try await harness.get("/a").text == "/a v2")
    }

    @Test func removingAURIRemovesItInEverySpelling() async throws {
        let harness = harness(Origin())
        try await harness.get()
        #expect(await harness.cache.remove("HTTP://EXAMPLE.com:80/b/../%61#part"))
        #expect(try await !harness.get().isFromCache)
        for uri in ["ftp://example.com/a", "/a", "example.com/a", ""] {
            #expect(await !harness.cache.remove(uri), "\(uri)")
        }
        #expect(try await harness.get().isFromCache)
    }

    // MARK: What is under way

    @Test func responseThatWasUnderWayDuringAChangeIsDeliveredButNotStored() async throws {
        let harness = harness(Origin())
        let hold = harness.transport.hold { $0.head.method == .get }
        async let early = harness.get()
        await hold.arrivals(1)
        try await harness.send(.post)
        hold.release()
        #expect(try await early.text == "/a v1")
        #expect(try await harness.get().text == "/a v2")
        #expect(harness.openFenceCount == 0)
    }

    @Test func responseWhoseBodyWasUnderWayDuringAChangeIsNotStored() async throws {
        let (body, feed) = BodyFeed.makeBody()
        let harness = CacheHarness { request in
            request.head.method == .get && !request.head.headerFields.contains(.accept)
                ? .response(.test(200, [.cacheControl: "max-age=600"]), body: body) : .text("later", fields: [.cacheControl: "max-age=600"])
        }
        var parts = try await harness.open().body.makeAsyncIterator()
        feed.send("old")
        #expect(try await parts.next() == ByteBuffer(string: "old"))
        try await harness.send(.post)
        feed.finish()
        #expect(try await parts.next() == nil)
        #expect(try await harness.get("/a", [.accept: "*/*"]).text == "later")
    }

    @Test func variantThatWasUnderWayDuringAChangeIsNotStored() async throws {
        let harness = harness(Origin(fields: [.cacheControl: "max-age=600", .vary: "Accept-Language"]))
        // One variant is stored, so that there is an index to be removed.
        try await harness.get("/a", [.acceptLanguage: "sv"])
        let hold = harness.transport.hold { $0.head.method == .get }
        async let early = harness.get("/a", [.acceptLanguage: "fi"])
        await hold.arrivals(1)
        try await harness.send(.post)
        hold.release()
        #expect(try await early.text == "/a v1")
        #expect(try await harness.get("/a", [.acceptLanguage: "fi"]).text == "/a v2")
    }

    @Test func variantThatWasUnderWayDuringAChangeIsNotAddedToTheVariantsStoredSince() async throws {
        let harness = harness(Origin(fields: [.cacheControl: "max-age=600", .vary: "Accept-Language"]))
        let hold = harness.transport.hold { $0.head.headerFields[.acceptLanguage] == "fi" }
        async let early = harness.get("/a", [.acceptLanguage: "fi"])
        await hold.arrivals(1)
        try await harness.send(.post)
        try await harness.get("/a", [.acceptLanguage: "sv"])
        hold.release()
        #expect(try await early.text == "/a v1")
        #expect(try await harness.get("/a", [.acceptLanguage: "sv"]).isFromCache)
        #expect(try await harness.get("/a", [.acceptLanguage: "fi"]).text == "/a v2")
    }

    @Test func headThatComesLateDoesNotBringBackWhatHasBeenReplaced() async throws {
        let version = Mutex(1)
        let harness = CacheHarness { request in
            // HEAD is answered with the first version, whenever the answer comes.
            let number = request.head.method == .head ? 1 : version.withLock { $0 }
            return .text(request.head.method == .head ? "" : "v\(number)", fields: [.cacheControl: "max-age=60", .eTag: "\"\(number)\""])
        }
        try await harness.get()
        harness.time.advance(seconds: 60)
        let hold = harness.transport.hold { $0.head.method == .head }
        async let early = harness.send(.head)
        await hold.arrivals(1)
        version.withLock { $0 = 2 }
        #expect(try await harness.get().text == "v2")
        hold.release()
        #expect(try await early.head.headerFields[.eTag] == "\"1\"")
        let reply = try await harness.get()
        #expect(reply.text == "v2" && reply.head.headerFields[.eTag] == "\"2\"")
    }

    @Test func confirmationThatWasUnderWayDuringAChangeIsNotStored() async throws {
        let isChanged = Mutex(false)
        let harness = CacheHarness { request in
            switch request.head.method {
            case .get where request.head.headerFields.contains(.ifNoneMatch) && !isChanged.withLock { $0 }:
                return .text(status: .notModified, fields: [.cacheControl: "max-age=600"])
            case .get:
                return .text(isChanged.withLock { $0 } ? "new" : "old", fields: [.cacheControl: "max-age=60", .eTag: "\"1\""])
            default:
                isChanged.withLock { $0 = true }
                return .text()
            }
        }
        try await harness.get()
        harness.time.advance(seconds: 60)
        let hold = harness.transport.hold { $0.head.method == .get }
        async let early = harness.get()
        await hold.arrivals(1)
        try await harness.send(.post)
        hold.release()
        #expect(try await early.text == "old")
        #expect(try await harness.get().text == "new")
    }

    /// A confirmed response rests on the stored one, which may have tags that the 304 has replaced.
    @Test func confirmationOfWhatWasRemovedByATagMeanwhileIsNotStored() async throws {
        let tag = try #require(HTTPField.Name("Cache-Tag"))
        let harness = CacheHarness { request in
            if request.head.headerFields.contains(.ifNoneMatch) {
                return .text(status: .notModified, fields: [.cacheControl: "max-age=600", tag: "new"])
            }
            return .text("old", fields: [.cacheControl: "max-age=60", .eTag: "\"1\"", tag: "old"])
        }
        try await harness.get()
        harness.time.advance(seconds: 60)
        let hold = harness.transport.hold()
        async let early = harness.get()
        await hold.arrivals(1)
        await harness.cache.remove(taggedWith: "old")
        hold.release()
        #expect(try await early.text == "old")
        #expect(try await !harness.get().isFromCache)
    }

    @Test func responseThatWasUnderWayWhenItsURIWasRemovedIsNotStored() async throws {
        let harness = harness(Origin())
        let hold = harness.transport.hold()
        async let early = harness.get()
        await hold.arrivals(1)
        await harness.cache.remove("http://example.com/a")
        hold.release()
        _ = try await early
        #expect(try await !harness.get().isFromCache)
    }

    // MARK: Slow stores

    /// A change waits for the write of a response that it is about to remove, while another request reads
    /// that response from the store.
    @Test(arguments: [[:], [.vary: "Accept-Language"]] as [HTTPFields])
    func whatIsReadFromAStoreDuringARemovalDoesNotOutliveIt(vary: HTTPFields) async throws {
        let time = TestTime()
        let store = SpyStore(clock: time)
        let origin = Origin(fields: [.cacheControl: "max-age=600"] + vary)
        let harness = harness(origin, stores: [store], time: time)
        store.startLingering()
        try await harness.get("/a", [.acceptLanguage: "fi"])
        await store.waitForLingeringWrite()
        async let change = harness.send(.post)
        // The change has reached memory when the response is no longer found there. It waits for the store.
        try await harness.waitUntilForgottenByMemory("/a")
        _ = try await harness.get("/a", [.acceptLanguage: "fi"])
        store.stopLingering()
        _ = try await change
        await harness.cache.flush()
        #expect(try await harness.get("/a", [.acceptLanguage: "fi"]).text == "/a v2")
    }

    /// As before, but the reader adds a variant of another kind to the index that is about to be removed.
    @Test func indexThatIsReadFromAStoreDuringARemovalDoesNotLeadToOldVariants() async throws {
        let time = TestTime()
        let store = SpyStore(clock: time)
        let version = Mutex(1)
        let harness = CacheHarness(stores: [store], time: time) { request in
            if request.head.method == .post { version.withLock { $0 += 1 } }
            // Each request has one field, and its response is selected by that.
            let fields: HTTPFields = [.cacheControl: "max-age=600", .vary: request.head.headerFields.first?.name.rawName ?? ""]
            return .text("v\(version.withLock { $0 })", fields: fields)
        }
        try await harness.get("/a", [.acceptLanguage: "fi"])
        await harness.cache.flush()
        // Another write of the index keeps the removal from the store waiting.
        store.startLingering()
        try await harness.get("/a", [.accept: "text/html"])
        await store.waitForLingeringWrite()
        async let change = harness.send(.post)
        try await harness.waitUntilForgottenByMemory("/a")
        try await harness.get("/a", [.acceptEncoding: "br"])
        store.stopLingering()
        _ = try await change
        await harness.cache.flush()
        #expect(try await harness.get("/a", [.acceptLanguage: "fi"]).text == "v2")
        #expect(try await harness.get("/a", [.accept: "text/html"]).text == "v2")
    }

    @Test func requestThatIsCancelledLeavesNoFenceOpen() async throws {
        let harness = harness(Origin())
        let hold = harness.transport.hold()
        let task = Task { try await harness.get() }
        await hold.arrivals(1)
        #expect(harness.openFenceCount > 0)
        task.cancel()
        let error = await #expect(throws: HTTPCacheError.self) { try await task.value }
        #expect(error?.transportError?.code == .cancelled)
        #expect(harness.openFenceCount == 0)
        #expect(hold.heldCount == 0)
    }

    @Test func answerToAPostThatIsOneToAGetIsStoredAlsoWhenItStreams() async throws {
        let harness = CacheHarness { _ in .parts(["one ", "two"], fields: [.cacheControl: "max-age=60", .contentLocation: "/a"]) }
        #expect(try await harness.send(.post).text == "one two")
        let reply = try await harness.get()
        #expect(reply.isFromCache)
        #expect(reply.text == "one two")
    }

    @Test func answerToAPostIsNotStoredIfSomebodyElseHasChangedSomethingMeanwhile() async throws {
        let harness = CacheHarness { request in
            .text(request.head.method.rawValue, fields: [.cacheControl: "max-age=60", .contentLocation: "/a"])
        }
        let hold = harness.transport.hold { $0.head.method == .post }
        async let post = harness.send(.post)
        await hold.arrivals(1)
        try await harness.send(.put)
        hold.release()
        _ = try await post
        #expect(try await harness.get().text == "GET")
    }
}
