// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import Hoard
import Testing

@testable import HoardDisk

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

@Suite struct DiskStoreOpeningTests {
    private let workspace: Workspace

    init() throws {
        workspace = try Workspace()
    }

    @Test func aNewDirectoryIsForItsOwnerOnly() async throws {
        var configuration = workspace.configuration()
        configuration.directory = workspace.root + "/one/two/three/"
        let store = try DiskStore(configuration: configuration)
        try await store.insert(workspace.record(), forKey: "key")
        for path in ["/one", "/one/two", "/one/two/three"] {
            #expect(try workspace.mode(of: workspace.root + path) == 0o700)
        }
    }

    #if os(Linux)
        /// The locks by which SQLite knows that a database is in use belong to the process, and end when any descriptor of the file is closed:
        /// https://sqlite.org/howtocorrupt.html, section 2.2.
        @Test func openingAStoreAgainLeavesTheLocksOfTheFirst() async throws {
            let store = try workspace.open()
            try await store.insert(workspace.record(), forKey: "key")
            var status = stat()
            try #require(stat(workspace.databasePath, &status) == 0)
            let file = ":\(status.st_ino)"
            func locks() throws -> Set<String> {
                var found: Set<String> = []
                // The system hands the list out in pieces. If another test gives a lock back between two of them, the rest moves up, and one is passed
                // over.
                for _ in 0..<20 {
                    for line in try String(contentsOfFile: "/proc/locks", encoding: .utf8).split(separator: "\n") {
                        let words = line.split(separator: " ")
                        guard words.contains("POSIX"), words.contains("\(getpid())"), words.contains(where: { $0.hasSuffix(file) }) else { continue }
                        // Without its number in the list.
                        found.insert(words.dropFirst().joined(separator: " "))
                    }
                }
                return found
            }
            let held = try locks()
            #expect(!held.isEmpty)
            let other = try workspace.open()
            #expect(try locks() == held)
            await other.close()
            #expect(try locks() == held)
            try await store.insert(workspace.record("new"), forKey: "key")
        }
    #endif

    @Test func everyFileIsForItsOwnerOnly() async throws {
        let store = try workspace.open()
        try await store.insert(workspace.record(), forKey: "key")
        let files = try workspace.files()
        #expect(files == ["hoard.sqlite", "hoard.sqlite-shm", "hoard.sqlite-wal"])
        for file in files + ["hoard.lock"] {
            #expect(try workspace.mode(of: workspace.directory + "/" + file) == 0o600, "\(file)")
        }
        await store.close()
        #expect(try workspace.files() == ["hoard.sqlite"])
    }

    @Test func anExistingDirectoryKeepsItsModeAndItsFilesAreRestricted() async throws {
        try workspace.open().removeFromMemory()
        let manager = FileManager.default
        try manager.setAttributes([.posixPermissions: 0o755], ofItemAtPath: workspace.directory)
        try manager.setAttributes([.posixPermissions: 0o644], ofItemAtPath: workspace.databasePath)
        let store = try workspace.open()
        try await store.insert(workspace.record(), forKey: "key")
        #expect(try workspace.mode(of: workspace.directory) == 0o755)
        for file in try workspace.files() {
            #expect(try workspace.mode(of: workspace.directory + "/" + file) == 0o600, "\(file)")
        }
    }

    @Test func theDatabaseIsInWALModeWithVacuum() throws {
        let store = try workspace.open()
        #expect(try store.text("PRAGMA journal_mode") == "wal")
        #expect(try store.countOnWriter("PRAGMA synchronous") == 1)
        #expect(try store.countOnWriter("PRAGMA auto_vacuum") == 2)
        #expect(try store.countOnWriter("PRAGMA page_size") == 4096)
        #expect(try store.countOnWriter("PRAGMA application_id") == 0x484F_5244)
        #expect(try store.countOnWriter("PRAGMA user_version") == 5)
    }

    @Test func queriesOfEvictionUseTheirIndices() throws {
        let store = try workspace.open()
        let byRecency = try store.queryPlan("SELECT stamp, id, place FROM recency WHERE stamp > 1 ORDER BY stamp LIMIT 64")
        #expect(byRecency.contains("PRIMARY KEY") && !byRecency.contains("TEMP B-TREE"))
        let byExpiry = try store.queryPlan("SELECT place FROM records WHERE expires <= 1 ORDER BY expires LIMIT 64")
        #expect(byExpiry.contains("records_by_expiry") && !byExpiry.contains("TEMP B-TREE"))
        let byTag = try store.queryPlan("SELECT place FROM tags JOIN records USING (place) WHERE tag = 1 AND sequence <= 2 LIMIT 64")
        #expect(byTag.contains("SEARCH tags") && byTag.contains("SEARCH records") && !byTag.contains("SCAN"))
    }

    @Test func aFileInPlaceOfTheDirectoryIsRefused() throws {
        try Data("text".utf8).write(to: URL(fileURLWithPath: workspace.directory))
        #expect(openingError(workspace.configuration())?.code == .notADirectory)
        var configuration = workspace.configuration()
        configuration.directory = workspace.directory + "/below/a/file"
        #expect(openingError(configuration)?.code == .notADirectory)
        #expect(try Data(contentsOf: URL(fileURLWithPath: workspace.directory)) == Data("text".utf8))
    }

    @Test func aDirectoryInPlaceOfTheDatabaseIsRefused() throws {
        try FileManager.default.createDirectory(atPath: workspace.databasePath, withIntermediateDirectories: true)
        #expect(openingError(workspace.configuration())?.code == .foreign)
    }

    @Test(arguments: ["", "a\0b"])
    func aPathThatIsNoneIsRefused(path: String) {
        #expect(openingError(DiskStore.Configuration(directory: path))?.code == .unavailable)
    }

    @Test(.enabled(if: geteuid() != 0, "the superuser may write to any directory"))
    func aDirectoryWithoutPermissionIsRefused() throws {
        try workspace.open().removeFromMemory()
        for mode in [0o000, 0o500] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: workspace.directory)
            #expect(openingError(workspace.configuration())?.code == .permissionDenied)
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: workspace.directory)
        try FileManager.default.setAttributes([.posixPermissions: 0o400], ofItemAtPath: workspace.databasePath)
        #expect(openingError(workspace.configuration())?.code == .permissionDenied)
    }

    #if os(Linux)
        @Test(arguments: ["/sys", "/sys/hoard-tests/cache"])
        func aDirectoryThatNobodyMayWriteIsRefused(path: String) {
            #expect(openingError(DiskStore.Configuration(directory: path))?.code == .permissionDenied)
        }
    #endif

    @Test func aLaterFormatIsRefusedAndUntouched() async throws {
        let store = try workspace.open()
        try await store.insert(workspace.record(), forKey: "key")
        await store.close()
        try workspace.changeDatabase("PRAGMA user_version = 6")
        let before = try workspace.databaseBytes()

        let error = try #require(openingError(workspace.configuration()))
        #expect(error.code == .newerFormat)
        #expect(error.message.contains("format is 6"))
        #expect(try workspace.databaseBytes() == before)
        #expect(workspace.events.events.isEmpty)
        try workspace.changeDatabase("PRAGMA user_version = 5")
        #expect(try await workspace.open().record(forKey: "key") != nil)
    }

    @Test func aStoreThatIsUpgradedByALaterHoardMeanwhileIsNotSetAside() async throws {
        let store = try workspace.open()
        try await store.insert(workspace.record(), forKey: "key")
        let later = try DatabaseQueue(path: workspace.databasePath)
        try later.inDatabase { db in try db.execute(sql: "ALTER TABLE records RENAME COLUMN place TO number; PRAGMA user_version = 6") }
        let error = await #expect(throws: StoreError.self) { try await store.insert(workspace.record(), forKey: "other") }
        #expect(error?.code == .newerFormat)
        #expect(workspace.events.events.isEmpty)
        try later.inDatabase { db in try db.execute(sql: "ALTER TABLE records RENAME COLUMN number TO place; PRAGMA user_version = 5") }
        #expect(try await store.record(forKey: "key") != nil)
        try later.close()
    }

    @Test(arguments: [
        "CREATE TABLE theirs (id INTEGER); INSERT INTO theirs VALUES (42)",
        "PRAGMA application_id = 1234",
        "PRAGMA user_version = 7",
        "PRAGMA journal_mode = WAL; CREATE TABLE theirs (id INTEGER); INSERT INTO theirs VALUES (42)",
    ])
    func anotherProgramsDatabaseIsRefusedAndUntouched(sql: String) throws {
        try FileManager.default.createDirectory(atPath: workspace.directory, withIntermediateDirectories: true)
        try workspace.changeDatabase(sql)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: workspace.databasePath)
        let before = try workspace.databaseBytes()

        #expect(openingError(workspace.configuration())?.code == .foreign)
        #expect(try workspace.databaseBytes() == before)
        #expect(try workspace.mode(of: workspace.databasePath) == 0o644)
        #expect(try workspace.files().filter { $0.contains("corrupt") } == [])
    }

    @Test func anEmptyDatabaseIsTakenOver() async throws {
        try workspace.plantDatabase(Data())
        let store = try workspace.open()
        try await store.insert(workspace.record(), forKey: "key")
        #expect(try await store.record(forKey: "key") != nil)
        #expect(workspace.events.events.isEmpty)
        #expect(try workspace.mode(of: workspace.databasePath) == 0o600)
    }

    @Test func aMistypedPathIsReportedAndNotCreated() throws {
        let error = try #require(openingError(workspace.configuration(createsIfMissing: false)))
        #expect(error.code == .unavailable)
        #expect(error.message == "There is no Hoard cache in \(workspace.directory).")
        #expect(!FileManager.default.fileExists(atPath: workspace.directory))
    }

    @Test func aDirectoryWithoutADatabaseIsReportedAndLeftAlone() throws {
        try FileManager.default.createDirectory(atPath: workspace.directory, withIntermediateDirectories: true)
        #expect(openingError(workspace.configuration(createsIfMissing: false))?.code == .unavailable)
        #expect(try FileManager.default.contentsOfDirectory(atPath: workspace.directory) == [])
    }

    @Test func anExistingStoreOpensForInspectionWithoutLosingAnything() async throws {
        let store = try workspace.open()
        for number in 0..<10 { try await store.insert(workspace.record(), forKey: RecordKey("\(number)")) }
        await store.close()
        let inspected = try DiskStore(configuration: workspace.configuration(maximumCount: 2, createsIfMissing: false))
        #expect(try await inspected.entries().count == 10)
        await inspected.close()
        let opened = try DiskStore.openExisting(directory: workspace.directory, clock: workspace.clock)
        #expect(try await opened.statistics().count == 10)
        #expect(try await opened.statistics().maximumBytes == nil)
        try await opened.removeRecord(forKey: "3")
        #expect(try await opened.entries().count == 9)
    }

    @Test func whatWasWrittenSurvivesAProcessThatDies() async throws {
        let store = try workspace.open()
        try await store.insert(workspace.record("0"), forKey: "0")
        // The files are copied one after the other. The log is not emptied meanwhile, as it is after a pause of a second, because another reads in it.
        let reader = try workspace.beginReading()
        for number in 1..<100 { try await store.insert(workspace.record("\(number)"), forKey: RecordKey("\(number)")) }
        // A killed process leaves this state: its files as they are, with the write-ahead log.
        let copy = try Workspace()
        try FileManager.default.copyItem(atPath: workspace.directory, toPath: copy.directory)
        try reader.inDatabase { db in try db.execute(sql: "COMMIT") }
        try reader.close()
        try FileManager.default.removeItem(atPath: copy.databasePath + "-shm")

        let survivor = try copy.open()
        for number in 0..<100 {
            #expect(try await survivor.record(forKey: RecordKey("\(number)"))?.payload == Data("\(number)".utf8))
        }
        #expect(try survivor.countedTotals().count == 100)
        #expect(copy.events.events.isEmpty)
    }

    @Test func aProcessThatDiedWhileCreatingTheDatabaseLeavesOneThatOpens() async throws {
        let store = try workspace.open()
        await store.close()
        // An empty rollback journal belongs to a finished transaction, so the database file is right as it is.
        try Data().write(to: URL(fileURLWithPath: workspace.databasePath + "-journal"))
        let reopened = try workspace.open()
        try await reopened.insert(workspace.record(), forKey: "key")
        #expect(workspace.events.events.isEmpty)
    }

    @Test func recordsThatHadGoneWithATagWhenAProcessDiedAreDeleted() async throws {
        let store = try workspace.open()
        let keys = (0..<WriteTransaction.sweepBatchSize * 2 + 10).map { RecordKey("\($0)") }
        try await store.insert(Dictionary(uniqueKeysWithValues: keys.map { ($0, workspace.record(tags: ["t"])) }))
        try await store.insert(workspace.record(), forKey: "kept")
        await store.close()
        // The state between the removal and the sweeps.
        try workspace.changeDatabase("INSERT INTO invalidations SELECT DISTINCT tag, (SELECT sequence FROM totals) FROM tags")
        let reopened = try workspace.open()
        await reopened.core.elsewhere { reopened.core.finishHousekeeping() }
        await reopened.flush()
        #expect(try reopened.countedTotals().count == 1)
        #expect(try reopened.rowCount(of: "invalidations") == 0)
        #expect(try await reopened.peekText("kept") == "value")
    }
}
