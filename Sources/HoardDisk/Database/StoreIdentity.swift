// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import GRDB
import Hoard

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The data that a database keeps about itself.
struct StoreIdentity: Sendable {
    static let saltByteCount = 32

    var salt: [UInt8]
    /// The identifier of the user's key, if the store is encrypted.
    var keyIdentifier: String?
    var keyCheck: [UInt8]?

    /// The secret of the hashes in a store that is not encrypted.
    var hashKey: (UInt64, UInt64) {
        salt.withUnsafeBytes { ($0.integer(at: 0, as: UInt64.self), $0.integer(at: 8, as: UInt64.self)) }
    }
}

extension StoreIdentity {
    /// A new store's identity.
    init(key: DiskStore.EncryptionKey?) {
        var generator = SystemRandomNumberGenerator()
        salt = (0..<Self.saltByteCount).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        keyIdentifier = key?.identifier
        keyCheck = key.map { KeyRing(key: $0, salt: salt).check }
    }

    init(_ db: Database) throws {
        guard let row = try Row.fetchOne(db, sql: "SELECT salt, key_identifier, key_check, checksum FROM identity WHERE id = 1") else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "The store's identity is missing.")
        }
        salt = Array(try row.decode(Data.self, atIndex: 0))
        keyIdentifier = try row.decode(String?.self, atIndex: 1)
        keyCheck = try row.decode(Data?.self, atIndex: 2).map { Array($0) }
        guard salt.count == Self.saltByteCount, try row.decode(Int64.self, atIndex: 3) == checksum else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "The store's identity is damaged.")
        }
    }

    /// A damaged salt would make all records unreachable, and a damaged check would look like a wrong key.
    private var checksum: Int64 {
        let bytes = salt + [keyIdentifier == nil ? 0 : 1] + Array((keyIdentifier ?? "").utf8) + [keyCheck == nil ? 0 : 1] + (keyCheck ?? [])
        return bytes.withUnsafeBytes { Int64(bitPattern: XXH64.hash($0)) }
    }

    func write(to db: Database) throws {
        try db.execute(
            sql: "INSERT INTO identity VALUES (1, ?, ?, ?, ?)",
            arguments: [Data(salt), keyIdentifier, keyCheck.map { Data($0) }, checksum]
        )
    }
}
