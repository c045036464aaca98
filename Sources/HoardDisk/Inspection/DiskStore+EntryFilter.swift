// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension DiskStore {
    /// The conditions of a listing. An entry is listed if it meets every condition that is set.
    public struct EntryFilter: Sendable, Hashable {
        /// The part of a record's life, by the store's clock.
        public struct Freshness: Sendable, Hashable {
            enum Base: Hashable, Sendable { case fresh, stale, expired }
            let base: Base

            /// Before ``Record/freshUntil``.
            public static var fresh: Self { Self(base: .fresh) }
            /// Past ``Record/freshUntil``, and not expired.
            public static var stale: Self { Self(base: .stale) }
            /// Past ``Record/staleUntil``: the record is a miss, and has not yet been removed.
            public static var expired: Self { Self(base: .expired) }
        }

        /// The bytes with which the key begins.
        public var keyPrefix: [UInt8] = []
        /// Bytes that the key contains.
        public var keySubstring: [UInt8] = []
        /// A tag that the record has, in any spelling that is equal in Swift.
        public var tag: String?
        /// The prefix of the content type, compared without regard to case. A record without a content type does not match.
        public var contentTypePrefix: String?
        /// The least length of the payload in bytes.
        public var minimumPayloadBytes: Int?
        /// The greatest length of the payload in bytes.
        public var maximumPayloadBytes: Int?
        /// Whether the record is fresh, stale or expired. `nil`: any of these.
        public var freshness: Freshness?
        /// The partition of the record. Compared byte for byte.
        public var partition: String?

        /// Every entry.
        public static var all: Self { Self() }

        /// Creates a filter that every entry passes; set the properties afterwards.
        public init() {}
    }
}

extension DiskStore.EntryFilter {
    func includes(_ header: RecordHeader, at now: Date) -> Bool {
        if let minimumPayloadBytes, header.payloadByteCount < minimumPayloadBytes { return false }
        if let maximumPayloadBytes, header.payloadByteCount > maximumPayloadBytes { return false }
        if !keyPrefix.isEmpty, !header.key.bytes.starts(with: keyPrefix) { return false }
        if !keySubstring.isEmpty, !header.key.bytes.contains(keySubstring) { return false }
        if let tag, !header.tags.contains(tag) { return false }
        if let contentTypePrefix {
            guard let contentType = header.contentType, contentType.lowercased().hasPrefix(contentTypePrefix.lowercased()) else { return false }
        }
        if let partition {
            guard let own = header.partition, own.utf8.elementsEqual(partition.utf8) else { return false }
        }
        if let freshness, freshness != .of(header, at: now) { return false }
        return true
    }
}

extension DiskStore.EntryFilter.Freshness {
    static func of(_ header: RecordHeader, at now: Date) -> Self {
        if let end = header.staleUntil, now >= end { return .expired }
        if let end = header.freshUntil, now >= end { return .stale }
        return .fresh
    }
}

extension [UInt8] {
    /// Whether `other` is a part of these bytes. O(n · m) at worst.
    fileprivate func contains(_ other: [UInt8]) -> Bool {
        guard let first = other.first, other.count <= count else { return other.isEmpty }
        var start = startIndex
        while let candidate = self[start...].firstIndex(of: first), candidate + other.count <= endIndex {
            if self[candidate..<candidate + other.count].elementsEqual(other) { return true }
            start = candidate + 1
        }
        return false
    }
}
