// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Testing

@testable import HoardCommand

func printableKey(_ text: String) -> String { printable(text) }

@Suite("hoard", .timeLimit(.minutes(5)))
struct RootCommandTests {
    @Test func theVersionIsPrintedWithTheNameAndIsThatOfTheChangelog() async throws {
        let result = try await HoardProcess.run("--version")
        #expect(result.text == "hoard \(Version.current)\n")
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let changelog = try String(contentsOf: root.appendingPathComponent("CHANGELOG.md"), encoding: .utf8)
        let newest = try #require(changelog.split(separator: "\n").first { $0.hasPrefix("## ") })
        #expect(newest.split(separator: " ")[1] == Version.current)
    }

    @Test func helpNamesEveryCommandWithAnExample() async throws {
        let help = try await HoardProcess.run("--help").text.replacingOccurrences(of: "\n", with: " ")
        for line in [
            "OVERVIEW: An HTTP cache: as a proxy in front of a server, as a client, and as a look inside.", "USAGE: hoard <subcommand>",
            "hoard proxy --origin http://localhost:3000", "  proxy ", "  warm ", "  get ", "  view ", "  inspect ", "  simulate ", "  trace ",
            "  demo ",
        ] {
            #expect(help.contains(line), "missing: \(line)")
        }
    }

    @Test(arguments: ["proxy", "warm", "get", "view", "inspect", "simulate", "trace", "demo"])
    func everyOptionOfACommandIsDescribed(command: String) async throws {
        let help = try await HoardProcess.run(command, "--help").text
        #expect(help.hasPrefix("OVERVIEW: "))
        let lines = help.split(separator: "\n")
        let column = String(repeating: " ", count: 26)
        for (line, next) in zip(lines, lines.dropFirst()) where line.hasPrefix("  -") {
            // The description follows on the line or, if the option is long, on the next one.
            #expect(line.count > 26 || next.hasPrefix(column), "no description: \(line)")
        }
    }

    @Test func anUnknownCommandIsAUsageError() async throws {
        let result = try await HoardProcess.run("prxoy")
        #expect(result.status == 64)
        #expect(result.errors.contains("Usage: hoard"))
    }

    @Test(arguments: [
        ("0", 0), ("1000", 1000), ("1k", 1024), ("64K", 65_536), ("512MiB", 512 << 20), ("10G", 10 << 30), ("1T", 1 << 40), ("5b", 5),
    ])
    func byteCountsAreReadWithTheirUnits(text: String, bytes: Int) {
        #expect(ByteCount(argument: text)?.bytes == bytes)
    }

    @Test(arguments: ["", "x", "-1", "1.5M", "1X", "99999999999999999999", "9999999999T", "1 k"])
    func otherTextsAreNoByteCounts(text: String) {
        #expect(ByteCount(argument: text) == nil)
    }

    @Test(arguments: [(0, "0 B"), (999, "999 B"), (1536, "1.5 KiB"), (64 << 20, "64 MiB"), (1 << 30, "1 GiB"), (1000, "1 KiB")])
    func byteCountsAreShownWithAUnit(bytes: Int, text: String) {
        #expect(ByteCount(bytes).description == text)
    }

    @Test(arguments: [
        ("127.0.0.1:8080", "127.0.0.1", 8080), ("[::1]:80", "::1", 80), (":0", "0.0.0.0", 0), ("localhost:65535", "localhost", 65_535),
    ])
    func listenAddressesAreRead(text: String, host: String, port: Int) {
        #expect(ListenAddress(argument: text) == ListenAddress(host: host, port: port))
    }

    @Test(arguments: ["8080", "localhost", "localhost:", "localhost:99999", "localhost:-1", "::1:80", "a:b:80"])
    func otherTextsAreNoListenAddresses(text: String) {
        #expect(ListenAddress(argument: text) == nil)
    }

    @Test func theDefaultDirectoryFollowsTheEnvironment() {
        #expect(CacheDirectory.userDefault(environment: ["XDG_CACHE_HOME": "/x", "HOME": "/h"]) == "/x/hoard")
        #expect(CacheDirectory.userDefault(environment: ["XDG_CACHE_HOME": "relative", "HOME": "/h"]).hasPrefix("/h/"))
        #expect(CacheDirectory.userDefault(environment: ["HOME": "/h"]).hasSuffix("/hoard"))
    }

    @Test func aProgressBarShowsShareAmountAndRate() {
        var bar = ProgressBar(total: 4096, isShown: false)
        bar.advance(by: 1024)
        #expect(bar.line(elapsed: .seconds(1)) == "[#######-----------------------] 25 %  1 KiB of 4 KiB  1 KiB/s")
        var open = ProgressBar(total: nil, isShown: false)
        open.advance(by: 2048)
        #expect(open.line(elapsed: .seconds(2)) == "2 KiB  1 KiB/s")
    }

    @Test func aTableAlignsItsColumns() {
        var table = TextTable([("A", .left), ("NUMBER", .right)])
        table.append(["long cell", "1"])
        table.append(["x", "23"])
        #expect(table.lines == ["A          NUMBER", "long cell       1", "x              23"])
    }
}

@Suite("hoard demo", .timeLimit(.minutes(5)))
struct DemoCommandTests {
    @Test func theDemonstrationShowsWhatItClaims() async throws {
        let directory = try TemporaryDirectory()
        let process = try HoardProcess(["demo", "--once", "--json", "--listen", "127.0.0.1:0", "--directory", directory.path("cache")])
        let result = await process.result()
        #expect(result.status == 0, "\(result.errors)")
        let steps = try result.text.split(separator: "\n").map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
        #expect(steps.count == 21)
        func statuses(of path: String) -> [String] {
            steps.filter { ($0["url"] as? String)?.hasSuffix(path) == true && $0["method"] as? String == "GET" }.map {
                $0["cacheStatus"] as? String ?? ""
            }
        }
        for path in ["/logo.svg", "/pixel.png", "/slow"] {
            #expect(statuses(of: path).count == 2)
            #expect(statuses(of: path).first?.contains("stored") == true)
            #expect(statuses(of: path).last?.contains("hit") == true)
        }
        #expect(statuses(of: "/me").allSatisfy { $0.contains("detail=PRIVATE") })
        #expect(statuses(of: "/now").allSatisfy { $0.contains("detail=NO-STORE") })
        #expect(statuses(of: "/greeting").last?.contains("fwd=vary-miss") == true)
        #expect(statuses(of: "/quote.json").last?.contains("fwd=uri-miss") == true)
    }
}
