// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardHTTP
import HoardHTTPTestSupport
import Testing

@Suite struct URIReferenceTests {
    @Test(
        arguments: [
            ("http://a/b?c", "http", "a", "/b", "c"), ("//a/b", nil, "a", "/b", nil), ("/b?c=d?e", nil, nil, "/b", "c=d?e"), ("?", nil, nil, "", ""),
            ("", nil, nil, "", nil),
            ("b:c", "b", nil, "c", nil), ("1b:c", nil, nil, "1b:c", nil), ("b/c:d", nil, nil, "b/c:d", nil), ("http://a", "http", "a", "", nil),
            ("http://a?b", "http", "a", "", "b"),
            ("http:///b", "http", "", "/b", nil), ("a#b?c", nil, nil, "a", nil), (":a", nil, nil, ":a", nil), ("a?b:c", nil, nil, "a", "b:c"),
            ("ht+tp-1.0:x", "ht+tp-1.0", nil, "x", nil),
        ] as [(String, String?, String?, String, String?)] as [(String, String?, String?, String, String?)]
    )
    func takesTextsApart(text: String, scheme: String?, authority: String?, path: String, query: String?) {
        #expect(URIReference(text) == URIReference(scheme: scheme, authority: authority, path: path, query: query))
    }

    /// The examples of RFC 3986 §5.4, without their fragments.
    @Test(
        arguments: [
            ("g:h", "g:h"), ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"), ("/g", "http://a/g"), ("//g", "http://g"),
            ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"), ("#s", "http://a/b/c/d;p?q"), ("g#s", "http://a/b/c/g"),
            ("g?y#s", "http://a/b/c/g?y"),
            (";x", "http://a/b/c/;x"), ("g;x", "http://a/b/c/g;x"), ("g;x?y#s", "http://a/b/c/g;x?y"), ("", "http://a/b/c/d;p?q"),
            (".", "http://a/b/c/"),
            ("./", "http://a/b/c/"), ("..", "http://a/b/"), ("../", "http://a/b/"), ("../g", "http://a/b/g"), ("../..", "http://a/"),
            ("../../", "http://a/"),
            ("../../g", "http://a/g"), ("../../../g", "http://a/g"), ("../../../../g", "http://a/g"), ("/./g", "http://a/g"), ("/../g", "http://a/g"),
            ("g.", "http://a/b/c/g."), (".g", "http://a/b/c/.g"), ("g..", "http://a/b/c/g.."), ("..g", "http://a/b/c/..g"),
            ("./../g", "http://a/b/g"),
            ("./g/.", "http://a/b/c/g/"), ("g/./h", "http://a/b/c/g/h"), ("g/../h", "http://a/b/c/h"), ("g;x=1/./y", "http://a/b/c/g;x=1/y"),
            ("g;x=1/../y", "http://a/b/c/y"), ("g?y/./x", "http://a/b/c/g?y/./x"), ("g?y/../x", "http://a/b/c/g?y/../x"), ("http:g", "http:g"),
        ] as [(String, String)]
    )
    func resolvesAgainstABase(reference: String, expected: String) {
        #expect(URIReference(reference).resolved(against: URIReference("http://a/b/c/d;p?q")).description == expected)
    }

    @Test func resolvesAgainstABaseWithoutPath() {
        #expect(URIReference("g").resolved(against: URIReference("http://a")).description == "http://a/g")
        #expect(URIReference("?y").resolved(against: URIReference("http://a")).description == "http://a?y")
        #expect(URIReference("g").resolved(against: URIReference("x")).description == "g")
    }

    @Test(
        arguments: [
            ("", ""), ("/", "/"), ("/a/b/c/./../../g", "/a/g"), ("mid/content=5/../6", "mid/6"), ("/..", "/"), ("/.", "/"), ("/a/..", "/"),
            ("/a/.", "/a/"), ("/a/../", "/"),
            ("..", ""), (".", ""), ("../a", "a"), ("./a", "a"), ("/a//../b", "/a/b"), ("//a", "//a"), ("/a/...", "/a/..."), ("/.a/..b", "/.a/..b"),
            ("/a/b/../..", "/"), ("a/..", "/"),
        ] as [(String, String)]
    )
    func removesDotSegments(path: String, expected: String) {
        #expect(URIReference.removingDotSegments(path) == expected)
    }

    @Test(.timeLimit(.minutes(5))) func removesDotSegmentsInTimeLinearInThePath() {
        let path = String(repeating: "/aa", count: 30_000) + String(repeating: "/..", count: 30_000)
        #expect(URIReference.removingDotSegments(path) == "/")
        #expect(URIReference.removingDotSegments(String(repeating: "../", count: 30_000) + "x") == "x")
    }

    @Test func survivesRandomText() {
        var generator = TestGenerator()
        for _ in 0..<5_000 {
            let text = String(decoding: generator.bytes(upTo: 30, alphabet: "ab:/.?#%2e@[]"), as: UTF8.self)
            let resolved = URIReference(text).resolved(against: URIReference("http://a/b/c?d"))
            #expect(resolved.scheme != nil, "seed \(generator.seed)")
            let segments = resolved.path.split(separator: "/")
            #expect(resolved.path == "/b/c" || (!segments.contains(".") && !segments.contains("..")), "seed \(generator.seed) \(text)")
        }
    }
}
