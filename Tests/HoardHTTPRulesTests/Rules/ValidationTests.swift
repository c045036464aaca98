// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import HoardHTTP
import HoardHTTPTestSupport
import Testing

@Suite struct EntityTagTests {
    private func tag(_ text: String) -> EntityTag { EntityTag(text.utf8) }

    @Test(
        arguments: [
            ("\"1\"", "\"1\"", true, true), ("W/\"1\"", "W/\"1\"", false, true), ("W/\"1\"", "\"1\"", false, true), ("\"1\"", "\"2\"", false, false),
            ("W/\"1\"", "W/\"2\"", false, false), ("\"\"", "\"\"", true, true), ("\"a\\\"", "\"a\\\"", true, true), ("\"A\"", "\"a\"", false, false),
            ("abc", "abc", false, true), ("abc", "\"abc\"", false, false), ("w/\"1\"", "w/\"1\"", false, true), ("w/\"1\"", "\"1\"", false, false),
            ("W\\\"1\"", "W\\\"1\"", false, true), ("\"", "\"", false, true), ("\"a\"b\"", "\"a\"b\"", false, true), ("W/", "W/", false, true),
            ("W/abc", "abc", false, false), ("\"a b\"", "\"a b\"", false, true),
        ] as [(String, String, Bool, Bool)]
    )
    func comparesStronglyAndWeakly(left: String, right: String, strongly: Bool, weakly: Bool) {
        #expect(tag(left).matchesStrongly(tag(right)) == strongly)
        #expect(tag(right).matchesStrongly(tag(left)) == strongly)
        #expect(tag(left).matchesWeakly(tag(right)) == weakly)
        #expect(tag(right).matchesWeakly(tag(left)) == weakly)
    }

    @Test func comparesBytes() {
        #expect(EntityTag([0x22, 0xFC, 0x22]).matchesStrongly(EntityTag([0x22, 0xFC, 0x22])))
        #expect(!EntityTag([0x22, 0xFC, 0x22]).matchesWeakly(EntityTag([0x22, 0xFD, 0x22])))
        #expect(!tag("\"\u{E9}\"").matchesWeakly(tag("\"e\u{301}\"")))
    }
}

@Suite struct ValidatorsTests {
    private static let lastModified = "Thu, 01 Jan 2026 00:00:00 GMT"

    private func conditional(_ stored: [String], _ client: String...) -> [String] {
        Validators(of: fields(stored)).conditionalFields(from: fields(client)).lines
    }

    @Test func asksWithWhatIsStored() {
        #expect(conditional(["ETag: \"a\""]) == ["If-None-Match: \"a\""])
        #expect(conditional(["ETag: W/\"a\""]) == ["If-None-Match: W/\"a\""])
        #expect(conditional(["Last-Modified: \(Self.lastModified)"]) == ["If-Modified-Since: \(Self.lastModified)"])
        #expect(
            conditional(["ETag: \"a\"", "Last-Modified: \(Self.lastModified)"]) == [
                "If-None-Match: \"a\"", "If-Modified-Since: \(Self.lastModified)",
            ]
        )
    }

    @Test func replacesTheClientsOwnConditions() {
        #expect(conditional(["ETag: \"a\""], "If-None-Match: \"x\"", "If-None-Match: \"y\"", "If-Modified-Since: z") == ["If-None-Match: \"a\""])
        #expect(conditional(["Last-Modified: b"], "If-None-Match: \"x\"", "If-Modified-Since: z") == ["If-Modified-Since: b"])
    }

    @Test func leavesEverythingElseAlone() {
        let others = ["Abc: 123", "If-Match: \"m\"", "If-Unmodified-Since: x", "If-Range: \"r\"", "Range: bytes=0-1", "Authorization: x"]
        #expect(Validators(of: fields("ETag: \"a\"")).conditionalFields(from: fields(others)).lines == others + ["If-None-Match: \"a\""])
    }

    @Test func passesTheClientsConditionsOnWithoutAValidator() {
        #expect(conditional([], "If-None-Match: \"x\"", "If-Modified-Since: z") == ["If-None-Match: \"x\"", "If-Modified-Since: z"])
        #expect(Validators(of: fields("Date: x")).isEmpty)
    }

    @Test func trustsNoValidatorThatContradictsItself() {
        #expect(Validators(of: fields("ETag: \"a\"", "ETag: \"b\"")).isEmpty)
        #expect(Validators(of: fields("ETag:")).isEmpty)
        #expect(Validators(of: fields("ETag: \"a\"", "ETag: \"a\"")).eTag == Array("\"a\"".utf8))
        #expect(Validators(of: fields("Last-Modified: a", "Last-Modified: b")).isEmpty)
    }

    @Test func sendsTheBytesItStored() throws {
        var stored = HTTPFields()
        stored.append(HTTPField(name: .eTag, value: [0x22, 0xFC, 0x22] as [UInt8]))
        let sent = Validators(of: stored).conditionalFields(from: HTTPFields())
        #expect(try #require(sent.first).valueBytes == [0x22, 0xFC, 0x22])
    }
}

@Suite struct ConditionalRequestTests {
    private func isNotModified(_ stored: HTTPResponse, _ line: String..., method: String = "GET", responseTime: Date = newYear2026) -> Bool? {
        var client = request(method: method)
        client.headerFields = fields(line)
        return ConditionalRequest(client, now: newYear2026)?.isNotModified(stored, responseTime: responseTime)
    }

    @Test(
        arguments: [
            ("\"abcdef\"", "\"abcdef\"", true), ("W/\"abcdef\"", "W/\"abcdef\"", true), ("\"abcdef\"", "W/\"abcdef\"", true),
            ("W/\"abcdef\"", "\"abcdef\"", true),
            ("\"abcdef\"", "\"1234\", \"5678\", \"abcdef\"", true), ("\"abcdef\"", "\"abcdef\",\"1234\"", true), ("\"abcdef\"", "\"1234\"", false),
            ("\"a,b\"", "\"x\", \"a,b\"", true), ("\"a\"", "\"a,b\"", false), ("\"b\"", "\"a,b\"", false), ("\"a\\\"", "\"a\\\", \"c\"", true),
            ("abcdef", "abcdef", true), ("abcdef", "\"abcdef\"", false), ("w/\"abcdef\"", "w/\"abcdef\"", true),
            ("W\\\"abcdef\"", "W\\\"abcdef\"", true),
            ("\"a\"", "*", true), ("\"a\"", "\"b\", *", false), ("\"a\"", "", false), ("\"a\"", ",", false),
        ] as [(String, String, Bool)]
    )
    func comparesTagsWeakly(stored: String, condition: String, expected: Bool) {
        #expect(isNotModified(response(200, "ETag: \(stored)"), "If-None-Match: \(condition)") == expected)
    }

    @Test func readsTagsOnSeveralLines() {
        #expect(isNotModified(response(200, "ETag: \"b\""), "If-None-Match: \"a\"", "If-None-Match: \"b\"") == true)
    }

    @Test func matchesNoTagWhereNoneIsStored() {
        #expect(isNotModified(response(200), "If-None-Match: \"a\"") == false)
        #expect(isNotModified(response(200), "If-None-Match: *") == true)
    }

    @Test func prefersTagsToDates() {
        let stored = response(200, "ETag: \"a\"", "Last-Modified: Thu, 01 Jan 2026 00:00:00 GMT")
        #expect(isNotModified(stored, "If-None-Match: \"b\"", "If-Modified-Since: Thu, 01 Jan 2026 00:00:00 GMT") == false)
        #expect(isNotModified(stored, "If-None-Match: \"a\"", "If-Modified-Since: Mon, 01 Jan 2024 00:00:00 GMT") == true)
        #expect(isNotModified(stored, "If-None-Match:", "If-Modified-Since: Thu, 01 Jan 2026 00:00:00 GMT") == false)
    }

    @Test(
        arguments: [
            ("Thu, 01 Jan 2026 00:00:00 GMT", true), ("Thu, 01 Jan 2026 00:16:40 GMT", true), ("Wed, 31 Dec 2025 23:59:59 GMT", false),
            ("Thursday, 01-Jan-26 00:00:00 GMT", true), ("Thu Jan  1 00:00:00 2026", true),
        ] as [(String, Bool)]
    )
    func comparesDates(condition: String, expected: Bool) {
        #expect(isNotModified(response(200, "Last-Modified: Thu, 01 Jan 2026 00:00:00 GMT"), "If-Modified-Since: \(condition)") == expected)
        #expect(isNotModified(response(200, "Date: Thu, 01 Jan 2026 00:00:00 GMT"), "If-Modified-Since: \(condition)") == expected)
        #expect(isNotModified(response(200), "If-Modified-Since: \(condition)") == expected)
    }

    @Test func ignoresDatesThatAreNone() {
        let stored = response(200, "Last-Modified: Thu, 01 Jan 2026 00:00:00 GMT")
        #expect(isNotModified(stored, "If-Modified-Since: foo") == nil)
        #expect(isNotModified(stored, "If-Modified-Since: Fri, 02 Jan 2026 00:00:00 GMT", "If-Modified-Since: Sat, 03 Jan 2026 00:00:00 GMT") == nil)
        #expect(isNotModified(response(200, "Last-Modified: foo"), "If-Modified-Since: Fri, 02 Jan 2026 00:00:00 GMT") == false)
    }

    @Test(arguments: [("GET", true), ("HEAD", true), ("POST", nil), ("PUT", nil), ("get", nil)] as [(String, Bool?)])
    func answersConditionsOfGETAndHEADOnly(method: String, expected: Bool?) {
        #expect(isNotModified(response(200, "ETag: \"a\""), "If-None-Match: \"a\"", method: method) == expected)
    }

    @Test func hasNothingToAnswerWithoutACondition() {
        #expect(isNotModified(response(200, "ETag: \"a\""), "If-Match: \"a\"") == nil)
        #expect(isNotModified(response(200, "ETag: \"a\""), "If-Unmodified-Since: Thu, 01 Jan 2026 00:00:00 GMT") == nil)
        #expect(isNotModified(response(200, "ETag: \"a\"")) == nil)
    }

    @Test(arguments: [(200, true), (204, true), (299, true), (301, false), (404, false), (500, false)] as [(Int, Bool)])
    func ignoresConditionsWhereTheAnswerIsNoSuccess(status: Int, expected: Bool) {
        #expect(isNotModified(response(status, "ETag: \"a\""), "If-None-Match: \"a\"") == expected)
    }

    @Test func survivesRandomBytes() {
        var generator = TestGenerator()
        for _ in 0..<3_000 {
            var client = request()
            client.headerFields.append(HTTPField(name: .ifNoneMatch, lenientValue: generator.bytes(upTo: 30, alphabet: "\"ab\", W/\\*")))
            #expect(ConditionalRequest(client, now: newYear2026) != nil, "seed \(generator.seed)")
            client.headerFields.append(HTTPField(name: .ifNoneMatch, value: "\"needle\""))
            let answer = ConditionalRequest(client, now: newYear2026)?.isNotModified(response(200, "ETag: \"needle\""), responseTime: newYear2026)
            #expect(answer == true, "seed \(generator.seed)")
        }
    }
}

@Suite struct NotModifiedFormTests {
    @Test func leavesOutWhatDescribesTheContent() {
        let stored = response(
            200,
            "Date: x",
            "ETag: \"a\"",
            "Last-Modified: y",
            "Cache-Control: max-age=1",
            "Expires: 0",
            "Vary: A",
            "Content-Location: /b",
            "Age: 5",
            "Set-Cookie: a=b",
            "Content-Security-Policy: none",
            "Content-Type: text/plain",
            "Content-Length: 3",
            "Content-Encoding: gzip",
            "Content-Language: de",
            "Content-MD5: x",
            "Content-Range: bytes 0-1/2",
            "Content-Digest: x",
            "Repr-Digest: x",
            "Digest: x",
            "Server-Request-Count: 1"
        )
        let notModified = stored.notModifiedForm()
        #expect(notModified.status == .notModified)
        #expect(
            notModified.headerFields.lines == [
                "Date: x", "ETag: \"a\"", "Last-Modified: y", "Cache-Control: max-age=1", "Expires: 0", "Vary: A", "Content-Location: /b", "Age: 5",
                "Set-Cookie: a=b",
                "Content-Security-Policy: none", "Server-Request-Count: 1",
            ]
        )
    }
}

@Suite struct NotModifiedResponseTests {
    private func confirms(_ answer: [String], _ stored: [String]) -> Bool? {
        NotModifiedResponse(response(304, answer))?.confirms(response(200, stored))
    }

    @Test(
        arguments: [
            (["ETag: \"a\""], ["ETag: \"a\""], true), (["ETag: \"b\""], ["ETag: \"a\""], false), (["ETag: \"a\""], ["ETag: W/\"a\""], false),
            (["ETag: W/\"a\""], ["ETag: \"a\""], true), (["ETag: W/\"a\""], ["ETag: W/\"a\""], true), (["ETag: W/\"b\""], ["ETag: W/\"a\""], false),
            (["ETag: \"a\""], ["Last-Modified: x"], false), ([], ["ETag: \"a\""], true), ([], ["Last-Modified: x"], true), ([], [], false),
            (["ETag: \"a\""], [], false),
            (["Last-Modified: x"], ["Last-Modified: x"], true), (["Last-Modified: x"], ["Last-Modified: y"], false),
            (["Last-Modified: x"], ["ETag: \"a\""], true),
            (["Last-Modified: Thu, 01 Jan 2026 00:00:00 GMT"], ["Last-Modified: Thu Jan  1 00:00:00 2026"], true),
            (["Last-Modified: Thu, 01 Jan 2026 00:00:00 GMT"], ["Last-Modified: Thu, 01 Jan 2026 00:00:01 GMT"], false),
            (["ETag: \"a\"", "Last-Modified: x"], ["ETag: \"a\"", "Last-Modified: y"], true),
        ] as [([String], [String], Bool)]
    )
    func confirmsTheStoredResponseByItsValidators(answer: [String], stored: [String], expected: Bool) {
        #expect(confirms(answer, stored) == expected)
    }

    @Test func isA304() {
        #expect(NotModifiedResponse(response(200, "ETag: \"a\"")) == nil)
        #expect(NotModifiedResponse(response(304)) != nil)
    }

    private func freshened(_ stored: [String], by answer: [String], status: Int = 200, mode: CacheMode = .shared) throws -> [String] {
        let notModified = try #require(NotModifiedResponse(response(304, answer)))
        let result = notModified.freshening(response(status, stored), responseTime: newYear2026, rules: HTTPCacheRules(mode: mode))
        #expect(result.status.code == status)
        return result.headerFields.lines
    }

    @Test(arguments: [
        "Test-Header", "X-Test-Header", "Content-Foo", "X-Content-Foo", "Content-MD5", "Content-Range", "Content-Security-Policy", "Content-Type",
        "Clear-Site-Data", "Expires", "Public-Key-Pins", "Set-Cookie", "X-XSS-Protection", "Cache-Control", "Last-Modified", "Vary",
    ])
    func replacesTheField(name: String) throws {
        let result = try freshened(["Date: x", "\(name): old", "\(name): older", "B: 1"], by: ["Date: y", "\(name): new"])
        #expect(result == ["B: 1", "Date: y", "\(name): new"])
    }

    @Test func keepsFieldsThatThe304Omits() throws {
        #expect(
            try freshened(["Test-Header: a", "ETag: \"a\"", "Cache-Control: max-age=2"], by: ["Date: y"]) == [
                "Test-Header: a", "ETag: \"a\"", "Cache-Control: max-age=2", "Date: y",
            ]
        )
    }

    @Test(arguments: [
        "Content-Length: 9", "Content-Encoding: br", "Connection: close", "Transfer-Encoding: chunked", "Keep-Alive: x", "Proxy-Authenticate: x",
    ])
    func takesNothingThatWouldMisrepresentTheStoredBytes(line: String) throws {
        #expect(
            try freshened(["Content-Length: 3", "Content-Encoding: gzip", "Date: x"], by: ["Date: y", line]) == [
                "Content-Length: 3", "Content-Encoding: gzip", "Date: y",
            ]
        )
    }

    @Test func startsTheAgeAnew() throws {
        let result = try freshened(["Date: Wed, 31 Dec 2025 00:00:00 GMT", "Age: 86400", "Cache-Control: max-age=60"], by: ["ETag: \"a\""])
        #expect(result == ["Cache-Control: max-age=60", "ETag: \"a\"", "Date: Thu, 01 Jan 2026 00:00:00 GMT"])
        #expect(try freshened(["Age: 5"], by: ["Age: 1", "Date: y"]) == ["Age: 1", "Date: y"])
    }

    @Test func leavesOutWhatTheNewDirectivesExclude() throws {
        #expect(
            try freshened(["A: 1", "Date: x"], by: ["Cache-Control: no-cache=\"a\"", "A: 2", "Date: y"]) == [
                "Cache-Control: no-cache=\"a\"", "Date: y",
            ]
        )
        #expect(
            try freshened(["Date: x"], by: ["Cache-Control: private=\"a\"", "A: 2", "Date: y"], mode: .private) == [
                "Cache-Control: private=\"a\"", "A: 2", "Date: y",
            ]
        )
    }

    @Test func learnsOfARestrictionThatConnectionNames() throws {
        #expect(
            try freshened(
                ["Cache-Control: max-age=60", "Date: x"],
                by: ["Connection: cache-control, a", "Cache-Control: no-store", "A: 1", "Date: y"]
            ) == ["Cache-Control: no-store", "Date: y"]
        )
    }

    @Test func refusesMoreFieldsThanAMessageCanHold() throws {
        var many = HTTPFields()
        for _ in 0..<40_000 { many.append(HTTPField(name: .eTag, value: "\"a\"")) }
        let notModified = try #require(NotModifiedResponse(HTTPResponse(status: .notModified, headerFields: many)))
        #expect(!notModified.confirms(HTTPResponse(status: .ok, headerFields: many)))
        #expect(notModified.confirms(response(200, "ETag: \"a\"")))
    }
}
