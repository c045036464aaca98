// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard

/// Makes the numbers by which a database knows keys, tags and partitions: hashes with a secret of the store's own.
///
/// Nobody who does not know the secret can choose keys that share a number. Two keys that share one by chance, once in 2⁶⁴ pairs, replace each other: the whole key is verified on
/// every read. With an encrypted store the secret comes from the user's key, so the numbers tell nothing either.
struct RecordIdentifier: Sendable {
    private let hash: SipHash
    private let constant: Int64?

    init(key: (UInt64, UInt64)) {
        hash = SipHash(key: key)
        constant = nil
    }

    /// Gives every key the same identifier, to see what becomes of keys that share one.
    init(constant: Int64) {
        hash = SipHash(key: (0, 0))
        self.constant = constant
    }

    /// The identifier of a key. Never zero.
    func identifier(of key: RecordKey) -> Int64 {
        if let constant { return constant }
        let value = key.bytes.withUnsafeBytes { hash.hash($0) }
        return value == 0 ? 1 : Int64(bitPattern: value)
    }

    /// The number of a tag.
    func number(ofTag tag: String) -> Int64 { number(of: tag, domain: 1) }

    /// The number of a partition. No tag has the same one but by chance.
    func number(ofPartition name: String) -> Int64 { number(of: name, domain: 2) }

    private func number(of text: String, domain: UInt8) -> Int64 {
        var text = text
        let first = text.withUTF8 { hash.hash(UnsafeRawBufferPointer($0)) }
        return withUnsafeBytes(of: (first.littleEndian, UInt64(domain).littleEndian)) { Int64(bitPattern: hash.hash($0)) }
    }
}
