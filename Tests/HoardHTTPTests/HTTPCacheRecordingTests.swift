// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Hoard
import HoardHTTPTestSupport
import HoardTesting
import Testing

@testable import HoardHTTP

@Suite("HTTPCache: recording", .timeLimit(.minutes(5)))
struct HTTPCacheRecordingTests {
    /// The recording of the requests in `body`. Each step is written by itself.
    private func lines(
        _ cache: HTTPCache,
        _ configure: (inout CacheTraceRecorder.Configuration) -> Void = { _ in },
        _ body: (_ next: () throws -> Void) async throws -> Void
    ) async throws -> RecordedTrace {
        let path = FileManager.default.temporaryDirectory.appending(path: "hoard-\(UUID()).trace").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        var configuration = CacheTraceRecorder.Configuration()
        configure(&configuration)
        let recorder = try CacheTraceRecorder(path: path, configuration: configuration, ticker: ManualTicker())
        cache.recordAccesses(with: recorder)
        try await body { try recorder.flush() }
        cache.recordAccesses(with: nil)
        try recorder.finish()
        return try RecordedTrace(path: path)
    }

    private let harness = CacheHarness { request in
        if request.head.headerFields[.ifNoneMatch] != nil { return .response(.test(304, [.cacheControl: "max-age=60", .eTag: "\"1\""])) }
        let isStored = request.head.path?.hasPrefix("/never") == false
        return .text("hello", fields: [.cacheControl: isStored ? "max-age=60" : "no-store", .eTag: "\"1\""])
    }

    @Test func requestsAndStoredResponsesAreRecorded() async throws {
        let trace = try await lines(harness.cache) { next in
            try await harness.get("/a")
            try next()
            try await harness.get("/a")
            try next()
            try await harness.get("/never")
            try next()
            harness.time.advance(seconds: 61)
            try await harness.get("/a")
            try next()
            try await harness.send(.post, "/b")
        }
        let lines = trace.lines.map { $0.replacing(#/ cost \d+/#, with: "") }
        let (miss, write, revalidation) = ("miss 0", "write 0 lifetime 60000", "revalidated 0")
        // A response is stored before it has been answered with, or after.
        #expect(lines.prefix(2).sorted() == [miss, write])
        #expect(Array(lines[2..<4]) == ["hit 0", "miss 1"])
        #expect(lines[4..<6].sorted() == [revalidation, write])
        // The method is not known to be safe, so the URI's response is removed.
        #expect(lines[6...].contains { $0.hasPrefix("removal") })
        #expect(lines.last?.hasPrefix("pass") == true)
        #expect(trace.events.first { $0.kind == .write }?.details?.size ?? 0 >= 5)
        #expect(trace.events.filter { $0.kind == .miss }.allSatisfy { $0.details?.cost != nil })
    }

    @Test func aFreshHitFoundByItsBytesIsTheSameKey() async throws {
        let harness = CacheHarness(mode: .shared) { _ in .text("hello", fields: [.cacheControl: "max-age=60"]) }
        let trace = try await lines(harness.cache) { next in
            try await harness.get("/a")
            try next()
            let uri = Array("http://example.com/a".utf8)
            let hit = uri.withUnsafeBytes { harness.cache.freshHit(targetURI: $0, now: harness.cache.now) }
            #expect(hit != nil)
        }
        #expect(trace.lines.last == "hit 0")
    }

    @Test func partitionsHaveKeysOfTheirOwn() async throws {
        let trace = try await lines(harness.cache) { next in
            for partition in ["one", "two", "one"] {
                let response = try await harness.cache.respond(to: .test(.get, "/a"), partition: partition, through: harness.transport)
                _ = try await response.body.collect(upTo: 100)
                try next()
            }
        }
        #expect(trace.lines.filter { !$0.hasPrefix("write") }.map { $0.replacing(#/ cost \d+/#, with: "") } == ["miss 0", "miss 1", "hit 0"])
    }

    @Test func groupsAreTheFirstPartsOfPathsIfTheyAreWanted() async throws {
        func groups(_ isWanted: Bool) async throws -> [UInt32?] {
            let harness = CacheHarness { _ in .text("hello", fields: [.cacheControl: "max-age=60"]) }
            let trace = try await lines(harness.cache, { $0.recordsGroups = isWanted }) { next in
                for path in ["/images/1", "/images/2?x", "/pages/1", "/images?y", "/"] {
                    try await harness.get(path)
                    try next()
                }
            }
            return trace.events.filter { $0.kind == .miss }.map(\.details?.group)
        }
        let wanted = try await groups(true)
        #expect(wanted.count == 5)
        #expect(wanted[0] != nil && wanted[0] == wanted[1] && wanted[0] == wanted[3])
        #expect(Set(wanted).count == 3)
        #expect(try await groups(false) == Array(repeating: nil, count: 5))
    }
}
