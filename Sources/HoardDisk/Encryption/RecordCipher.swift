// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Crypto
import Hoard

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Encrypts and authenticates the records of one data key with AES-256-GCM (NIST SP 800-38D).
///
/// A sealed text is the nonce (12 bytes), the ciphertext, which is as long as the plaintext, and the tag (16 bytes).
/// Safe to use from several threads. Copies share their nonces; see ``NonceSequence``.
struct RecordCipher: Sendable {
    /// How many bytes longer a sealed text is than its plaintext.
    static let overhead = nonceByteCount + tagByteCount
    private static let nonceByteCount = 12
    private static let tagByteCount = 16

    private let key: SymmetricKey
    private let rootHash: SipHash
    private let nonces: NonceSequence

    /// - Parameter key: 256 bits.
    init(key: SymmetricKey, nonces: NonceSequence = NonceSequence()) {
        self.key = key
        rootHash = EncryptingSealer.rootHash(dataKey: key)
        self.nonces = nonces
    }

    /// Whether both use the same key.
    func hasKey(of other: RecordCipher) -> Bool { key == other.key }

    /// Encrypts `plaintext`. O(n).
    ///
    /// - Parameter associated: The owner of the text, such as its row. It is not stored, and must be the same for opening.
    /// - Throws: ``StoreError/Code/unavailable`` if the cryptographic library refuses, which it does for more than 64 GiB only.
    func seal(_ plaintext: some DataProtocol, binding associated: some DataProtocol) throws(StoreError) -> Data {
        let (random, counter) = nonces.next()
        do {
            let nonce = try AES.GCM.Nonce(random, counter)
            if let sealed = try AES.GCM.seal(plaintext, using: key, nonce: nonce, authenticating: associated).combined { return sealed }
        } catch {
            throw StoreError(.unavailable, "The record could not be encrypted.", underlyingError: error)
        }
        throw StoreError(.unavailable, "The record could not be encrypted.")
    }

    /// Decrypts the result of ``seal(_:binding:)``. O(n).
    ///
    /// - Returns: The plaintext; `nil` if the text is damaged, was sealed with another key, or belongs to something else.
    func open(_ sealed: UnsafeRawBufferPointer, binding associated: some DataProtocol) -> Data? {
        guard let start = sealed.baseAddress, sealed.count >= Self.overhead else { return nil }
        // The data borrows the buffer, which saves a copy, is never written to, and does not outlive this function.
        let combined = Data(bytesNoCopy: UnsafeMutableRawPointer(mutating: start), count: sealed.count, deallocator: .none)
        guard let box = try? AES.GCM.SealedBox(combined: combined) else { return nil }
        return try? AES.GCM.open(box, using: key, authenticating: associated)
    }

    /// The sealer for one payload file.
    ///
    /// - Parameters:
    ///   - nonce: A random number, drawn anew for each file.
    ///   - record: The identifier of the record the file belongs to. Without it, the nonces of all files of the data key must
    ///     differ, and of 2³² random ones two are likely to be equal; with it, only those of one record.
    func sealer(forFile nonce: UInt64, ofRecord record: Int64 = 0) -> EncryptingSealer {
        EncryptingSealer(dataKey: key, rootHash: rootHash, file: EncryptingSealer.FileIdentifier(nonce: nonce, record: record))
    }
}

extension AES.GCM.Nonce {
    /// 12 bytes: a number of 8 and a number of 4, both big-endian.
    init(_ high: UInt64, _ low: UInt32) throws {
        let words = (UInt32(truncatingIfNeeded: high >> 32).bigEndian, UInt32(truncatingIfNeeded: high).bigEndian, low.bigEndian)
        self = try Swift.withUnsafeBytes(of: words) { try AES.GCM.Nonce(data: $0) }
    }
}
