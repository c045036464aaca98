// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import Hoard
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension DiskStore {
    /// Reads a record and counts as a use of it.
    ///
    /// Works on the calling thread, which it blocks for one query, and for one file if the payload is in one. It suspends only to remove a record that has expired or is damaged,
    /// which is a miss. The record's ``Record/lastAccess`` is the use before this one.
    ///
    /// - Complexity: O(log n) for n records held, O(m) for m bytes of record; O(1) for most misses.
    /// - Throws: ``StoreError/Code/keyTooLong``, ``StoreError/Code/recordTooLarge`` if the payload is longer than ``largestPayloadInMemory`` (see
    ///   ``reader(forKey:)``), ``StoreError/Code/closed``, or why the database did not answer.
    public func record(forKey key: RecordKey) async throws(StoreError) -> Record? {
        let core = core
        let now = core.configuration.clock.now()
        let finding = try core.find(key, at: now, isUse: true)
        guard case .found(let record) = finding else {
            core.counters.misses.wrappingAdd(1, ordering: .relaxed)
            await core.removeUnusable(finding, key)
            return nil
        }
        core.counters.hits.wrappingAdd(1, ordering: .relaxed)
        return record
    }

    /// Reads a record on the calling thread, like ``record(forKey:)``, and never suspends.
    ///
    /// - Returns: `.unavailable` for a record that has expired or is damaged, which only ``record(forKey:)`` removes.
    /// - Complexity: As ``record(forKey:)``.
    /// - Throws: The errors of ``record(forKey:)``.
    public func immediateRecord(forKey key: RecordKey) throws(StoreError) -> ImmediateReading {
        switch try core.find(key, at: core.configuration.clock.now(), isUse: true) {
        case .found(let record):
            core.counters.hits.wrappingAdd(1, ordering: .relaxed)
            return .record(record)
        case .absent:
            core.counters.misses.wrappingAdd(1, ordering: .relaxed)
            return .absent
        case .opened, .unusable:
            return .unavailable
        }
    }

    /// Returns whether the index in memory shows that the store has no record of a key. Works on the calling thread, and reads no file.
    ///
    /// `false` if there may be one, and if another process has written since this one last looked. Complexity: O(1).
    public func isKnownAbsent(_ key: RecordKey) -> Bool { core.isKnownAbsent(key) }

    /// Reads a record without counting as a use or in the statistics. For tools that look into a store.
    ///
    /// Works on the calling thread, as ``record(forKey:)`` does. A record that has expired or is damaged is `nil`.
    ///
    /// - Complexity: O(log n) for n records held, O(m) for m bytes of record.
    /// - Throws: The errors of ``record(forKey:)``.
    public func peekRecord(forKey key: RecordKey) async throws(StoreError) -> Record? {
        guard case .found(let record) = try core.find(key, at: core.configuration.clock.now(), isUse: false) else { return nil }
        return record
    }
}

/// The result of reading a record.
enum RecordFinding: Sendable {
    case found(Record)
    /// A record without its payload, and the file that has it.
    case opened(Record, PayloadFileReader, nonce: UInt64)
    case absent
    /// There is a record that should go. If its file is damaged, `damagedFile` is the file's nonce.
    case unusable(damagedFile: UInt64?)
}

extension DiskCore {
    func checkLength(of key: RecordKey) throws(StoreError) {
        guard key.bytes.count <= RecordKey.maximumByteCount else { throw .keyTooLong(key) }
    }

    /// Whether nothing that is in memory speaks for a record: neither the writes that wait nor the index, which must be as new as the database.
    func isKnownAbsent(_ key: RecordKey) -> Bool {
        guard key.bytes.count <= RecordKey.maximumByteCount else { return true }
        let isAbsent = try? read { session in
            if let staged = queue.stagedState(of: key) { return if case .removed = staged { true } else { false } }
            if lostWrites.contains(key) { return true }
            let identifier = session.identify.identifier(of: key)
            // The index is asked last, so that it is as new as the generation.
            return session.readGeneration().isCurrent && !session.memory.withLock { $0.index.mayHold(identifier) }
        }
        return isAbsent ?? false
    }

    /// Looks a record up: among the writes that wait, in the index, in the database, and in its file.
    ///
    /// - Parameter opensFiles: Whether a payload that is in a file stays there.
    func find(_ key: RecordKey, at now: Date, isUse: Bool, opensFiles: Bool = false) throws(StoreError) -> RecordFinding {
        try checkLength(of: key)
        return try read { session in
            let identifier = session.identify.identifier(of: key)
            var missedPlace: RecordIndex.Whereabouts?
            while true {
                switch queue.stagedState(of: key) {
                case .removed: return .absent
                case .present(let stored): return find(stored, session, at: now, isUse: isUse)
                case nil: break
                }
                if lostWrites.contains(key) { return .absent }
                // The index is asked last, so that it is as new as the generation: another thread may just be learning of other processes' writes.
                let generation = session.readGeneration()
                if !generation.isCurrent { try catchUp(session) }
                let whereabouts = session.memory.withLock { $0.index.whereabouts(of: identifier) }
                if whereabouts == .nowhere { return .absent }
                // Not where it was, and still said to be there: it is gone.
                if whereabouts == missedPlace {
                    // If no other process has written since, the database may have lost it.
                    if generation.current != nil, session.memory.withLock({ $0.isSure(of: identifier) }) { checkSoon(session) }
                    return .absent
                }
                let current = missedPlace == nil ? generation.current : nil
                if let found = try find(key, identifier, whereabouts, session, at: now, current: current, isUse: isUse, opensFiles: opensFiles) {
                    return found
                }
                missedPlace = whereabouts
            }
        }
    }

    /// Looks a record up in its place. `nil` if it is not there, as it has gone or has been written anew to another place meanwhile.
    private func find(
        _ key: RecordKey,
        _ identifier: Int64,
        _ whereabouts: RecordIndex.Whereabouts,
        _ session: DatabaseSession,
        at now: Date,
        current: UInt64?,
        isUse: Bool,
        opensFiles: Bool
    ) throws -> RecordFinding? {
        for attempt in 0... {
            let judgement = try session.readers.withRow(of: identifier, whereabouts, current: attempt == 0 ? current : nil) { row in
                try row.map { try session.judge($0, key: key, at: now, readsPayload: true) }
            }
            switch judgement {
            case nil:
                return nil
            case .otherKey?:
                return .absent
            case .damaged?:
                checkSoon(session)
                return .unusable(damagedFile: nil)
            case .expired?, .invalidated?:
                return .unusable(damagedFile: nil)
            case .found(let record)?:
                return finish(record, identifier, session, at: now, isUse: isUse)
            case .inFile(let header, let name)?:
                let record = header.record(payload: Data())
                let sealer = try session.sealer(of: header, name)
                if opensFiles {
                    if let file = try session.files.open(name, byteCount: header.payloadByteCount, root: header.root, sealer: sealer).value {
                        guard case .found(let used) = finish(record, identifier, session, at: now, isUse: isUse) else { return .absent }
                        return .opened(used, file, nonce: name.nonce)
                    }
                } else if let payload = try payload(of: header, name, sealer, session) {
                    var record = record
                    record.payload = payload
                    return finish(record, identifier, session, at: now, isUse: isUse)
                }
                // Another writer may have replaced the record between its row and its file.
                if attempt == 2 { return .unusable(damagedFile: name.nonce) }
            }
        }
        return .absent
    }

    /// A record that is found among the writes that wait.
    private func find(_ stored: StoredRecord, _ session: DatabaseSession, at now: Date, isUse: Bool) -> RecordFinding {
        guard !stored.record.isExpired(at: now) else { return .absent }
        return finish(stored.record, stored.id, session, at: now, isUse: isUse, isStaged: true)
    }

    private func payload(
        of header: RecordHeader,
        _ name: PayloadFileName,
        _ sealer: any ChunkSealer,
        _ session: DatabaseSession
    ) throws(StoreError) -> Data? {
        guard header.payloadByteCount <= DiskStore.largestPayloadInMemory else {
            throw StoreError(
                .recordTooLarge,
                "The record's payload has \(header.payloadByteCount) bytes, too many for one piece; read it as a stream."
            )
        }
        return try session.files.read(name, byteCount: header.payloadByteCount, root: header.root, sealer: sealer).value
    }

    /// Notes the use of a record that was found, and says when the one before was.
    ///
    /// - Parameter isStaged: Whether the record waits to be written, after all removals that it has outlived.
    func finish(
        _ record: Record,
        _ identifier: Int64,
        _ session: DatabaseSession,
        at now: Date,
        isUse: Bool,
        isStaged: Bool = false
    ) -> RecordFinding {
        if !isStaged, queue.stagedRemovalIncludes(record) { return .absent }
        var record = record
        guard isUse else {
            if let use = session.memory.withLock({ $0.index.lastUse(of: identifier) }) { record.lastAccess = use }
            return .found(record)
        }
        let noted = session.memory.withLock { $0.index.noteUse(of: identifier, at: now) }
        if let previous = noted.previous { record.lastAccess = previous }
        if noted.mustFlush { queue.enqueue(.flushUses) { self.drain() } }
        return .found(record)
    }

    /// Removes records that a read found to be of no use. The miss stands, whether or not that succeeds.
    func removeUnusable(_ finding: RecordFinding, _ key: RecordKey) async {
        guard case .unusable(let nonce) = finding else { return }
        try? await commit(.removeUnusable(key, damagedFile: nonce))
    }
}
