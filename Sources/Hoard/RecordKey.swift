// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The name of a record in a store: any bytes, of any length up to ``maximumByteCount``.
///
/// A key is compared byte for byte. Swift compares strings by canonical equivalence, so two spellings
/// of "é" are one `String` but two keys. Keys are data: a store hashes them and never uses
/// one as a file name, a table name or a part of a command.
public struct RecordKey: Hashable, Sendable {
    /// The greatest length of a key. Stores refuse longer keys with ``StoreError/Code/keyTooLong``.
    public static var maximumByteCount: Int { 64 * 1024 }

    /// The bytes of the key.
    public let bytes: [UInt8]

    /// The key made of these bytes.
    public init(bytes: some Sequence<UInt8>) {
        self.bytes = Array(bytes)
    }

    /// Creates a key from the string's UTF-8 bytes as they are. Equal strings can have different bytes: see ``init(canonical:)``.
    public init(_ string: some StringProtocol) {
        self.bytes = Array(string.utf8)
    }

    // An array would hash each of its elements by itself.
    public func hash(into hasher: inout Hasher) {
        bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    }
}

extension RecordKey: ExpressibleByStringLiteral {
    public init(stringLiteral value: String) { self.init(value) }
}

extension RecordKey: CustomStringConvertible {
    /// The bytes read as UTF-8; invalid sequences appear as U+FFFD. For people, not for identity.
    public var description: String { String(decoding: bytes, as: UTF8.self) }
}
