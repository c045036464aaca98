// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// A bounded, concurrent cache in memory, with expiry and single-flight loading.
///
/// ```swift
/// let users = Cache<User.ID, User>(maximumCount: 10_000, expiration: .afterWrite(.seconds(300)))
/// users.insert(user, forKey: user.id)
/// users.value(forKey: user.id)
/// let other = try await users.value(forKey: id) { id in try await database.user(id) }
/// ```
///
/// Everything but ``value(forKey:load:)`` is synchronous, never suspends and may be called from any thread.
/// A cache holds its limits at every moment, and an expired value is gone from every read at once.
///
/// The cache evicts the least recently used entry. A use is ``value(forKey:)``, the subscript or
/// ``value(forKey:load:)``; ``peek(_:)`` and ``contains(_:)`` are not uses.
///
/// Entries of weight 0 are pinned: they are never evicted, count against ``Configuration/maximumCount`` only,
/// and leave by removal, replacement or expiration.
public final class Cache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// The limits and rules the cache was created with.
    public let configuration: Configuration

    let ticker: any Ticker
    let state: Mutex<State>
    let flights = SingleFlight<Key, Value>()

    /// Everything that changes, under one lock. No user code runs while it is held.
    struct State: ~Copyable {
        var engine: LRUEngine<Key, Value>
        var fences = FenceTable<Key>()
        var statistics = CacheStatistics()
    }

    /// Creates a cache.
    ///
    /// - Parameters:
    ///   - configuration: Limits and rules.
    ///   - ticker: The clock that ages entries.
    public init(configuration: Configuration, ticker: any Ticker = MonotonicTicker()) {
        self.configuration = configuration
        self.ticker = ticker
        self.state = Mutex(
            State(engine: LRUEngine(maximumCount: configuration.maximumCount, maximumWeight: configuration.maximumWeight))
        )
    }

    /// Creates a cache limited by the number of its entries.
    public convenience init(maximumCount: Int, expiration: Expiration = .never, ticker: any Ticker = MonotonicTicker()) {
        self.init(configuration: Configuration(maximumCount: maximumCount, expiration: expiration), ticker: ticker)
    }

    /// Creates a cache limited by the total weight of its entries, and by their number if `maximumCount` is given too.
    ///
    /// - Parameter weigher: Computes an entry's weight when it is written. Runs outside all locks. Negative results count as 0.
    public convenience init(
        maximumWeight: Int,
        maximumCount: Int? = nil,
        expiration: Expiration = .never,
        ticker: any Ticker = MonotonicTicker(),
        weigher: @escaping @Sendable (Key, Value) -> Int
    ) {
        self.init(
            configuration: Configuration(maximumCount: maximumCount, maximumWeight: maximumWeight, expiration: expiration, weigher: weigher),
            ticker: ticker
        )
    }
}
