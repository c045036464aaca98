// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import HoardHTTP
import HoardTesting
import HoardTestingServer
import Testing

@Suite("hoard get", .timeLimit(.minutes(5)))
struct GetCommandTests {
    let directory: TemporaryDirectory
    let cache: [String]

    init() throws {
        directory = try TemporaryDirectory()
        cache = ["--directory", directory.path("cache")]
    }

    private func run(_ arguments: String..., environment: [String: String] = [:]) async throws -> HoardProcess.Result {
        await (try HoardProcess(["get"] + arguments + cache, environment: environment)).result()
    }

    @Test func theBodyGoesToStandardOutputAndTheCachesPartToStandardError() async throws {
        let origin = try await FakeOrigin.start { _, _ in .init("the body\n", fields: [.cacheControl: "max-age=600"]) }
        let first = try await run("\(origin.url)/a")
        #expect(first.status == 0)
        #expect(first.text == "the body\n")
        #expect(first.errors.contains("\(origin.url)/a  200  hoard; fwd=uri-miss; fwd-status=200; ttl="))
        #expect(first.errors.contains("; stored  9 B  "))
        #expect(first.errors.split(separator: "\n").count == 1)
        let second = try await run("\(origin.url)/a")
        #expect(second.text == "the body\n")
        #expect(second.errors.contains("hoard; hit; ttl="))
        #expect(origin.requests.count == 1)
        await origin.stop()
    }

    @Test func severalURLsAreWrittenOneAfterTheOther() async throws {
        let origin = try await FakeOrigin.start { request, _ in .init("<\(request.path ?? "")>") }
        let result = try await run("\(origin.url)/1", "\(origin.url)/2", "\(origin.url)/3?q")
        #expect(result.text == "</1></2></3?q>")
        #expect(result.errors.split(separator: "\n").count == 3)
        await origin.stop()
    }

    @Test func redirectsAreFollowedUnlessToldNotTo() async throws {
        let origin = try await FakeOrigin.start { request, _ in
            request.path == "/a" ? .init("moved", status: .found, fields: [.location: "/b"]) : .init("there")
        }
        let followed = try await run("\(origin.url)/a")
        #expect(followed.text == "there")
        #expect(followed.errors.hasPrefix("\(origin.url)/a -> \(origin.url)/b  200  "))
        let json = try await run("--json", "\(origin.url)/a")
        let report = try #require(try JSONSerialization.jsonObject(with: Data(json.errors.utf8)) as? [String: Any])
        #expect(report["finalURL"] as? String == "\(origin.url)/b")
        #expect(report["redirects"] as? Int == 1)
        let first = try await run("--no-follow", "\(origin.url)/a")
        #expect(first.text == "moved")
        #expect(first.status == 0)
        await origin.stop()
    }

    @Test func cacheModeSaysHowTheCacheIsUsed() async throws {
        let origin = try await FakeOrigin.start { _, _ in .init("the body", fields: [.cacheControl: "max-age=600"]) }
        _ = try await run(origin.url)
        for (mode, count) in [("default", 1), ("reload", 2), ("no-store", 3), ("force-cache", 3), ("only-if-cached", 3), ("no-cache", 4)] {
            #expect(try await run("--cache-mode", mode, origin.url).text == "the body")
            #expect(origin.requests.count == count, "\(mode)")
        }
        let missing = try await run("--cache-mode", "only-if-cached", "\(origin.url)/other")
        #expect(missing.status == 22)
        #expect(try await run("--cache-mode", "always", origin.url).status == 64)
        await origin.stop()
    }

    @Test func transferThatTakesTooLongIsBrokenOff() async throws {
        let origin = try await FakeOrigin.start { _, _ in
            try? await Task.sleep(for: .seconds(30))
            return .init("late")
        }
        let result = try await run("--max-time", "0.2", origin.url)
        #expect(result.status == 1)
        #expect(result.errors == "hoard: \(origin.url): The exchange took longer than 0.2 seconds.\n")
        #expect(try await run("--max-time", "0", origin.url).status == 64)
        await origin.stop()
    }

    @Test func theCacheExplainsItself() async throws {
        let origin = try await FakeOrigin.start { request, _ in
            .init("the body", fields: [.cacheControl: request.path == "/kept" ? "max-age=600" : "no-store"])
        }
        let kept = try await run("--explain", "\(origin.url)/kept")
        #expect(kept.text == "the body")
        #expect(kept.errors.contains("RFC 9111"))
        for (path, outcome) in [("kept", "answered"), ("other", "forwarded")] {
            let lines = try await run("--explain", "--json", "\(origin.url)/\(path)").errors.split(separator: "\n")
            #expect(lines.count == 2)
            let explanation = try JSONSerialization.jsonObject(with: Data(try #require(lines.last).utf8)) as? [String: Any]
            #expect(explanation?["uri"] as? String == "\(origin.url)/\(path)")
            #expect(explanation?["outcome"] as? String == outcome)
        }
        await origin.stop()
    }

    @Test func whatServersSayInAnExplanationCannotDriveTheTerminal() async throws {
        let tag = "\"\u{9B}31m\u{202E}\""
        let origin = try await FakeOrigin.start { _, _ in .init("the body", fields: [.cacheControl: "max-age=600", .eTag: tag]) }
        let result = try await run("--explain", origin.url)
        #expect(result.errors.contains(#"ETag "\u{9b}31m\u{202e}""#), "\(result.errors)")
        #expect(!result.errors.unicodeScalars.contains { $0 == "\u{9B}" || $0 == "\u{202E}" })
        #expect(result.errors.split(separator: "\n").count > 3)
        await origin.stop()
    }

    @Test(arguments: ["ahc", "nio", "urlsession"])
    func everyTransportGetsURLs(name: String) async throws {
        let origin = try await FakeOrigin.start { _, _ in .init("the body", fields: [.cacheControl: "max-age=600"]) }
        for _ in 0..<2 { #expect(try await run("--transport", name, origin.url).text == "the body") }
        #expect(origin.requests.count == 1)
        await origin.stop()
    }

    @Test func requestFieldsAreSent() async throws {
        let origin = try await FakeOrigin.start { _, _ in .init("") }
        _ = try await run("-H", "Accept-Language: de", "--header", "X-Empty:", origin.url)
        let request = try #require(origin.requests.first)
        #expect(request.headerFields[.acceptLanguage] == "de")
        #expect(request.headerFields[try #require(HTTPField.Name("X-Empty"))] == "")
        #expect(request.headerFields[.userAgent]?.hasPrefix("hoard/") == true)
        await origin.stop()
    }

    @Test func aFileAppearsWhenItIsComplete() async throws {
        let origin = try await FakeOrigin.start { _, _ in .init("content") }
        let result = try await run("-o", directory.path("out.txt"), origin.url)
        #expect(result.status == 0)
        #expect(result.output.isEmpty)
        #expect(try String(contentsOfFile: directory.path("out.txt"), encoding: .utf8) == "content")
        await origin.stop()
    }

    /// In a container, the next process often has the same number.
    @Test func aFileIsWrittenWhereAProcessOfTheSameNumberWasKilled() async throws {
        let origin = try await FakeOrigin.start { _, _ in .init("content") }
        let output = directory.path("out.txt")
        let process = try HoardProcess(
            ["get", "-o", output, origin.url] + cache,
            environment: ["OUT": output],
            through: ["/bin/sh", "-c", #": >"$OUT.$$.part"; exec "$0" "$@""#]
        )
        let result = await process.result()
        #expect(result.status == 0, "\(result.errors)")
        #expect(try String(contentsOfFile: output, encoding: .utf8) == "content")
        await origin.stop()
    }

    @Test func aBodyThatBreaksOffLeavesNoFileAndIsNotStored() async throws {
        let origin = try await FakeOrigin.start { _, _ in
            .init(status: .ok, fields: [.cacheControl: "max-age=600"], body: .init(Zeros(count: 1000), length: 5000))
        }
        for _ in 0..<2 {
            let result = try await run("-o", directory.path("out.bin"), origin.url)
            #expect(result.status == 1)
            #expect(result.errors.contains(origin.url))
        }
        #expect(try directory.contents() == ["cache"])
        #expect(origin.requests.count == 2)
        await origin.stop()
    }

    @Test func aSignalLeavesNothingOfAFile() async throws {
        let gate = Gate()
        let origin = try await FakeOrigin.start { _, _ in
            .init(status: .ok, body: .init(Zeros(count: 200_000, gate: gate), length: 200_000))
        }
        let process = try HoardProcess(["get", "-o", directory.path("out.bin"), origin.url] + cache)
        while try !directory.contents().contains(where: { $0.hasSuffix(".part") }) { await Task.yield() }
        process.signal(SIGTERM)
        #expect(await process.result().status == -SIGTERM)
        #expect(try directory.contents() == ["cache"])
        gate.open()
        await origin.stop()
    }

    @Test func withJSONTheReportIsAnObject() async throws {
        let origin = try await FakeOrigin.start { _, _ in .init("12345", status: .created) }
        let result = try await run("--json", "\(origin.url)/x")
        let report = try #require(try JSONSerialization.jsonObject(with: Data(result.errors.utf8)) as? [String: Any])
        #expect(report["url"] as? String == "\(origin.url)/x")
        #expect(report["status"] as? Int == 201)
        #expect(report["bytes"] as? Int == 5)
        #expect((report["cacheStatus"] as? String)?.hasPrefix("hoard; fwd=uri-miss") == true)
        #expect(report["milliseconds"] is Int)
        #expect(result.text == "12345")
        await origin.stop()
    }

    @Test func anErrorStatusIsWrittenAndEndsWith22() async throws {
        let origin = try await FakeOrigin.start { _, _ in .init("not here", status: .notFound) }
        let result = try await run(origin.url)
        #expect(result.status == 22)
        #expect(result.text == "not here")
        await origin.stop()
    }

    @Test func anOriginThatIsAwayIsOneSentence() async throws {
        // Nothing listens on this port, and the system never chooses it for a server of another test.
        let url = "http://127.0.0.1:1"
        let result = try await run(url)
        #expect(result.status == 1)
        #expect(result.output.isEmpty)
        #expect(result.errors.split(separator: "\n").count == 1)
        #expect(result.errors.hasPrefix("hoard: \(url): "))
    }

    @Test(arguments: ["example.com", "//example.com/", "ftp://example.com/", "http://", "http://user@example.com/", "http://exa mple.com/"])
    func aURLThatIsNoneOfHTTPIsRefused(url: String) async throws {
        let result = try await run(url)
        #expect(result.status == 64)
        #expect(result.errors.hasPrefix("Error: “\(url)”"))
    }

    /// Through a link, so that a command that gets it wrong replaces the link and not the device.
    @Test func aDeviceIsWrittenToAndNotReplaced() async throws {
        let origin = try await FakeOrigin.start { _, _ in .init("body") }
        let link = directory.path("link")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "/dev/null")
        #expect(try await run("-o", link, origin.url).status == 0)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "/dev/null")
        try FileManager.default.removeItem(atPath: link)
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "/dev/full")
        let full = try await run("-o", link, origin.url)
        #expect(full.status == 1)
        #expect(full.errors.contains("No space left on device"))
        await origin.stop()
    }

    @Test func oneFileForTwoURLsIsRefused() async throws {
        let result = try await run("-o", "x", "http://127.0.0.1:1/a", "http://127.0.0.1:1/b")
        #expect(result.status == 64)
    }

    @Test func aDirectoryThatCannotBeUsedIsRefusedIfItWasNamedAndPassedByIfNot() async throws {
        let origin = try await FakeOrigin.start { _, _ in .init("fetched") }
        let file = directory.path("file")
        try Data().write(to: URL(fileURLWithPath: file))
        let named = await (try HoardProcess(["get", origin.url, "--directory", file])).result()
        #expect(named.status == 1)
        #expect(named.output.isEmpty)
        let unnamed = await (try HoardProcess(["get", origin.url], environment: ["XDG_CACHE_HOME": file])).result()
        #expect(unnamed.status == 0)
        #expect(unnamed.text == "fetched")
        #expect(unnamed.errors.contains("without a cache on disk"))
        await origin.stop()
    }

    @Test func aReaderThatClosesThePipeIsNoCrash() async throws {
        let origin = try await FakeOrigin.start { _, _ in .init(status: .ok, body: .init(Zeros(count: 4 << 20), length: 4 << 20)) }
        try await HoardProcess.expectNoCrashOnClosedPipe("get", origin.url, "--directory", directory.path("cache"))
        await origin.stop()
    }

    /// No connection is made for it, and the body is longer than what a pipe holds.
    @Test func aReaderThatClosesThePipeOfAKeptBodyIsNoCrash() async throws {
        let body = String(repeating: "x", count: 1 << 18)
        let origin = try await FakeOrigin.start { _, _ in .init(body, fields: [.cacheControl: "max-age=600"]) }
        #expect(try await run(origin.url).text == body)
        try await HoardProcess.expectNoCrashOnClosedPipe(
            "get",
            "--cache-mode",
            "only-if-cached",
            origin.url,
            "--directory",
            directory.path("cache")
        )
        await origin.stop()
    }
}
