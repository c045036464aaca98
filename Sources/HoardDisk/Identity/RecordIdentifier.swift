// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard

/// Makes the numbers by which a database knows keys, tags and partitions: hashes with a secret of the store's own.
///
/// An attacker who does not know the secret cannot choose keys that share a number. Two keys that share one by chance, once in 2⁶⁴ pairs,
/// replace each other: the whole key is verified on every read. With an encrypted store the secret comes from the user's key, so the numbers
/// tell nothing either.
struct RecordIdentifier: Sendable {
    private let hash: SipHash
    private let constant: Int64?
    private let separatesSpellings: Bool

    /// - Parameter separatesSpellings: Whether each spelling of a tag has a number of its own, as in stores that were written before. For tests.
    init(key: (UInt64, UInt64), separatesSpellings: Bool = false) {
        hash = SipHash(key: key)
        constant = nil
        self.separatesSpellings = separatesSpellings
    }

    /// Gives every key the same identifier, to test keys that share one.
    init(constant: Int64) {
        hash = SipHash(key: (0, 0))
        self.constant = constant
        separatesSpellings = false
    }

    /// The identifier of a key. Never zero.
    func identifier(of key: RecordKey) -> Int64 {
        if let constant { return constant }
        let value = key.bytes.withUnsafeBytes { hash.hash($0) }
        return value == 0 ? 1 : Int64(bitPattern: value)
    }

    /// The number of a tag, the same for all its spellings.
    func number(ofTag tag: String) -> Int64 { number(of: separatesSpellings ? tag : tag.canonicalForm, domain: 1) }

    /// The numbers that a tag may have in a store: its own first, then those that its spellings had in stores that were written before.
    func numbers(ofTag tag: String) -> [Int64] {
        let number = number(ofTag: tag)
        if tag.utf8.allSatisfy({ $0 < 0x80 }) { return [number] }
        let others = Set([tag, tag.decomposedForm].map { self.number(of: $0, domain: 1) })
        return [number] + others.subtracting([number]).sorted()
    }

    /// The number of a partition. No tag has the same one but by chance.
    func number(ofPartition name: String) -> Int64 { number(of: name, domain: 2) }

    private func number(of text: String, domain: UInt8) -> Int64 {
        var text = text
        let first = text.withUTF8 { hash.hash(UnsafeRawBufferPointer($0)) }
        return withUnsafeBytes(of: (first.littleEndian, UInt64(domain).littleEndian)) { Int64(bitPattern: hash.hash($0)) }
    }
}
