// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HoardSimulator

@Suite("JSONLogFormat", .timeLimit(.minutes(5)))
struct JSONLogFormatTests {
    let directory: TraceDirectory

    init() throws {
        directory = try TraceDirectory()
    }

    @Test func caddysLogIsRead() throws {
        let lines = #"""
            {"level":"info","ts":1646861400.5,"msg":"serving initial configuration"}
            {"level":"info","ts":1646861401.5241024,"logger":"http.log.access","msg":"handled request","request":{"remote_ip":"127.0.0.1","proto":"HTTP/2.0","method":"GET","host":"localhost","uri":"/a/b","headers":{"User-Agent":["curl/7.82.0"],"Method":["POST"]},"tls":{"resumed":false}},"bytes_read":0,"user_id":"","duration":0.000929675,"size":10900,"status":200,"resp_headers":{"Server":["Caddy"]}}
            {"level":"info","ts":1646861402.5241024,"request":{"method":"HEAD","host":"localhost","uri":"\/a\u002fb"},"duration":1.25,"size":0,"status":200}
            {"level":"info","ts":1646861402.6,"request":{"method":"POST","host":"localhost","uri":"/a/b"},"duration":1.25,"size":0,"status":200}

            """#
        let (requests, skipped, format) = try directory.requests(in: lines)
        #expect(format == .jsonLog)
        #expect(skipped == 2)
        try #require(requests.count == 2)
        #expect(requests[0].key == requests[1].key)
        #expect(requests.map(\.size) == [10_900, 10_900])
        #expect(requests.map(\.time) == [0, 1_000])
        #expect(requests.map(\.cost) == [929, 1_250_000])
    }

    @Test func hoardsOwnLogIsRead() throws {
        let lines = #"""
            {"time":"2023-11-14T22:13:20.250Z","remoteAddress":"192.0.2.7","method":"GET","target":"/a?b=c","host":"example.com","version":"1.1","secure":true,"status":200,"bytes":1234,"receivedBytes":56,"complete":true,"cache":"miss","tier":"origin","originSeconds":0.030000,"firstByteSeconds":0.000123,"seconds":2.000005}
            {"time":"2023-11-14T22:13:20.250Z","missingLines":7}
            {"time":"2023-11-14T22:13:20.750Z","version":"1.1","secure":false,"status":400,"bytes":0,"receivedBytes":0,"complete":false,"firstByteSeconds":0.000010,"seconds":0.000020}
            {"time":"2023-11-14T22:13:21.500Z","method":"GET","target":"/a?b=c","host":"example.org","status":200,"bytes":12,"cache":"collapsedHit","tier":"memory","firstByteSeconds":0.000010,"seconds":0.000020}

            """#
        let (requests, skipped, _) = try directory.requests(in: lines)
        #expect(skipped == 2)
        try #require(requests.count == 2)
        #expect(requests[0].key != requests[1].key)
        #expect(requests[0].group == requests[1].group)
        #expect(requests.map(\.wasHit) == [false, true])
        #expect(requests.map(\.cost) == [30_000, nil])
        #expect(requests.map(\.size) == [1_234, 12])
        #expect(requests.map(\.time) == [0, 1_250])
    }

    @Test func nginxsNamesAreRead() throws {
        let lines = #"""
            {"time_local":"22/Nov/2026:02:13:31 +0000","request":"GET /a HTTP/1.1","status":"200","body_bytes_sent":"7","request_time":"0.120","upstream_response_time":"-","upstream_cache_status":"MISS"}
            {"time_iso8601":"2026-11-22T03:13:32+01:00","request":"GET \u002fa HTTP/1.1","status":304,"body_bytes_sent":0,"request_time":0.1,"upstream_cache_status":"HIT"}
            {"msec":"1795313613.000","request_method":"GET","request_uri":"/a","status":"200","bytes_sent":9,"upstream_response_time":"0.004","request_time":"1.0"}
            {"timestamp":1795313614500,"request":"\\x16\\x03","status":400,"bytes":0}

            """#
        let (requests, skipped, _) = try directory.requests(in: lines)
        #expect(skipped == 1)
        try #require(requests.count == 3)
        #expect(Set(requests.map(\.key)).count == 1)
        #expect(requests.map(\.size) == [7, 7, 9])
        #expect(requests.map(\.time) == [0, 1_000, 2_000])
        #expect(requests.map(\.cost) == [120_000, nil, 4_000])
        #expect(requests.map(\.wasHit) == [false, true, nil])
    }

    @Test func timesAreInAnyUnit() throws {
        let times = [
            "1795313613", "1795313613.25", "1795313613500", "1795313613750000", "1795313614000000000", "\"1795313615\"", "\"soon\"", "null", "1e9",
        ]
        let lines = times.map { #"{"method":"GET","uri":"/","status":200,"ts":\#($0)}"# + "\n" }.joined()
        #expect(try directory.requests(in: lines).requests.map(\.time) == [0, 250, 500, 750, 1_000, 2_000, nil, nil, nil])
    }

    @Test func aJSONLineAndALineOfTheCommonFormatHaveTheSameKey() throws {
        let json = try directory.requests(in: #"{"method":"GET","target":"/ü \"x\"","status":200}"#).requests
        let text = try directory.requests(in: "1.2.3.4 - - [22/Nov/2026:02:13:31 +0000] \"GET /ü HTTP/1.1\" 200 1\n").requests
        #expect(json.first?.group != text.first?.group)
        let plain = try directory.requests(in: #"{"method":"GET","target":"/\u00fc","status":200}"#).requests
        #expect(plain.first?.key == text.first?.key)
    }

    @Test(arguments: [
        "{", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,", "{\"a\":1]", "{\"a\":\"x", "{\"a\":{}", "{\"a\":[1}", "{1:2}", "{\"a\":1}x", "{\"a\" 1}",
        "{\"a\":,}", "x", "[]",
        "{\"a\":\"\\\"}",
    ])
    func aMalformedLineIsNamed(text: String) throws {
        let error = try directory.error(in: "{\"method\":\"GET\",\"uri\":\"/\",\"status\":200}\n\n\(text)\n")
        #expect(error.code == .malformedLine)
        #expect(error.line == 3)
        #expect(error.message.contains("JSON object"))
    }

    @Test(arguments: [
        (#"a\"b\\c\/d"#, "a\"b\\c/d"), (#"\b\f\n\r\t"#, "\u{8}\u{c}\n\r\t"), (#"\u00e4\u20ac"#, "ä€"), (#"\ud83d\ude00"#, "😀"),
        (#"\ud83dx"#, "\u{FFFD}x"), (#"\ude00"#, "\u{FFFD}"),
        (#"\ud83d\u0041"#, "\u{FFFD}A"), (#"\u12"#, "\u{FFFD}12"), (#"\q"#, "\u{FFFD}"), (#"\x41"#, "A"), (#"\xg"#, "xg"), (#"\u"#, "\u{FFFD}"),
    ])
    func escapesAreUndone(text: String, expected: String) {
        let bytes = Array(text.utf8)
        #expect(String(decoding: JSONLine.unescaped(bytes.span, 0..<bytes.count), as: UTF8.self) == expected)
    }
}
