// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import HoardDisk
import Testing

@testable import HoardCommand

@Suite("hoard inspect verify, rm, clear, compact", .timeLimit(.minutes(5)))
struct InspectMaintenanceTests {
    let cache: InspectedCache

    init() throws {
        cache = try InspectedCache()
    }

    @Test func aSoundCachePassesQuietly() async throws {
        try await cache.fillWithFour()
        let result = try await cache.inspect("verify")
        #expect(result.status == 0)
        #expect(result.text == "4 records and 1 file verified\nno problems\n")
        #expect(result.errors.isEmpty)
    }

    @Test func problemsAreReportedAndMendedOnlyWhenAsked() async throws {
        try await cache.fillWithFour()
        for path in try cache.payloadPaths() { try FileManager.default.removeItem(atPath: path) }
        for _ in 0..<2 {
            let result = try await cache.inspect("verify")
            #expect(result.status == 1)
            #expect(result.text == "4 records and 1 file verified\n1 × record without its file\n")
        }
        #expect(try await cache.json("verify").first?["problems"] as? [String: Int] == ["missingFile": 1])
        let repaired = try await cache.inspect("verify", "--repair", "--json")
        #expect(repaired.status == 0)
        let report = try #require(try JSONSerialization.jsonObject(with: repaired.output) as? [String: Any])
        #expect(report["repaired"] as? [String: Int] == ["missingFile": 1])
        #expect(report["records"] as? Int == 4)
        #expect(try await cache.inspect("verify").status == 0)
        #expect(try await cache.keys("--sort", "key") == ["a", "bb", "d"])
    }

    @Test func orphansAreMended() async throws {
        try await cache.fillWithFour()
        let folder = cache.path + "/payloads/ab"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let orphan = folder + "/abcdef0123456789-0123456789abcdef"
        try Data(count: 9).write(to: URL(fileURLWithPath: orphan))
        #expect(try await cache.json("stats").first?["orphans"] as? Int == 1)
        #expect(try await cache.inspect("verify").text.contains("1 × file of no record\n"))
        #expect(try await cache.inspect("verify", "--repair").text.contains("1 × file of no record, mended\n"))
        // A payload may lie in the same folder.
        #expect(!FileManager.default.fileExists(atPath: orphan))
    }

    @Test func aDamagedDatabaseIsSaidToBeDamaged() async throws {
        try await cache.fill { store in
            for number in 0..<100 { try await store.insert(Record(payload: Data(count: 1000), created: .now), forKey: RecordKey("\(number)")) }
        }
        let url = URL(fileURLWithPath: cache.path + "/hoard.sqlite")
        var bytes = try Data(contentsOf: url)
        for page in 13..<bytes.count / 4096 { bytes.replaceSubrange(page * 4096 + 8..<page * 4096 + 600, with: Data(repeating: 0xEE, count: 592)) }
        try bytes.write(to: url)
        for arguments in [["verify"], ["verify", "--repair"]] {
            let result = await (try HoardProcess(["inspect"] + arguments + ["--directory", cache.path])).result()
            #expect(result.status == 1)
            #expect(result.output.isEmpty)
            #expect(result.errors.hasPrefix("Error: The cache database is damaged"))
        }
        #expect(try cache.directory.contents(of: "cache").contains("hoard.sqlite"))
    }

    @Test func recordsAreRemovedByTag() async throws {
        try await cache.fillWithFour()
        #expect(
            try await cache.inspect("rm", "--tag", "t", "--tag", "none").text
                == "removed 2 records with the tag t\nremoved 0 records with the tag none\n"
        )
        #expect(try await cache.keys("--sort", "key") == ["bb", "c"])
    }

    @Test func expiredRecordsAreRemoved() async throws {
        try await cache.fillWithFour()
        #expect(try await cache.json("rm", "--expired").first?["removed"] as? Int == 1)
        #expect(try await cache.inspect("rm", "--expired").text == "removed 0 records that had expired\n")
        #expect(try await cache.keys("--sort", "key") == ["a", "bb", "c"])
    }

    @Test func severalKeysAreRemovedAndNothingIsRefused() async throws {
        try await cache.fillWithFour()
        let result = try await cache.inspect("rm", "a", "nothing", "bb", "--json")
        #expect(result.status == 1)
        #expect(result.text == "{\"key\":\"a\",\"removed\":1}\n{\"key\":\"nothing\",\"removed\":0}\n{\"key\":\"bb\",\"removed\":1}\n")
        #expect(try await cache.keys("--sort", "key") == ["c", "d"])
        #expect(try await cache.inspect("rm").status == 64)
    }

    @Test func clearRemovesEverythingAndCompactGivesTheRestBack() async throws {
        try await cache.fillWithFour()
        #expect(try await cache.json("clear").first?["removed"] as? Int == 4)
        let report = try #require(try await cache.json("compact").first)
        let (before, after) = (try #require(report["bytesBefore"] as? Int), try #require(report["bytesAfter"] as? Int))
        #expect(after <= before)
        #expect(try await cache.inspect("compact").text.contains(" on disk before, "))
        #expect(try await cache.json("stats").first?["records"] as? Int == 0)
        #expect(try cache.payloadPaths().isEmpty)
    }

    @Test(arguments: [["verify"], ["compact"], ["show", "x"], ["rm", "x"]])
    func aDirectoryWithoutACacheIsAnError(command: [String]) async throws {
        let result = await (try HoardProcess(["inspect"] + command + ["--directory", cache.path])).result()
        #expect(result.status == 1)
        #expect(result.errors == "Error: There is no Hoard cache in \(cache.path).\n")
        #expect(try cache.directory.contents().isEmpty)
    }

    @Test func anotherProgramsDatabaseIsLeftAlone() async throws {
        try FileManager.default.createDirectory(atPath: cache.path, withIntermediateDirectories: true)
        let bytes = Data("this is no database, and it is long enough to be looked at by anybody".utf8)
        try bytes.write(to: URL(fileURLWithPath: cache.path + "/hoard.sqlite"))
        let result = try await cache.inspect("verify", "--repair")
        #expect(result.status == 1)
        #expect(result.errors.hasPrefix("Error: The cache"))
        #expect(try Data(contentsOf: URL(fileURLWithPath: cache.path + "/hoard.sqlite")) == bytes)
    }

    @Test func theBarOfAVerificationCountsRecords() {
        var bar = ProgressBar(total: 400, unit: .records, isShown: false)
        bar.advance(by: 100)
        #expect(bar.line(elapsed: .seconds(2)) == "[#######-----------------------] 25 %  100 of 400  50/s")
    }
}
