// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardHTTP
import HoardHTTPTestSupport
import Testing

@Suite struct TargetURITests {
    private func uri(_ scheme: String?, _ authority: String?, _ path: String?) -> String? {
        TargetURI(HTTPRequest(method: .get, scheme: scheme, authority: authority, path: path))?.description
    }

    @Test(
        arguments: [
            ("/", "/"), ("", "/"), (nil, "/"), ("/a", "/a"), ("/a?b", "/a?b"), ("/a?", "/a?"), ("?b", "/?b"), ("/a#b", "/a"), ("/a?b#c?d", "/a?b"),
            ("/A", "/A"), ("/a/", "/a/"),
            ("/a/./b", "/a/b"), ("/a/../b", "/b"), ("/a/%2e%2E/b", "/b"), ("/\u{E9}/%2e%2e/b", "/b"),
            ("/%7Ea", "/~a"), ("/%7ea", "/~a"), ("/%41%5a%30%2D%5f", "/AZ0-_"),
            ("/%c3%a9", "/%C3%A9"),
            ("/%2f", "/%2F"), ("/%3F", "/%3F"), ("/%", "/%"), ("/%2", "/%2"), ("/%zz", "/%zz"), ("/%2%65", "/%2%65"), ("/%%41", "/%%41"),
            ("/%2%34%65", "/%2%34e"), ("/%a%2e", "/%a%2E"), ("//a//b", "//a//b"),
            ("/a?%7e/../x", "/a?~/../x"), ("/a?%41=%2d%2e", "/a?A=-."), ("/a?b=%26%3d%2f%3f", "/a?b=%26%3D%2F%3F"), ("/a?%c3%a9", "/a?%C3%A9"),
            ("/a?%", "/a?%"), ("/a?%2%65", "/a?%2%65"), ("/a?a+b%20c", "/a?a+b%20c"), ("/./a", "/a"), ("/.", "/"), ("/..", "/"), ("/a/..", "/"),
            ("/...", "/..."),
            ("/a/.b", "/a/.b"),
            ("/\u{E9}", "/%C3%A9"), ("/a b", "/a%20b"), ("/a?\u{E9} b", "/a?%C3%A9%20b"), ("/a;b=c,d@:e", "/a;b=c,d@:e"), ("/a%20b", "/a%20b"),
        ] as [(String?, String)] as [(String?, String)]
    )
    func normalizesThePath(path: String?, expected: String) {
        #expect(uri("http", "example.com", path) == "http://example.com\(expected)")
    }

    @Test(
        arguments: [
            ("http", "EXAMPLE.com", "http://example.com/"), ("HTTP", "example.com:80", "http://example.com/"),
            ("http", "example.com:", "http://example.com/"),
            ("http", "example.com:0080", "http://example.com/"), ("https", "example.com:443", "https://example.com/"),
            ("https", "example.com:80", "https://example.com:80/"),
            ("http", "example.com:443", "http://example.com:443/"), ("http", "127.0.0.1:8080", "http://127.0.0.1:8080/"),
            ("http", "[::1]", "http://[::1]/"),
            ("http", "[2001:DB8::1]:80", "http://[2001:db8::1]/"), ("http", "[::1]:8080", "http://[::1]:8080/"),
            ("http", "a:65535", "http://a:65535/"), ("http", "a:0", "http://a:0/"),
        ] as [(String, String, String)]
    )
    func normalizesTheOrigin(scheme: String, authority: String, expected: String) {
        #expect(uri(scheme, authority, "/") == expected)
    }

    @Test(
        arguments: [
            ("http", ""), ("http", ":80"), ("http", "user@example.com"), ("http", "a/b"), ("http", "a?b"), ("http", "a#b"), ("http", "a\\b"),
            ("http", "a b"), ("http", "a:b"),
            ("http", "a:-1"), ("http", "a:65536"), ("http", "a:99999999999999999999"), ("http", "a:1:2"), ("http", "[::1"), ("http", "::1]"),
            ("http", "[]"), ("http", "[[::1]]"),
            ("http", "[::1]x"), ("http", "x[::1]"), ("http", "b\u{FC}cher.example"), ("ftp", "a"), ("", "a"), ("javascript", "a"),
        ] as [(String, String)]
    )
    func refusesOriginsThatAreNone(scheme: String, authority: String) {
        #expect(uri(scheme, authority, "/") == nil)
    }

    @Test func refusesRequestsWithoutATarget() {
        #expect(uri(nil, "a", "/") == nil)
        #expect(uri("http", nil, "/") == nil)
        #expect(uri("http", "a", "*") == nil)
        #expect(uri("http", "a", "a/b") == nil)
        #expect(uri("http", "a", "http://a/") == nil)
    }

    @Test func comparesOrigins() throws {
        let base = try #require(TargetURI(URIReference("http://example.com/a")))
        for same in ["http://EXAMPLE.com:80/b?c", "http://example.com"] {
            #expect(try #require(TargetURI(URIReference(same))).hasSameOrigin(as: base))
        }
        for other in ["https://example.com/a", "http://example.com:8080/a", "http://www.example.com/a", "http://example.com./a"] {
            #expect(try #require(TargetURI(URIReference(other))).hasSameOrigin(as: base) == false)
        }
    }

    @Test func resolvesReferences() throws {
        let base = try #require(TargetURI(URIReference("http://example.com:8080/a/b?c")))
        #expect(base.resolving("d")?.description == "http://example.com:8080/a/d")
        #expect(base.resolving("//other/d")?.description == "http://other/d")
        #expect(base.resolving("")?.description == "http://example.com:8080/a/b?c")
        #expect(base.resolving("mailto:a@b") == nil)
        #expect(base.resolving("http:d") == nil)
        #expect(base.resolving("http://u@example.com:8080/") == nil)
    }

    @Test func isUnchangedByNormalizingAgain() {
        var generator = TestGenerator()
        for _ in 0..<5_000 {
            let text = "/" + String(decoding: generator.bytes(upTo: 30, alphabet: "aZ/.%24e56?;=~"), as: UTF8.self)
            guard let uri = TargetURI(HTTPRequest(method: .get, scheme: "http", authority: "a", path: text)) else {
                Issue.record("\(text) has no target; seed \(generator.seed)")
                continue
            }
            let normalized = uri.description
            #expect(normalized.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "seed \(generator.seed)")
            #expect(uri.path.hasPrefix("/"), "seed \(generator.seed)")
            #expect(TargetURI(URIReference(normalized)) == uri, "seed \(generator.seed)")
        }
    }
}
