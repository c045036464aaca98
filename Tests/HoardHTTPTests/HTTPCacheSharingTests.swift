// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hoard
import HoardHTTP
import HoardHTTPTestSupport
import HoardTesting
import NIOCore
import Testing

/// The rules by which one user may see the responses of another.
@Suite(.timeLimit(.minutes(5))) struct HTTPCacheSharingTests {
    /// An origin that answers with the user who asked.
    private static func whoAsked(_ directives: String) -> FakeTransport.Handler {
        { request in .text(request.head.headerFields[.authorization] ?? "nobody", fields: [.cacheControl: directives]) }
    }

    // MARK: Authorization

    @Test func sharedCacheDoesNotShareWhatWasAuthorized() async throws {
        let harness = CacheHarness(mode: .shared, origin: Self.whoAsked("max-age=60"))
        for user in ["ann", "bob", "ann"] {
            let reply = try await harness.get("/a", [.authorization: user])
            #expect(reply.text == user)
            #expect(reply.cacheStatus == "hoard; fwd=uri-miss; fwd-status=200; detail=AUTHORIZATION")
        }
    }

    @Test(arguments: ["public, max-age=60", "s-maxage=60", "must-revalidate, max-age=60"])
    func sharedCacheSharesWhatWasAuthorizedIfTheResponseSaysSo(directives: String) async throws {
        let harness = CacheHarness(mode: .shared, origin: Self.whoAsked(directives))
        try await harness.get("/a", [.authorization: "ann"])
        let reply = try await harness.get("/a", [.authorization: "bob"])
        #expect(reply.text == "ann")
        #expect(reply.isFromCache)
    }

    @Test func sharedCacheDoesNotStoreWhatIsPrivate() async throws {
        let harness = CacheHarness(mode: .shared, origin: Self.whoAsked("private, max-age=60"))
        for _ in 1...2 { #expect(try await harness.get().cacheStatus.hasSuffix("detail=PRIVATE")) }
    }

    @Test(arguments: ["max-age=60", "private, max-age=60", "public, max-age=60"])
    func privateCacheKeepsCredentialsApart(directives: String) async throws {
        let harness = CacheHarness(mode: .private, origin: Self.whoAsked(directives))
        for user in ["ann", "bob", nil] as [String?] {
            let fields: HTTPFields = user.map { [.authorization: $0] } ?? [:]
            #expect(try await harness.get("/a", fields).text == user ?? "nobody")
            let again = try await harness.get("/a", fields)
            #expect(again.text == user ?? "nobody")
            #expect(again.isFromCache)
        }
        #expect(harness.requestCount == 3)
    }

    @Test(arguments: ["/a", "/a?b=1"])
    func changeByOneUserReachesWhatIsKeptForAllOthers(path: String) async throws {
        let harness = CacheHarness(mode: .private, origin: Self.whoAsked("max-age=60"))
        for user in ["ann", "bob"] { try await harness.get(path, [.authorization: user]) }
        try await harness.get("/other", [.authorization: "bob"])
        try await harness.send(.put, path, [.authorization: "ann"])
        for user in ["ann", "bob"] { #expect(!(try await harness.get(path, [.authorization: user]).isFromCache)) }
        #expect(try await harness.get("/other", [.authorization: "bob"]).isFromCache)
    }

    @Test func removalOfAURIReachesTheResponsesOfAllUsersAndMarkingItStaleToo() async throws {
        let harness = CacheHarness(mode: .private, origin: Self.whoAsked("max-age=60"))
        let changes: [@Sendable (String) async -> Bool] = [{ await harness.cache.remove($0) }, { await harness.cache.markStale($0) }]
        for change in changes {
            for user in ["ann", "bob"] { try await harness.get("/a", [.authorization: user]) }
            #expect(try await harness.get("/a", [.authorization: "bob"]).isFromCache)
            #expect(await change("http://example.com/a"))
            #expect(!(try await harness.get("/a", [.authorization: "bob"]).isFromCache))
        }
    }

    @Test func responseThatAnotherUsersChangeOvertakesIsNotKept() async throws {
        let harness = CacheHarness(mode: .private, origin: Self.whoAsked("max-age=60"))
        let hold = harness.transport.hold { $0.head.method == .get }
        let overtaken = Task { try await harness.get("/a", [.authorization: "bob"]) }
        await hold.arrivals(1)
        try await harness.send(.put, "/a", [.authorization: "ann"])
        hold.release()
        #expect(try await overtaken.value.text == "bob")
        #expect(!(try await harness.get("/a", [.authorization: "bob"]).isFromCache))
    }

    @Test(arguments: [true, false])
    func requestAfterARemovalDoesNotJoinWhatWasAskedForBefore(isRemovedByName: Bool) async throws {
        let harness = CacheHarness(mode: .private, origin: Self.whoAsked("max-age=60"))
        let hold = harness.transport.hold { $0.head.method == .get }
        let before = Task { try await harness.get("/a", [.authorization: "bob"]) }
        await hold.arrivals(1)
        if isRemovedByName {
            await harness.cache.remove("http://example.com/a")
        } else {
            try await harness.send(.put, "/a", [.authorization: "ann"])
        }
        let after = Task { try await harness.get("/a", [.authorization: "bob"]) }
        // It asks by itself: a request that joins another never arrives.
        await hold.arrivals(2)
        hold.release()
        #expect(try await before.value.text == "bob")
        #expect(try await after.value.text == "bob")
    }

    @Test func changeOfOneQueryFencesWhatAnotherUserAsksForIfQueriesDoNotMatter() async throws {
        let harness = CacheHarness(mode: .private) { request in
            .text(request.head.headerFields[.authorization] ?? "nobody", fields: [.cacheControl: "max-age=60", .noVarySearch: "params"])
        }
        let hold = harness.transport.hold { $0.head.method == .get }
        let overtaken = Task { try await harness.get("/a?x=1", [.authorization: "bob"]) }
        await hold.arrivals(1)
        try await harness.send(.put, "/a?x=2", [.authorization: "ann"])
        hold.release()
        _ = try await overtaken.value
        #expect(!(try await harness.get("/a?x=1", [.authorization: "bob"]).isFromCache))
    }

    @Test func credentialsThatAreNotTextAreKeptApartByTheirBytes() async throws {
        let harness = CacheHarness(mode: .private) { request in
            let bytes = request.head.headerFields[fields: .authorization].flatMap { $0.withUnsafeBytesOfValue { Array($0) } }
            return .text("\(bytes)", fields: [.cacheControl: "max-age=60"])
        }
        for byte in [0xE4, 0xF6] as [UInt8] {
            var fields = HTTPFields()
            fields.append(HTTPField(name: .authorization, value: [0x78, byte]))
            #expect(try await harness.get("/a", fields).text == "[120, \(byte)]")
        }
        #expect(harness.requestCount == 2)
    }

    @Test func credentialsOnSeveralLinesAreNotThoseOnOne() async throws {
        let harness = CacheHarness(mode: .private) { request in
            .text("\(request.head.headerFields[values: .authorization])", fields: [.cacheControl: "max-age=60"])
        }
        let lists: [[String]] = [["a", "b"], ["a, b"], ["ab"], ["a", "", "b"]]
        for values in lists {
            var fields = HTTPFields()
            fields[values: .authorization] = values
            #expect(try await harness.get("/a", fields).text == "\(values)")
        }
    }

    // MARK: Partitions and scopes

    @Test func partitionsOfOneStoreDoNotSeeEachOther() async throws {
        let time = TestTime()
        let store = MemoryStore(clock: time)
        for partition in ["ann", "bob", "", "ann\nhttp"] {
            let harness = CacheHarness(partition: partition, stores: [store], time: time) { _ in
                .text(partition, fields: [.cacheControl: "max-age=60"])
            }
            #expect(try await harness.get().text == partition)
            await harness.cache.flush()
        }
        let again = CacheHarness(partition: "ann", stores: [store], time: time) { _ in .text("none") }
        #expect(try await again.get().text == "ann")
    }

    @Test func privateAndSharedCachesOfOneStoreDoNotSeeEachOther() async throws {
        let time = TestTime()
        let store = MemoryStore(clock: time)
        for mode in [CacheMode.private, .shared] {
            let harness = CacheHarness(mode: mode, stores: [store], time: time) { _ in .text("\(mode)", fields: [.cacheControl: "max-age=60"]) }
            #expect(try await harness.get().text == "\(mode)")
            await harness.cache.flush()
        }
        #expect(try await store.statistics().count == 2)
    }

    // MARK: Secrets

    @Test(arguments: [CacheMode.private, .shared])
    func cookiesAndCredentialsAppearInNoKey(mode: CacheMode) async throws {
        let time = TestTime()
        let store = SpyStore(clock: time)
        let harness = CacheHarness(mode: mode, partition: "secret-partition", stores: [store], time: time) { _ in
            .text("hello", fields: [.cacheControl: "public, max-age=60", .vary: "Cookie, Authorization"])
        }
        try await harness.get("/a", [.cookie: "session=secret-cookie", .authorization: "Bearer secret-token"])
        await harness.cache.flush()
        #expect(store.insertedKeys.count == 2)
        for key in store.insertedKeys {
            #expect(!key.description.contains("secret"), "\(key)")
            #expect(key.description.contains("http://example.com/a"))
            #expect(HTTPCacheKey(recordKey: key)?.recordKey == key)
        }
        #expect(try await harness.get("/a", [.cookie: "session=secret-cookie", .authorization: "Bearer secret-token"]).isFromCache)
        #expect(try await !harness.get("/a", [.cookie: "session=other", .authorization: "Bearer secret-token"]).isFromCache)
    }

    @Test func errorsNameNeitherPathNorFields() async throws {
        let harness = CacheHarness(transport: FakeTransport(failingWith: TransportError(.cannotConnect, "Nothing listens at example.com.")))
        let error = try await #require(throws: HTTPCacheError.self) { try await harness.get("/secret", [.authorization: "secret"]) }
        #expect(!"\(error.description) \(error.cacheStatus)".contains("secret"))
    }
}
