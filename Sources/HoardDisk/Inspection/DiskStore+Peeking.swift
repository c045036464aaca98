// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import Hoard

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension DiskStore {
    /// Reads a record's payload in pieces, without counting as a use or in the statistics. For tools that look into a store.
    ///
    /// A payload in a file is never in memory as a whole, however long it is; the pieces have at most 1 MiB. One in the database comes in one piece. A payload is verified piece by
    /// piece: `body` may have got some before damage is found.
    ///
    /// - Parameter body: Called with one piece after another.
    /// - Returns: Whether there is such a record. One that has expired or is damaged is not there.
    /// - Throws: The error of `body`; ``StoreError`` with the code ``StoreError/Code/corrupt`` if a piece is damaged, and the errors of ``record(forKey:)``.
    public func peekPayload(forKey key: RecordKey, _ body: (Data) async throws -> Void) async throws -> Bool {
        await core.queue.waitUntilIdle()
        guard let payload = try await core.payload(of: key) else { return false }
        switch payload {
        case .inMemory(let data):
            try await body(data)
        case .inFile(let reader):
            var offset = 0
            while offset < reader.byteCount {
                let range = offset..<min(offset + Self.peekedByteCount, reader.byteCount)
                guard let piece = try await core.readElsewhere({ _ in try reader.read(range) }) else {
                    throw StoreError(.corrupt, "The record's payload is damaged somewhere behind its first \(offset) bytes.")
                }
                try await body(piece)
                offset += piece.count
            }
        }
        return true
    }

    private static var peekedByteCount: Int { 8 * PayloadFileLayout.chunkByteCount }
}

/// Where a payload is.
private enum PeekedPayload: Sendable {
    case inMemory(Data)
    case inFile(PayloadFileReader)
}

extension DiskCore {
    /// Finds a payload, and opens its file. `nil` if there is no such record, or it is of no use.
    fileprivate func payload(of key: RecordKey) async throws(StoreError) -> PeekedPayload? {
        try checkLength(of: key)
        let now = configuration.clock.now()
        if lostWrites.contains(key) { return nil }
        return try await readElsewhere { session in
            try self.catchUp(session)
            let id = session.identify.identifier(of: key)
            // Another writer may replace the record between its row and its file.
            for _ in 0..<3 {
                let judgement = try session.readers.withReader { reader in
                    try session.withRow(of: id, on: reader) { row in try row.map { try session.judge($0, key: key, at: now, readsPayload: true) } }
                }
                switch judgement {
                case .found(let record)?:
                    return .inMemory(record.payload)
                case .inFile(let header, let name)?:
                    let sealer = try session.sealer(of: header, name)
                    if let reader = try session.files.open(name, byteCount: header.payloadByteCount, root: header.root, sealer: sealer).value {
                        return .inFile(reader)
                    }
                case .otherKey?, .expired?, .invalidated?, .damaged?, nil:
                    return nil
                }
            }
            return nil
        }
    }
}
