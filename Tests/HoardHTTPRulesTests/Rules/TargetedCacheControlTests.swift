// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import HoardHTTP
import HoardHTTPTestSupport
import Testing

@Suite struct TargetedCacheControlTests {
    private let rules = HTTPCacheRules(mode: .shared, targets: [.cdnCacheControl])

    private func inForce(_ lines: String..., targets: [String]? = nil) throws -> CacheControl {
        var rules = rules
        if let targets { rules.targets = try targets.map { try #require(HTTPField.Name($0)) } }
        return CacheControl(inForceFor: fields(lines), rules: rules)
    }

    private func targeted(_ change: (inout CacheControl) -> Void) -> CacheControl {
        var expected = CacheControl()
        expected.isTargeted = true
        change(&expected)
        return expected
    }

    @Test func readsEveryResponseDirective() throws {
        let all = try inForce(
            """
            CDN-Cache-Control: max-age=1, s-maxage=2, no-cache, private, no-store, no-transform, must-revalidate, proxy-revalidate, must-understand, public, \
            immutable, stale-while-revalidate=3, stale-if-error=4
            """
        )
        let expected = targeted {
            $0.maxAge = 1
            $0.sharedMaxAge = 2
            $0.noCache = .wholeResponse
            $0.privateScope = .wholeResponse
            $0.noStore = true
            $0.noTransform = true
            $0.mustRevalidate = true
            $0.proxyRevalidate = true
            $0.mustUnderstand = true
            $0.isPublic = true
            $0.isImmutable = true
            $0.staleWhileRevalidate = 3
            $0.staleIfError = 4
        }
        #expect(all == expected)
    }

    @Test func hidesCacheControl() throws {
        #expect(try inForce("Cache-Control: no-store", "CDN-Cache-Control: max-age=10").noStore == false)
        #expect(try inForce("CDN-Cache-Control: none", "Cache-Control: no-store") == targeted { _ in })
        #expect(try inForce("CDN-Cache-Control: no-store", "Cache-Control: max-age=10").maxAge == nil)
    }

    /// Fields that are no dictionaries, or empty ones.
    static let invalidValues = [
        "", " ", ",", "max-age=10000, &&&&&", "&&&&&", "max-age=10,", ",max-age=10", "max-age=10,,no-store", "max-age =10", "max-age= 10",
        "MAX-AGE=10",
        "Max-Age=10", "max-age=", "max-age=10 no-store", "max-age=\"10", "max-age='10'", "max-age=10;", "max-age=10;A", "max-age=(1", "max-age=1.",
        "max-age=1.2345", "max-age=9999999999999999", "no-store=?2", "no-store;x=?", "=10", "\"max-age\"", "max-age=--1", "m\u{E4}x=1", "no-cache=:a",
        "max-age=10; no-store=", "1max-age=1", "no-cache=\"a\\b\"",
    ]

    @Test(arguments: invalidValues)
    func isAsIfAbsentIfInvalid(value: String) throws {
        let directives = try inForce("CDN-Cache-Control: \(value)", "Cache-Control: max-age=7, no-transform")
        #expect(directives == CacheControl(response: fields("Cache-Control: max-age=7, no-transform")))
        #expect(!directives.isTargeted)
    }

    @Test func isAsIfAbsentIfItIsTooLong() throws {
        let long = "CDN-Cache-Control: max-age=1, x=\"" + String(repeating: "a", count: 20_000) + "\""
        #expect(try inForce(long, "Cache-Control: max-age=7").maxAge == 7)
        let many = "CDN-Cache-Control: max-age=1, " + (0..<256).map { "x\($0)" }.joined(separator: ", ")
        #expect(try inForce(many, "Cache-Control: max-age=7").maxAge == 7)
    }

    @Test(
        arguments: [
            ("max-age=0", 0), ("max-age=100", 100), ("max-age=2147483648", 2_147_483_648), ("max-age=99999999999", 2_147_483_648),
            ("max-age=999999999999999", 2_147_483_648), ("max-age=007", 7), ("max-age=1, max-age=2", 2), ("max-age=100;a=b", 100),
            ("max-age=5;no-store", 5),
            ("max-age=5\t,\tfoo", 5), ("foo=(a b);x, max-age=5", 5),
            // Values of the wrong type: the lifetime is over.
            ("max-age=\"100\"", 0), ("max-age=100.5", 0), ("max-age=-1", 0), ("max-age", 0), ("max-age=a", 0), ("max-age=(1)", 0),
            ("max-age=:YQ==:", 0),
            ("max-age=@100", 0), ("max-age=1, max-age=\"2\"", 0), ("max-age=\"2\", max-age=1", 1),
            // The directive is not there.
            ("max-age=?0", nil), ("max-age=1, max-age=?0", nil), ("foo", nil), ("x-max-age=1", nil),
        ] as [(String, Int64?)]
    )
    func readsNumbers(value: String, seconds: Int64?) throws {
        let directives = try inForce("CDN-Cache-Control: \(value)", "Cache-Control: max-age=3600")
        #expect(directives.isTargeted)
        #expect(directives.maxAge == seconds)
    }

    @Test(
        arguments: [
            ("no-store", true), ("no-store=?1", true), ("no-store;x", true), ("no-store;x=?0", true), ("no-store=?0", false),
            ("no-store, no-store=?0", false),
            ("no-store=?0, no-store", true), ("no-store=1", true), ("no-store=a", true), ("no-store=()", true), ("no-store2", false),
            ("x;no-store", false),
        ]
    )
    func forbidsWhateverTheTypeOfTheValue(value: String, expected: Bool) throws {
        #expect(try inForce("CDN-Cache-Control: \(value)").noStore == expected)
        let other = value.replacing("no-store", with: "must-revalidate")
        #expect(try inForce("CDN-Cache-Control: \(other)").mustRevalidate == expected)
    }

    @Test(
        arguments: [
            ("public", true), ("public=?1", true), ("public;x", true), ("public=?0", false), ("public=1", false), ("public=a", false),
            ("public=\"a\"", false),
        ]
    )
    func permitsOnlyWithTheRightType(value: String, expected: Bool) throws {
        #expect(try inForce("CDN-Cache-Control: \(value)").isPublic == expected)
        #expect(try inForce("CDN-Cache-Control: \(value.replacing("public", with: "immutable"))").isImmutable == expected)
        #expect(try inForce("CDN-Cache-Control: \(value.replacing("public", with: "must-understand"))").mustUnderstand == expected)
    }

    @Test func readsNamesOfFields() throws {
        let names = [try #require(HTTPField.Name("a")), try #require(HTTPField.Name("b"))]
        #expect(try inForce("CDN-Cache-Control: no-cache=\"a, B\"").noCache == .fields(names))
        #expect(try inForce("CDN-Cache-Control: private=\"a, B\"").privateScope == .fields(names))
        #expect(try inForce("CDN-Cache-Control: private=a").privateScope == .fields([names[0]]))
        for whole in ["no-cache", "no-cache=\"\"", "no-cache=5", "no-cache=(\"a\")", "no-cache=\"a b\"", "no-cache=\"vary\"", "no-cache=:YQ==:"] {
            #expect(try inForce("CDN-Cache-Control: \(whole)").noCache == .wholeResponse, "\(whole)")
        }
        #expect(try inForce("CDN-Cache-Control: no-cache=?0").noCache == nil)
        #expect(try inForce("CDN-Cache-Control: private=?0").privateScope == nil)
    }

    @Test func joinsLines() throws {
        #expect(
            try inForce("CDN-Cache-Control: max-age=1", "CDN-Cache-Control: no-store, max-age=2") == targeted { ($0.maxAge, $0.noStore) = (2, true) }
        )
        #expect(try inForce("CDN-Cache-Control: max-age=1", "CDN-Cache-Control:", "Cache-Control: max-age=7").maxAge == 7)
        var message = HTTPFields()
        for line in ["\t max-age=1 \t", "\tno-store\t"] { message.append(HTTPField(name: .cdnCacheControl, lenientValue: Array(line.utf8))) }
        #expect(CacheControl(inForceFor: message, rules: rules) == targeted { ($0.maxAge, $0.noStore) = (1, true) })
    }

    @Test func takesTheFirstOfTheTargetsThatIsUsable() throws {
        let lines = ["A-Cache-Control: max-age=1", "B-Cache-Control: max-age=2", "Cache-Control: max-age=3"]
        func maxAge(_ targets: [String], _ lines: [String]) throws -> Int64? {
            let rules = HTTPCacheRules(mode: .shared, targets: try targets.map { try #require(HTTPField.Name($0)) })
            return CacheControl(inForceFor: fields(lines), rules: rules).maxAge
        }
        #expect(try maxAge(["A-Cache-Control", "B-Cache-Control"], lines) == 1)
        #expect(try maxAge(["B-Cache-Control", "A-Cache-Control"], lines) == 2)
        #expect(try maxAge(["a-cache-control"], lines) == 1)
        #expect(try maxAge([], lines) == 3)
        #expect(try maxAge(["C-Cache-Control"], lines) == 3)
        #expect(try maxAge(["A-Cache-Control", "B-Cache-Control"], ["A-Cache-Control: ?"] + lines.dropFirst()) == 2)
        #expect(try maxAge(["A-Cache-Control", "B-Cache-Control"], ["A-Cache-Control:"] + lines.dropFirst()) == 2)
    }

    @Test func hidesExpiresAndTheGuessFollowsTheField() {
        let day = "Last-Modified: Wed, 31 Dec 2025 00:00:00 GMT"
        func lifetime(_ lines: String...) -> FreshnessLifetime {
            ResponseFreshness(of: response(200, lines), requestTime: newYear2026, responseTime: newYear2026, rules: rules).lifetime
        }
        let expires = "Expires: Thu, 01 Jan 2026 01:00:00 GMT"
        #expect(lifetime(expires, "CDN-Cache-Control: max-age=10") == FreshnessLifetime(seconds: 10, source: .maxAge))
        #expect(lifetime(expires, "CDN-Cache-Control: foo") == FreshnessLifetime(seconds: 0, source: .none))
        #expect(lifetime(expires, "CDN-Cache-Control: &") == FreshnessLifetime(seconds: 3_600, source: .expires))
        #expect(lifetime(expires, day, "CDN-Cache-Control: foo") == FreshnessLifetime(seconds: 8_640, source: .heuristic))
        #expect(lifetime(expires, day, "CDN-Cache-Control: max-age=\"10\"") == FreshnessLifetime(seconds: 0, source: .maxAge))
    }

    @Test func decidesOnStoring() {
        func judge(_ lines: String..., client: HTTPRequest = request()) -> Storability {
            let message = response(200, lines)
            let freshness = ResponseFreshness(of: message, requestTime: newYear2026, responseTime: newYear2026, rules: rules)
            return Storability(of: message, to: client, freshness: freshness, rules: rules)
        }
        #expect(judge("CDN-Cache-Control: max-age=10000", "Cache-Control: no-store") == .storable)
        #expect(judge("CDN-Cache-Control: no-store", "Cache-Control: max-age=10000") == .notStorable(.noStore))
        #expect(judge("CDN-Cache-Control: private", "Cache-Control: max-age=10000") == .notStorable(.private))
        #expect(judge("CDN-Cache-Control: max-age=10000, &&&&&", "Cache-Control: no-store") == .notStorable(.noStore))
        #expect(judge("CDN-Cache-Control: max-age=\"10000\"", "Cache-Control: no-store") == .storable)
        let authenticated = request("Authorization: x")
        #expect(judge("CDN-Cache-Control: max-age=60", "Cache-Control: public", client: authenticated) == .notStorable(.authorization))
        #expect(judge("CDN-Cache-Control: max-age=60, public", "Cache-Control: private", client: authenticated) == .storable)
    }

    @Test func leavesOutOfAnUpdateWhatTheFieldNames() {
        let stored = response(200, "CDN-Cache-Control: max-age=10", "Cache-Control: no-cache=\"a\"", "a: 1", "b: 1", "Date: x")
        let plain = stored.updated(with: fields("b: 2", "Date: y"), rules: rules)
        #expect(plain.headerFields.lines == ["CDN-Cache-Control: max-age=10", "Cache-Control: no-cache=\"a\"", "a: 1", "b: 2", "Date: y"])
        let naming = stored.updated(with: fields("CDN-Cache-Control: no-cache=\"b\"", "b: 2", "a: 2", "Date: y"), rules: rules)
        #expect(naming.headerFields.lines == ["Cache-Control: no-cache=\"a\"", "CDN-Cache-Control: no-cache=\"b\"", "a: 2", "Date: y"])
    }

    @Test func survivesRandomBytes() {
        var generator = TestGenerator()
        for _ in 0..<5_000 {
            var message = HTTPFields()
            message.append(HTTPField(name: .cdnCacheControl, lenientValue: generator.bytes(upTo: 40, alphabet: "max-age=10, no-store;?\"():.")))
            let directives = CacheControl(inForceFor: message, rules: rules)
            if let maxAge = directives.maxAge { #expect((0...DeltaSeconds.maximum).contains(maxAge), "seed \(generator.seed)") }
        }
    }
}
