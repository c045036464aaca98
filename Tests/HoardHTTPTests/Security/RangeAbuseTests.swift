// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardHTTP
import HoardHTTPTestSupport
import HoardTesting
import Testing

/// A request for ranges costs neither the cache nor the origin much more than one for the whole.
@Suite(.timeLimit(.minutes(5))) struct RangeAbuseTests {
    private static let length = 10_000
    private static let content = String(repeating: "0123456789", count: length / 10)

    private func harness() async throws -> CacheHarness {
        let harness = CacheHarness { _ in .text(Self.content, fields: [.cacheControl: "max-age=60", .eTag: "\"1\""]) }
        try await harness.get()
        return harness
    }

    @Test(arguments: [
        Array(repeating: "0-", count: 100), Array(repeating: "-10000", count: 90), (0..<100).map { "\($0)-" }, (0..<100).map { "0-\($0 * 100)" },
        (0..<50).map { "\(9_999 - $0)-" } + (0..<50).map { "-\($0 + 1)" },
    ])
    func overlappingRangesAreNoLongerThanTheWhole(parts: [String]) async throws {
        let harness = try await harness()
        let reply = try await harness.get("/a", [.range: "bytes=" + parts.joined(separator: ",")])
        #expect(reply.text.utf8.count <= Self.length)
        #expect(harness.requestCount == 1)
    }

    @Test func distantRangesAddABoundedAmountForEach() async throws {
        let parts = (0..<100).map { "\($0 * 100)-\($0 * 100)" }
        let reply = try await harness().get("/a", [.range: "bytes=" + parts.joined(separator: ",")])
        #expect(reply.code == 206)
        #expect(reply.text.utf8.count <= 2 * Self.length + 100 * 64)
    }

    @Test func tooManyRangesAreNotServed() async throws {
        let parts = (0..<101).map { "\($0 * 90)-\($0 * 90)" }
        let reply = try await harness().get("/a", [.range: "bytes=" + parts.joined(separator: ",")])
        #expect(reply.code == 200)
        #expect(reply.text == Self.content)
    }

    @Test(arguments: ["bytes=0-9223372036854775807", "bytes=0-99999999999999999999", "bytes=-99999999999999999999", "bytes=0-0,9223372036854775807-"])
    func largeNumbersAreCutOff(value: String) async throws {
        let reply = try await harness().get("/a", [.range: value])
        #expect(reply.code == 206)
        #expect(reply.text.utf8.count <= Self.length)
    }

    @Test(arguments: ["bytes=0-0", "bytes=-1", "bytes=5-,7-8"])
    func originIsAskedForNoMoreThanTheClientAsksFor(value: String) async throws {
        let harness = CacheHarness(mode: .shared) { _ in .text("x", fields: [.cacheControl: "max-age=60"]) }
        try await harness.get("/a", [.range: value])
        #expect(harness.transport.requests.map { $0.head.headerFields[.range] } == [value])
    }

    @Test func partIsNeverTakenForTheWhole() async throws {
        let harness = CacheHarness(mode: .shared) { request in
            request.head.headerFields.contains(.range)
                ? .text("evil", status: .partialContent, fields: [.cacheControl: "max-age=60", .contentRange: "bytes 0-3/*"])
                : .text("whole", fields: [.cacheControl: "max-age=60"])
        }
        try await harness.get("/a", [.range: "bytes=0-3"])
        let reply = try await harness.get()
        #expect(reply.code == 200)
        #expect(reply.text == "whole")
    }

    @Test(arguments: ["bytes 0-3/4", "bytes 0-9/10", "bytes 6-9/10", "bytes 0-3/2", "bytes 3-0/10", "lines 0-3/10", "0-3/10", ""])
    func partThatLiesAboutItsPlaceIsNotKept(contentRange: String) async throws {
        let harness = CacheHarness(mode: .shared) { request in
            request.head.headerFields[.range] == "bytes=0-2"
                ? .text("abc", status: .partialContent, fields: [.cacheControl: "max-age=60", .eTag: "\"1\"", .contentRange: contentRange])
                : .text("0123456789", fields: [.cacheControl: "max-age=60", .eTag: "\"1\""])
        }
        try await harness.get("/a", [.range: "bytes=0-2"])
        #expect(try await harness.get().text == "0123456789")
    }
}
