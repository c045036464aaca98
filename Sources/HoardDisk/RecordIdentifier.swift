// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Crypto
import Hoard

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

enum RecordIdentifier {
    /// The first 64 bits of the key's SHA-256.
    ///
    /// Nobody can choose keys so that they share a row without hashing in the order of 2³² of them, and then those records merely
    /// replace each other: the whole key is verified on every read.
    @Sendable static func identifier(of key: RecordKey) -> Int64 {
        SHA256.hash(data: key.bytes).withUnsafeBytes { Int64(bigEndian: $0.loadUnaligned(as: Int64.self)) }
    }
}
