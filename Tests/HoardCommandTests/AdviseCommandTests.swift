// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardProxy
import HoardSimulator
import HoardTestingServer
import Testing

@testable import HoardCommand

@Suite("hoard advise", .timeLimit(.minutes(5)))
struct AdviseCommandTests {
    let directory: TemporaryDirectory
    let log: String

    /// A log of a server, in which a parameter makes ten objects of each page, and pages have sizes of their own.
    init() throws {
        directory = try TemporaryDirectory()
        log = directory.path("access.log")
        var lines = ""
        for number in 0..<4_000 {
            let (page, source) = (number * 7 % 100, number / 100 % 10)
            lines += """
                192.0.2.\(number % 200) - - [22/Nov/2026:02:\(number / 60 % 60 / 10)\(number / 60 % 10):\(number % 60 / 10)\(number % 10) +0000] \
                "GET /pages/\(page)?utm_source=s\(source) HTTP/1.1" 200 \(2_000 + page * 37) "-" "agent"

                """
        }
        try Data(lines.utf8).write(to: URL(fileURLWithPath: log))
    }

    private func run(_ arguments: String...) async throws -> HoardProcess.Result {
        try await HoardProcess(["advise"] + arguments).result()
    }

    @Test func anAdviceHasItsFiguresItsSettingsAndTheLinesThatProveIt() async throws {
        let result = try await run(log, "--capacity", "1MiB")
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.text.contains("4000 requests for 1000 objects of 3.7 MiB in all"))
        #expect(result.text.contains("1. Ignore the parameter utm_* of queries below /pages/. (certain)"))
        #expect(result.text.contains("900 objects differed from others in nothing else, and 900 of them had the same size."))
        #expect(result.text.contains("  - path: /pages/\n    ignore-query: [\"utm_*\"]\n"))
        #expect(result.text.contains("cannot be judged"))
    }

    @Test func theLinesGiveTheSameRatios() async throws {
        let result = try await run(log, "--capacity", "1MiB", "--json")
        let document = try JSONDecoder().decode(AdviceDocument.self, from: Data(result.text.utf8))
        let advice = try #require(document.advice.first)
        for (command, ratio) in [(advice.commandBefore, advice.hitRatioBefore), (advice.commandAfter, advice.hitRatioAfter)] {
            let words = try #require(command).split(separator: " ").map { String($0).replacing("'", with: "") }
            #expect(words.prefix(2) == ["hoard", "simulate"])
            let simulated = try await HoardProcess(Array(words.dropFirst()) + ["--json"]).result()
            let fields = try #require(JSONSerialization.jsonObject(with: Data(simulated.text.utf8)) as? [String: Any])
            #expect(fields["hitRatio"] as? Double == ratio, "\(command ?? "")")
        }
        #expect(try #require(advice.hitRatioAfter) > (try #require(advice.hitRatioBefore)))
    }

    @Test func theSettingsAreThoseOfTheProxy() async throws {
        let result = try await run(log, "--capacity", "64KiB", "--json")
        let document = try JSONDecoder().decode(AdviceDocument.self, from: Data(result.text.utf8))
        #expect(document.settings.contains("memory:") && document.settings.contains("ignore-query:"), "\(document.settings)")
        let file = directory.path("hoard.yaml")
        try Data("origin: http://127.0.0.1:3000\n\(document.settings)".utf8).write(to: URL(fileURLWithPath: file))
        let checked = try await HoardProcess(["proxy", "--config", file, "--print-config"]).result()
        #expect(checked.status == 0, "\(checked.errors)")
        #expect(checked.text.contains("utm_*"))
    }

    @Test func standardInputIsReadAndNothingIsLeftOfIt() async throws {
        let temporary = directory.path("temporary")
        try FileManager.default.createDirectory(atPath: temporary, withIntermediateDirectories: true)
        let process = try HoardProcess(
            ["advise", "-", "--capacity", "1MiB"],
            environment: ["TMPDIR": temporary, "LOG": log],
            through: ["/bin/sh", "-c", #"gzip -c "$LOG" | "$0" "$@""#]
        )
        let result = await process.result()
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.text.contains("hoard simulate - --capacity 1MiB --policy hoard --ignore-query 'utm_*'"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: temporary).isEmpty)
    }

    #if os(Linux)
        @Test func nothingWouldBeLeftOfStandardInputIfTheCommandWereKilled() async throws {
            let temporary = directory.path("temporary")
            try FileManager.default.createDirectory(atPath: temporary, withIntermediateDirectories: true)
            let list = directory.path("list")
            // The log is longer than what a pipe holds, so that the files are listed when part of it has been read.
            let process = try HoardProcess(
                ["advise", "-", "--capacity", "1MiB"],
                environment: ["TMPDIR": temporary, "LOG": log, "LIST": list],
                through: ["/bin/sh", "-c", #"{ cat "$LOG"; ls -A "$TMPDIR" >"$LIST"; } | "$0" "$@""#]
            )
            let result = await process.result()
            #expect(result.status == 0, "\(result.errors)")
            #expect(result.text.contains("4000 requests for 1000 objects"))
            #expect(try String(contentsOfFile: list, encoding: .utf8).isEmpty)
        }
    #endif

    @Test func aPipeIsReadAsOftenAsAFile() async throws {
        let process = try HoardProcess(
            ["advise", "--capacity", "1MiB"],
            environment: ["LOG": log],
            through: ["/bin/bash", "--norc", "-c", #""$0" "$@" <(cat "$LOG")"#]
        )
        let result = await process.result()
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.text.contains("1. Ignore the parameter utm_* of queries below /pages/. (certain)"))
    }

    @Test func whatCannotBeReadIsTold() async throws {
        let missing = try await run(directory.path("none.log"))
        #expect(missing.status == 1)
        #expect(missing.errors.contains("none.log"))
        let empty = try await HoardProcess(["advise", "-"], through: ["/bin/sh", "-c", #""$0" "$@" </dev/null"#]).result()
        #expect(empty.status == 1)
        #expect(empty.errors.contains("standard input"))
    }

    @Test(arguments: ["http://127.0.0.1:1/path", "http://"])
    func anAdminAddressHasNoPath(url: String) async throws {
        let result = try await run(url)
        #expect(result.status == 64)
        #expect(result.errors.contains("admin address"))
    }

    @Test(arguments: [
        #"{"capacity":1,"hitRatio":0.5,"requests":2,"hits":-9223372036854775808},{"capacity":2,"hitRatio":0.5,"requests":2,"hits":1}"#,
        #"{"capacity":-9223372036854775808,"hitRatio":0.5,"requests":2,"hits":1},{"capacity":9223372036854775807,"hitRatio":0.5,"requests":2,"hits":1}"#,
        #"{"capacity":1,"hitRatio":0.5,"requests":-9223372036854775808,"hits":1}"#,
        #"{"capacity":1e300,"hitRatio":0.5,"requests":2,"hits":1}"#,
    ])
    func figuresThatAreNoCountsAreNoAdvice(sizes: String) async throws {
        let origin = try await FakeOrigin.start { _, _ in
            .init(#"{"sizes":[\#(sizes)],"advice":[],"notJudged":[],"settings":""}"#)
        }
        let result = try await run(origin.url)
        #expect(result.status == 1 && result.errors.contains("answers with something else than advice"), "\(result.errors)")
        await origin.stop()
    }

    @Test func sizesWithGreatFiguresAreShown() async throws {
        let sizes =
            #"{"capacity":0,"hitRatio":0,"requests":9223372036854775807,"hits":0},"#
            + #"{"capacity":9223372036854775807,"hitRatio":1e300,"requests":9223372036854775807,"hits":9223372036854775807}"#
        let origin = try await FakeOrigin.start { _, _ in .init(#"{"sizes":[\#(sizes)],"advice":[],"notJudged":[],"settings":""}"#) }
        let result = try await run(origin.url)
        #expect(result.status == 0 && result.text.contains("9223372036854775807"), "\(result.errors)")
        await origin.stop()
    }

    @Test func aProxyThatIsNotThereIsTold() async throws {
        let result = try await run("http://127.0.0.1:1")
        #expect(result.status == 1)
        #expect(result.errors.contains("cannot be asked"))
    }
}
