// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HoardProxy

/// Sitemaps, and what results say.
@Suite struct WarmingTests {
    @Test(arguments: [
        ("<urlset><url><loc>http://a/</loc></url></urlset>", false, ["http://a/"]),
        (
            "<urlset><!-- <loc>http://no/</loc> --><loc>\n http://a/?b&amp;c=&#x41;&#66;&quot;&nope;&\n</loc></urlset>", false,
            ["http://a/?b&c=AB\"&nope;&"]
        ),
        ("<urlset><loc><![CDATA[http://a/?b&c]]></loc><image:loc>http://image/</image:loc><loc></loc></urlset>", false, ["http://a/?b&c"]),
        ("<sitemapindex><sitemap><loc>http://a/1.xml</loc></sitemap><sitemap><loc>http://a/2.xml</loc>", true, ["http://a/1.xml", "http://a/2.xml"]),
        ("<urlset><loc>http://a/", false, []), ("<urlset><!-- <loc>http://a/</loc>", false, []), ("", false, []),
        ("http://a/\r\n\r\n# no\r\n  http://b/ 2026-01-01\n", false, ["http://a/", "http://b/"]),
    ])
    func sitemapsAreRead(text: String, isIndex: Bool, urls: [String]) {
        let sitemap = Sitemap(text)
        #expect(sitemap.isIndex == isIndex && sitemap.urls == urls)
    }

    @Test(arguments: [
        (200, "hoard; hit; ttl=5" as String?, WarmReport.Outcome.hit), (200, "hoard; fwd=uri-miss; stored", .stored),
        (200, "hoard; fwd=uri-miss", .notStored),
        (200, String?.none, .notStored), (301, "a; hit, \"b, c; hit\"; fwd=miss; detail=\"x;\\\"stored\"; stored", .stored),
        (404, "hoard; hit", .failed("status 404")),
    ])
    func outcomeIsWhatTheNearestCacheSays(status: Int, cacheStatus: String?, outcome: WarmReport.Outcome) {
        #expect(WarmReport.Outcome(status: status, cacheStatus: cacheStatus) == outcome)
    }
}
