// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import GRDB
import Hoard

/// A row of `records`, where SQLite has it: not yet trusted, and good until the statement moves on.
struct RecordRow {
    /// The columns in the order in which this type reads them.
    static let columns = "IFNULL(id, place), sequence, expires, charge, file, tags, partition, checksum, header, payload, place"
    static let summary = "IFNULL(id, place), charge, file, tags, partition"
    static let query = "SELECT \(columns) FROM records WHERE place = ?"
    /// The values are in the order of ``columns``. An upgraded table has its own columns in another order.
    static let insertion = """
        INSERT INTO records (id, sequence, expires, charge, file, tags, partition, checksum, header, payload, place)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """

    let id: Int64
    let sequence: Int64
    let expires: Int64?
    let charge: Int64
    /// The nonce of the payload's file.
    let file: UInt64?
    let tags: UnsafeRawBufferPointer
    let partition: Int64?
    let checksum: UInt64
    let header: UnsafeRawBufferPointer
    let payload: UnsafeRawBufferPointer
    /// The row's number.
    let place: Int64

    init(_ statement: RawStatement) {
        id = statement.integer(0)
        sequence = statement.integer(1)
        expires = statement.isNull(2) ? nil : statement.integer(2)
        charge = statement.integer(3)
        file = statement.isNull(4) ? nil : UInt64(bitPattern: statement.integer(4))
        tags = statement.bytes(5)
        partition = statement.isNull(6) ? nil : statement.integer(6)
        checksum = UInt64(bitPattern: statement.integer(7))
        header = statement.bytes(8)
        payload = statement.bytes(9)
        place = statement.integer(10)
    }

    var fileName: PayloadFileName? { file.map { PayloadFileName(id: id, nonce: $0) } }

    /// Whether every column is as it was written.
    var isIntact: Bool {
        let digest = RecordChecksum.digest(header: header, payload: payload)
        let expected = RecordChecksum.checksum(
            digest: digest,
            id: id,
            sequence: sequence,
            expires: expires,
            charge: charge,
            file: file,
            tags: tags,
            partition: partition
        )
        return expected == checksum
    }
}

/// The checksum of a row: XXH64 over header and payload, mixed with all other columns.
///
/// It finds accidents, not forgery. The caller that writes computes the first part on its own thread. The transaction, which alone knows the
/// sequence, computes the second part.
enum RecordChecksum {
    static func digest(header: UnsafeRawBufferPointer, payload: UnsafeRawBufferPointer) -> UInt64 {
        // The hash of the header seeds that of the payload, so both are read where they lie.
        XXH64.hash(payload, seed: XXH64.hash(header, seed: UInt64(header.count)))
    }

    static func checksum(
        digest: UInt64,
        id: Int64,
        sequence: Int64,
        expires: Int64?,
        charge: Int64,
        file: UInt64?,
        tags: UnsafeRawBufferPointer,
        partition: Int64?
    ) -> UInt64 {
        var words: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (
            UInt64(bitPattern: id), UInt64(bitPattern: sequence), UInt64(bitPattern: expires ?? 0), UInt64(bitPattern: charge), file ?? 0,
            UInt64(bitPattern: partition ?? 0),
            (expires == nil ? 0 : 1) | (file == nil ? 0 : 2) | (partition == nil ? 0 : 4)
        )
        let seed = tags.isEmpty ? digest : XXH64.hash(tags, seed: digest)
        return withUnsafeBytes(of: &words) { XXH64.hash($0, seed: seed) }
    }
}
