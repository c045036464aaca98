// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardHTTP
import HoardHTTPTestSupport
import Testing

@Suite struct InvalidationTests {
    @Test(arguments: ["POST", "PUT", "DELETE", "PATCH", "M-SEARCH", "CONNECT", "get", "FOO"])
    func takesTheTargetAfterAnUnsafeRequest(method: String) {
        #expect(Invalidation.uris(after: response(200), to: request(method: method, path: "/a/../b?c")) == ["http://example.com/b?c"])
    }

    @Test(arguments: ["GET", "HEAD", "OPTIONS", "TRACE", "QUERY"])
    func takesNothingAfterASafeRequest(method: String) {
        #expect(Invalidation.uris(after: response(200, "Location: /b"), to: request(method: method)).isEmpty)
    }

    @Test(
        arguments: [(200, 1), (201, 1), (204, 1), (301, 1), (303, 1), (304, 1), (399, 1), (100, 0), (199, 0), (400, 0), (404, 0), (500, 0), (999, 0)]
            as [(Int, Int)]
    )
    func takesNothingAfterAnError(status: Int, count: Int) {
        #expect(Invalidation.uris(after: response(status), to: request(method: "POST")).count == count)
    }

    @Test(
        arguments: [
            ("b", ["http://example.com/x/a", "http://example.com/x/b"]), ("/b", ["http://example.com/x/a", "http://example.com/b"]),
            ("//example.com:80/b", ["http://example.com/x/a", "http://example.com/b"]),
            ("HTTP://EXAMPLE.COM/%7eb", ["http://example.com/x/a", "http://example.com/~b"]),
            ("?q", ["http://example.com/x/a", "http://example.com/x/a?q"]), ("", ["http://example.com/x/a"]),
            ("/x/./a#f", ["http://example.com/x/a"]),
            ("https://example.com/b", ["http://example.com/x/a"]), ("http://example.com:81/b", ["http://example.com/x/a"]),
            ("http://evil.example/b", ["http://example.com/x/a"]),
            ("//evil.example/b", ["http://example.com/x/a"]), ("http://example.com@evil.example/", ["http://example.com/x/a"]),
            ("mailto:a@example.com", ["http://example.com/x/a"]),
        ] as [(String, [String])]
    )
    func takesLocationsOfTheSameOrigin(location: String, expected: [String]) {
        for name in ["Location", "Content-Location"] {
            #expect(Invalidation.uris(after: response(201, "\(name): \(location)"), to: request(method: "PUT", path: "/x/a")) == expected)
        }
    }

    @Test func takesBothLocations() {
        let uris = Invalidation.uris(after: response(201, "Location: /l", "Content-Location: /c"), to: request(method: "POST"))
        #expect(uris == ["http://example.com/a", "http://example.com/l", "http://example.com/c"])
    }

    @Test func takesNothingWithoutATarget() {
        let aimless = HTTPRequest(method: .post, scheme: nil, authority: nil, path: "/a")
        #expect(Invalidation.uris(after: response(200), to: aimless).isEmpty)
    }

    @Test func takesNothingOfAnotherOriginWhateverTheLocation() {
        var generator = TestGenerator()
        for _ in 0..<5_000 {
            let location = String(decoding: generator.bytes(upTo: 30, alphabet: "http://example.com:@evil/?#[]\\"), as: UTF8.self)
            var answer = response(200)
            answer.headerFields.append(HTTPField(name: .location, value: location))
            for uri in Invalidation.uris(after: answer, to: request(method: "POST")) {
                #expect(uri.hasPrefix("http://example.com/"), "seed \(generator.seed)")
            }
        }
    }
}
