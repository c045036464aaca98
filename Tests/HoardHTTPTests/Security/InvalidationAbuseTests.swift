// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardHTTP
import HoardHTTPTestSupport
import HoardTesting
import Testing

/// An attacker cannot remove the responses of other users from a cache.
@Suite(.timeLimit(.minutes(5))) struct InvalidationAbuseTests {
    /// An origin that answers changes with a field of the attacker's choice.
    private static func naming(_ location: String) -> FakeTransport.Handler {
        { request in
            request.head.method == .get
                ? .text("page", fields: [.cacheControl: "max-age=60"])
                : .text("done", fields: [.location: location, .contentLocation: location])
        }
    }

    private func request(_ method: HTTPRequest.Method, _ authority: String, _ path: String = "/a") -> HTTPRequest {
        HTTPRequest(method: method, scheme: "http", authority: authority, path: path)
    }

    @Test(arguments: [
        "http://victim.example/a", "//victim.example/a", "http://victim.example:80/a", "HTTP://VICTIM.EXAMPLE/a",
        "http://evil.example@victim.example/a",
        "http://victim.example/a#evil.example", "//victim.example\\@evil.example/a", "http://evil.example\\@victim.example/a",
        "http:victim.example/a",
        "///victim.example/a", "http:///victim.example/a", "/\\victim.example/a", "http://victim.example%2f@evil.example/a",
        "http://evil.example/../../victim.example/a", "\thttp://victim.example/a",
    ])
    func changeAtOneOriginRemovesNothingOfAnother(location: String) async throws {
        let harness = CacheHarness(mode: .shared, origin: Self.naming(location))
        _ = try await Reply(harness.cache.respond(to: request(.get, "victim.example"), through: harness.transport))
        _ = try await Reply(harness.cache.respond(to: request(.post, "evil.example"), body: HTTPBody("x"), through: harness.transport))
        let reply = try await Reply(harness.cache.respond(to: request(.get, "victim.example"), through: harness.transport))
        #expect(reply.isFromCache)
    }

    @Test(arguments: ["victim.example:8080", "sub.victim.example", "victim.example."])
    func otherPortsAndNamesAreOtherOrigins(authority: String) async throws {
        let harness = CacheHarness(mode: .shared, origin: Self.naming("http://victim.example/a"))
        _ = try await Reply(harness.cache.respond(to: request(.get, "victim.example"), through: harness.transport))
        _ = try await Reply(harness.cache.respond(to: request(.put, authority), body: HTTPBody("x"), through: harness.transport))
        #expect(try await Reply(harness.cache.respond(to: request(.get, "victim.example"), through: harness.transport)).isFromCache)
    }

    @Test func changeInOnePartitionRemovesNothingOfAnother() async throws {
        let stores = SpyStore(clock: TestTime())
        let first = CacheHarness(partition: "ann", stores: [stores], origin: Self.naming("/a"))
        let second = CacheHarness(partition: "bob", stores: [stores], origin: Self.naming("/a"))
        try await first.get()
        try await second.send(.delete)
        await second.cache.remove("http://example.com/a")
        #expect(try await first.get().isFromCache)
    }

    @Test(arguments: [false, true])
    func requestsWithCredentialsRemoveNothingThatOthersGet(hasValidator: Bool) async throws {
        let validator: HTTPFields = hasValidator ? [.eTag: "\"1\""] : [:]
        let harness = CacheHarness(mode: .shared) { request in
            if request.head.headerFields.contains(.ifNoneMatch) { return .text(status: .notModified) }
            return .text(request.head.method == .head ? "" : "page", fields: [.cacheControl: "max-age=60"] + validator)
        }
        try await harness.get()
        for method in [HTTPRequest.Method.get, .head] {
            try await harness.send(method, "/a", [.authorization: "x", .cacheControl: "no-cache"])
            #expect(try await harness.get().isFromCache)
        }
        #expect(harness.requestCount == 3)
    }

    @Test func fieldsOfSafeRequestsRemoveNothing() async throws {
        let harness = CacheHarness { request in
            request.head.path == "/a"
                ? .text("page", fields: [.cacheControl: "max-age=60"]) : .text("x", fields: [.location: "/a", .contentLocation: "/a"])
        }
        try await harness.get("/a")
        for method in [HTTPRequest.Method.get, .head, .options, .trace] { try await harness.send(method, "/b") }
        #expect(try await harness.get("/a").isFromCache)
    }
}
