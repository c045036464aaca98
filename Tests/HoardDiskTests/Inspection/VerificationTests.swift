// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import Synchronization
import Testing

@testable import HoardDisk

/// The way in which a test's store keeps its records.
enum StoreKind: String, CaseIterable, Sendable {
    case plain, compressed, encrypted

    static var key: DiskStore.EncryptionKey? { try? .init(identifier: "test key", bytes: Array(repeating: 9, count: 32)) }
    var key: DiskStore.EncryptionKey? { self == .encrypted ? Self.key : nil }
}

extension Workspace {
    /// Fills a store with records of all sorts and closes it: `inline0` … `inline9`, of which each third has a tag,
    /// `filed0` … `filed4`, and `tenant0` and `tenant1` in a partition.
    func fill(_ kind: StoreKind) async throws {
        var configuration = configuration()
        configuration.encryptionKey = kind.key
        if kind == .compressed { configuration.compression = .zlib() }
        let store = try DiskStore(configuration: configuration)
        for number in 0..<10 {
            let text = String(repeating: "value \(number) ", count: 100)
            try await store.insert(
                record(text, freshFor: 100, tags: number % 3 == 0 ? ["t", "u\(number)"] : []),
                forKey: RecordKey("inline\(number)")
            )
        }
        for number in 0..<5 {
            var filed = record(String(repeating: "\(number)", count: 140_000 + number))
            // The store does not compress content of a compressed type.
            filed.contentType = "video/mp4"
            try await store.insert(filed, forKey: RecordKey("filed\(number)"))
        }
        for number in 0..<2 {
            var record = record("secret")
            record.partition = "tenant"
            try await store.insert(record, forKey: RecordKey("tenant\(number)"))
        }
        await store.close()
    }

    /// Opens the store as a tool does.
    func openAsTool(_ kind: StoreKind = .plain) throws -> DiskStore {
        try DiskStore.openExisting(directory: directory, clock: clock, encryptionKey: kind.key)
    }

    /// The paths of the files of the finished payloads.
    func payloadPaths() throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: directory + "/payloads")
            .filter { $0.contains("-") }.sorted().map { directory + "/payloads/" + $0 }
    }

    /// Turns a bit of a file.
    func damageFile(_ path: String, at offset: Int) throws {
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        bytes[offset] ^= 4
        try bytes.write(to: URL(fileURLWithPath: path))
    }

    func plant(_ name: String) throws {
        let path = directory + "/payloads/" + name
        try FileManager.default.createDirectory(atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
        try Data(count: 5000).write(to: URL(fileURLWithPath: path))
    }
}

@Suite struct VerificationTests {
    private let workspace: Workspace

    init() throws {
        workspace = try Workspace()
    }

    @Test(arguments: StoreKind.allCases) func aSoundStoreHasNoProblems(kind: StoreKind) async throws {
        try await workspace.fill(kind)
        let store = try workspace.openAsTool(kind)
        let bytes = try workspace.databaseBytes()
        let report = try await store.verify(repairing: false)
        #expect(report.problems == [:])
        #expect(report.repairs == [:])
        #expect(report.isComplete)
        #expect(report.recordCount == 17)
        #expect(report.fileCount == 5)
        #expect(report.byteCount > 700_000)
        #expect(try await store.verify(repairing: true).problemCount == 0)
        #expect(try await store.statistics().corruptions == 0)
        #expect(try workspace.databaseBytes().count == bytes.count)
    }

    /// A kind of damage, with the problem that verification finds and the number of records
    /// that are left after the repair.
    struct Damage: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let problem: DiskStore.VerificationProblem
        let count: Int
        let recordCount: Int
        /// The other problems that come with this one.
        var others: [DiskStore.VerificationProblem: Int] = [:]
        let doing: @Sendable (Workspace) throws -> Void

        static func sql(
            _ sql: String,
            _ problem: DiskStore.VerificationProblem,
            _ count: Int,
            left: Int = 17,
            others: [DiskStore.VerificationProblem: Int] = [:]
        ) -> Damage {
            Damage(testDescription: sql, problem: problem, count: count, recordCount: left, others: others) { try $0.changeDatabase(sql) }
        }

        static let all: [Damage] = [
            .sql(
                "UPDATE records SET payload = zeroblob(length(payload)) WHERE id IN (SELECT id FROM records WHERE file IS NULL LIMIT 3)",
                .damagedRecord,
                3,
                left: 14
            ),
            .sql("UPDATE records SET header = zeroblob(length(header)) WHERE id = (SELECT max(id) FROM records)", .damagedRecord, 1, left: 16),
            .sql(
                "UPDATE records SET charge = charge + 1 WHERE id = (SELECT min(id) FROM records)",
                .damagedRecord,
                1,
                left: 16,
                others: [.wrongTotals: 1]
            ),
            .sql("UPDATE records SET expires = expires + 1 WHERE id = (SELECT min(id) FROM records WHERE expires > 0)", .damagedRecord, 1, left: 16),
            .sql("UPDATE records SET tags = zeroblob(16) WHERE length(tags) = 16", .damagedRecord, 4, left: 13, others: [.wrongTag: 8]),
            .sql("DELETE FROM recency", .unqueuedRecord, 17),
            .sql("DELETE FROM recency WHERE stamp IN (SELECT stamp FROM recency ORDER BY stamp DESC LIMIT 4)", .unqueuedRecord, 4),
            .sql("DELETE FROM tags", .wrongTag, 10),
            .sql("INSERT INTO tags VALUES (12345, 678)", .wrongTag, 1),
            .sql("INSERT INTO tags SELECT -5, place FROM records", .wrongTag, 17),
            .sql("UPDATE totals SET count = count + 1", .wrongTotals, 1),
            .sql("DELETE FROM totals", .wrongTotals, 1),
            Damage(testDescription: "missing files", problem: .missingFile, count: 2, recordCount: 15) { workspace in
                for path in try workspace.payloadPaths().prefix(2) { try FileManager.default.removeItem(atPath: path) }
            },
            Damage(testDescription: "a damaged payload", problem: .damagedFile, count: 1, recordCount: 16) { workspace in
                try workspace.damageFile(workspace.payloadPaths()[0], at: 100_000)
            },
            Damage(testDescription: "a short file", problem: .damagedFile, count: 1, recordCount: 16) { workspace in
                let path = try workspace.payloadPaths()[1]
                #expect(truncate(path, 1000) == 0)
            },
            Damage(testDescription: "a damaged footer", problem: .damagedFile, count: 1, recordCount: 16) { workspace in
                try workspace.damageFile(workspace.payloadPaths()[2], at: 140_010)
            },
            Damage(testDescription: "orphans", problem: .orphanedFile, count: 3, recordCount: 17) { workspace in
                try workspace.plant("ab/abcdef0123456789-0123456789abcdef")
                try workspace.plant("ab/something")
                try workspace.plant("00/0000000000000001-0000000000000002")
            },
            Damage(testDescription: "temporary files", problem: .temporaryFile, count: 2, recordCount: 17) { workspace in
                try workspace.plant("temporary/0123456789abcdef")
                try workspace.plant("temporary/x")
            },
        ]
    }

    @Test(arguments: Damage.all, [StoreKind.plain, .encrypted]) func damageIsFoundAndMended(damage: Damage, kind: StoreKind) async throws {
        try await workspace.fill(kind)
        try damage.doing(workspace)
        let expected = damage.others.merging([damage.problem: damage.count]) { $1 }
        let store = try workspace.openAsTool(kind)

        let found = try await store.verify(repairing: false)
        #expect(found.problems == expected)
        #expect(found.repairs == [:])
        #expect(try await store.verify(repairing: false).problems == expected, "Looking must mend nothing.")
        #expect(try await store.statistics().corruptions == 0)

        let mended = try await store.verify(repairing: true)
        #expect(mended.problems[damage.problem] ?? 0 == damage.count)
        #expect(mended.repairs[damage.problem] ?? 0 == damage.count)
        await store.core.elsewhere { store.core.finishHousekeeping() }
        #expect(try await store.verify(repairing: false).problems == [:])
        let statistics = try await store.statistics()
        #expect(statistics.count == damage.recordCount)
        #expect(statistics.corruptions == 17 - damage.recordCount)
        #expect(try await store.entries(limit: .max).count == damage.recordCount)
    }

    @Test(arguments: [false, true]) func aRemovedRecordThatTheQueueOfEvictionHadLostDoesNotComeBack(byTag: Bool) async throws {
        let store = try workspace.open()
        try await store.insert(workspace.record(tags: ["t"]), forKey: "key")
        let identifier = try store.core.session().identify.identifier(of: "key")
        await store.close()
        try workspace.changeDatabase("UPDATE recency SET id = 7 WHERE id = \(identifier)")
        let reopened = try workspace.open()
        if byTag { try await reopened.removeRecords(taggedWith: "t") } else { try await reopened.removeRecord(forKey: "key") }
        _ = try await reopened.verify(repairing: true)
        #expect(try await reopened.peekRecord(forKey: "key") == nil)
        #expect(try await reopened.statistics().count == 0)
    }
}
