// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import Hoard
public import Logging
internal import Synchronization

/// A store in Redis or Valkey that several processes share. No process serves a record that another one has invalidated.
///
/// ```swift
/// let store = try RedisStore(connectingTo: RedisConfiguration(url: "redis://cache.example"))
/// let users = TieredCache<User.ID, User>(configuration: .init(maximumCount: 10_000), stores: [store], codec: .json)
/// ```
///
/// **The promise.** A process changes the store by a write, a removal, or a removal by tag, by partition or of
/// everything. Once a change was acknowledged to its caller, a read of the store that begins afterwards, in any
/// process, does not return the records that the change has removed. A load that began before another process changed
/// its key, a tag or its partition does not publish (``insert(_:forKey:ifUnchangedSince:)``). Tiers above are told of
/// others' changes as soon as the server tells them (``watch(_:)``), which takes about as long as a reply. While there
/// is no connection, they are told at intervals of ``Configuration/stalenessWindow`` that everything may have changed.
/// In a cluster, each node tells of its own keys: a read may return records that were removed by tag or partition until
/// the node of the tag or partition has told.
///
/// **How.** A record carries the number of the generation that each of its tags, its partition and the store had when it was written. To remove by
/// tag is to write another number under the tag: O(1), and a record that carries an older one is a miss. A generation
/// that is not there, because it was evicted or has expired, means "removed". Each process remembers the generations it
/// has read for as long as the server tells of their changes (`CLIENT TRACKING` in broadcasting mode), so a read takes
/// one round trip.
///
/// **Waiting.** Everything but ``position`` and ``watch(_:)`` takes a round trip, and suspends for it. No operation
/// takes longer than ``RedisConfiguration/commandTimeout`` for each round trip. While there is no connection,
/// operations throw ``StoreError/Code/unavailable`` at once.
///
/// **Expiration and eviction.** Records expire by themselves. The server bounds its memory (`maxmemory`); with a policy
/// such as `allkeys-lru` it evicts any key, and nothing that was removed comes back by that. Records that have been
/// removed by tag, by partition or with everything take up room until they expire, are evicted, or are read or listed.
///
/// **Several stores in one process** are as separate as in several processes. One instance does not tell its own
/// watchers of its changes: put one instance below one cache.
///
/// The server must allow the commands `GET`, `SET`, `GETRANGE`, `STRLEN`, `EXISTS`, `DEL`, `PTTL`, `SCAN`, `DBSIZE`, `EVAL`, `EVALSHA`, and in
/// scripts `SETRANGE`, `PEXPIRE` and `PERSIST`; `HELLO` and `CLIENT` for the connection.
public final class RedisStore: Sendable {
    /// ``Configuration/name``.
    public let name: String

    let configuration: Configuration
    let keys: RedisKeys
    let clock: any WallClock
    let ticker: any Ticker
    let logger: Logger?
    let connection: any RedisConnection
    /// The connection, if it is one of Hoard's own to a single server.
    let client: RedisClient?
    let coherence: Coherence
    /// The counts of this instance's operations, without the store's size.
    let counters = Mutex(StoreStatistics())
    let listings = Mutex(RecordListings())
    let size = Mutex(SizeMemory())
    private let isClosed = Atomic<Bool>(false)

    /// A function that makes a connection, which calls `onEvent` for each event. With a `trackedPrefix`, it also reports changes of keys with this
    /// prefix.
    @_spi(Client) public typealias MakeConnection =
        @Sendable (_ trackedPrefix: [UInt8]?, _ onEvent: @escaping @Sendable (RedisEvent) -> Void) throws(RedisError) -> any RedisConnection

    /// Creates a store on a connection that is not Hoard's own.
    ///
    /// - Parameters:
    ///   - clock: Judges whether a record has expired.
    ///   - ticker: Measures the time of outages and of leases.
    ///   - logger: Told, once, of values that cannot be read. Nothing that it is told is secret.
    ///   - makeConnection: Called once, at once.
    /// - Throws: ``StoreError/Code/invalidConfiguration`` for limits that are not positive; the errors of
    ///   `makeConnection`.
    @_spi(Client) public init(
        configuration: Configuration = Configuration(),
        clock: any WallClock = SystemWallClock(),
        ticker: any Ticker = MonotonicTicker(),
        logger: Logger? = nil,
        makeConnection: MakeConnection
    ) throws(StoreError) {
        try configuration.validate()
        name = configuration.name
        self.configuration = configuration
        self.clock = clock
        self.ticker = ticker
        self.logger = logger
        keys = RedisKeys(prefix: configuration.keyPrefix)
        let isTracked = configuration.tracking != .off
        let coherence = Coherence(
            CoherenceState(
                keys: keys,
                isTracked: isTracked,
                changeLogCapacity: configuration.changeLogCapacity,
                versionCapacity: configuration.versionCapacity,
                generationCapacity: configuration.generationCapacity
            ),
            stalenessWindow: configuration.stalenessWindow,
            ticker: ticker
        )
        self.coherence = coherence
        // Until there is a connection, as after one has ended.
        coherence.beginOutage()
        do throws(RedisError) {
            connection = try makeConnection(isTracked ? keys.prefix : nil) { [weak coherence] event in coherence?.handle(event) }
            client = connection as? RedisClient
        } catch {
            coherence.close()
            throw StoreError(error, storeName: configuration.name)
        }
    }

    deinit {
        coherence.close()
    }

    /// Creates a store, and begins to connect. Does not wait for the connection; the first operation does.
    ///
    /// - Parameters: See ``init(configuration:clock:ticker:logger:makeConnection:)``.
    /// - Throws: ``StoreError/Code/invalidConfiguration`` if a setting cannot be used, such as certificates that cannot be read.
    public convenience init(
        connectingTo server: RedisConfiguration,
        configuration: Configuration = Configuration(),
        clock: any WallClock = SystemWallClock(),
        ticker: any Ticker = MonotonicTicker(),
        logger: Logger? = nil
    ) throws(StoreError) {
        try self.init(configuration: configuration, clock: clock, ticker: ticker, logger: logger) {
            (trackedPrefix, onEvent) throws(RedisError) -> any RedisConnection in
            if server.isCluster { return try RedisCluster(server, trackedPrefix: trackedPrefix, logger: logger, onEvent: onEvent) }
            return try RedisClient(server, trackedPrefix: trackedPrefix, logger: logger, onEvent: onEvent)
        }
    }

    public func close() async {
        if isClosed.exchange(true, ordering: .acquiringAndReleasing) { return }
        coherence.close()
        await connection.close()
    }

    func checkOpen() throws(StoreError) {
        if isClosed.load(ordering: .acquiring) { throw .closed(name) }
    }

    func check(_ key: RecordKey) throws(StoreError) {
        if key.bytes.count > RecordKey.maximumByteCount { throw .keyTooLong(key) }
    }
}

extension RedisStore: RecordStore {
    public func invalidations() -> AsyncStream<StoreInvalidation>? { coherence.watchers.makeStream() }
}

extension RedisStore.Configuration {
    fileprivate func validate() throws(StoreError) {
        let complaint: String? =
            if maximumRecordBytes < 1 || maximumRecordBytes > 512 << 20 {
                "maximumRecordBytes must be from 1 byte to 512 MiB, which is the longest value of a server."
            } else if keyPrefix.utf8.contains("{}:".utf8) {
                "keyPrefix must not contain “{}:”, which ends the prefix of every key."
            } else if tombstoneLifetime < .milliseconds(1) || expirationSlack < .zero || stalenessWindow < .milliseconds(1) {
                "tombstoneLifetime and stalenessWindow must be at least a millisecond, and expirationSlack not negative."
            } else if changeLogCapacity < 2 || versionCapacity < 2 || generationCapacity < 2 || exactCountLimit < 0 {
                "changeLogCapacity, versionCapacity and generationCapacity must be at least 2, and exactCountLimit not negative."
            } else {
                nil
            }
        if let complaint { throw StoreError(.invalidConfiguration, complaint) }
    }
}
