// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hoard
import HoardHTTP
import HoardTesting
import Testing

/// A cache's reports of misses, for the estimate of a larger cache.
@Suite(.timeLimit(.minutes(1))) struct AnswerReportTests {
    private let time = ManualTicker()

    private func report(_ cache: HTTPCache, _ origin: FakeTransport, _ path: String, _ fields: HTTPFields = [:]) async throws -> AnswerReport {
        let request = HTTPRequest(method: .get, scheme: "http", authority: "a.test", path: path, headerFields: fields)
        let response = try await cache.respond(to: request, through: origin)
        for try await _ in response.body {}
        return try #require(response.report)
    }

    @Test func aMissSaysWhetherALargerCacheWouldHaveHelped() async throws {
        var configuration = HTTPCache.Configuration()
        configuration.mode = .shared
        let cache = HTTPCache(configuration: configuration, stores: [], clock: time, ticker: time)
        let origin = FakeTransport { request in
            switch request.head.path {
            case "/private": .text("a", fields: [.cacheControl: "no-store"])
            case "/language": .text("a", fields: [.cacheControl: "max-age=60", .vary: "Accept-Language"])
            default: .text("a", fields: [.cacheControl: "max-age=60"])
            }
        }
        let first = try await report(cache, origin, "/a")
        #expect(first.outcome == .miss && first.isStored && !first.foundUnusable)
        #expect(try await report(cache, origin, "/a").outcome == .hit)
        let reloaded = try await report(cache, origin, "/a", [.cacheControl: "no-cache"])
        #expect(reloaded.outcome == .miss && reloaded.isStored && reloaded.foundUnusable)
        time.advance(by: .seconds(61))
        let stale = try await report(cache, origin, "/a")
        #expect(stale.outcome == .miss && stale.isStored && stale.foundUnusable)
        let unstored = try await report(cache, origin, "/private")
        #expect(unstored.outcome == .miss && !unstored.isStored && !unstored.foundUnusable)
        #expect(!(try await report(cache, origin, "/language", [.acceptLanguage: "fi"])).foundUnusable)
        let other = try await report(cache, origin, "/language", [.acceptLanguage: "sv"])
        #expect(other.outcome == .miss && other.isStored && other.foundUnusable)
    }
}
