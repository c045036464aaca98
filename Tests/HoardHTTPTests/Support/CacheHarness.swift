// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hoard
import HoardHTTPTestSupport
import HoardTesting
import NIOCore
import Testing

@testable import HoardHTTP
@testable import HoardMessages

/// A cache before a fake origin, in time that the test moves.
struct CacheHarness: Sendable {
    let time: TestTime
    let transport: FakeTransport
    let cache: HTTPCache

    init(
        mode: CacheMode = .private,
        partition: String = "",
        stores: [any RecordStore] = [],
        time: TestTime = TestTime(),
        configure: (inout HTTPCache.Configuration) -> Void = { _ in },
        transport: FakeTransport
    ) {
        var configuration = HTTPCache.Configuration()
        configuration.mode = mode
        configuration.partition = partition
        configure(&configuration)
        self.time = time
        self.transport = transport
        self.cache = HTTPCache(configuration: configuration, stores: stores, clock: time, ticker: time)
    }

    init(
        mode: CacheMode = .private,
        partition: String = "",
        stores: [any RecordStore] = [],
        time: TestTime = TestTime(),
        configure: (inout HTTPCache.Configuration) -> Void = { _ in },
        origin: @escaping FakeTransport.Handler
    ) {
        self.init(mode: mode, partition: partition, stores: stores, time: time, configure: configure, transport: FakeTransport(origin))
    }

    /// Sends a request and reads the whole answer.
    @discardableResult
    func send(_ method: HTTPRequest.Method, _ path: String = "/a", _ fields: HTTPFields = [:], body: HTTPBody = .empty) async throws -> Reply {
        try await Reply(cache.respond(to: .test(method, path, fields), body: body, through: transport))
    }

    @discardableResult
    func get(_ path: String = "/a", _ fields: HTTPFields = [:]) async throws -> Reply {
        try await send(.get, path, fields)
    }

    /// Sends a GET and leaves the body to be read.
    func open(_ path: String = "/a", _ fields: HTTPFields = [:]) async throws -> HTTPCacheResponse {
        try await cache.respond(to: .test(.get, path, fields), through: transport)
    }

    /// Waits until so many requests for a path wait for the answer to another one.
    func followers(_ count: Int, of path: String = "/a") async throws {
        let key = HTTPCacheKey(scope: cache.baseScope, targetURI: "http://example.com\(path)")
        try await #require(cache.flights.exchange(FlightKey(key: key, variant: nil))).followers(count)
    }

    /// Waits until nothing is received any more from the origin.
    func transfersEnd() async { await cache.transfersEnd() }

    var requestCount: Int { transport.requests.count }

    /// The requests to the origin that other requests may still join.
    var exchangeCount: Int { cache.flights.count }

    /// The fences that are neither closed nor broken.
    var openFenceCount: Int { cache.openFenceCount }
}

extension CacheHarness {
    /// Waits until memory has neither a response nor an index of variants for the path.
    func waitUntilForgottenByMemory(_ path: String) async throws {
        let key = HTTPCacheKey(scope: cache.baseScope, targetURI: "http://example.com\(path)")
        try await waitUntil { cache.entries.memoryLookup(forKey: key) == nil }
    }
}

/// An answer with all of its body.
struct Reply: Sendable {
    let head: HTTPResponse
    let text: String
    let isFromCache: Bool
    let cacheStatus: String

    init(_ response: HTTPCacheResponse) async throws {
        head = response.head
        isFromCache = response.isFromCache
        cacheStatus = response.cacheStatus
        text = String(buffer: try await response.body.collect(upTo: 1 << 24))
    }

    var code: Int { head.status.code }
    var age: String? { head.headerFields[.age] }
}

extension FakeTransport.Request {
    /// The head without the field that a client adds by itself (``ContentDecoding``).
    var headWithoutCodings: HTTPRequest {
        var head = head
        head.headerFields[.acceptEncoding] = nil
        return head
    }
}
