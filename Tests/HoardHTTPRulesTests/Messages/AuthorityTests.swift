// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HoardMessages

@Suite struct AuthorityTests {
    @Test(arguments: [
        "a", "example.com", "EXAMPLE.com:80", "a:0", "a:65535", "a:", "127.0.0.1:8080", "[::1]", "[::1]:443", "[2001:db8::7]", "[::ffff:192.0.2.1]",
        "a_b", "a-b.",
        "%41", "a%2Fb:1", "~!$&'()*+;=", "xn--bcher-kva.example",
    ])
    func hostsWithAndWithoutAPortAreValid(_ text: String) {
        #expect(Authority.isValid(text))
    }

    @Test(arguments: [
        "", ":80", "a b", " a", "a ", "a/b", "a?b", "a#b", "u@a", "u:p@a", "a:b", "a:65536", "a:-1", "a:+1", "a:1:2", "a:99999999999999999999",
        "[::1", "::1", "[]", "[::1]a",
        "[::1]:x", "[a]b:1", "[gg]", "[::1%25en0]", "a\\b", "a\tb", "a\0", "a\u{E9}", "%", "%4", "%zz", "a\"b", "<a>", "a\r\nb",
    ])
    func everythingElseIsNot(_ text: String) {
        #expect(!Authority.isValid(text))
    }

    @Test(
        arguments: [
            ("EXAMPLE.com:80", "example.com", 80, "example.com"), ("a", "a", nil, "a"), ("a:", "a", nil, "a"), ("a.:08", "a.", 8, "a"),
            (".", ".", nil, "."),
            ("[2001:DB8::7]:443", "[2001:db8::7]", 443, "2001:db8::7"), ("%4A%2f", "%4a%2f", nil, "%4a%2f"),
        ] as [(String, String, Int?, String)]
    )
    func hostAndPortAreReadApart(_ text: String, host: String, port: Int?, name: String) throws {
        let authority = try #require(Authority(text))
        #expect(authority.host == host)
        #expect(authority.port == port)
        #expect(authority.name == name)
    }

    @Test(arguments: ["a\"b", "[::1%25en0]", "a{b}", "u@a", "a:99999", "[v1.a]"])
    func targetsHaveTheSameGrammar(_ text: String) {
        #expect(TargetURI(scheme: "http", authority: text, path: "/", query: nil) == nil)
    }
}
