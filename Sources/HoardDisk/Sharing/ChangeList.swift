// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What one transaction has changed, for the other processes that have the store open: keys that were written or removed, and tags that were invalidated.
///
/// Evictions are not told: whoever has a copy of an evicted record may go on using it.
struct ChangeList: Hashable, Sendable {
    /// How many transactions' lists are kept. Who was away for longer takes everything to have changed.
    static let keptCount = 512
    /// A longer list says only that everything may have changed.
    static let maximumByteCount = 64 << 10

    private(set) var keys: [RecordKey] = []
    /// Sequences by the numbers of tags and partitions.
    private(set) var invalidations: [Int64: Int64] = [:]
    /// Whether anything may have changed.
    private(set) var isEverything = false
    private var byteCount = 0

    var isEmpty: Bool { keys.isEmpty && invalidations.isEmpty && !isEverything }

    mutating func add(_ key: RecordKey) {
        byteCount += key.bytes.count + 4
        guard byteCount <= Self.maximumByteCount else {
            addEverything()
            return
        }
        if !isEverything { keys.append(key) }
    }

    mutating func addInvalidation(of tag: Int64, sequence: Int64) {
        invalidations[tag] = max(sequence, invalidations[tag] ?? .min)
        byteCount += 16
    }

    mutating func addEverything() {
        isEverything = true
        keys = []
    }
}

extension ChangeList {
    /// A byte that tells whether it is everything, the number of invalidations and those, then the keys with their lengths. Little-endian.
    var encoded: [UInt8] {
        var bytes: [UInt8] = [isEverything ? 1 : 0]
        bytes.reserveCapacity(byteCount + 8)
        bytes.append(integer: UInt32(truncatingIfNeeded: invalidations.count))
        for (tag, sequence) in invalidations {
            bytes.append(integer: tag)
            bytes.append(integer: sequence)
        }
        for key in keys {
            bytes.append(integer: UInt32(truncatingIfNeeded: key.bytes.count))
            bytes.append(contentsOf: key.bytes)
        }
        return bytes
    }

    /// Reads what ``encoded`` made; anything else means that everything may have changed.
    init(encoded bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= 5, bytes[0] <= 1 else {
            addEverything()
            return
        }
        var offset = 5
        let count = Int(bytes.integer(at: 1, as: UInt32.self))
        guard count <= (bytes.count - offset) / 16 else {
            addEverything()
            return
        }
        for _ in 0..<count {
            addInvalidation(of: bytes.integer(at: offset, as: Int64.self), sequence: bytes.integer(at: offset + 8, as: Int64.self))
            offset += 16
        }
        while offset < bytes.count {
            guard bytes.count - offset >= 4 else {
                addEverything()
                return
            }
            let length = Int(bytes.integer(at: offset, as: UInt32.self))
            offset += 4
            guard length <= bytes.count - offset else {
                addEverything()
                return
            }
            add(RecordKey(bytes: UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + length])))
            offset += length
        }
        if bytes[0] == 1 { addEverything() }
    }

    /// Takes in a later list.
    mutating func formUnion(_ other: ChangeList) {
        for (tag, sequence) in other.invalidations { addInvalidation(of: tag, sequence: sequence) }
        if other.isEverything { addEverything() }
        for key in other.keys { add(key) }
    }
}
