// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension RedisStore {
    /// How a ``RedisStore`` uses a server.
    public struct Configuration: Sendable {
        /// The store's name in logs and metrics. The default is `redis`.
        public var name: String

        /// The beginning of the names of the store's keys on the server. The default is `hoard`.
        ///
        /// Stores with the same prefix and database share their records; stores with different ones know nothing of each other. A prefix with text in
        /// braces puts all of a store's keys on one node of a cluster. It may not contain `{}:`.
        public var keyPrefix: String

        /// Longer records are refused, in bytes, with ``StoreError/Code/recordTooLarge``. Payload, tags and texts count. The default is 8 MiB.
        ///
        /// A server does one thing after the other, and sends one value after the other on a connection: a long one delays everybody behind it.
        public var maximumRecordBytes: Int

        /// How long the server remembers that a record was removed. The default is 5 minutes.
        ///
        /// A load that takes longer, and began in another process before the removal, is kept from publishing by what that process has heard, not by
        /// what the server remembers.
        public var tombstoneLifetime: Duration

        /// For how much longer than its time the server keeps a record. The default is 1 minute.
        ///
        /// Whether a record has expired is judged by its reader's clock. The difference between the clocks of the machines may be as large as this.
        public var expirationSlack: Duration

        /// How long memory may use the values that it gets while there is no connection. The default is 1 second.
        ///
        /// Without a connection, the server tells of no changes. The loss of a connection is noticed after
        /// ``RedisConfiguration/heartbeatInterval`` and ``RedisConfiguration/heartbeatTimeout`` at the latest.
        public var stalenessWindow: Duration

        /// Whether the server tells of what others change. The default is ``Tracking/required``.
        public var tracking: Tracking

        /// How many keys are remembered as changed. The default is 65,536. If more are changed during a load, its result is not published.
        public var changeLogCapacity: Int

        /// Of how many keys the version is remembered that was read last. The default is 65,536. Publishing a load of another key takes two round
        /// trips more.
        public var versionCapacity: Int

        /// How many tags and partitions are remembered with their generations. The default is 65,536. Reading a record that has another one takes a
        /// round trip more.
        public var generationCapacity: Int

        /// Up to how many keys in the database, all kinds together, ``RedisStore/statistics()`` counts exactly. The default is 10,000.
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

    /// Whether a store is told of what others change (`CLIENT TRACKING`).
    public struct Tracking: Sendable, Hashable {
        private enum Base: Hashable, Sendable { case required, off }
        private let base: Base

        /// The server tells. One that cannot or may not is not used: every operation throws.
        public static var required: Self { Self(base: .required) }

        /// The server does not tell: for servers behind a proxy or the like that does not know `CLIENT TRACKING`.
        ///
        /// A read of the store finds the server's current record, and takes a round trip more. But tiers above are told nothing, and use their
        /// records until these are no longer fresh. A load is published unless another writer has written or removed its key since the key was last
        /// read, whatever happened to its tags meanwhile.
        public static var off: Self { Self(base: .off) }
    }
}
