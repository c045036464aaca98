// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardHTTP
import HoardSimulator
import Testing

@testable import HoardProxy

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The script reads JSON by paths such as `bytes.saved`; each must be something that the proxy sends.
struct DashboardFieldsTests {
    /// Statistics with every part that may be absent.
    private static let statistics = #"""
        {
            "time": 1, "uptimeSeconds": 1, "version": "1", "requests": {"total": 1, "byOutcome": {}, "byStatus": {}, "refused": 1},
            "bytes": {"served": 1, "fromOrigin": 1, "saved": 1},
            "latency": {"memory": PERCENTILES, "store": PERCENTILES, "origin": PERCENTILES, "none": PERCENTILES},
            "memory": {"bytes": 1, "limit": 1, "entries": 1}, "disk": {"bytes": 1, "limit": 1, "entries": 1},
            "shared": {"name": "redis", "state": "sound", "space": {"bytes": 1, "limit": 1, "entries": 1}, "hits": 1, "misses": 1, "failures": 1,
                "pendingInvalidations": 1},
            "process": {"residentBytes": 1, "openFiles": 1},
            "evictions": {"memory": CAUSES, "disk": CAUSES}, "connections": {"open": 1, "limit": 1, "accepted": 1, "webSockets": {"open": 1, "opened": 1}},
            "origins": [{"name": "a", "servers": [{"url": "a", "state": "healthy", "requests": 1, "failures": 1, "inProgress": 1, "connections": 1,
                "meanResponseMilliseconds": 1}]}],
            "history": [POINT], "longHistory": [POINT], "hottest": [{"uri": "a", "requests": 1, "bytes": 1}], "largest": [{"uri": "a", "bytes": 1}],
            "accessLog": {"written": 1, "dropped": 1, "lost": 1}, "traces": {"sent": 1, "dropped": 1, "failed": 1},
            "warmUp": {"isRunning": true, "total": 1, "urls": 1, "stored": 1, "failed": 1},
            "sites": [{"name": "a", "requests": 1, "hits": 1, "errors": 1, "bytesServed": 1, "bytesSaved": 1}],
            "recording": {"written": 1, "lost": 1, "bytes": 1, "failure": "a"},
            "shadows": {"sampledShare": 1, "requests": 1, "hits": 1, "otherHits": 1, "lost": 1, "caches": [{"policy": "lru", "bytes": 1, "hits": 1}]},
            "missRatioCurve": {"sampleRate": 1, "sampledRequests": 1, "points": [{"bytes": 1, "missRatio": 1}], "currentBytes": 1, "currentMissRatio": 1}
        }
        """#
        .replacing("PERCENTILES", with: #"{"count": 1, "p50": 1, "p90": 1, "p99": 1, "p999": 1, "max": 1}"#)
        .replacing("CAUSES", with: #"{"capacity": 1, "expired": 1, "removed": 1, "replaced": 1}"#)
        .replacing(
            "POINT",
            with: #"{"time": 1, "seconds": 1, "requests": 1, "hits": 1, "bytes": 1, "bytesFromOrigin": 1, "p50": 1, "p99": 1, "errors": 1}"#
        )

    /// Fields of the answers of `api/entries`, `api/explain` and `api/purge`.
    private static let answers: Set<String> = [
        "entries", "next", "uri", "variant", "status", "bytes", "storedAt", "freshUntil", "isFresh", "tiers", "tags", "lines", "stored", "removed",
        "error",
    ]

    /// The names of the fields that the type has: those that are left when the statistics above have been read and written again.
    private var fields: Set<String> {
        get throws {
            let snapshot = try JSONDecoder().decode(ProxyStatistics.Snapshot.self, from: Data(Self.statistics.utf8))
            let written = String(decoding: try JSONEncoder().encode(snapshot), as: UTF8.self)
            return try Set(matches(#""([a-zA-Z0-9]+)":"#, in: written))
        }
    }

    private func matches(_ pattern: String, in text: String) throws -> [String] {
        text.matches(of: try Regex(pattern)).compactMap { $0.output[1].substring.map(String.init) }
    }

    /// Checks the names in the paths of a script, and says how many paths there are.
    private func check(_ script: String, against fields: Set<String>) throws -> Int {
        let paths = try matches(#"\bat\([a-zA-Z.]+, ["`]([^"`]+)["`]"#, in: script)
        for path in paths {
            // Names that are put into a path are checked below, and a name that begins with a
            // digit is a class of statuses.
            let names = try path.replacing(Regex(#"\$\{[^}]*\}"#), with: "").split(separator: ".").map(String.init)
            for name in names where name.first?.isNumber == false {
                #expect(fields.contains(name), "\(path)")
            }
        }
        return paths.count
    }

    @Test func everyStatisticReadIsSent() throws {
        let fields = try fields
        let scripts = [DashboardPage.basicScript, DashboardPage.panelScript, DashboardPage.curveScript, DashboardPage.liveScript]
        let count = try scripts.reduce(0) { try $0 + check($1, against: fields) }
        #expect(count > 40)
    }

    @Test func everyFieldOfAnAnswerReadIsSent() throws {
        #expect(try check(DashboardPage.entryScript, against: Self.answers) > 10)
    }

    @Test func everyFieldOfAdviceReadIsSent() throws {
        let points = [(bytes: 1 << 20, missRatio: 0.9), (bytes: 1 << 30, missRatio: 0.1)]
        let advice = try #require(ContentsAdvice.sizeAdvice(points: points, currentBytes: 1 << 20, requests: 10_000))
        let written = String(decoding: try JSONEncoder().encode(AdviceDocument([advice], notJudged: [])), as: UTF8.self)
        let fields = try Set(matches(#""([a-zA-Z0-9]+)":"#, in: written))
        #expect(try check(DashboardPage.adviceScript, against: fields) > 6)
    }

    @Test func everyOutcomeHasARow() {
        for outcome in AnswerReport.Outcome.allCases {
            #expect(DashboardPage.panelScript.contains("{ key: \"\(outcome)\", name: "), "\(outcome)")
        }
    }

    @Test func everyTierHasARow() {
        for tier in AnswerReport.Tier.allCases {
            #expect(DashboardPage.panelScript.contains("{ key: \"\(tier)\", name: "), "\(tier)")
        }
    }

    @Test func everyFieldPutIntoAPathIsSent() throws {
        let keys = try matches(#"(?:key: |\[)"((?!as[A-Z])[a-z][a-zA-Z0-9]*)", (?:name: )?""#, in: DashboardPage.panelScript)
        #expect(keys.count > 15)
        let outcomes = Set(AnswerReport.Outcome.allCases.map { "\($0)" })
        #expect(try Set(keys).subtracting(fields).subtracting(outcomes) == [])
    }
}
