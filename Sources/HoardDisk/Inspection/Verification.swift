// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import GRDB
import Hoard
import Synchronization

/// One verification under way: its steps, and their findings so far.
struct Verification {
    let core: DiskCore
    let isRepairing: Bool
    let progress: (@Sendable (DiskStore.VerificationProgress) -> Void)?
    var report = DiskStore.VerificationReport()

    /// The number of times that it may still wait for other processes to delete files.
    var waitsLeft = 20

    private var totalCount = 0
    private var sessionNumber = 0

    init(core: DiskCore, isRepairing: Bool, progress: (@Sendable (DiskStore.VerificationProgress) -> Void)?) {
        self.core = core
        self.isRepairing = isRepairing
        self.progress = progress
    }

    mutating func run() async throws(StoreError) {
        await core.queue.waitUntilIdle()
        sessionNumber = try core.session().number
        try await checkDatabase()
        if Task.isCancelled { return }
        // Rows come before tags and totals, which the removal of damaged rows may leave wrong.
        guard try await verifyRows(), try await verifyTags() else { return }
        try await verifyTotals()
        guard try await verifyFiles() else { return }
        try await checkSession()
        report.isComplete = true
    }

    mutating func note(_ problem: DiskStore.VerificationProblem, _ count: Int = 1) {
        if count > 0 { report.problems[problem, default: 0] += count }
    }

    mutating func noteRepair(_ problem: DiskStore.VerificationProblem, _ count: Int = 1) {
        if count > 0 { report.repairs[problem, default: 0] += count }
    }

    func tellProgress() {
        progress?(.init(recordCount: report.recordCount, totalCount: totalCount, problemCount: report.problemCount))
    }

    /// Runs `body` in a transaction of its own. It may be run again if the transaction has to be.
    func repair<T: Sendable>(_ initial: T, _ body: @escaping @Sendable (WriteTransaction) throws -> T) async throws(StoreError) -> T {
        let outcome = Outcome(initial)
        let operation = WriteOperation.perform { transaction in
            let value = try body(transaction)
            outcome.value.withLock { $0 = value }
        }
        try await core.commit(operation)
        return outcome.value.withLock { $0 }
    }

    private final class Outcome<T: Sendable>: Sendable {
        let value: Mutex<T>

        init(_ value: T) { self.value = Mutex(value) }
    }
}

/// The database as a whole.
extension Verification {
    private mutating func checkDatabase() async throws(StoreError) {
        let core = core
        let (count, faults) = try await core.readElsewhere { session in
            try core.catchUp(session)
            return try session.readers.withReader { reader in
                try reader.read { db in
                    let count = try Int.fetchOne(db, sql: "SELECT count FROM totals WHERE id = 1") ?? 0
                    // Reads the whole database, in one moment of it.
                    let faults = try String.fetchAll(db, sql: "PRAGMA quick_check(3)").filter { $0 != "ok" }
                    return (count, faults)
                }
            }
        }
        try await checkSession()
        totalCount = count
        let number = sessionNumber
        guard let fault = faults.first else { return }
        if isRepairing {
            // A store that may replace its database does so now. The others leave it to those.
            try? await core.readElsewhere { session in
                if session.number == number { throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: fault) }
            }
        }
        throw StoreError(
            .corrupt,
            "The cache database is damaged, and SQLite says: \(fault.prefix(200)). A store that is opened for use sets it aside when it meets the damage."
        )
    }

    /// Throws if the database has been replaced meanwhile, since the findings are then of no use.
    private func checkSession() async throws(StoreError) {
        let number = try await core.readElsewhere { $0.number }
        guard number == sessionNumber else {
            throw StoreError(.corrupt, "The cache database was found to be damaged, or was deleted, and has been replaced while it was verified.")
        }
    }

    /// Compares the totals with the sums of all rows.
    private mutating func verifyTotals() async throws(StoreError) {
        let areRight = try await core.readElsewhere { session in
            try session.readers.withReader { reader in try reader.read { db in try Self.hasRightTotals(db) } }
        }
        if areRight { return }
        note(.wrongTotals)
        guard isRepairing else { return }
        _ = try await repair(()) { transaction in
            let counted = try StoredTotals(recounting: transaction.db)
            transaction.totals = counted.totals
            transaction.sequence = max(transaction.sequence, counted.sequence)
        }
        noteRepair(.wrongTotals)
    }

    private static func hasRightTotals(_ db: Database) throws -> Bool {
        // One statement, so that all of it is of one moment.
        let row = try Row.fetchOne(
            db,
            sql: """
                SELECT totals.count, totals.bytes, totals.sequence, totals.checksum, sums.*
                FROM totals, (SELECT COUNT(*), IFNULL(SUM(charge), 0), IFNULL(MAX(sequence), 0) FROM records) AS sums
                WHERE totals.id = 1
                """
        )
        guard let row else { return false }
        let stored = StoredTotals(
            totals: RecordTotals(count: try row.decode(atIndex: 0), bytes: try row.decode(atIndex: 1)),
            sequence: try row.decode(atIndex: 2)
        )
        let counted = RecordTotals(count: try row.decode(atIndex: 4), bytes: try row.decode(atIndex: 5))
        let latest = try row.decode(Int64.self, atIndex: 6)
        return try row.decode(Int64.self, atIndex: 3) == stored.checksum && stored.totals == counted && stored.sequence >= latest
    }
}
