// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hoard
import HoardHTTP
import HoardTesting
import Synchronization
import Testing

@testable import HoardProxy

/// Sitemaps, and the texts of results.
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
        ("<urlset a='>'><loc\n>http://a/</loc ><loc id=\"1\">http://b/</loc><loc/></urlset>", false, ["http://a/", "http://b/"]),
        (
            "\u{FEFF}<?xml version=\"1.0\"?>\n<!DOCTYPE x>\n<sm:urlset xmlns:sm='x'><sm:url><sm:loc>http://a/</sm:loc><loc>http://no/</loc></sm:url>",
            false, ["http://a/"]
        ),
        ("<urlset><loc><![CDATA[ http://a/?b&c ]]></loc><loc>http://<!-- no -->b/</loc></urlset>", false, ["http://a/?b&c", "http://b/"]),
        ("<urlset><loc>\u{E9}http://a/\u{1F469}</loc></urlset>", false, ["\u{E9}http://a/\u{1F469}"]),
        ("<urlset/>", false, []), ("\u{FEFF}http://a/", false, ["http://a/"]), (" \n\t", false, []),
        ("http://a/\r\n\r\n# no\r\n  http://b/ 2026-01-01\n", false, ["http://a/", "http://b/"]),
    ])
    func sitemapsAreRead(text: String, isIndex: Bool, urls: [String]) {
        let sitemap = Sitemap(text)
        #expect(sitemap?.isIndex == isIndex && sitemap?.urls == urls)
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

    @Test(arguments: ["<html><body><loc>http://a/</loc></body></html>", "<", "<!-- urlset", "<?xml?>", "<![CDATA[<urlset>]]>", "<urls></urls>"])
    func pageIsNoSitemap(text: String) {
        #expect(Sitemap(text) == nil)
    }

    @Test(.timeLimit(.minutes(1))) func anyNumberOfRequestsMayBeAskedForAtATime() async throws {
        let warming = Warming(ticker: ManualTicker()) { _ in .init(head: HTTPResponse(status: .ok), body: .empty, outcome: .stored) }
        let visited = Mutex<[String]?>(nil)
        // In a task of its own: a loop over so many would not hear of the time limit.
        startTask {
            var urls: [String] = []
            await warming.visit(["http://a/1", "http://a/2"], concurrency: .max, rate: nil) { urls.append($0.url) }
            visited.withLock { [urls] in $0 = urls }
        }
        try await waitUntil { visited.withLock { $0 != nil } }
        #expect(visited.withLock { $0?.sorted() } == ["http://a/1", "http://a/2"])
    }

    /// A sitemap that is cut anywhere, or has any byte changed, is read without harm, and
    /// gives no URL that is not in it.
    @Test func brokenSitemapsDoNoHarm() {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        let whole = Array(
            "<?xml version='1.0'?><!-- <loc>x</loc> --><s:urlset xmlns:s='x'><s:loc>http://a/?b&amp;c&#65;</s:loc><s:loc><![CDATA[http://d/]]></s:loc></s:urlset>"
                .utf8
        )
        for _ in 0..<20_000 {
            var bytes = whole
            for _ in 0..<Int.random(in: 0...3, using: &generator) {
                bytes[Int.random(in: bytes.indices, using: &generator)] = "<>&;![]-/:' \n#x".utf8.randomElement(using: &generator) ?? 0
            }
            if Bool.random(using: &generator) { bytes.removeLast(Int.random(in: bytes.indices, using: &generator)) }
            let text = String(decoding: bytes, as: UTF8.self)
            for url in Sitemap(text)?.urls ?? [] { #expect(url.utf8.count <= bytes.count && !url.isEmpty, "seed \(seed): \(text)") }
        }
    }
}
