// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Crypto
public import Hoard

extension DiskStore {
    /// The secret with which a store encrypts its records.
    ///
    /// Neither the description nor a mirror shows the bytes. Keep them where the system keeps secrets, never beside the store.
    public struct EncryptionKey: Sendable {
        /// The number of bytes of a key.
        public static var byteCount: Int { 32 }

        /// The key's name, 1 to 256 bytes of UTF-8. It is not secret: the store keeps it readable.
        public let identifier: String

        let secret: SymmetricKey

        /// Creates a key.
        ///
        /// - Parameters:
        ///   - identifier: The key's name, 1 to 256 bytes of UTF-8.
        ///   - bytes: Exactly 32 bytes from a source of secret random numbers. A password is not such a source.
        /// - Throws: ``StoreError/Code/invalidConfiguration`` if one of them has another length.
        public init(identifier: String, bytes: some Sequence<UInt8>) throws(StoreError) {
            guard 1...256 ~= identifier.utf8.count else {
                throw StoreError(
                    .invalidConfiguration,
                    "The identifier of an encryption key must have 1 to 256 bytes; this one has \(identifier.utf8.count)."
                )
            }
            // A sequence can be endless.
            let bytes = Array(bytes.prefix(Self.byteCount + 1))
            guard bytes.count == Self.byteCount else {
                throw StoreError(
                    .invalidConfiguration,
                    "An encryption key must have exactly \(Self.byteCount) bytes; this one has \(bytes.count < Self.byteCount ? "fewer" : "more")."
                )
            }
            self.identifier = identifier
            secret = SymmetricKey(data: bytes)
        }
    }
}

extension DiskStore.EncryptionKey: CustomStringConvertible, CustomReflectable {
    /// The type and the identifier, never the bytes.
    public var description: String { "EncryptionKey(identifier: \(identifier.debugDescription))" }

    /// Shows the identifier only.
    public var customMirror: Mirror { Mirror(self, children: ["identifier": identifier], displayStyle: .struct) }
}
