// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The judgement of a row for a reader that asks for a key.
enum RecordJudgement: Sendable {
    /// The record of another key that shares the identifier.
    case otherKey
    case expired
    /// Gone with a tag or its partition, and not yet deleted.
    case invalidated
    case damaged
    case found(Record)
    /// Its payload is in a file.
    case inFile(RecordHeader, PayloadFileName)

    var isOtherKey: Bool { if case .otherKey = self { true } else { false } }
}

/// From records to rows and back: checksums, compression, encryption.
extension DatabaseSession {
    /// The bytes that bind a sealed header to its purpose.
    static let headerPurpose: [UInt8] = Array("header".utf8)
    private static let changesPurpose: [UInt8] = Array("changes".utf8)

    /// The cipher for records of a partition; of none, the store's own. `nil`: the store is not encrypted, or the partition has been dropped.
    func cipher(forPartition partition: Int64?, creating: Bool) throws(StoreError) -> RecordCipher? {
        guard let ring else { return nil }
        guard let partition, let partitionKeys else { return ring.cipher }
        let (known, epoch) = memory.withLock { ($0.ciphers[partition], $0.partitionEpoch) }
        if let known { return known }
        let cipher = try partitionKeys.cipher(forPartition: String(partition), creating: creating)
        if let cipher {
            memory.withLock { memory in
                if memory.partitionEpoch == epoch { memory.ciphers[partition] = cipher }
            }
        }
        return cipher
    }

    /// Destroys a partition's key. Whether or not the transaction under way is committed, nothing is encrypted with it any more.
    func dropKey(ofPartition partition: Int64) throws(StoreError) {
        guard let partitionKeys else { return }
        defer {
            memory.withLock { memory in
                memory.ciphers[partition] = nil
                memory.partitionEpoch += 1
            }
        }
        try partitionKeys.drop(String(partition))
    }

    /// The sealer of a record's file.
    func sealer(of header: RecordHeader, _ name: PayloadFileName) throws(StoreError) -> any ChunkSealer {
        let partition = header.partition.map(identify.number(ofPartition:))
        return sealer(forFile: name.nonce, of: name.id, cipher: try cipher(forPartition: partition, creating: false))
    }

    func sealer(forFile nonce: UInt64, of identifier: Int64, cipher: RecordCipher?) -> any ChunkSealer {
        if let cipher { cipher.sealer(forFile: nonce, ofRecord: identifier) } else { ChecksumSealer(nonce: nonce) }
    }

    /// A list of changes as it is stored: encrypted if the store is, because it has keys in it.
    func sealed(_ changes: ChangeList) throws(StoreError) -> Data {
        let bytes = Data(changes.encoded)
        guard let ring else { return bytes }
        return try ring.cipher.seal(bytes, binding: Self.changesPurpose)
    }

    /// Reads the result of ``sealed(_:)``; anything else means that everything may have changed.
    func opened(_ body: Data) -> ChangeList {
        body.withUnsafeBytes { body in
            guard let ring else { return ChangeList(encoded: body) }
            guard let bytes = ring.cipher.open(body, binding: Self.changesPurpose) else { return .everything }
            return bytes.withUnsafeBytes { ChangeList(encoded: $0) }
        }
    }

    /// Makes a row of a record.
    ///
    /// - Parameters:
    ///   - header: The known parts of the record; its payload's length, and its root if there is a file, are right.
    ///   - compressed: The payload compressed, to be stored instead.
    ///   - file: Has the payload, which is then not in the row.
    func prepare(
        _ record: Record,
        header: RecordHeader,
        compressed: Data? = nil,
        file: StagedFile? = nil,
        fileByteCount: Int? = nil,
        cipher: RecordCipher?
    ) throws(StoreError) -> StoredRecord {
        var header = header
        header.isCompressed = compressed != nil
        var payload = file == nil ? compressed ?? record.payload : Data()
        var headerBytes = Data(header.encoded)
        if let cipher {
            headerBytes = try cipher.seal(headerBytes, binding: Self.headerPurpose)
            // Bound to its header, so that no two records' payloads can be exchanged.
            payload = try cipher.seal(payload, binding: headerBytes.suffix(16))
        }
        let digest = headerBytes.withUnsafeBytes { header in
            payload.withUnsafeBytes { payload in RecordChecksum.digest(header: header, payload: payload) }
        }
        var tags: [UInt8] = []
        for tag in header.tags { tags.append(integer: identify.number(ofTag: tag)) }
        return StoredRecord(
            record: record,
            key: header.key,
            session: number,
            cipher: cipher,
            id: identify.identifier(of: header.key),
            header: headerBytes,
            payload: payload,
            file: file,
            fileByteCount: fileByteCount,
            root: header.root,
            payloadByteCount: header.payloadByteCount,
            digest: digest,
            charge: StoredRecord.charge(
                headerByteCount: headerBytes.count,
                payloadByteCount: payload.count,
                tagCount: header.tags.count,
                fileByteCount: fileByteCount
            ),
            expires: header.staleUntil.map(StoredRecord.microseconds),
            tags: tags,
            partition: header.partition.map(identify.number(ofPartition:))
        )
    }

    /// Judges a row: whether it is whole, of this key, and may be used now.
    ///
    /// - Parameters:
    ///   - key: The key asked for; `nil`: whatever key it has.
    ///   - readsPayload: Whether a found record gets its payload.
    /// - Throws: The system's reason why the key of the record's partition could not be read. That says nothing of the record.
    func judge(_ row: RecordRow, key: RecordKey?, at now: Date, readsPayload: Bool = false) throws(StoreError) -> RecordJudgement {
        guard row.isIntact else { return .damaged }
        if !row.tags.isEmpty || row.partition != nil, memory.withLock({ $0.index.isInvalidated(row) }) { return .invalidated }
        guard ring != nil else { return judge(row, header: row.header, payload: row.payload, key: key, at: now, readsPayload: readsPayload) }
        // A row whose partition has no key any more is gone; one that the key does not open was made with a key that is gone.
        guard let cipher = try cipher(forPartition: row.partition, creating: false),
            let header = cipher.open(row.header, binding: Self.headerPurpose)
        else { return row.partition == nil ? .damaged : .invalidated }
        return header.withUnsafeBytes { header in
            guard readsPayload, row.file == nil else {
                return judge(row, header: header, payload: nil, key: key, at: now, readsPayload: false)
            }
            guard let payload = cipher.open(row.payload, binding: Data(row.header.suffix(16))) else { return .damaged }
            return payload.withUnsafeBytes { judge(row, header: header, payload: $0, key: key, at: now, readsPayload: true) }
        }
    }

    private func judge(
        _ row: RecordRow,
        header: UnsafeRawBufferPointer,
        payload: UnsafeRawBufferPointer?,
        key: RecordKey?,
        at now: Date,
        readsPayload: Bool
    ) -> RecordJudgement {
        guard let view = RecordHeaderView(header) else { return .damaged }
        if let key, !view.hasKey(key) { return .otherKey }
        if view.isExpired(at: now) { return .expired }
        guard var decoded = view.header() else { return .damaged }
        if let end = freshnessEnd(of: row) { decoded.endFreshness(at: end) }
        if let file = row.fileName { return .inFile(decoded, file) }
        guard readsPayload, let payload else { return .found(decoded.record(payload: Data())) }
        if view.isCompressed {
            guard view.payloadByteCount <= DiskStore.largestPayloadInMemory,
                let bytes = PayloadCompressor.decompress(payload, byteCount: view.payloadByteCount)
            else { return .damaged }
            return .found(decoded.record(payload: bytes))
        }
        guard payload.count == view.payloadByteCount else { return .damaged }
        return .found(decoded.record(payload: Data(payload)))
    }
}
