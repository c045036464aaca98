// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardTesting
import Testing

@testable import HoardSimulator

#if canImport(FoundationXML)
    import FoundationXML
#endif

@Suite("TraceReport", .timeLimit(.minutes(5)))
struct TraceReportTests {
    private func section(_ name: String, requests: [AccessRequest]) async throws -> TraceReport.Section {
        var profile = TraceProfile(name: name)
        profile.add(requests)
        let results = try await Simulation(policies: [.hoard, .lru, .opt]).results(of: RequestSource(name: name, requests))
        var history = HitRatioHistory(capacity: 20)
        for batch in 0..<10 {
            history.add(requests: 100, hits: batch * 7, by: .hoard)
            history.add(requests: 100, hits: batch * 4, by: .lru)
        }
        return TraceReport.Section(profile: profile, results: results, history: history)
    }

    /// Requests with everything that a report can show.
    private func fullRequests(seed: UInt64) -> [AccessRequest] {
        var generator = SeededGenerator(seed: seed)
        return randomRequests(count: 4000, keyCount: 300, seed: seed).enumerated().map { place, key in
            AccessRequest(
                key: key,
                size: Int.random(in: 0...100_000, using: &generator),
                time: UInt64(place) * 40,
                lifetime: UInt64.random(in: 1000...9_000_000, using: &generator)
            )
        }
    }

    private func isWellFormed(_ text: String) -> Bool { XMLParser(data: Data(text.utf8)).parse() }

    private func occurrences(of part: String, in text: String) -> Int { text.components(separatedBy: part).count - 1 }

    @Test func aFullTraceHasAllFigures() async throws {
        let html = TraceReport([try await section("full", requests: fullRequests(seed: 1))]).html
        #expect(isWellFormed(html))
        for title in [
            "Miss ratio by capacity", "Hit ratio over time", "Reuse distance", "Time between requests", "Popularity", "Size", "Lifetime",
            "Working set",
        ] {
            #expect(occurrences(of: "<h3>\(title)</h3>", in: html) == 1, "\(title)")
        }
        #expect(html.contains(">miss ratio of bytes</text>") && html.contains(">capacity (keys)</text>"))
        #expect(!html.contains("nan") && !html.contains(#""inf"#))
    }

    @Test func eachDrawingHasATitleADescriptionAndATable() async throws {
        let html = TraceReport([try await section("one", requests: fullRequests(seed: 2)), try await section("two", requests: fullRequests(seed: 3))])
            .html
        let drawings = occurrences(of: "<svg ", in: html)
        #expect(drawings == 16)
        #expect(occurrences(of: "<desc id=", in: html) == drawings && occurrences(of: "<details>", in: html) == drawings)
        let ids = html.components(separatedBy: #" id=""#).dropFirst().compactMap { $0.split(separator: "\"").first }
        #expect(ids.count == drawings * 2 && Set(ids).count == ids.count, "each id is there once")
        #expect(html.contains("<title>2 access traces</title>"))
    }

    @Test func keysAloneHaveNoFiguresOfSizesOrLifetimes() async throws {
        let requests = randomRequests(count: 500, keyCount: 40, seed: 4).map { AccessRequest(key: $0) }
        let html = TraceReport([try await section("keys", requests: requests)]).html
        #expect(isWellFormed(html))
        #expect(!html.contains("<h3>Size") && !html.contains("<h3>Lifetime") && !html.contains("of bytes"))
        #expect(html.contains("requests since the last one"))
    }

    @Test func thePageNeedsNothingElse() async throws {
        let html = TraceReport([try await section("full", requests: fullRequests(seed: 5))]).html
        for part in ["http", "src=", "href", "url(", "@import", "<script", "<link"] { #expect(!html.contains(part), "\(part)") }
        #expect(html.contains("prefers-color-scheme: dark") && html.contains("@media print"))
    }

    @Test(arguments: [#"<script>alert("1")</script>"#, "a & b", "\u{1}\u{FFFE}\t'"])
    func namesAreEscaped(name: String) async throws {
        let html = TraceReport([try await section(name, requests: fullRequests(seed: 6))]).html
        #expect(isWellFormed(html))
        #expect(!html.contains("<script") && !html.contains("a & b"))
        #expect(html.contains(SVGDrawing.escaped(name)))
    }

    @Test func noTraceNoRequestAndOneRequestAreFine() async throws {
        #expect(isWellFormed(TraceReport([]).html))
        #expect(isWellFormed(TraceReport([TraceReport.Section(profile: TraceProfile(name: "empty"))]).html))
        #expect(isWellFormed(TraceReport([try await section("empty", requests: [])]).html))
        for request in [AccessRequest(key: 7), AccessRequest(key: 7, size: 0, time: 5, lifetime: 0), AccessRequest(key: 7, size: .max - 1)] {
            let html = TraceReport([try await section("one", requests: [request])]).html
            #expect(isWellFormed(html))
            #expect(!html.contains("nan") && !html.contains(#""inf"#))
        }
    }

    @Test func aChangeIsNotARequest() async throws {
        let html = TraceReport([try await section("changes", requests: [AccessRequest(key: 1, kind: .write)])]).html
        #expect(isWellFormed(html) && occurrences(of: "<figure>", in: html) == 0)
    }
}
