// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension TieredCache {
    /// Creates a cache over stores of its own.
    ///
    /// - Parameters:
    ///   - configuration: The limits of the memory tier, and the policy.
    ///   - stores: The tiers below memory, nearest first. ``close()`` closes them.
    ///   - codec: Turns values into payloads and back.
    ///   - recordKey: Returns the name of a key's record. It must give the same name to equal keys and different names to different keys, in every
    ///     process. Equal strings may have several spellings: see ``RecordKey/init(canonical:)``. Debug builds stop when equal keys get different
    ///     names.
    ///   - keyOfRecord: Returns the key of a record's name, for stores that report changes by other processes (``RecordStore/invalidations()``).
    ///     Without it, or where it returns `nil`, such a change empties the memory tier.
    ///   - clock: Dates values.
    ///   - ticker: Ages values in memory, and measures timeouts.
    ///   - observer: Sees requests, loads and calls of stores, for metrics and tracing.
    ///   - onEvent: Receives events worth logging. Called outside all locks, on the thread where the event occurs.
    public convenience init(
        configuration: Configuration,
        stores: [any RecordStore],
        codec: Codec<Value>,
        recordKey: @escaping @Sendable (Key) -> RecordKey,
        keyOfRecord: (@Sendable (RecordKey) -> Key?)? = nil,
        clock: any WallClock = SystemWallClock(),
        ticker: any Ticker = MonotonicTicker(),
        observer: (any CacheObserver)? = nil,
        onEvent: @escaping @Sendable (TieredCacheEvent) -> Void = { _ in }
    ) {
        self.init(
            name: nil,
            configuration: configuration,
            stack: StoreStack(stores, ticker: ticker, observer: observer, onEvent: onEvent),
            ownsStack: true,
            codec: codec,
            recordKey: recordKey,
            keyOfRecord: keyOfRecord,
            clock: clock,
            ticker: ticker,
            observer: observer,
            onEvent: onEvent
        )
    }

    /// Creates a cache over stores of its own, some of whose keys are kept in memory only.
    ///
    /// - Parameter storedRecordKey: Returns the name of a key's record, or `nil` for a key that is kept in memory only.
    package convenience init(
        configuration: Configuration,
        stores: [any RecordStore],
        codec: Codec<Value>,
        storedRecordKey: @escaping @Sendable (Key) -> RecordKey?,
        keyOfRecord: (@Sendable (RecordKey) -> Key?)?,
        clock: any WallClock,
        ticker: any Ticker,
        onEvent: @escaping @Sendable (TieredCacheEvent) -> Void
    ) {
        self.init(
            name: nil,
            configuration: configuration,
            stack: StoreStack(stores, ticker: ticker, onEvent: onEvent),
            ownsStack: true,
            codec: codec,
            recordKey: storedRecordKey,
            keyOfRecord: keyOfRecord,
            clock: clock,
            ticker: ticker,
            observer: nil,
            onEvent: onEvent
        )
    }

    /// Creates a cache with a name, over stores that it shares with others.
    ///
    /// ```swift
    /// let stores = StoreStack([disk])
    /// let users = TieredCache<String, User>(name: "users", configuration: .init(maximumCount: 10_000), stores: stores, codec: .json)
    /// let teams = TieredCache<String, Team>(name: "teams", configuration: .init(maximumCount: 100), stores: stores, codec: .json)
    /// await users.removeAll()     // leaves the teams alone
    /// ```
    ///
    /// Each cache has its own limits, policy, memory and tags. The names keep their records apart. ``StoreStack/close()`` closes the stores.
    ///
    /// - Parameter name: Not empty, without U+0000, and different from the names of the other caches over the same stores. It appears in metrics.
    public convenience init(
        name: String,
        configuration: Configuration,
        stores: StoreStack,
        codec: Codec<Value>,
        recordKey: @escaping @Sendable (Key) -> RecordKey,
        keyOfRecord: (@Sendable (RecordKey) -> Key?)? = nil,
        clock: any WallClock = SystemWallClock(),
        ticker: any Ticker = MonotonicTicker(),
        observer: (any CacheObserver)? = nil,
        onEvent: @escaping @Sendable (TieredCacheEvent) -> Void = { _ in }
    ) {
        self.init(
            name: name,
            configuration: configuration,
            stack: stores,
            ownsStack: false,
            codec: codec,
            recordKey: recordKey,
            keyOfRecord: keyOfRecord,
            clock: clock,
            ticker: ticker,
            observer: observer,
            onEvent: onEvent
        )
    }
}

/// Caches whose keys have a lossless text form (`String`, the integers, …), which names their records.
///
/// Equal keys have one record: strings are named in Unicode's normalization form C, whatever their spelling ("é" in one scalar or in two), and
/// `-0.0` is named `0.0`. A NaN, which does not equal itself, is never kept.
extension TieredCache where Key: LosslessStringConvertible {
    /// Creates a cache over stores of its own.
    public convenience init(
        configuration: Configuration,
        stores: [any RecordStore],
        codec: Codec<Value>,
        clock: any WallClock = SystemWallClock(),
        ticker: any Ticker = MonotonicTicker(),
        observer: (any CacheObserver)? = nil,
        onEvent: @escaping @Sendable (TieredCacheEvent) -> Void = { _ in }
    ) {
        self.init(
            configuration: configuration,
            stores: stores,
            codec: codec,
            recordKey: { RecordKey(of: $0) },
            keyOfRecord: { Key($0.description) },
            clock: clock,
            ticker: ticker,
            observer: observer,
            onEvent: onEvent
        )
    }

    /// Creates a cache with a name, over stores that it shares with others.
    public convenience init(
        name: String,
        configuration: Configuration,
        stores: StoreStack,
        codec: Codec<Value>,
        clock: any WallClock = SystemWallClock(),
        ticker: any Ticker = MonotonicTicker(),
        observer: (any CacheObserver)? = nil,
        onEvent: @escaping @Sendable (TieredCacheEvent) -> Void = { _ in }
    ) {
        self.init(
            name: name,
            configuration: configuration,
            stores: stores,
            codec: codec,
            recordKey: { RecordKey(of: $0) },
            keyOfRecord: { Key($0.description) },
            clock: clock,
            ticker: ticker,
            observer: observer,
            onEvent: onEvent
        )
    }
}
