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
    /// Writes a record as the most recently used one, and removes others until the limits are met. Suspends; see ``Configuration/writeMode``.
    ///
    /// - Complexity: O(log n) for n records held, and again for each tag and each record removed; O(m) for m bytes of record.
    /// - Throws: ``StoreError/Code/recordTooLarge`` if the record alone exceeds a limit, or has more metadata than the format holds (64 MiB, 65,535 tags);
    ///   the older record of the key is gone then, and nothing else. ``StoreError/Code/keyTooLong``, ``StoreError/Code/full``,
    ///   ``StoreError/Code/closed``, or why the database did not answer.
    public func insert(_ record: Record, forKey key: RecordKey) async throws(StoreError) {
        try await insert(record, forKey: key, mode: core.configuration.writeMode)
    }

    /// Writes a record in a mode of its own. See ``insert(_:forKey:)``.
    public func insert(_ record: Record, forKey key: RecordKey, mode: WriteMode) async throws(StoreError) {
        try core.checkLength(of: key)
        guard RecordHeader.admits(record) else { try await core.refuse(key, "has more tags or metadata than a record may have") }
        let session = try core.session()
        let stored = try core.stored(record, key, session)
        try await core.insert(stored, mode: mode)
    }

    /// Removes a record if there is one. Returns when the removal is committed. Suspends. O(log n).
    public func removeRecord(forKey key: RecordKey) async throws(StoreError) {
        try core.checkLength(of: key)
        try await core.commit(.remove(key))
    }

    /// Removes every record that has at least one of the tags. Returns when the removal is committed, in one transaction. Suspends. O(number of
    /// tags): the space of many records is freed later.
    ///
    /// Tags that Swift holds to be equal are equal here, however they are spelt (Unicode Standard Annex 15); keys are compared byte for byte.
    public func removeRecords(taggedWith tags: Set<String>) async throws(StoreError) {
        try await core.commit(together: tags.map { .removeTagged($0) })
    }

    /// Removes every record of a partition (``Record/partition``). Returns when the removal is committed. Suspends. O(1).
    ///
    /// In an encrypted store each partition has a key of its own, which is destroyed here. Remains of the records on the disk can then never be read
    /// again, whatever else is stolen later. A file system or a drive that keeps copies of overwritten data may keep the key too.
    public func removePartition(_ partition: String) async throws(StoreError) {
        try await core.commit(.removePartition(partition))
    }

    /// Removes every record, and gives the space back to the file system. Suspends. O(n).
    public func removeAll() async throws(StoreError) {
        try await core.commit(.removeAll)
    }

    /// Waits until every write that was accepted before is committed or has failed, and writes the uses that are in memory. Suspends.
    public func flush() async {
        await core.queue.waitUntilIdle()
        guard let session = try? core.session(), session.memory.withLock({ !$0.index.uses.isEmpty }) else { return }
        try? await core.commit(.flushUses)
    }

    /// Finishes the accepted writes, writes the uses that are still in memory and closes the files. Suspends.
    ///
    /// A store that is released without being closed does the same, and blocks the thread that released it.
    public func close() async {
        await core.close()
    }
}

extension DiskCore {
    private static let longestPayloadCompressedForTheDatabase = 1 << 20

    /// Prepares a record for writing, and writes the file of a long payload. Blocks for that.
    func stored(_ record: Record, _ key: RecordKey, _ session: DatabaseSession) throws(StoreError) -> StoredRecord {
        let header = RecordHeader(record, key: key, now: configuration.clock.now())
        let cipher = try cipher(forPartition: header.partition, session)
        let inlineLimit = configuration.maximumInlinePayloadBytes
        // A payload that is short enough once it is compressed needs no file. Longer payloads stay as they are, because ranges of them are read.
        let compressed =
            record.payload.count <= max(inlineLimit, Self.longestPayloadCompressedForTheDatabase)
            ? configuration.compression.compress(record.payload, contentType: header.contentType) : nil
        if (compressed ?? record.payload).count <= inlineLimit {
            return try session.prepare(record, header: header, compressed: compressed, cipher: cipher)
        }
        // A file that can never be kept is not written.
        guard limits.admit(charge: record.payload.count) else {
            return try session.prepare(record, header: header, cipher: nil)
        }
        let nonce = UInt64.random(in: .min ... .max)
        let writer = try session.files.makeWriter(sealer: session.sealer(forFile: nonce, of: session.identify.identifier(of: key), cipher: cipher))
        let written = try writer.write(record.payload, synchronizing: configuration.synchronizesCommits)
        return try stored(record, header, writer, nonce: nonce, written, session, cipher: cipher)
    }

    /// The cipher for a record that is about to be written; `nil`: the store is not encrypted.
    func cipher(forPartition name: String?, _ session: DatabaseSession) throws(StoreError) -> RecordCipher? {
        // Another process may have dropped the partition, and with it the key that is known here. If that cannot be learned now, the transaction learns it.
        if name != nil, session.ring != nil { try? catchUp(session) }
        return try session.cipher(forPartition: name.map(session.identify.number(ofPartition:)), creating: true)
    }

    /// Prepares a record whose payload has been written to a file.
    func stored(
        _ record: Record,
        _ header: RecordHeader,
        _ writer: PayloadFileWriter,
        nonce: UInt64,
        _ written: PayloadFileWriter.Written,
        _ session: DatabaseSession,
        cipher: RecordCipher?
    ) throws(StoreError) -> StoredRecord {
        var header = header
        header.payloadByteCount = written.byteCount
        header.root = written.root
        return try session.prepare(
            record,
            header: header,
            file: StagedFile(writer, nonce: nonce),
            fileByteCount: written.byteCount,
            cipher: cipher
        )
    }

    func insert(_ stored: StoredRecord, mode: DiskStore.WriteMode) async throws(StoreError) {
        guard limits.admit(charge: stored.charge) else {
            try await refuse(stored.key, "is charged \(stored.charge) bytes, which is more than the \(configuration.name) store may hold")
        }
        if mode == .behind {
            guard await queue.stage(.insert(stored), run: { self.drain() }) else { throw .closed(configuration.name) }
        } else {
            try await commit(.insert(stored))
        }
        counters.insertions.wrappingAdd(1, ordering: .relaxed)
    }

    /// Removes the old record of a key whose new one cannot be kept, and throws the reason.
    func refuse(_ key: RecordKey, _ reason: String) async throws(StoreError) -> Never {
        try await commit(.remove(key))
        counters.withLock { $0.refusals += 1 }
        throw StoreError(.recordTooLarge, "The record \(reason).")
    }
}
