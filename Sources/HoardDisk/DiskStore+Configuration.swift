// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import Hoard

extension DiskStore {
    /// Where a ``DiskStore`` keeps its records, and how many.
    public struct Configuration: Sendable {
        /// The path of the directory that holds the store's files and nothing else of yours.
        ///
        /// A directory that Hoard creates, parents included, has mode 0700. One that exists is used as it is.
        /// The files in it have mode 0600 and fixed names.
        public var directory: String

        /// The store's name in logs and metrics. The default is `disk`.
        public var name: String

        /// The most records the store holds. `nil`, the default, sets no limit; a negative number counts as 0.
        public var maximumCount: Int?

        /// The most bytes charged for all records together. The default is 1 GiB; `nil` sets no limit; a negative number counts as 0.
        ///
        /// A record is charged for its key, payload, tags, validator and content type, plus ``DiskStore/bytesChargedPerRecord``.
        /// SQLite adds the unused ends of its pages and a write-ahead log of usually not more than 16 MiB.
        public var maximumBytes: Int?

        /// What time it is. The default is the system's clock.
        public var clock: any WallClock

        /// Whether to create the directory and the database if there are none. The default is `true`.
        ///
        /// With `false`, for tools that look into a store, opening changes nothing: a directory without a database
        /// is ``StoreError/Code/unavailable``, a damaged database is ``StoreError/Code/corrupt`` and stays where it is,
        /// and nothing is evicted to meet the limits until a record is inserted.
        public var createsIfMissing: Bool

        /// Called for what is worth a line in a log. The default is `nil`.
        ///
        /// Called on any thread, outside the store's locks. It may use the store, but must not wait for it.
        public var onEvent: (@Sendable (Event) -> Void)?

        /// Creates a configuration. Each parameter is described at the property of its name.
        public init(
            directory: String,
            name: String = "disk",
            maximumCount: Int? = nil,
            maximumBytes: Int? = 1 << 30,
            clock: any WallClock = SystemWallClock(),
            createsIfMissing: Bool = true,
            onEvent: (@Sendable (Event) -> Void)? = nil
        ) {
            self.directory = directory
            self.name = name
            self.maximumCount = maximumCount
            self.maximumBytes = maximumBytes
            self.clock = clock
            self.createsIfMissing = createsIfMissing
            self.onEvent = onEvent
        }
    }
}

extension DiskStore.Configuration {
    var limits: RecordLimits {
        RecordLimits(maximumCount: maximumCount.map { max($0, 0) }, maximumBytes: maximumBytes.map { max($0, 0) })
    }
}

/// How much the database may hold.
struct RecordLimits: Sendable, Hashable {
    /// No payload, and no key with its metadata, is longer than this. SQLite's own limit is 1,000,000,000 bytes for a row.
    static let maximumValueByteCount = 512 << 20

    var maximumCount: Int?
    var maximumBytes: Int?

    func allow(_ totals: RecordTotals) -> Bool {
        totals.count <= (maximumCount ?? .max) && totals.bytes <= (maximumBytes ?? .max)
    }

    /// Whether the record fits if it is the only one.
    func admit(_ record: StoredRecord) -> Bool {
        allow(RecordTotals(count: 1, bytes: record.chargedByteCount))
            && record.payload.count <= Self.maximumValueByteCount && record.details.count <= Self.maximumValueByteCount
    }
}
