// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import GRDB
import Hoard
import Synchronization

/// The findings of a look at some rows.
private struct RowFindings: Sendable {
    /// A payload's file that is yet to be read.
    struct PayloadFile: Sendable {
        let name: PayloadFileName
        let place: Int64
        let byteCount: Int
        let root: UInt64
        let partition: Int64?
    }

    /// Where to go on; `nil` after the last row.
    var next: Int64?
    var recordCount = 0
    var byteCount = 0
    /// The problems of rows, by their places.
    var faulty: [Int64: DiskStore.VerificationProblem] = [:]
    var files: [PayloadFile] = []
    /// Tags and records of which `tags` has no row.
    var missingTags: [TagRow] = []
    /// Rows of records that the index knows in other places, or not at all.
    var leftovers: [(id: Int64, place: Int64)] = []
    var unqueued: [(id: Int64, place: Int64)] = []
    /// Rows that the queue of eviction has gained.
    var newRecency: [RecencyRow] = []
}

/// The records, their files, their tags and their places in the queue of eviction.
extension Verification {
    private static let maximumBatchCount = 256
    private static let maximumBatchByteCount = 4 << 20
    private static let maximumRecencyCount = 100_000

    /// Returns `false` if the task was cancelled.
    mutating func verifyRows() async throws(StoreError) -> Bool {
        var (stamps, latest) = (IdentifierMap(), Int64.min)
        do throws(StoreError) {
            (stamps, latest) = try await core.storedStamps()
            // It tells a record's row from one that is left over.
            try await core.readElsewhere { session in try session.loadIndex() }
        } catch {
            if Task.isCancelled { return false }
            throw error
        }
        var next: Int64? = .min
        while let start = next {
            if Task.isCancelled { return false }
            let (known, latestKnown) = (stamps, latest)
            var findings = try await core.readElsewhere { [core] session in try Self.look(at: session, of: core, from: start, known, latestKnown) }
            for row in findings.newRecency {
                stamps.updateValue(row.stamp, forIdentifier: row.id)
                latest = row.stamp
            }
            findings.unqueued.removeAll { stamps[$0.id] != nil }
            try await verify(findings.files, &findings.faulty)
            try await settle(findings)
            tellProgress()
            next = findings.next
        }
        return true
    }

    private static func look(at session: DatabaseSession, of core: DiskCore, from start: Int64, _ stamps: IdentifierMap, _ latest: Int64) throws
        -> RowFindings
    {
        var findings = RowFindings()
        findings.next = try session.readers.withReader { reader in
            try reader.read { db in
                let tagRow = try RawStatement("SELECT 1 FROM tags WHERE tag = ? AND place = ?", on: db)
                return try DatabaseSession.readRows(db, from: start, limit: maximumBatchCount, withPayloads: true) { row in
                    try findings.add(row, session, stamps) { tag in
                        tagRow.bind(tag, at: 1)
                        tagRow.bind(row.place, at: 2)
                        defer { tagRow.reset() }
                        return try tagRow.step()
                    }
                    return findings.byteCount < maximumBatchByteCount
                }
            }
        }
        // A row that is not in the part of the queue that has been read may have been written since. Then its place is
        // behind.
        if !findings.leftovers.isEmpty {
            // They may have been written since the index was told of others.
            session.waitForSettling()
            try core.catchUp(session)
            try findings.confirmLeftovers(session)
        }
        if !findings.unqueued.isEmpty { findings.newRecency = try session.recencyRows(after: latest, limit: maximumRecencyCount) }
        return findings
    }

    /// Reads the payloads' files. The findings are for rows that still have them.
    private mutating func verify(_ files: [RowFindings.PayloadFile], _ faulty: inout [Int64: DiskStore.VerificationProblem]) async throws(StoreError)
    {
        for file in files {
            report.fileCount += 1
            report.byteCount &+= file.byteCount
            if let problem = try await core.readElsewhere({ session in try session.problem(of: file) }) { faulty[file.place] = problem }
        }
    }

    private mutating func settle(_ findings: RowFindings) async throws(StoreError) {
        report.recordCount += findings.recordCount
        report.byteCount += findings.byteCount
        for problem in findings.faulty.values { note(problem) }
        note(.wrongTag, findings.missingTags.count)
        note(.unqueuedRecord, findings.unqueued.count)
        guard isRepairing, !(findings.faulty.isEmpty && findings.missingTags.isEmpty && findings.unqueued.isEmpty) else { return }
        let nonces = Dictionary(findings.files.map { ($0.place, $0.name.nonce) }, uniquingKeysWith: { $1 })
        let (faulty, tags, unqueued) = (findings.faulty, findings.missingTags, findings.unqueued)
        let removed = try await repair([DiskStore.VerificationProblem]()) { transaction in
            var removed: [DiskStore.VerificationProblem] = []
            for (place, problem) in faulty where try transaction.removeFaulty(at: place, damagedFile: nonces[place]) { removed.append(problem) }
            for tag in tags { try transaction.insertMissing(tag) }
            for (id, place) in unqueued where try transaction.place(of: id) == place && transaction.withRow(id, { $0 != nil }) {
                try transaction.requeue(id, at: place)
            }
            return removed
        }
        for problem in removed { noteRepair(problem) }
        noteRepair(.wrongTag, tags.count)
        noteRepair(.unqueuedRecord, unqueued.count)
    }
}

extension RowFindings {
    fileprivate mutating func add(_ row: RecordRow, _ session: DatabaseSession, _ stamps: IdentifierMap, hasTag: (Int64) throws -> Bool) throws {
        recordCount += 1
        byteCount += row.payload.count
        switch session.examine(row) {
        case .faulty(let problem):
            // The rest of the row cannot be trusted.
            faulty[row.place] = problem
            return
        case .gone:
            return
        case .sound(let header):
            if let name = row.fileName {
                files.append(
                    PayloadFile(name: name, place: row.place, byteCount: header.payloadByteCount, root: header.root, partition: row.partition)
                )
            }
        }
        for tag in row.tags.tagNumbers + [row.partition].compactMap({ $0 }) where try !hasTag(tag) {
            missingTags.append(TagRow(tag: tag, place: row.place))
        }
        if stamps[row.id] == nil { unqueued.append((row.id, row.place)) }
        if session.isLeftOver(row) { leftovers.append((row.id, row.place)) }
    }

    /// Confirms that there are rows beside those of their records. Those were deleted meanwhile whose records were written anew.
    fileprivate mutating func confirmLeftovers(_ session: DatabaseSession) throws {
        try session.readers.withReader { reader in
            for (id, place) in leftovers where try reader.withRow(of: id, .at(place), { $0.map(session.isLeftOver) ?? false }) {
                faulty[place] = .misplacedRecord
            }
        }
        unqueued.removeAll { faulty[$0.place] != nil }
    }
}

extension DatabaseSession {
    /// Whether a row is not that of its record, as far as is known. Readings do not find it, and it must not come back.
    fileprivate func isLeftOver(_ row: RecordRow) -> Bool {
        memory.withLock { $0.index.isComplete && $0.index.places[row.id] != row.place }
    }

    private static let pieceByteCount = 8 * PayloadFileLayout.chunkByteCount

    /// Reads a file piece by piece and verifies it all; `nil` if it is as it was written, or if its row is gone.
    fileprivate func problem(of file: RowFindings.PayloadFile) throws -> DiskStore.VerificationProblem? {
        guard let problem = try problemOfContents(file) else { return nil }
        // A file goes after its row, so it is missed only if the row is there after the look.
        let isMissed = try readers.withReader { reader in try reader.withRow(of: file.name.id, .at(file.place)) { $0?.file == file.name.nonce } }
        return isMissed ? problem : nil
    }

    private func problemOfContents(_ file: RowFindings.PayloadFile) throws(StoreError) -> DiskStore.VerificationProblem? {
        let cipher = try cipher(forPartition: file.partition, creating: false)
        // Dropped meanwhile: so is the record.
        if ring != nil, cipher == nil { return nil }
        let sealer = sealer(forFile: file.name.nonce, of: file.name.id, cipher: cipher)
        switch try files.open(file.name, byteCount: file.byteCount, root: file.root, sealer: sealer) {
        case .missing: return .missingFile
        case .damaged: return .damagedFile
        case .found(let reader):
            var offset = 0
            while offset < reader.byteCount {
                guard let piece = try reader.read(offset..<min(offset + Self.pieceByteCount, reader.byteCount)) else { return .damagedFile }
                offset += piece.count
            }
            return nil
        }
    }
}

extension WriteTransaction {
    /// Removes a record that is still faulty. Returns whether it was.
    ///
    /// - Parameter nonce: A file that was found to be damaged or missing.
    fileprivate func removeFaulty(at place: Int64, damagedFile nonce: UInt64?) throws -> Bool {
        let (isFaulty, owner) = try withRow(at: place) { row -> (Bool, Int64) in
            guard let row else { return (false, 0) }
            if case .faulty = session.examine(row) { return (true, row.id) }
            return (nonce != nil && row.file == nonce, row.id)
        }
        // In the transaction, the index is as new as the database.
        let isLeftOver = try session.memory.withLock { $0.index.isComplete } && self.place(of: owner) != place
        guard isFaulty || isLeftOver, try removeRow(at: place) else { return false }
        removals.corruptions += 1
        return true
    }
}
