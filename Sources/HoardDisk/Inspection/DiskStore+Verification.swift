// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import Hoard

extension DiskStore {
    /// The result of a verification: the problems that it found, and those that it repaired.
    public struct VerificationReport: Sendable, Hashable {
        /// The number of records that were verified.
        public var recordCount = 0
        /// The number of these records whose payload is in a file.
        public var fileCount = 0
        /// The bytes of payload that were verified, as they are stored.
        public var byteCount = 0
        /// The number of problems of each kind that were found. Kinds that were not found are not in it.
        public var problems: [VerificationProblem: Int] = [:]
        /// The number of problems of each kind that were repaired.
        public var repairs: [VerificationProblem: Int] = [:]
        /// Whether everything was verified; `false` if the task was cancelled.
        public var isComplete = false

        /// The number of problems that were found.
        public var problemCount: Int { problems.values.reduce(0, +) }
        /// The number of problems that were repaired.
        public var repairCount: Int { repairs.values.reduce(0, +) }

        /// Creates a report of nothing.
        public init() {}
    }

    /// A kind of problem that ``DiskStore/verify(repairing:progress:)`` finds. There may be more kinds later.
    public struct VerificationProblem: Sendable, Hashable, CustomStringConvertible {
        /// A name for programs, which does not change.
        public let identifier: String
        /// A readable description of the problem in a few words.
        public let description: String

        /// A record whose checksum, metadata or payload is damaged. Mended by removing it: it is a miss already.
        public static var damagedRecord: Self { Self(identifier: "damagedRecord", description: "damaged record") }
        /// A record in the place of another key, or left over beside a later one of its own key. Mended by removing it.
        public static var misplacedRecord: Self { Self(identifier: "misplacedRecord", description: "record in the place of another") }
        /// A record whose payload's file does not exist. Mended by removing the record.
        public static var missingFile: Self { Self(identifier: "missingFile", description: "record without its file") }
        /// A record whose payload's file is damaged. Mended by removing the record and the file.
        public static var damagedFile: Self { Self(identifier: "damagedFile", description: "record with a damaged file") }
        /// A tag that would not find its record, or that leads to none. Mended by writing or removing its row.
        public static var wrongTag: Self { Self(identifier: "wrongTag", description: "tag that does not fit its record") }
        /// A record that eviction would not find. Mended by making it the most recently used one.
        public static var unqueuedRecord: Self { Self(identifier: "unqueuedRecord", description: "record missing from the queue of eviction") }
        /// Totals that are not the sums of the records. Mended by adding up.
        public static var wrongTotals: Self { Self(identifier: "wrongTotals", description: "wrong totals") }
        /// A file that belongs to no record. Mended by deleting it.
        public static var orphanedFile: Self { Self(identifier: "orphanedFile", description: "file of no record") }
        /// A file that a process was writing when it died. Mended by deleting it.
        public static var temporaryFile: Self { Self(identifier: "temporaryFile", description: "abandoned temporary file") }

        public static func == (left: Self, right: Self) -> Bool { left.identifier == right.identifier }
        public func hash(into hasher: inout Hasher) { hasher.combine(identifier) }
    }

    /// The progress of a verification.
    public struct VerificationProgress: Sendable, Hashable {
        /// The number of records that have been verified.
        public let recordCount: Int
        /// The number of records at the start. More or fewer may be verified.
        public let totalCount: Int
        /// The number of problems that have been found.
        public let problemCount: Int
    }

    /// Verifies everything in the store, while reads and writes go on. Suspends. O(n log n), and reads every byte.
    ///
    /// It verifies each record's checksum, metadata and payload, and each payload's file, of which it keeps no more than 1 MiB in memory. It also
    /// verifies tags, the queue of eviction, totals and orphans, and runs SQLite's `PRAGMA quick_check`. It works in batches, each of which reads one
    /// moment. It does not count as a use of a record. Cancelling the task stops it between two batches; see ``VerificationReport/isComplete``.
    ///
    /// Memory: 19 to 25 bytes for each record.
    ///
    /// - Parameters:
    ///   - repairing: Whether to repair problems, where possible. Each batch is verified again inside the transaction that repairs it. Records that
    ///     are removed count as corruptions in ``statistics()``. With `false`, nothing is changed.
    ///   - progress: Called after each batch, on any thread.
    /// - Throws: ``StoreError/Code/corrupt`` if the database itself is damaged: nothing in it can be trusted, and a store that is open sets it aside
    ///   as soon as it meets the damage. ``StoreError/Code/closed``, or why the database did not answer.
    public func verify(
        repairing: Bool,
        progress: (@Sendable (VerificationProgress) -> Void)? = nil
    ) async throws(StoreError) -> VerificationReport {
        var verification = Verification(core: core, isRepairing: repairing, progress: progress)
        try await verification.run()
        return verification.report
    }
}
