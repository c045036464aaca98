// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hoard
import HoardHTTPTestSupport
import HoardTesting
import NIOCore
import Synchronization

@testable import HoardHTTP

/// A cache over a store that can fail, before an origin whose answers name their owner and their request.
///
/// The origin's answer depends on the path: `/vary` varies by `Accept`, `/search` does not mind its query, `/long` is kept in segments, `/parts` comes in parts.
struct PartitionHarness: Sendable {
    static let owner = HTTPField.Name("X-Owner") ?? .server
    /// The length of `/long`, in segments and a bit.
    static let longLength = 700_000

    let harness: CacheHarness
    let base: MemoryStore
    let store: FaultyStore

    var cache: HTTPCache { harness.cache }
    var time: TestTime { harness.time }
    var transport: FakeTransport { harness.transport }

    init(partition: String = "", maximumMemoryBytes: Int = 64 << 20, mode: CacheMode = .private) {
        let time = TestTime()
        base = MemoryStore(clock: time)
        store = FaultyStore(base, ticker: time)
        let number = Atomic(0)
        harness = CacheHarness(
            mode: mode,
            partition: partition,
            stores: [store],
            time: time,
            configure: { $0.maximumMemoryBytes = maximumMemoryBytes }
        ) { request in Self.answer(to: request.head, number: number.wrappingAdd(1, ordering: .relaxed).newValue) }
    }

    private static func answer(to request: HTTPRequest, number: Int) -> FakeTransport.Answer {
        let path = request.path ?? ""
        let text = "\(request.headerFields[owner] ?? "nobody") \(path) \(number)"
        if request.method == .post { return .text(text) }
        if request.headerFields.contains(.ifNoneMatch) { return .text(status: .notModified, fields: [.eTag: "\"v\"", .cacheControl: "max-age=60"]) }
        if path.hasPrefix("/vary") { return .text(text, fields: [.cacheControl: "max-age=60", .vary: "Accept"]) }
        if path.hasPrefix("/search") {
            return .text(text, fields: [.cacheControl: "max-age=60"] + [HTTPField.Name("No-Vary-Search") ?? .server: "params"])
        }
        if path.hasPrefix("/long") {
            return .text(text + String(repeating: "x", count: longLength - text.utf8.count), fields: [.cacheControl: "max-age=60"])
        }
        if path.hasPrefix("/etag") { return .text(text, fields: [.cacheControl: "max-age=60", .eTag: "\"v\"", cacheTag: "all"]) }
        return .text(text, fields: [.cacheControl: "max-age=60"])
    }

    private static let cacheTag = HTTPField.Name("Cache-Tag") ?? .server

    /// Sends a GET of an owner and reads the whole answer.
    @discardableResult
    func get(
        _ path: String = "/a",
        for owner: String? = nil,
        _ fields: HTTPFields = [:],
        inMemoryOnly: Bool = false
    ) async throws -> Reply {
        try await Reply(open(path, for: owner, fields, inMemoryOnly: inMemoryOnly))
    }

    func open(
        _ path: String = "/a",
        for owner: String? = nil,
        _ fields: HTTPFields = [:],
        inMemoryOnly: Bool = false
    ) async throws -> HTTPCacheResponse {
        try await cache.respond(
            to: .test(.get, path, owner.map { fields + [Self.owner: $0] } ?? fields),
            partition: owner,
            keepsInMemoryOnly: inMemoryOnly,
            through: transport
        )
    }

    func post(_ path: String, for owner: String?, inMemoryOnly: Bool = false) async throws {
        let response = try await cache.respond(to: .test(.post, path), partition: owner, keepsInMemoryOnly: inMemoryOnly, through: transport)
        _ = try await response.body.collect(upTo: 1 << 20)
    }

    /// Takes everything out of memory, as evictions would.
    func evict() { cache.entries.evictEverything() }
}
