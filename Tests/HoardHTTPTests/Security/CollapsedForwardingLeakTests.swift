// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardHTTP
import HoardHTTPTestSupport
import HoardTesting
import Testing

/// Requests that wait for one answer share it only if they could have got it from the cache.
@Suite(.timeLimit(.minutes(5))) struct CollapsedForwardingLeakTests {
    /// An origin that tells users apart.
    private static func page(_ fields: HTTPFields) -> FakeTransport.Handler {
        { request in
            let user = request.head.headerFields[.cookie] ?? request.head.headerFields[.authorization] ?? "nobody"
            return .text("page of \(user)", fields: fields)
        }
    }

    /// Sends two requests, the second while the answer to the first is on its way, and lets the answer come once `isSecondUnderWay` returns.
    private func replies(
        _ harness: CacheHarness,
        _ first: HTTPFields,
        _ second: HTTPFields,
        isSecondUnderWay: (FakeTransport.Hold) async -> Void
    ) async throws -> [String] {
        let hold = harness.transport.hold()
        async let firstReply = harness.get("/a", first)
        await hold.arrivals(1)
        async let secondReply = harness.get("/a", second)
        await isSecondUnderWay(hold)
        hold.release()
        return try await [firstReply.text, secondReply.text]
    }

    @Test(
        arguments: [
            [.cacheControl: "private, max-age=60"], [.cacheControl: "no-store"], [.cacheControl: "no-cache"], [.cacheControl: "max-age=0"], [:],
            [.cacheControl: "max-age=60", .vary: "Cookie"], [.cacheControl: "max-age=60", .vary: "*"], [.setCookie: "session=1"],
        ] as [HTTPFields]
    )
    func answerForOneUserIsNotSharedWithTheNextInLine(fields: HTTPFields) async throws {
        let harness = CacheHarness(mode: .shared, origin: Self.page(fields))
        // The second request waits for the first one's answer, for as long as it may.
        let texts = try await replies(harness, [.cookie: "ann"], [.cookie: "bob"]) { _ in await harness.time.sleepers(1) }
        #expect(texts == ["page of ann", "page of bob"])
        #expect(harness.requestCount == 2)
    }

    @Test func answerForEverybodyIsShared() async throws {
        let harness = CacheHarness(mode: .shared, origin: Self.page([.cacheControl: "max-age=60"]))
        let texts = try await replies(harness, [.cookie: "ann"], [.cookie: "bob"]) { _ in await harness.time.sleepers(1) }
        #expect(texts == ["page of ann", "page of ann"])
        #expect(harness.requestCount == 1)
    }

    @Test(arguments: [CacheMode.private, .shared], [[.authorization: "bob"], [:]] as [HTTPFields])
    func answerToCredentialsIsNotSharedWithTheNextInLine(mode: CacheMode, second: HTTPFields) async throws {
        let harness = CacheHarness(mode: mode, origin: Self.page([.cacheControl: "max-age=60"]))
        // The second request does not wait for the answer to other credentials.
        let texts = try await replies(harness, [.authorization: "ann"], second) { await $0.arrivals(2) }
        #expect(texts == ["page of ann", "page of \(second[.authorization] ?? "nobody")"])
    }
}
