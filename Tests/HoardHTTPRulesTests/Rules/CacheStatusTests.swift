// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardHTTP
import HoardHTTPTestSupport
import RawStructuredFieldValues
import Testing

@Suite struct CacheStatusTests {
    @Test func writesAHit() {
        #expect(CacheStatus(cacheName: "ExampleCache", .hit).fieldValue == "ExampleCache; hit")
        #expect(CacheStatus(cacheName: "ExampleCache", .hit, timeToLive: 30).fieldValue == "ExampleCache; hit; ttl=30")
        #expect(
            CacheStatus(cacheName: "ExampleCache", .hit, timeToLive: -412, detail: "MEMORY").fieldValue
                == "ExampleCache; hit; ttl=-412; detail=MEMORY"
        )
    }

    @Test(
        arguments: [
            (CacheStatus.ForwardReason.bypass, "bypass"), (.method, "method"), (.uriMiss, "uri-miss"), (.varyMiss, "vary-miss"), (.miss, "miss"),
            (.request, "request"),
            (.stale, "stale"), (.partial, "partial"),
        ] as [(CacheStatus.ForwardReason, String)]
    )
    func writesWhyItForwarded(reason: CacheStatus.ForwardReason, token: String) {
        #expect(CacheStatus(cacheName: "c", .forwarded(.init(reason))).fieldValue == "c; fwd=\(token)")
    }

    @Test func writesWhatBecameOfTheForwardedRequest() {
        let all = CacheStatus.Forwarding(.stale, status: 304, isStored: true, isCollapsed: true)
        #expect(
            CacheStatus(cacheName: "c", .forwarded(all), timeToLive: 60, key: "http://a/", detail: "x").fieldValue
                == "c; fwd=stale; fwd-status=304; ttl=60; stored; collapsed; key=\"http://a/\"; detail=x"
        )
        #expect(CacheStatus(cacheName: "c", .forwarded(.init(.miss, isCollapsed: true))).fieldValue == "c; fwd=miss; collapsed")
        #expect(CacheStatus(cacheName: "c", .generated, detail: "ONLY-IF-CACHED").fieldValue == "c; detail=ONLY-IF-CACHED")
    }

    @Test(
        arguments: [
            (59.9, "59"), (-0.1, "-1"), (0, "0"), (1e300, "999999999999999"), (-1e300, "-999999999999999"), (.infinity, "999999999999999"),
            (.nan, "0"),
        ] as [(Double, String)]
    )
    func writesWholeSeconds(seconds: Double, text: String) {
        #expect(CacheStatus(cacheName: "c", .hit, timeToLive: seconds).fieldValue == "c; hit; ttl=\(text)")
    }

    @Test(
        arguments: [
            ("cache", "cache"), ("cache.example.com:8080/a", "cache.example.com:8080/a"), ("*", "*"), ("my cache", "\"my cache\""), ("", "\"\""),
            ("1cache", "\"1cache\""),
            ("-a", "\"-a\""), ("a\"b\\c", "\"a\\\"b\\\\c\""), ("a;b", "\"a;b\""), ("a,b", "\"a,b\""), ("é", "\"??\""),
            ("a\r\nSet-Cookie: x", "\"a??Set-Cookie: x\""),
            ("a\u{0}\t\u{7F}", "\"a???\""),
        ] as [(String, String)]
    )
    func quotesWhatIsNoToken(text: String, expected: String) {
        #expect(CacheStatus(cacheName: text, .hit).fieldValue == "\(expected); hit")
        #expect(CacheStatus(cacheName: "c", .hit, detail: text).fieldValue == "c; hit; detail=\(expected)")
    }

    @Test func alwaysQuotesTheKey() {
        #expect(CacheStatus(cacheName: "c", .hit, key: "abc").fieldValue == "c; hit; key=\"abc\"")
    }

    @Test func comesAfterTheCachesBeforeIt() {
        var message = fields("Cache-Status: OriginCache; hit; ttl=1100", "A: 1")
        CacheStatus(cacheName: "Near", .forwarded(.init(.uriMiss))).append(to: &message)
        #expect(message[.cacheStatus] == "OriginCache; hit; ttl=1100, Near; fwd=uri-miss")
        var empty = HTTPFields()
        CacheStatus(cacheName: "Near", .hit).append(to: &empty)
        #expect(empty.lines == ["Cache-Status: Near; hit"])
    }

    /// The only member of a list, with its parameters, as another implementation reads them.
    private func parsed(_ value: String) throws -> (name: RFC9651BareItem, parameters: [String: RFC9651BareItem]) {
        var parser = StructuredFieldValueParser(Array(value.utf8))
        let members = try parser.parseListFieldValue()
        guard members.count == 1, case .item(let item) = members[0] else { throw UnexpectedForm() }
        return (item.rfc9651BareItem, Dictionary(uniqueKeysWithValues: item.rfc9651Parameters.map { ($0.0, $0.1) }))
    }

    private struct UnexpectedForm: Error {}

    @Test func isAStructuredFieldWithAllParameters() throws {
        let forwarding = CacheStatus.Forwarding(.partial, status: 206, isStored: true, isCollapsed: true)
        let status = CacheStatus(cacheName: "my cache", .forwarded(forwarding), timeToLive: -7.5, key: "http://a/?\"\\", detail: "MAX-STALE")
        let (name, parameters) = try parsed(status.fieldValue)
        #expect(name == .string("my cache"))
        #expect(
            parameters == [
                "fwd": .token("partial"), "fwd-status": .integer(206), "ttl": .integer(-8), "stored": .bool(true), "collapsed": .bool(true),
                "key": .string("http://a/?\"\\"), "detail": .token("MAX-STALE"),
            ]
        )
        let hit = try parsed(CacheStatus(cacheName: "a.example:80", .hit, timeToLive: 1e20, detail: "not a token").fieldValue)
        #expect(hit.name == .token("a.example:80"))
        #expect(hit.parameters == ["hit": .bool(true), "ttl": .integer(999_999_999_999_999), "detail": .string("not a token")])
        #expect(try parsed(CacheStatus(cacheName: "c", .generated).fieldValue).parameters.isEmpty)
    }

    @Test(arguments: [Int.min, -1, 0, 99, 1_000, .max])
    func isAStructuredFieldWhateverTheStatus(status: Int) throws {
        _ = try parsed(CacheStatus(cacheName: "c", .forwarded(.init(.miss, status: status)), timeToLive: .nan).fieldValue)
    }

    @Test func isPrintableWhateverItSays() throws {
        var generator = TestGenerator()
        for _ in 0..<5_000 {
            let text = String(decoding: generator.bytes(upTo: 20, alphabet: "ab\"\\;, "), as: UTF8.self)
            let value = CacheStatus(cacheName: text, .hit, key: text, detail: text).fieldValue
            #expect(value.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F }, "seed \(generator.seed)")
            #expect(HTTPField.isValidValue(value), "seed \(generator.seed)")
            let (_, parameters) = try parsed(value)
            #expect(Set(parameters.keys) == ["hit", "key", "detail"], "seed \(generator.seed)")
        }
    }
}
