// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The record that the tiers below memory keep for one key: the encoded value, with its dates, tags, partition and validator.
///
/// Identity, freshness and recency are separate fields. Reading a record changes ``lastAccess`` at most;
/// it never extends ``freshUntil``.
public struct Record: Sendable, Hashable {
    /// The encoded value.
    public var payload: Data

    /// The date when the value was made. Copies in other tiers keep it.
    public var created: Date

    /// The end of the time for which the value is fresh. `nil`: fresh for ever.
    public var freshUntil: Date?

    /// The end of the time for which a store keeps the record, to be served stale or revalidated. `nil`: kept for ever.
    ///
    /// Never before ``freshUntil``. A store treats a record past this date as absent.
    public var staleUntil: Date?

    /// The time after ``freshUntil`` for which the value may be used while a new one is loaded in the background.
    public var staleWhileRevalidate: Duration = .zero

    /// The time after ``freshUntil`` for which the value may stand in for one that cannot be loaded.
    public var staleIfError: Duration = .zero

    /// The duration of the load of the value; `nil` if it was not measured.
    public var loadDuration: Duration?

    /// Whether the record is negative: its source has no value. The payload means nothing then.
    public var isNegative = false

    /// The date when the record was last read or written. A store may keep it only approximately.
    public var lastAccess: Date

    /// Labels by which groups of records are removed. Compared as Swift compares strings, in every store: the spellings of "é" are one tag.
    public var tags: Set<String>

    /// The group that owns the record, such as a user; `nil`: none. A store can drop a partition as a whole, at once.
    ///
    /// Compared byte for byte, in every store and in memory: two users whose names are spelt differently stay two.
    ///
    /// It is not part of the key: keys have to differ between partitions by themselves.
    public var partition: String?

    /// The validator that a revalidation sends to the source: an ETag, a hash, a version.
    public var validator: String?

    /// The media type of the payload, for people and tools that look into a store.
    public var contentType: String?

    /// The fingerprint of the encoded form. A reader that expects another fingerprint treats the record as absent.
    public var schemaFingerprint: UInt64

    /// Creates a record.
    ///
    /// - Parameter staleUntil: By default the record is kept exactly as long as it is fresh.
    ///   A date before `freshUntil` is raised to `freshUntil`.
    public init(
        payload: Data,
        created: Date,
        freshUntil: Date? = nil,
        staleUntil: StaleUntil = .whenNoLongerFresh,
        lastAccess: Date? = nil,
        tags: Set<String> = [],
        partition: String? = nil,
        validator: String? = nil,
        contentType: String? = nil,
        schemaFingerprint: UInt64 = 0
    ) {
        self.payload = payload
        self.created = created
        self.freshUntil = freshUntil
        self.staleUntil = staleUntil.date(freshUntil: freshUntil)
        self.lastAccess = lastAccess ?? created
        self.tags = tags
        self.partition = partition
        self.validator = validator
        self.contentType = contentType
        self.schemaFingerprint = schemaFingerprint
    }

    /// Returns whether the record may be used at `date` without asking its source.
    public func isFresh(at date: Date) -> Bool {
        freshUntil.map { date < $0 } ?? true
    }

    /// Returns whether a store must treat the record as absent at `date`.
    public func isExpired(at date: Date) -> Bool {
        staleUntil.map { date >= $0 } ?? false
    }
}

extension Record {
    /// Ends the record's freshness at `date`, if it is fresh for longer. The record is still kept.
    ///
    /// - Returns: Whether it was fresh for longer.
    public mutating func endFreshness(at date: Date) -> Bool {
        guard freshUntil.map({ $0 > date }) ?? true else { return false }
        freshUntil = date
        return true
    }

    /// The time for which a record is kept once it is no longer fresh.
    public struct StaleUntil: Sendable, Hashable {
        private enum Base: Hashable, Sendable { case whenNoLongerFresh, date(Date), never }
        private let base: Base

        /// The record expires when its freshness ends.
        public static var whenNoLongerFresh: Self { .init(base: .whenNoLongerFresh) }
        /// The record is kept until `date`, stale or not.
        public static func date(_ date: Date) -> Self { .init(base: .date(date)) }
        /// Age alone never removes the record.
        public static var forever: Self { .init(base: .never) }

        func date(freshUntil: Date?) -> Date? {
            switch base {
            case .whenNoLongerFresh: freshUntil
            case .never: nil
            case .date(let date): freshUntil.map { max($0, date) }
            }
        }
    }
}
