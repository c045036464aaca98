// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import HoardTesting
import HoardTestingServer
import Testing

@Suite("hoard inspect", .timeLimit(.minutes(5)))
struct InspectCommandTests {
    let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func inspect(_ arguments: String...) async throws -> HoardProcess.Result {
        await (try HoardProcess(["inspect"] + arguments + ["--directory", directory.path("cache")])).result()
    }

    private func get(_ url: String) async throws {
        let result = try await HoardProcess.run("get", url, "--directory", directory.path("cache"))
        try #require(result.status == 0)
    }

    /// A cache with three responses, one of which is a variant.
    private func filledCache() async throws -> FakeOrigin {
        let origin = try await FakeOrigin.start { request, _ in
            let fields: HTTPFields =
                request.path == "/varied" ? [.cacheControl: "max-age=60", .vary: "Accept"] : [.cacheControl: "max-age=60", .eTag: "\"e\""]
            return .init("body of \(request.path ?? "")", fields: fields)
        }
        for path in ["/a", "/b", "/varied"] { try await get(origin.url + path) }
        return origin
    }

    @Test func lsListsRecordsMostRecentFirst() async throws {
        let origin = try await filledCache()
        let result = try await inspect("ls")
        #expect(result.status == 0)
        let lines = result.text.split(separator: "\n").map(String.init)
        #expect(lines.count == 5)
        #expect(lines[0].hasSuffix("FRESH  KEY"))
        #expect(lines.last?.hasSuffix("\(origin.url)/a") == true)
        #expect(lines.contains { $0.contains("\(origin.url)/varied  (accept") })

        let json = try await inspect("ls", "--json", "--limit", "2")
        let records = try json.text.split(separator: "\n").map { try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] }
        #expect(records.count == 2)
        #expect(records.allSatisfy { $0?["scope"] as? String == "http-private" && $0?["bytes"] is Int && $0?["created"] is String })
        await origin.stop()
    }

    @Test func lookingChangesNothing() async throws {
        let origin = try await filledCache()
        let before = try await inspect("ls", "--json").text
        _ = try await inspect("show", "\(origin.url)/a")
        _ = try await inspect("stats")
        #expect(try await inspect("ls", "--json").text == before)
        await origin.stop()
    }

    @Test func showDescribesAResponseAndPrintsItsBody() async throws {
        let origin = try await filledCache()
        let text = try await inspect("show", "\(origin.url)/a").text
        #expect(text.contains("key          \(origin.url)/a"))
        #expect(text.contains("validator    \"e\""))
        #expect(text.contains("200 OK"))
        #expect(text.lowercased().contains("cache-control: max-age=60"))
        #expect(try await inspect("show", "--raw", "\(origin.url)/b").text == "body of /b")
        let json = try await inspect("show", "--json", "\(origin.url)/a").text
        let report = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
        #expect(report["status"] as? Int == 200)
        #expect(report["bodyBytes"] as? Int == 10)
        let missing = try await inspect("show", "\(origin.url)/none")
        #expect(missing.status == 1)
        #expect(missing.errors.contains("is not in the cache"))
        await origin.stop()
    }

    @Test func rmRemovesAResponseWithItsVariantsAndSaysWhatWasNotThere() async throws {
        let origin = try await filledCache()
        let result = try await inspect("rm", "\(origin.url)/varied", "\(origin.url)/none")
        #expect(result.status == 1)
        #expect(result.text == "removed 2 records of \(origin.url)/varied\n")
        #expect(result.errors.contains("/none is not in the cache"))
        #expect(try await inspect("ls", "--json").text.split(separator: "\n").count == 2)
        try await get("\(origin.url)/varied")
        #expect(origin.requests.count == 4)
        await origin.stop()
    }

    @Test func statsAndClearCountRecords() async throws {
        let origin = try await filledCache()
        let stats = try await inspect("stats", "--json").text
        let report = try #require(try JSONSerialization.jsonObject(with: Data(stats.utf8)) as? [String: Any])
        #expect(report["records"] as? Int == 4)
        #expect((report["bytes"] as? Int ?? 0) > 0)
        #expect((report["fileBytes"] as? Int ?? 0) > 0)
        #expect(try await inspect("clear").text == "removed 4 records\n")
        #expect(try await inspect("stats").text.contains("records    0"))
        await origin.stop()
    }

    @Test(arguments: ["ls", "stats", "clear"])
    func aDirectoryWithoutACacheIsAnErrorAndStaysAsItIs(command: String) async throws {
        let result = try await inspect(command)
        #expect(result.status == 1)
        #expect(result.errors.contains(directory.path("cache")))
        #expect(try directory.contents().isEmpty)
    }

    @Test func keysThatWouldDriveATerminalArePrintedHarmlessly() async throws {
        #expect(printableKey("a\u{1B}[31mb") == "a\\u{1b}[31mb")
        #expect(printableKey("plain ünïcode 🙂") == "plain ünïcode 🙂")
    }
}
