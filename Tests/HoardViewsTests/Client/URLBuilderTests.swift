// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import HoardViews

@Suite struct URLBuilderTests {
    static let rows: [(base: String?, path: String, url: String?)] = [
        ("https://example.com/api", "/home", "https://example.com/api/home"),
        ("https://example.com/api", "home", "https://example.com/api/home"),
        ("https://example.com/api/", "/home", "https://example.com/api/home"),
        ("https://example.com", "/home", "https://example.com/home"),
        ("https://example.com/api", "", "https://example.com/api"),
        ("https://example.com/api", "?page=2", "https://example.com/api?page=2"),
        ("https://example.com/api?key=1", "/home?page=2", "https://example.com/api/home?page=2"),
        ("https://example.com/api", "/home?next=http://elsewhere.com/", "https://example.com/api/home?next=http://elsewhere.com/"),
        ("https://example.com/api", "/home#part", "https://example.com/api/home"),
        ("https://example.com/api", "/a b/\u{E4}", "https://example.com/api/a%20b/%C3%A4"),
        ("https://example.com/api", "/../x", "https://example.com/x"),
        ("https://example.com/api", "../../../x", "https://example.com/x"),
        ("https://example.com/api", "https://example.com/terms", "https://example.com/terms"),
        ("https://example.com/api", "HTTPS://EXAMPLE.com:443/terms", "https://example.com/terms"),
        ("https://example.com/api", "//example.com/terms", "https://example.com/terms"),
        ("https://example.com/api", "//elsewhere.com/", nil),
        ("https://example.com/api", "https://elsewhere.com/", nil),
        ("https://example.com/api", "http://example.com/", nil),
        ("https://example.com/api", "https://example.com:8443/", nil),
        ("https://example.com/api", "https://user@example.com/", nil),
        ("https://example.com/api", "ftp://example.com/", nil),
        ("https://example.com/api", "javascript:alert(1)", nil),
        ("https://example.com/api", "file:///etc/passwd", nil),
        ("https://example.com/api", "/a\r\nX: y", "https://example.com/api/a%0D%0AX:%20y"),
        ("ftp://example.com/", "/a", nil),
        ("relative", "/a", nil),
        (nil, "/a", nil),
        (nil, "http://anywhere.com/a", "http://anywhere.com/a"),
        (nil, "mailto:a@example.com", nil),
    ]

    @Test(arguments: rows)
    func pathGivesURL(row: (base: String?, path: String, url: String?)) {
        let builder = URLBuilder(baseURL: row.base.flatMap { URL(string: $0) })
        #expect(builder.build(path: row.path)?.absoluteString == row.url)
    }

    @Test func otherHostsCanBeAllowed() {
        let builder = URLBuilder(baseURL: URL(string: "https://example.com"), allowsOtherHosts: true)
        #expect(builder.build(path: "https://elsewhere.com/a")?.absoluteString == "https://elsewhere.com/a")
        #expect(builder.build(path: "//elsewhere.com/a")?.absoluteString == "https://elsewhere.com/a")
        #expect(builder.build(path: "/a")?.absoluteString == "https://example.com/a")
        #expect(builder.build(path: "javascript:alert(1)") == nil)
    }
}
