// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import HoardDisk
import Testing

@Suite("hoard inspect ls, show, stats", .timeLimit(.minutes(5)))
struct InspectListTests {
    let cache: InspectedCache

    init() throws {
        cache = try InspectedCache()
    }

    @Test(arguments: [
        (["--sort", "use"], ["d", "c", "bb", "a"]),
        (["--sort", "age"], ["d", "c", "bb", "a"]),
        (["--sort", "age", "--reverse"], ["a", "bb", "c", "d"]),
        (["--sort", "size"], ["c", "bb", "d", "a"]),
        (["--sort", "expiry"], ["d", "bb", "a", "c"]),
        (["--sort", "key"], ["a", "bb", "c", "d"]),
        (["--sort", "key", "--limit", "2"], ["a", "bb"]),
        (["--limit", "0"], []),
        (["--tag", "t"], ["d", "a"]),
        (["--tag", "T"], []),
        (["--fresh"], ["c", "a"]),
        (["--stale"], ["bb"]),
        (["--expired"], ["d"]),
        (["--type", "TEXT/"], ["bb"]),
        (["--min-size", "20", "--max-size", "1K"], ["d", "bb"]),
        (["--partition", "tenant"], ["c"]),
        (["--prefix", "b"], ["bb"]),
        (["--contains", "b"], ["bb"]),
        (["--tag", "t", "--min-size", "15"], ["d"]),
    ])
    func lsFiltersAndSorts(arguments: [String], expected: [String]) async throws {
        try await cache.fillWithFour()
        let result = await (try HoardProcess(["inspect", "ls", "--json", "--directory", cache.path] + arguments)).result()
        #expect(result.status == 0)
        let keys = try result.text.split(separator: "\n").map { line in
            (try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])?["key"] as? String
        }
        #expect(keys == expected)
    }

    @Test func lsPrintsColumnsForAPerson() async throws {
        try await cache.fillWithFour()
        let lines = try await cache.inspect("ls", "--sort", "key").text.split(separator: "\n").map(String.init)
        #expect(lines.first == "     SIZE    AGE   FRESH  KEY")
        #expect(lines.count == 5)
        #expect(lines.dropFirst().first?.hasPrefix("     10 B     6m     16m  a") == true)
        #expect(lines.last?.contains("expired  d") == true)
    }

    /// The list is longer than what a pipe holds, so that a line of it finds the pipe closed.
    @Test func lsEndsWellWhenItsReaderHasSeenEnough() async throws {
        let end = String(repeating: "x", count: 500)
        try await cache.fill { store in
            for number in 0..<400 {
                try await store.insert(Record(payload: Data(), created: .now), forKey: RecordKey("k\(number)\(end)"), mode: .behind)
            }
        }
        let result = try await HoardProcess.run(["inspect", "ls", "--directory", cache.path], redirection: "| head -c 10 >/dev/null")
        #expect(result.status == 0)
        #expect(result.errors.isEmpty, "\(result.errors)")
    }

    @Test func showFailsQuietlyWhenItsReaderHasGone() async throws {
        try await cache.fill { store in
            try await store.insert(Record(payload: Data(repeating: 98, count: 1 << 20), created: .now), forKey: "large")
        }
        let arguments = ["inspect", "show", "--raw", "large", "--directory", cache.path]
        let result = try await HoardProcess.run(arguments, redirection: "| head -c 10 >/dev/null")
        #expect(result.status == 1)
        #expect(result.errors.isEmpty, "\(result.errors)")
    }

    @Test func lsOfManyRecordsComesInPages() async throws {
        try await cache.fill { store in
            for number in 0..<1300 { try await store.insert(Record(payload: Data(), created: .now), forKey: RecordKey("k\(number)"), mode: .behind) }
        }
        let keys = try await cache.keys("--sort", "use")
        #expect(keys == (0..<1300).reversed().map { "k\($0)" })
    }

    @Test func nonsenseOnTheCommandLineIsRefused() async throws {
        try await cache.fillWithFour()
        for arguments in [["--sort", "colour"], ["--limit", "-1"], ["--fresh", "--stale"], ["--min-size", "x"]] {
            let result = await (try HoardProcess(["inspect", "ls", "--directory", cache.path] + arguments)).result()
            #expect(result.status == 64, "\(arguments)")
            #expect(result.output.isEmpty)
        }
    }

    @Test func showTellsHowARecordIsStored() async throws {
        try await cache.fillWithFour()
        let text = try await cache.inspect("show", "c").text
        #expect(text.contains("key          c\n"))
        #expect(text.contains("stored       97.7 KiB in a file\n"))
        #expect(text.contains("partition    tenant"))
        let report = try #require(try await cache.json("show", "bb").first?["record"] as? [String: Any])
        #expect(report["storedBytes"] as? Int == 1000)
        #expect(report["inFile"] as? Bool == false)
        #expect(report["compressed"] as? Bool == false)
        #expect(report["contentType"] as? String == "text/plain; charset=utf-8")
        #expect(try await cache.inspect("show", "d").text.contains("(expired)"))
    }

    @Test func showTellsHowLongARecordMayBeUsedStaleAndWhetherItIsNegative() async throws {
        try await cache.fill { store in
            var record = Record(payload: Data(), created: .now, freshUntil: .now + 600, staleUntil: .forever)
            try await store.insert(record, forKey: "plain")
            record.staleWhileRevalidate = .seconds(90)
            record.staleIfError = .seconds(3 * 3_600)
            record.loadDuration = .milliseconds(1_250)
            record.isNegative = true
            try await store.insert(record, forKey: "full")
            try await store.markRecordStale(forKey: "full", at: .now)
        }
        let text = try await cache.inspect("show", "full").text
        #expect(text.contains("(stale)\n"))
        #expect(text.contains("negative     its source has no value\n"))
        #expect(text.contains("revalidate   stale for 90s while a new value is loaded\n"))
        #expect(text.contains("if error     stale for 3h if no new value can be loaded\n"))
        #expect(text.contains("loaded in    1.25 s\n"))
        let report = try #require(try await cache.json("show", "full").first?["record"] as? [String: Any])
        #expect(report["staleIfError"] as? Double == 10_800)
        #expect(report["loadDuration"] as? Double == 1.25)
        #expect(report["negative"] as? Bool == true)
        let plain = try await cache.inspect("show", "plain").text
        for word in ["negative", "revalidate", "if error", "loaded in"] { #expect(!plain.contains(word)) }
    }

    @Test func showPrintsPayloadsAsTheyAre() async throws {
        try await cache.fillWithFour()
        let large = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 / 777) })
        try await cache.fill { store in try await store.insert(Record(payload: large, created: .now), forKey: "large") }
        #expect(try await cache.inspect("show", "--raw", "large").output == large)
        #expect(try await cache.inspect("show", "--raw", "a").text == "0123456789")
        let expired = try await cache.inspect("show", "--raw", "d")
        #expect(expired.status == 1)
        #expect(expired.output.isEmpty)
    }

    @Test func statsMeasureAllParts() async throws {
        try await cache.fillWithFour()
        let report = try #require(try await cache.json("stats").first)
        #expect(report["records"] as? Int == 4)
        #expect(report["inlinePayloads"] as? Int == 3)
        #expect(report["inlinePayloadBytes"] as? Int == 1030)
        #expect(report["filePayloads"] as? Int == 1)
        #expect(report["orphans"] as? Int == 0)
        #expect(report["tags"] as? Int == 3)
        #expect(report["format"] as? Int != nil)
        #expect((report["fileBytes"] as? Int ?? 0) > 100_000)
        let text = try await cache.inspect("stats").text
        #expect(text.contains("records    4\n"))
        #expect(text.contains("encrypted  no"))
    }

    @Test func lookingIsRightWhileAServerUsesTheDirectory() async throws {
        try await cache.fillWithFour()
        let store = try cache.open()
        _ = try await store.record(forKey: "a")
        try await store.insert(Record(payload: Data("new".utf8), created: .now), forKey: "e")
        #expect(try await cache.keys("--sort", "key") == ["a", "bb", "c", "d", "e"])
        #expect(try await cache.inspect("rm", "e").status == 0)
        #expect(try await store.record(forKey: "e") == nil)
        #expect(try await cache.inspect("verify").status == 0)
        #expect(try await cache.inspect("compact").status == 0)
        #expect(try await store.record(forKey: "c")?.payload.count == 100_000)
        #expect(try await store.statistics().corruptions == 0)
        await store.close()
    }
}
