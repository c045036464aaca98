// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import GRDB
import Hoard
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension WriteTransaction {
    /// The number of records that a removal by tag deletes at once. The others are gone as well, and are deleted later.
    static let sweepBatchSize = 256

    /// Adds a record as the most recently used one. One with the same `id` is removed first, whatever its key; otherwise others are, if there is no room.
    /// Room that later operations of the transaction make comes too late for this one.
    ///
    /// - Complexity: O((1 + t) log n) for t tags, and O(m) for m bytes of record.
    func insert(_ record: StoredRecord) throws {
        // It is replaced in place: a payload of the same length goes to the same pages.
        var place = try place(of: record.id)
        if let former = place, try !forget(at: former, of: record.id) { place = nil }
        sequence += 1
        var fileNonce: UInt64?
        if let file = record.file {
            placedFiles.append(file)
            try file.place(in: session.files, id: record.id)
            fileNonce = file.nonce
        }
        // One that was evicted lately is not on trial a second time.
        let isTried = place == nil && session.memory.withLock { $0.ghosts.contains(record.id) }
        if isTried { returned.append(record.id) }
        if place == nil { try makeRoom(forCharge: record.charge, isOnTrial: !isTried) }
        var stamp = nextStamp(isUse: isTried)
        try record.header.withUnsafeBytes { header in
            try record.payload.withUnsafeBytes { payload in
                try record.tags.withUnsafeBytes { tags in
                    let checksum = RecordChecksum.checksum(
                        digest: record.digest,
                        id: record.id,
                        sequence: sequence,
                        expires: record.expires,
                        charge: Int64(record.charge),
                        file: fileNonce,
                        tags: tags,
                        partition: record.partition
                    )
                    let statement = place == nil ? statements.insertRecord : statements.replaceRecord
                    statement.bind(record.id, at: 1)
                    statement.bind(sequence, at: 2)
                    statement.bind(record.expires, at: 3)
                    statement.bind(Int64(record.charge), at: 4)
                    statement.bind(fileNonce.map { Int64(bitPattern: $0) }, at: 5)
                    if tags.isEmpty { statement.bind(nil, at: 6) } else { statement.bind(tags, at: 6) }
                    statement.bind(record.partition, at: 7)
                    statement.bind(Int64(bitPattern: checksum), at: 8)
                    statement.bind(header, at: 9)
                    statement.bind(payload, at: 10)
                    statement.bind(place ?? stamp, at: 11)
                    while try !statement.runUnlessTaken() {
                        // The queue of eviction has lost its latest rows, and with them the latest stamp.
                        let next = nextStamp(isUse: isTried)
                        guard next > stamp else { throw DatabaseError(resultCode: .SQLITE_CONSTRAINT, message: "There is no place left.") }
                        stamp = next
                        statement.bind(stamp, at: 11)
                    }
                    for tag in tags.tagNumbers + [record.partition].compactMap({ $0 }) {
                        statements.insertTag.bind(tag, at: 1)
                        statements.insertTag.bind(place ?? stamp, at: 2)
                        try statements.insertTag.run()
                    }
                }
            }
        }
        if let expires = record.expires, expires <= StoredRecord.microseconds(now) { mayHaveExpired = true }
        totals.count += 1
        totals.bytes &+= record.charge
        if place == nil { placed.append(record.id) }
        try appendToRecency(record.id, at: place ?? stamp, stamp: stamp)
        changes.add(record.key)
    }

    /// Where a record's row should be: as ``DatabaseSession/place(of:_:)``, with what has been done here.
    func place(of identifier: Int64) throws -> Int64? {
        if let entry = entries[identifier] { return entry?.place }
        return hasRemovedAll ? nil : try session.place(of: identifier, statements.lookUp)
    }

    /// Deletes a record's row, whatever it is. Returns whether there was one. O((1 + t) log n).
    @discardableResult
    func remove(_ identifier: Int64) throws -> Bool {
        guard let place = try place(of: identifier) else { return false }
        if try forget(at: place, of: identifier, deletes: true) { return true }
        note(identifier, nil)
        return false
    }

    /// Deletes a row, whatever it is. Returns whether there was one. O((1 + t) log n).
    @discardableResult
    func removeRow(at place: Int64) throws -> Bool { try forget(at: place, of: nil, deletes: true) }

    /// Takes a row's charge off the totals, and removes the traces of its record from other tables and the file system.
    ///
    /// - Parameters:
    ///   - owner: The record whose row it must be; `nil`: any.
    ///   - deletes: Whether the row is deleted. Otherwise another one is about to take its place.
    /// - Returns: Whether there was such a row.
    private func forget(at place: Int64, of owner: Int64?, deletes: Bool = false) throws -> Bool {
        // A place out of the directory may long be another record's. Others are known.
        if let owner, session.memory.withLock({ !$0.index.isComplete }) {
            guard try withRow(at: place, { $0?.id == owner }) else { return false }
        }
        let row = statements.rowSummary
        row.bind(place, at: 1)
        guard try row.step() else {
            row.reset()
            return false
        }
        let identifier = row.integer(0)
        let charge = Int(truncatingIfNeeded: row.integer(1))
        let nonce = row.isNull(2) ? nil : UInt64(bitPattern: row.integer(2))
        let tags = row.bytes(3).tagNumbers + (row.isNull(4) ? [] : [row.integer(4)])
        row.reset()
        if deletes {
            // RETURNING would make a table for the row.
            statements.deleteRecord.bind(place, at: 1)
            try statements.deleteRecord.run()
        }
        for tag in tags {
            statements.deleteTag.bind(tag, at: 1)
            statements.deleteTag.bind(place, at: 2)
            try statements.deleteTag.run()
        }
        try settleMarks(on: identifier)
        if let nonce { abandonedFiles.append(PayloadFileName(id: identifier, nonce: nonce)) }
        totals.count -= 1
        // A damaged charge must not trap; a wrong sum is counted anew at the end.
        totals.bytes &-= charge
        removedByteCount &+= charge
        // A damaged database may have two rows of one record.
        if try self.place(of: identifier) == place { note(identifier, nil) }
        return true
    }

    /// Looks at a record's row. `nil` if there is none.
    func withRow<Result>(_ identifier: Int64, _ body: (RecordRow?) throws -> Result) throws -> Result {
        guard let place = try place(of: identifier) else { return try body(nil) }
        return try withRow(at: place) { row in try body(row?.id == identifier ? row : nil) }
    }

    /// Looks at a row. `nil` if there is none.
    func withRow<Result>(at place: Int64, _ body: (RecordRow?) throws -> Result) throws -> Result {
        statements.row.bind(place, at: 1)
        let isFound = try statements.row.step()
        defer { statements.row.reset() }
        return try body(isFound ? RecordRow(statements.row) : nil)
    }

    /// Removes the record of a key, if there is one.
    func remove(_ key: RecordKey) throws {
        let identifier = session.identify.identifier(of: key)
        // Told to others whether it is there or not: one that was evicted here may live on in their memory.
        changes.add(key)
        // A record that cannot be judged goes.
        let isOther = try withRow(identifier) { row in row.flatMap { try? session.judge($0, key: key, at: now).isOtherKey } ?? false }
        if !isOther, try remove(identifier) { removals.requests += 1 }
    }

    /// Removes the record of a key if its time is up, if it was invalidated, or if it is damaged.
    func removeUnusable(_ key: RecordKey, hasDamagedFile nonce: UInt64?) throws {
        let identifier = session.identify.identifier(of: key)
        let judgement = try withRow(identifier) { row in
            try row.map { row in nonce != nil && row.file == nonce ? RecordJudgement.damaged : try session.judge(row, key: key, at: now) }
        }
        switch judgement {
        case .expired?:
            if try remove(identifier) { removals.expirations += 1 }
        case .invalidated?:
            try remove(identifier)
        case .damaged?:
            if try remove(identifier) { removals.corruptions += 1 }
            // The record's charge may be damaged too.
            try recomputeTotals()
        case .otherKey?, .inFile?, .found?, nil:
            break
        }
    }

    /// Removes all records with a tag. O(1): those beyond the first few are deleted later.
    func removeRecords(taggedWith tag: String) throws {
        changes.add(tag: tag)
        sequence += 1
        for number in session.identify.numbers(ofTag: tag) { try invalidate(number, upTo: sequence) }
    }

    /// Removes all records of a partition, as those with a tag.
    func removePartition(_ number: Int64) throws {
        changes.addAny()
        sequence += 1
        try invalidate(number, upTo: sequence)
    }

    /// Makes the records with a tag, or of a partition, invalid that were written up to `limit`, before which there is no other invalidation of it.
    func invalidate(_ tag: Int64, upTo limit: Int64) throws {
        changes.addInvalidation(of: tag, sequence: limit)
        try settleMarks(on: tag)
        statements.insertInvalidation.bind(tag, at: 1)
        statements.insertInvalidation.bind(limit, at: 2)
        try statements.insertInvalidation.run()
        try sweep(tag, upTo: limit)
    }

    /// Goes on deleting records that have gone with a tag.
    func sweep(_ tag: Int64) throws {
        let limit = try Int64.fetchOne(db.cachedStatement(sql: "SELECT sequence FROM invalidations WHERE tag = ?"), arguments: [tag])
        if let limit { try sweep(tag, upTo: limit) }
    }

    /// Deletes some records that have gone with a tag. When none is left, nothing needs to be remembered.
    private func sweep(_ tag: Int64, upTo limit: Int64) throws {
        statements.tagged.bind(tag, at: 1)
        statements.tagged.bind(limit, at: 2)
        statements.tagged.bind(Int64(Self.sweepBatchSize), at: 3)
        var places: [Int64] = []
        while try statements.tagged.step() { places.append(statements.tagged.integer(0)) }
        statements.tagged.reset()
        for place in places where try removeRow(at: place) { removals.requests += 1 }
        if places.count == Self.sweepBatchSize {
            sweptTags.append(tag)
        } else {
            try db.cachedStatement(sql: "DELETE FROM invalidations WHERE tag = ?").execute(arguments: [tag])
            settledTags.append(tag)
        }
    }

    /// Removes all records.
    func removeAll() throws {
        sequence += 1
        let rows = try Row.fetchCursor(db, sql: "SELECT IFNULL(id, place), file FROM records WHERE file IS NOT NULL")
        while let row = try rows.next() {
            abandonedFiles.append(PayloadFileName(id: try row.decode(atIndex: 0), nonce: UInt64(bitPattern: try row.decode(Int64.self, atIndex: 1))))
        }
        // Without a condition, SQLite empties a table page by page.
        try db.execute(
            sql: """
                DELETE FROM records; DELETE FROM recency; DELETE FROM directory; DELETE FROM tags; DELETE FROM invalidations; DELETE FROM stale_marks
                """
        )
        (addedMarks, settledScopes) = ([], [])
        noteEmptyRecency()
        removals.requests += max(0, totals.count)
        totals = RecordTotals(count: 0, bytes: 0)
        entries = [:]
        eviction = nil
        hasRemovedAll = true
        changes.addEverything()
        try giveSpaceBack()
    }

    /// Shrinks the file if more than a quarter of it is unused. A smaller rest is left for the next records.
    ///
    /// - Parameter maximumPageCount: How many pages are given back at most, so that no caller waits long; `nil`: all of them.
    func giveSpaceBack(maximumPageCount: Int? = nil) throws {
        let unused = try Int.fetchOne(db, sql: "PRAGMA freelist_count") ?? 0
        let all = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
        guard unused > all / 4 else { return }
        try db.execute(sql: "PRAGMA incremental_vacuum\(maximumPageCount.map { "(\($0))" } ?? "")")
    }

    /// Looks for space to give back now and then, when enough has been removed.
    func giveSpaceBackAtTimes() throws {
        guard removedByteCount > 0 else { return }
        let isDue = session.memory.withLock { memory in
            memory.removedByteCount &+= removedByteCount
            guard memory.removedByteCount > Self.removedByteCountBetweenLooks else { return false }
            memory.removedByteCount = 0
            return true
        }
        // Twice as much as has been removed since the last look, so that this keeps up.
        if isDue { try giveSpaceBack(maximumPageCount: 2 * Self.removedByteCountBetweenLooks / DatabaseOpening.pageByteCount) }
    }

    private static let removedByteCountBetweenLooks = 4 << 20
}

extension UnsafeRawBufferPointer {
    /// The numbers of tags in a row.
    var tagNumbers: [Int64] {
        isEmpty ? [] : stride(from: 0, to: count / 8 * 8, by: 8).map { integer(at: $0, as: Int64.self) }
    }
}
