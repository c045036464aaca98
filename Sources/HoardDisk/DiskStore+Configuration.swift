// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import Hoard

extension DiskStore {
    /// The directory, the limits and the other settings of a ``DiskStore``.
    public struct Configuration: Sendable {
        /// The path of the directory for the store's files. It must hold no other files.
        ///
        /// A directory that Hoard creates, parents included, has mode 0700. One that exists is used as it is.
        /// The files in it have mode 0600 and fixed names.
        public var directory: String

        /// The store's name in logs and metrics. The default is `disk`.
        public var name: String

        /// The most records in the store. `nil`, the default, sets no limit; a negative number counts as 0.
        public var maximumCount: Int?

        /// The most bytes charged for all records together. The default is 1 GiB; `nil` sets no limit; a negative number counts as 0.
        ///
        /// A record is charged for its key, payload, tags, validator and content type, plus ``DiskStore/bytesChargedPerRecord``.
        /// SQLite adds the unused ends of its pages and a write-ahead log of usually not more than 16 MiB.
        public var maximumBytes: Int?

        /// The clock that tells the time. The default is the system's clock.
        public var clock: any WallClock

        /// Whether to create the directory and the database if there are none. The default is `true`.
        ///
        /// With `false`, for tools that look into a store, opening changes nothing. A directory without a database is
        /// ``StoreError/Code/unavailable``. A damaged database is ``StoreError/Code/corrupt``, when it is opened or when the damage is met, and stays
        /// where it is. No record is evicted to meet the limits until a record is inserted.
        public var createsIfMissing: Bool

        /// The mode that decides when a write returns, unless the write has its own. The default is ``WriteMode/durable``.
        public var writeMode: WriteMode

        /// Whether a commit waits until the disk has it, so that it survives a loss of power as well. The default is `false`: commits survive the end
        /// of the process, however it ends, but a loss of power may take the latest ones.
        public var synchronizesCommits: Bool

        /// The most writes that may wait for the writing thread. With more, callers wait for room. The default is 1,024.
        public var maximumQueuedWriteCount: Int

        /// The most bytes of writes that may wait. The default is 64 MiB; one write has room however large it is.
        public var maximumQueuedWriteBytes: Int

        /// The longest payload in the database, in bytes. Longer payloads are kept in files of their own. The default is 16 KiB.
        public var maximumInlinePayloadBytes: Int

        /// The compression of payloads that fit into the database when compressed. The default is ``Compression/none``. Payloads in files are kept as
        /// they are.
        public var compression: Compression

        /// The key with which the store is encrypted. The default is `nil`: no encryption. A store is encrypted from the start or never, and always
        /// with one key.
        public var encryptionKey: EncryptionKey?

        /// The protection of the files on a locked device. It has an effect on iOS, tvOS, watchOS and visionOS only. The default is
        /// ``FileProtection/completeUntilFirstUserAuthentication``. Existing files keep the protection with which they were created.
        public var fileProtection = FileProtection.completeUntilFirstUserAuthentication

        /// Whether Apple's systems leave the directory out of backups. The default is `true`, as a cache can be filled again. No effect elsewhere.
        public var isExcludedFromBackup = true

        /// The time between two checks for other processes' changes while a subscriber follows ``DiskStore/invalidations()``. The default is 20
        /// milliseconds.
        public var invalidationInterval: Duration

        /// How many bytes of the database the connection that writes keeps in memory. The default is 16 MiB. With less,
        /// a database that is larger reads more of the pages that it changes from the system's cache of files.
        package var pageCacheByteCount = 16 << 20

        /// The function that receives events worth logging. The default is `nil`.
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
            writeMode: WriteMode = .durable,
            synchronizesCommits: Bool = false,
            maximumQueuedWriteCount: Int = 1024,
            maximumQueuedWriteBytes: Int = 64 << 20,
            maximumInlinePayloadBytes: Int = 16 << 10,
            compression: Compression = .none,
            encryptionKey: EncryptionKey? = nil,
            invalidationInterval: Duration = .milliseconds(20),
            onEvent: (@Sendable (Event) -> Void)? = nil
        ) {
            self.directory = directory
            self.name = name
            self.maximumCount = maximumCount
            self.maximumBytes = maximumBytes
            self.clock = clock
            self.createsIfMissing = createsIfMissing
            self.writeMode = writeMode
            self.synchronizesCommits = synchronizesCommits
            self.maximumQueuedWriteCount = maximumQueuedWriteCount
            self.maximumQueuedWriteBytes = maximumQueuedWriteBytes
            self.maximumInlinePayloadBytes = maximumInlinePayloadBytes
            self.compression = compression
            self.encryptionKey = encryptionKey
            self.invalidationInterval = invalidationInterval
            self.onEvent = onEvent
        }
    }

    /// A mode that decides when a write returns.
    public struct WriteMode: Sendable, Hashable {
        private enum Base: Hashable, Sendable { case durable, behind }
        private let base: Base

        /// A write returns when it is committed, and then survives the end of the process. It waits for the writes before it, and shares their
        /// commit.
        public static var durable: Self { Self(base: .durable) }

        /// A write returns as soon as there is room for it among the waiting writes. Reads see it at once. An error is only counted and reported to
        /// ``Configuration/onEvent``, and the key is a miss then. A process that dies loses writes that are not committed yet.
        public static var behind: Self { Self(base: .behind) }
    }
}

extension DiskStore.Configuration {
    var limits: RecordLimits {
        RecordLimits(maximumCount: maximumCount.map { max($0, 0) }, maximumBytes: maximumBytes.map { max($0, 0) })
    }
}

/// How much the database may hold.
struct RecordLimits: Sendable, Hashable {
    var maximumCount: Int?
    var maximumBytes: Int?

    func allow(_ totals: RecordTotals) -> Bool {
        totals.count <= (maximumCount ?? .max) && totals.bytes <= (maximumBytes ?? .max)
    }

    /// Whether there is room for more. Damaged totals must not trap.
    func allow(_ totals: RecordTotals, and added: RecordTotals) -> Bool {
        allow(RecordTotals(count: totals.count &+ added.count, bytes: totals.bytes &+ added.bytes))
    }

    /// Whether a record that is charged so much fits if it is the only one.
    func admit(charge: Int) -> Bool {
        allow(RecordTotals(count: 1, bytes: charge))
    }
}
