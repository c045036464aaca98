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

private let memberCount = Int(ProcessInfo.processInfo.environment["HOARD_GROUP_MEMBERS"] ?? "")

/// Groups of responses that go together (RFC 9875).
@Suite(.timeLimit(.minutes(memberCount == nil ? 5 : 240))) struct HTTPCacheGroupTests {
    private static let groups = HTTPField.Name.cacheGroups
    private static let invalidation = HTTPField.Name.cacheGroupInvalidation

    /// Pages name the last part of their paths as groups, and changes the fields of the request.
    private static let origin: FakeTransport.Handler = { request in
        guard request.head.method == .get else {
            return .text("done", fields: [invalidation: request.head.headerFields[invalidation] ?? ""])
        }
        let names = (request.head.path ?? "").split(separator: "/").last?.split(separator: "+") ?? []
        return .text("page", fields: [.cacheControl: "max-age=600", groups: names.map { "\"\($0)\"" }.joined(separator: ", ")])
    }

    private func isStored(_ path: String, in harness: CacheHarness) async throws -> Bool { try await harness.get(path).isFromCache }

    @Test(arguments: [CacheMode.private, .shared]) func aChangeRemovesTheGroupsThatItsResponseNames(mode: CacheMode) async throws {
        let harness = CacheHarness(mode: mode, origin: Self.origin)
        for path in ["/1/a", "/2/a+b", "/3/b", "/4/c"] { try await harness.get(path) }
        try await harness.send(.post, "/change", [Self.invalidation: "\"a\", \"c\";because=it"])
        #expect(try await isStored("/3/b", in: harness))
        for path in ["/1/a", "/2/a+b", "/4/c"] { #expect(!(try await isStored(path, in: harness)), "\(path)") }
    }

    /// `HOARD_GROUP_MEMBERS` sets how many there are.
    @Test func aGroupOfAnySizeGoesAtOnce() async throws {
        let count = memberCount ?? 5_000
        let harness = CacheHarness(mode: .shared, configure: { $0.maximumMemoryBytes = 4 << 30 }, origin: Self.origin)
        for number in 0..<count { try await harness.get("/\(number)/all") }
        try await harness.get("/x/other")
        let start = ContinuousClock.now
        #expect(await harness.cache.remove(group: "all", ofOriginOf: "http://example.com/"))
        print("A group of \(count) was removed in \(ContinuousClock.now - start)")
        for number in stride(from: 0, to: count, by: max(1, count / 100)) { #expect(!(try await isStored("/\(number)/all", in: harness))) }
        #expect(try await isStored("/x/other", in: harness))
    }

    @Test func aRemovedResponseDoesNotTakeItsOtherGroupsAlong() async throws {
        let harness = CacheHarness(origin: Self.origin)
        for path in ["/1/a+b", "/2/b"] { try await harness.get(path) }
        try await harness.send(.delete, "/1/a+b", [Self.invalidation: "\"a\""])
        #expect(try await isStored("/2/b", in: harness))
    }

    @Test(arguments: ["GET", "HEAD", "OPTIONS", "QUERY"]) func aSafeRequestRemovesNoGroup(name: String) async throws {
        let harness = CacheHarness { request in
            .text("page", fields: [.cacheControl: "max-age=600", Self.groups: "\"a\"", Self.invalidation: "\"a\""])
        }
        try await harness.get("/1")
        try await harness.send(try #require(HTTPRequest.Method(name)), "/2")
        #expect(try await isStored("/1", in: harness))
    }

    @Test(arguments: ["a", "\"a", "\"A\"", "(\"a\")", "\"a\", 1", ""]) func aFieldThatIsNoListOfStringsOrNamesAnotherGroupRemovesNothing(text: String)
        async throws
    {
        let harness = CacheHarness(origin: Self.origin)
        try await harness.get("/1/a")
        try await harness.send(.post, "/change", [Self.invalidation: text])
        #expect(try await isStored("/1/a", in: harness))
    }

    @Test func groupsAreThoseOfOneOrigin() async throws {
        let harness = CacheHarness(origin: Self.origin)
        func get(_ scheme: String, _ authority: String) async throws -> Bool {
            let request = HTTPRequest(method: .get, scheme: scheme, authority: authority, path: "/1/a")
            return try await Reply(harness.cache.respond(to: request, through: harness.transport)).isFromCache
        }
        let others = [("https", "example.com"), ("http", "example.com:8080"), ("http", "www.example.com"), ("http", "example.com.example")]
        for (scheme, authority) in others + [("http", "example.com")] { #expect(!(try await get(scheme, authority))) }
        try await harness.send(.post, "/change", [Self.invalidation: "\"a\""])
        for (scheme, authority) in others { #expect(try await get(scheme, authority), "\(scheme)://\(authority)") }
        #expect(!(try await get("http", "example.com:80")))
    }

    @Test func groupsAreThoseOfOnePartition() async throws {
        let harness = CacheHarness(origin: Self.origin)
        func send(_ method: HTTPRequest.Method, _ partition: String) async throws -> Bool {
            let request = HTTPRequest.test(method, "/1/a", method == .post ? [Self.invalidation: "\"a\""] : [:])
            return try await Reply(harness.cache.respond(to: request, partition: partition, through: harness.transport)).isFromCache
        }
        for user in ["ann", "bob"] { #expect(!(try await send(.get, user))) }
        _ = try await send(.post, "ann")
        #expect(try await send(.get, "bob"))
        #expect(!(try await send(.get, "ann")))
    }

    @Test func aTagOfTheSameNameIsNoGroupAndNoTagReachesAGroup() async throws {
        let harness = CacheHarness { request in
            if request.head.method == .post { return .text("done", fields: [Self.invalidation: "\"a\""]) }
            let label: HTTPFields = request.head.path == "/tag" ? [.cacheTag: "a"] : [Self.groups: "\"a\""]
            return .text("page", fields: [.cacheControl: "max-age=600"] + label)
        }
        for path in ["/tag", "/group"] { try await harness.get(path) }
        for tag in ["a", "group, a"] { await harness.cache.remove(taggedWith: tag) }
        #expect(try await isStored("/group", in: harness))
        try await harness.get("/tag")
        try await harness.send(.post, "/change")
        #expect(try await isStored("/tag", in: harness))
        #expect(!(try await isStored("/group", in: harness)))
    }

    @Test func aResponseThatWasOnItsWayWhenItsGroupWasRemovedIsNotStored() async throws {
        let harness = CacheHarness(origin: Self.origin)
        let hold = harness.transport.hold { $0.head.path == "/1/a" }
        async let late = harness.get("/1/a")
        await hold.arrivals(1)
        try await harness.send(.post, "/change", [Self.invalidation: "\"a\""])
        hold.release()
        #expect(try await !late.isFromCache)
        #expect(!(try await isStored("/1/a", in: harness)))
    }

    @Test func storesAndOtherCachesOfThemLoseTheGroupToo() async throws {
        let time = TestTime()
        let store = MemoryStore(clock: time)
        let harness = CacheHarness(mode: .shared, stores: [store], time: time, origin: Self.origin)
        for path in ["/1/a", "/2/b"] { try await harness.get(path) }
        await harness.cache.flush()
        #expect(await harness.cache.remove(group: "a", ofOriginOf: "http://example.com/any"))
        let other = CacheHarness(mode: .shared, stores: [store], time: time, origin: Self.origin)
        #expect(!(try await isStored("/1/a", in: other)))
        #expect(try await isStored("/2/b", in: other))
        #expect(!(await harness.cache.remove(group: "a", ofOriginOf: "ftp://example.com/")))
    }

    @Test func aConfirmedResponseIsInTheGroupsThatItsConfirmationNames() async throws {
        let harness = CacheHarness { request in
            switch (request.head.method, request.head.headerFields[.ifNoneMatch]) {
            case (.get, nil): .text("page", fields: [.cacheControl: "max-age=1", .eTag: "\"1\"", Self.groups: "\"old\""])
            case (.get, _): .text(status: .notModified, fields: [.cacheControl: "max-age=600", .eTag: "\"1\"", Self.groups: "\"new\""])
            default: .text("done", fields: [Self.invalidation: request.head.headerFields[Self.invalidation] ?? ""])
            }
        }
        try await harness.get("/1")
        harness.time.advance(seconds: 2)
        #expect(try await harness.get("/1").text == "page")
        try await harness.send(.post, "/change", [Self.invalidation: "\"old\""])
        #expect(try await isStored("/1", in: harness))
        try await harness.send(.post, "/change", [Self.invalidation: "\"new\""])
        #expect(!(try await isStored("/1", in: harness)))
    }

    @Test func listingsAndExplanationsNameTheGroups() async throws {
        let harness = CacheHarness(origin: Self.origin)
        try await harness.get("/1/b+a")
        let entry = try #require(await harness.cache.entries(matching: .init(), after: nil, limit: 10).entries.first)
        #expect(entry.groups == ["a", "b"] && entry.tags.isEmpty)
        let explanation = await harness.cache.explain("http://example.com/1/b+a")
        #expect(explanation.stored?.groups == ["a", "b"] && explanation.stored?.tags == [])
        #expect("\(explanation)".contains("Groups: a, b."))
    }

    @Test func thirtyTwoGroupsOfThirtyTwoCharactersAreKept() async throws {
        let names = (0..<32).map { number in String(repeating: "g", count: 30) + (number < 10 ? "0" : "") + "\(number)" }
        let list = names.map { "\"\($0)\"" }.joined(separator: ", ")
        let harness = CacheHarness { request in
            request.head.method == .get
                ? .text("page", fields: [.cacheControl: "max-age=600", Self.groups: list])
                : .text("done", fields: [Self.invalidation: request.head.headerFields[Self.invalidation] ?? ""])
        }
        for name in names {
            try await harness.get("/1")
            #expect(try await isStored("/1", in: harness))
            try await harness.send(.post, "/change", [Self.invalidation: "\"\(name)\""])
            #expect(!(try await isStored("/1", in: harness)), "\(name)")
        }
    }
}
