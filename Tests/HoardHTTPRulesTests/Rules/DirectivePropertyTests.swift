// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import HoardHTTP
import HoardHTTPTestSupport
import Testing

/// The rules that hold for all combinations of directives, tried with random ones.
@Suite struct DirectivePropertyTests {
    /// Whether something is done from the cache, and how: the greater, the more the cache does without the origin.
    private struct Outcome {
        var isStorable: Bool
        var isFresh: Bool
        var isServedStale: Bool
        var isServedAfterError: Bool
        var isServedUnreachable: Bool

        init(response message: HTTPResponse, client: HTTPRequest, age: TimeInterval, mode: CacheMode) {
            let rules = HTTPCacheRules(mode: mode, targets: [.cdnCacheControl], staleIfUnreachable: 50)
            let freshness = ResponseFreshness(of: message, requestTime: newYear2026, responseTime: newYear2026, rules: rules)
            isStorable = Storability(of: message, to: client, freshness: freshness, rules: rules) == .storable
            let directives = CacheControl(request: client.headerFields)
            let decision = ReuseDecision(request: directives, stored: freshness, now: newYear2026.addingTimeInterval(age))
            if case .fresh = decision.verdict { isFresh = true } else { isFresh = false }
            isServedStale = Self.isPermitted(.beforeAsking(decision))
            isServedAfterError = isFresh || Self.isPermitted(.afterError(status: 503, decision))
            isServedUnreachable = isFresh || Self.isPermitted(.whenUnreachable(decision, rules: rules))
        }

        private static func isPermitted(_ serving: StaleServing) -> Bool {
            if case .permitted = serving { true } else { false }
        }

        /// Whether the cache does no more by itself in this outcome than in `other`.
        func doesNoMore(than other: Outcome) -> Bool {
            let pairs = [
                (isStorable, other.isStorable), (isFresh, other.isFresh), (isServedStale || isFresh, other.isServedStale || other.isFresh),
                (isServedAfterError, other.isServedAfterError), (isServedUnreachable, other.isServedUnreachable),
            ]
            return pairs.allSatisfy { !$0.0 || $0.1 }
        }
    }

    private static let responseDirectives = [
        "max-age=%", "s-maxage=%", "stale-while-revalidate=%", "stale-if-error=%", "no-cache", "no-store", "private", "public", "must-revalidate",
        "proxy-revalidate", "must-understand", "immutable", "no-transform", "foo", "bar=%",
    ]

    private static let requestDirectives = [
        "max-age=%", "max-stale=%", "max-stale", "min-fresh=%", "no-cache", "no-store", "only-if-cached", "stale-if-error=%", "foo",
    ]

    /// Some of the directives, each once.
    private func some(of directives: [String], using generator: inout TestGenerator) -> [String] {
        directives.shuffled(using: &generator).prefix(.random(in: 0...4, using: &generator))
            .map { $0.replacing("%", with: String(Int.random(in: 0...40, using: &generator))) }
    }

    private func message(_ directives: [String]) -> HTTPResponse {
        response(200, "Cache-Control: \(directives.joined(separator: ", "))", "ETag: \"a\"", "Date: Thu, 01 Jan 2026 00:00:00 GMT")
    }

    @Test(arguments: [CacheMode.shared, .private])
    func noRestrictionLetsTheCacheDoMore(mode: CacheMode) {
        var generator = TestGenerator()
        for _ in 0..<400 {
            let directives = some(of: Self.responseDirectives, using: &generator)
            let wishes = some(of: Self.requestDirectives, using: &generator)
            let age = TimeInterval(Int.random(in: 0...80, using: &generator))
            func outcome(_ directives: [String], _ wishes: [String]) -> Outcome {
                let client = wishes.isEmpty ? request() : request("Cache-Control: \(wishes.joined(separator: ", "))")
                return Outcome(response: message(directives), client: client, age: age, mode: mode)
            }
            let before = outcome(directives, wishes)
            for restriction in ["no-store", "no-cache", "private", "must-revalidate", "proxy-revalidate", "max-age=x", "no-store=?0"]
            where mode == .shared || restriction != "private" {
                // With must-understand, no-store is meant for caches that do not know it.
                let after = outcome(directives + [restriction], wishes)
                #expect(after.doesNoMore(than: before), "\(directives) \(wishes) \(age) + \(restriction), seed \(generator.seed)")
            }
            for restriction in ["no-store", "no-cache", "min-fresh=5", "min-fresh"] {
                let after = outcome(directives, wishes + [restriction])
                #expect(after.doesNoMore(than: before), "\(directives) \(wishes) \(age) + \(restriction) asked for, seed \(generator.seed)")
            }
        }
    }

    @Test(arguments: [CacheMode.shared, .private])
    func noResponseBecomesUsableByAging(mode: CacheMode) {
        var generator = TestGenerator()
        for _ in 0..<400 {
            let directives = some(of: Self.responseDirectives, using: &generator)
            let wishes = some(of: Self.requestDirectives, using: &generator)
            let client = wishes.isEmpty ? request() : request("Cache-Control: \(wishes.joined(separator: ", "))")
            let ages = [TimeInterval.random(in: 0...80, using: &generator), .random(in: 0...80, using: &generator)].sorted()
            let young = Outcome(response: message(directives), client: client, age: ages[0], mode: mode)
            let old = Outcome(response: message(directives), client: client, age: ages[1], mode: mode)
            #expect(old.doesNoMore(than: young), "\(directives) \(wishes) \(ages), seed \(generator.seed)")
        }
    }

    @Test func bothSyntaxesSayTheSame() {
        var generator = TestGenerator()
        let rules = HTTPCacheRules(mode: .shared, targets: [.cdnCacheControl])
        for _ in 0..<400 {
            let directives = some(of: Self.responseDirectives + ["no-cache=\"a, b\"", "private=\"c\""], using: &generator)
            // A dictionary has each key once, a list may have both forms of no-cache.
            let names = directives.map { $0.prefix { $0 != "=" } }
            guard !directives.isEmpty, Set(names).count == names.count else { continue }
            let text = directives.joined(separator: ", ")
            var expected = CacheControl(response: fields("Cache-Control: \(text)"))
            expected.isTargeted = true
            #expect(CacheControl(inForceFor: fields("CDN-Cache-Control: \(text)"), rules: rules) == expected, "\(text), seed \(generator.seed)")
        }
    }

    @Test func aSharedCacheStoresNothingThatAPrivateOneDoesNot() {
        var generator = TestGenerator()
        for _ in 0..<400 {
            let directives = some(of: Self.responseDirectives.filter { !$0.hasPrefix("s-maxage") }, using: &generator)
            let client = Bool.random(using: &generator) ? request() : request("Authorization: x")
            let shared = Outcome(response: message(directives), client: client, age: 0, mode: .shared)
            let own = Outcome(response: message(directives), client: client, age: 0, mode: .private)
            #expect(!shared.isStorable || own.isStorable, "\(directives), seed \(generator.seed)")
        }
    }
}
