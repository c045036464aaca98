// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Testing

@testable import HoardHummingbird

@Suite
struct CacheTargetTests {
    private func target(
        _ path: String?,
        host: String? = "example.com",
        fields: HTTPFields = [:],
        scheme: HTTPCacheScheme = .ofRequest,
        authority: HTTPCacheAuthority = .ofRequest
    ) -> CacheTarget? {
        CacheTarget(HTTPRequest(method: .get, scheme: "http", authority: host, path: path, headerFields: fields), scheme, authority)
    }

    private func uri(_ target: CacheTarget?) -> String? {
        target.map { "\($0.request.scheme ?? "-")://\($0.request.authority ?? "-")\($0.request.path ?? "-")" }
    }

    @Test(arguments: [
        ("/", "http://example.com/", true), ("/a?b", "http://example.com/a?b", true), ("/a?", "http://example.com/a?", true),
        ("/a/../b", "http://example.com/b", false), ("/%7Ea", "http://example.com/~a", false), ("/%c3%a9", "http://example.com/%C3%A9", false),
        ("/%C3%A9", "http://example.com/%C3%A9", true), ("/a?%7e", "http://example.com/a?~", true), ("/é", "http://example.com/%C3%A9", false),
        ("/a#b", "http://example.com/a", false), ("//a", "http://example.com//a", true),
        ("http://other.org/a?b", "http://other.org/a?b", true), ("https://other.org:443/a", "https://other.org/a", true),
    ])
    func uriIsNormalAndTheRoutedPathIsExactOrNot(path: String, uri: String, isExact: Bool) {
        let target = target(path)
        #expect(self.uri(target) == uri)
        #expect(target?.isExact == isExact)
    }

    @Test(arguments: [nil, "*", "", "a/b", "example.com:80", "http://", "http://u@example.com/", "ftp://example.com/"])
    func targetsWithoutURIAreNone(path: String?) {
        #expect(target(path) == nil)
    }

    @Test(arguments: [nil, "", "a b", "user@example.com", "example.com/x", "example.com:99999"])
    func authoritiesThatAreNoneAreNotTakenFromTheRequest(host: String?) {
        #expect(target("/", host: host) == nil)
    }

    @Test
    func canonicalAuthorityStandsForWhateverTheClientWrites() throws {
        let canonical = try HTTPCacheAuthority.canonical("Example.com:8080")
        for host in ["a", "b:1", nil] { #expect(uri(target("/x", host: host, authority: canonical)) == "http://example.com:8080/x") }
        #expect(uri(target("http://evil.example/x", authority: canonical)) == "http://example.com:8080/x")
    }

    @Test
    func authoritiesThatAreNotKnownHaveNoTarget() throws {
        let known = try HTTPCacheAuthority.oneOf(["a.example", "B.example:81"])
        #expect(uri(target("/", host: "A.EXAMPLE:80", authority: known)) == "http://a.example/")
        #expect(uri(target("/", host: "b.example:81", authority: known)) == "http://b.example:81/")
        for host in ["b.example", "a.example:81", "c.example", nil] { #expect(target("/", host: host, authority: known) == nil) }
    }

    @Test
    func knownAuthoritiesMayNameTheDefaultPortOfEitherScheme() throws {
        let known = try HTTPCacheAuthority.oneOf(["a.example:443", "b.example:80"])
        for host in ["a.example", "a.example:443"] {
            #expect(uri(target("/", host: host, scheme: .https, authority: known)) == "https://a.example/")
        }
        #expect(uri(target("/", host: "b.example", authority: known)) == "http://b.example/")
        #expect(target("/", host: "a.example:81", authority: known) == nil)
    }

    @Test(arguments: ["", "a b", "a/b", "http://a", "a:b", "user@a"])
    func authorityThatIsNoneIsSaid(text: String) {
        #expect(throws: HTTPCacheOptionError.self) { try HTTPCacheAuthority.canonical(text) }
        #expect {
            try HTTPCacheAuthority.oneOf(["a", text])
        } throws: { error in
            (error as? HTTPCacheOptionError)?.code == .invalidAuthority && "\(error)".contains(text)
        }
    }

    @Test
    func schemeIsThatOfTheRequestOfTheOptionOrOfTheProxyInFront() throws {
        let name = try #require(HTTPField.Name("X-Forwarded-Proto"))
        func scheme(_ scheme: HTTPCacheScheme, _ said: String? = nil) -> String? {
            var fields = HTTPFields()
            fields[name] = said
            return target("/", fields: fields, scheme: scheme)?.request.scheme
        }
        #expect(scheme(.ofRequest, "https") == "http" && scheme(.https) == "https" && scheme(.http, "https") == "http")
        #expect(scheme(.forwarded) == "http" && scheme(.forwarded, "HTTPS") == "https")
        for text in ["ftp", "https, http", ""] { #expect(scheme(.forwarded, text) == "http") }
    }

    @Test
    func uriOfAPathIsAtTheSiteOfTheRequest() throws {
        let head = HTTPRequest(method: .post, scheme: "http", authority: "Example.com", path: "/purge?x")
        let site = try HTTPCacheAuthority.canonical("site")
        let others = try HTTPCacheAuthority.oneOf(["site"])
        #expect(CacheTarget.uri(ofPath: "/a?b", like: head, .https, .ofRequest) == "https://example.com/a?b")
        #expect(CacheTarget.uri(ofPath: "/a", like: head, .ofRequest, site) == "http://site/a")
        #expect(CacheTarget.uri(ofPath: "a", like: head, .https, .ofRequest) == nil)
        #expect(CacheTarget.uri(ofPath: "http://other/a", like: head, .https, .ofRequest) == nil)
        #expect(CacheTarget.uri(ofPath: "/a", like: head, .https, others) == nil)
    }
}
