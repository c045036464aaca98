// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import Hoard
import Testing

@testable import HoardDisk

/// A temporary directory with the things that a test needs around a store. It is removed at the end.
final class Workspace: Sendable {
    let root: String
    let clock = ManualClock()
    let events = EventRecorder()

    init() throws {
        root = NSTemporaryDirectory() + "hoard-disk-tests-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: root)
    }

    /// The store's directory. It does not exist at first.
    var directory: String { root + "/cache" }
    var databasePath: String { directory + "/hoard.sqlite" }

    func configuration(maximumCount: Int? = nil, maximumBytes: Int? = 1 << 30, createsIfMissing: Bool = true) -> DiskStore.Configuration {
        DiskStore.Configuration(
            directory: directory,
            maximumCount: maximumCount,
            maximumBytes: maximumBytes,
            clock: clock,
            createsIfMissing: createsIfMissing,
            onEvent: events.record
        )
    }

    /// - Parameters:
    ///   - keepsInline: Whether payloads up to 4 MiB stay in the database.
    ///   - hasFixedIdentifiers: Whether the store's secret is the same in each run. Eviction takes one new record in some 100,000 for one that was evicted
    ///     lately (``GhostTable``); a test that tells which records are evicted would meet such a record now and then.
    func open(maximumCount: Int? = nil, maximumBytes: Int? = 1 << 30, keepsInline: Bool = false, hasFixedIdentifiers: Bool = false) throws
        -> DiskStore
    {
        var configuration = configuration(maximumCount: maximumCount, maximumBytes: maximumBytes)
        if keepsInline { configuration.maximumInlinePayloadBytes = 4 << 20 }
        return try DiskStore(configuration: configuration, identifierOverride: hasFixedIdentifiers ? RecordIdentifier(key: (1, 2)) : nil)
    }

    /// A record made now.
    func record(_ text: String = "value", freshFor seconds: TimeInterval? = nil, tags: Set<String> = []) -> Hoard.Record {
        Hoard.Record(payload: Data(text.utf8), created: clock.now(), freshUntil: seconds.map { clock.now() + $0 }, tags: tags)
    }

    /// Changes the database behind the store's back. The store must be closed.
    func changeDatabase(_ sql: String) throws {
        let queue = try DatabaseQueue(path: databasePath)
        try queue.inDatabase { db in try db.execute(sql: sql) }
        try queue.close()
    }

    /// A connection of another program that reads in the database until it commits. The log is not emptied meanwhile.
    func beginReading() throws -> DatabaseQueue {
        var options = GRDB.Configuration()
        options.allowsUnsafeTransactions = true
        let reader = try DatabaseQueue(path: databasePath, configuration: options)
        try reader.inDatabase { db in
            try db.execute(sql: "BEGIN")
            _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM records")
        }
        return reader
    }

    /// The names of all files of the database in the store's directory, sorted.
    func files() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory).filter { !["hoard.lock", "hoard.generation", "payloads"].contains($0) }
            .sorted()
    }

    /// The paths of all files of payloads, finished or not, below their directory.
    func payloadFiles() throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: directory + "/payloads").filter { $0.contains("/") }.sorted()
    }

    func mode(of path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return try #require(attributes[.posixPermissions] as? NSNumber).intValue
    }

    /// Writes `bytes` as the database file. No store must have been opened.
    func plantDatabase(_ bytes: Data) throws {
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        try bytes.write(to: URL(fileURLWithPath: databasePath))
    }

    func databaseBytes() throws -> Data {
        try Data(contentsOf: URL(fileURLWithPath: databasePath))
    }
}

extension DiskStore {
    /// Runs a query on a reading connection.
    func query<T: Sendable>(_ body: (Database) throws -> T) throws -> T {
        try core.read { session in try session.readers.withReader { reader in try reader.read(body) } }
    }

    /// Writes records in one transaction.
    func insertTogether(_ records: [(key: RecordKey, record: Hoard.Record)]) async throws {
        let session = try core.session()
        let stored = try records.map { try core.stored($0.record, $0.key, session) }
        try await core.commit(.perform { transaction in for record in stored { try transaction.insert(record) } })
    }

    /// Counts the records and adds up their charges from the rows.
    func countedTotals() throws -> RecordTotals {
        try query { db in
            RecordTotals(
                count: try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM records") ?? 0,
                bytes: try Int.fetchOne(db, sql: "SELECT IFNULL(SUM(charge), 0) FROM records") ?? 0
            )
        }
    }

    /// The number of rows of a table beside `records`.
    func rowCount(of table: String) throws -> Int {
        try query { db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM \(table)") ?? 0 }
    }

    /// Runs a query on the writing thread, after all work that the thread got before.
    func countOnWriter(_ sql: String) throws -> Int? {
        try core.session().writer.inDatabase { db in try Int.fetchOne(db, sql: sql) }
    }

    func text(_ sql: String) throws -> String? {
        try core.session().writer.inDatabase { db in try String.fetchOne(db, sql: sql) }
    }

    /// SQLite's plan for a statement.
    func queryPlan(_ sql: String) throws -> String {
        try query { db in try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN \(sql)").map { $0["detail"] as String }.joined(separator: "\n") }
    }

    /// Does nothing. The caller only wants the store to be opened and to be released at once.
    func removeFromMemory() {}

    /// Prevents the database from growing beyond `count` pages, or beyond its present length if that is more.
    func limitPages(to count: Int) throws {
        try core.session().writer.inDatabase { db in
            let pageCount = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
            try db.execute(sql: "PRAGMA max_page_count = \(max(count, pageCount))")
        }
    }

    /// The code of the error that `body` throws, or `nil` if it throws none.
    func code(of body: (DiskStore) async throws(StoreError) -> Void) async -> StoreError.Code? {
        do throws(StoreError) {
            try await body(self)
            return nil
        } catch {
            return error.code
        }
    }
}

/// The error that opening a store with `configuration` throws, or `nil` if it succeeds.
func openingError(_ configuration: DiskStore.Configuration) -> StoreError? {
    do throws(StoreError) {
        _ = try DiskStore(configuration: configuration)
        return nil
    } catch {
        return error
    }
}
