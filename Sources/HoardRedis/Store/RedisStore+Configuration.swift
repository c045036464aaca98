// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension RedisStore {
    /// The settings with which a ``RedisStore`` uses a server.
    public struct Configuration: Sendable {
        /// The store's name in logs and metrics. The default is `redis`.
        public var name: String

        /// The prefix of the store's keys on the server. The default is `hoard`.
        ///
        /// Stores with the same prefix and database share their records; stores with different ones know nothing of each other. A prefix with text in
        /// braces puts all of a store's keys on one node of a cluster. It may not contain `{}:`.
        public var keyPrefix: String

        /// The largest record in bytes, counting payload, tags and texts. Larger ones are refused with ``StoreError/Code/recordTooLarge``. The
        /// default is 8 MiB.
        ///
        /// A server does one thing after the other, and sends one value after the other on a connection: a long one
        /// delays all others behind it.
        public var maximumRecordBytes: Int

        /// The time for which the server remembers that a record was removed. The default is 5 minutes.
        ///
        /// A load that takes longer, and began in another process before the removal, is kept from publishing by the
        /// notices that that process has received, not by the server's memory.
        public var tombstoneLifetime: Duration

        /// The time for which the server keeps a record after it has expired. The default is 1 minute.
        ///
        /// Whether a record has expired is judged by its reader's clock. The difference between the clocks of the machines may be as large as this.
        public var expirationSlack: Duration

        /// The time for which memory may use values that it gets while there is no connection. The default is 1 second.
        ///
        /// Without a connection, the server tells of no changes. The loss of a connection is noticed after
        /// ``RedisConfiguration/heartbeatInterval`` and ``RedisConfiguration/heartbeatTimeout`` at the latest.
        public var stalenessWindow: Duration

        /// Whether the server reports changes by others. The default is ``Tracking/required``.
        public var tracking: Tracking

        /// The most keys that are remembered as changed. The default is 65,536. If more are changed during a load, its result is not published.
        public var changeLogCapacity: Int

        /// The most keys whose last-read version is remembered. The default is 65,536. Publishing a load of another key takes two more round trips.
        public var versionCapacity: Int

        /// The most tags and partitions whose generation is remembered. The default is 65,536. Reading a record with another one takes one more round
        /// trip.
        public var generationCapacity: Int

        /// The most keys in the database, of all kinds, that ``RedisStore/statistics()`` counts exactly. The default is 10,000.
        public var exactCountLimit: Int

        /// Creates a configuration. Each parameter is described at the property of its name.
        public init(
            name: String = "redis",
            keyPrefix: String = "hoard",
            maximumRecordBytes: Int = 8 << 20,
            tombstoneLifetime: Duration = .seconds(300),
            expirationSlack: Duration = .seconds(60),
            stalenessWindow: Duration = .seconds(1),
            tracking: Tracking = .required,
            changeLogCapacity: Int = 65_536,
            versionCapacity: Int = 65_536,
            generationCapacity: Int = 65_536,
            exactCountLimit: Int = 10_000
        ) {
            self.name = name
            self.keyPrefix = keyPrefix
            self.maximumRecordBytes = maximumRecordBytes
            self.tombstoneLifetime = tombstoneLifetime
            self.expirationSlack = expirationSlack
            self.stalenessWindow = stalenessWindow
            self.tracking = tracking
            self.changeLogCapacity = changeLogCapacity
            self.versionCapacity = versionCapacity
            self.generationCapacity = generationCapacity
            self.exactCountLimit = exactCountLimit
        }
    }

    /// Whether a store is told of changes by others (`CLIENT TRACKING`).
    public struct Tracking: Sendable, Hashable {
        private enum Base: Hashable, Sendable { case required, off }
        private let base: Base

        /// The server reports changes. If it cannot, or the user may not ask for it, every operation throws.
        public static var required: Self { Self(base: .required) }

        /// The server does not report changes. For servers behind a proxy or the like that does not know `CLIENT TRACKING`.
        ///
        /// A read of the store finds the server's current record, and takes a round trip more. But tiers above are told nothing, and use their
        /// records until these are no longer fresh. A load is published unless another writer has written or removed its key since the key was last
        /// read, whatever happened to its tags meanwhile.
        public static var off: Self { Self(base: .off) }
    }
}
