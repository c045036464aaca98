// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Crypto
import Hoard

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The keys and the check that a store derives from its ``DiskStore/EncryptionKey`` (HKDF-SHA256, RFC 5869), each with an `info` of its own.
///
/// The parts of one ring say nothing about each other or about the key.
struct KeyRing: Sendable {
    /// The key for the hashes that stand for records.
    let hashKey: (UInt64, UInt64)
    /// The key for the hashes that stand for partitions. With a key of their own, they cannot be compared with those of records.
    let partitionHashKey: (UInt64, UInt64)
    /// 16 bytes to keep in the database, readable. Equal bytes: same key and salt.
    let check: [UInt8]
    /// For the records without a partition.
    let cipher: RecordCipher
    /// For the keys of the partitions.
    private let wrapping: RecordCipher

    /// - Parameter salt: Random bytes that the store keeps, readable. Two stores with one key then have nothing in common.
    init(key: DiskStore.EncryptionKey, salt: [UInt8]) {
        func derive(_ purpose: String, byteCount: Int) -> SymmetricKey {
            HKDF<SHA256>.deriveKey(
                inputKeyMaterial: key.secret,
                salt: salt,
                info: Array("hoard disk store: \(purpose)".utf8),
                outputByteCount: byteCount
            )
        }
        hashKey = derive("record hashes", byteCount: 16).withUnsafeBytes { $0.sipHashKey(at: 0) }
        partitionHashKey = derive("partition hashes", byteCount: 16).withUnsafeBytes { $0.sipHashKey(at: 0) }
        check = derive("key check", byteCount: 16).withUnsafeBytes { Array($0) }
        cipher = RecordCipher(key: derive("records", byteCount: 32))
        wrapping = RecordCipher(key: derive("partition keys", byteCount: 32))
    }

    /// Whether the check kept in a database is this ring's. Takes the same time for every `other` of 16 bytes.
    func matches(check other: some Collection<UInt8>) -> Bool {
        guard other.count == check.count else { return false }
        return zip(check, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}

extension KeyRing {
    /// The length of a wrapped key in bytes.
    static let wrappedKeyByteCount = 32 + RecordCipher.overhead

    /// Makes a random 256-bit key for a partition.
    ///
    /// - Returns: The key, encrypted for this ring and bound to the partition's name, and the cipher that uses it.
    func makePartitionKey(named name: String) throws(StoreError) -> (wrapped: [UInt8], cipher: RecordCipher) {
        let key = SymmetricKey(size: .bits256)
        let wrapped = try wrapping.seal(key.withUnsafeBytes { Array($0) }, binding: Array(name.utf8))
        return (Array(wrapped), RecordCipher(key: key))
    }

    /// The cipher for a key that ``makePartitionKey(named:)`` made; `nil` if the key is damaged, or is for another ring or name.
    func unwrap(_ wrapped: [UInt8], named name: String) -> RecordCipher? {
        guard let key = wrapped.withUnsafeBytes({ wrapping.open($0, binding: Array(name.utf8)) }), key.count == 32 else { return nil }
        return RecordCipher(key: SymmetricKey(data: key))
    }
}
