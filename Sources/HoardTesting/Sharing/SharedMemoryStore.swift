// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import Hoard
internal import Synchronization

/// Records in memory that several caches of one process share, as if each of them were a process of its own with a connection to a server.
///
/// For tests of caches on different machines and their reactions to each other's changes: each connection hears of the
/// others' changes at once, when the test says so, or at random, and may lose its connection.
///
/// ```swift
/// let server = SharedMemoryStore()
/// let (here, there) = (server.connect(delivery: .onRequest), server.connect())
/// let cache = TieredCache<String, Int>(configuration: .init(maximumCount: 10), stores: [here], codec: .json)
/// let other = TieredCache<String, Int>(configuration: .init(maximumCount: 10), stores: [there], codec: .json)
/// await cache.insert(1, forKey: "a")
/// await other.insert(2, forKey: "a")
/// #expect(await cache.value(forKey: "a") == 1)    // it has not heard of the change
/// here.deliverAll()
/// #expect(await cache.value(forKey: "a") == 2)
/// ```
///
/// Reads and writes of all connections take effect at once, in one order. Only the news of them is late.
public final class SharedMemoryStore: Sendable {
    let records: MemoryStore
    let clock: any WallClock
    let ticker: any Ticker
    let deadlines: DeadlineQueue
    let state = Mutex(State())

    /// Creates a server without records.
    ///
    /// - Parameters:
    ///   - maximumCount: The most records held. Default: no limit.
    ///   - maximumBytes: As of ``MemoryStore``.
    ///   - clock: Judges whether a record has expired.
    ///   - ticker: Measures the time of leases.
    public init(
        maximumCount: Int? = nil,
        maximumBytes: Int? = 64 << 20,
        clock: any WallClock = SystemWallClock(),
        ticker: any Ticker = MonotonicTicker()
    ) {
        records = MemoryStore(name: "shared", maximumCount: maximumCount, maximumBytes: maximumBytes, clock: clock)
        self.clock = clock
        self.ticker = ticker
        deadlines = DeadlineQueue(ticker: ticker)
    }

    /// The way in which a connection hears of the others' changes.
    public enum Delivery: Sendable {
        /// Before the change has ended.
        case atOnce
        /// When ``Connection/deliver(atMost:)`` or ``Connection/deliverAll()`` is called.
        case onRequest
        /// Now and then: whenever the connection is used, some of the pending changes are delivered, or with this
        /// probability all of them are lost, and the connection hears of a change of everything instead. The same seed
        /// and the same calls give the same deliveries.
        case random(seed: UInt64, lossProbability: Double = 0)
    }

    /// Adds a connection: a store that a cache can be given.
    public func connect(name: String = "shared", delivery: Delivery = .atOnce) -> Connection {
        let mailbox = Mailbox(delivery)
        let id = state.withLock { state in
            state.lastID += 1
            state.mailboxes[state.lastID] = mailbox
            return state.lastID
        }
        return Connection(to: self, id: id, mailbox: mailbox, name: name)
    }

    /// The leases that have been granted so far.
    public var grantedLeaseCount: Int { state.withLock { $0.grantedLeaseCount } }

    /// The number of times that a lease has been renewed so far.
    public var renewalCount: Int { state.withLock { $0.renewalCount } }

    /// The number of callers that wait for a change now.
    public var waiterCount: Int { state.withLock { $0.waiters.count } }

    // MARK: State

    struct State: Sendable {
        var lastID: UInt64 = 0
        var mailboxes: [UInt64: Mailbox] = [:]
        var changes = SharedChangeTable()
        var leases: [RecordKey: Lease] = [:]
        var lastToken: UInt64 = 0
        var grantedLeaseCount = 0
        var renewalCount = 0
        var waiters: [UInt64: Waiter] = [:]
        var lastWaiterID: UInt64 = 0
    }

    struct Lease: Sendable {
        let token: UInt64
        /// The tick at which its time is up.
        var end: Int64
    }

    /// Makes a change for a connection, and tells the others.
    func change(_ invalidations: [StoreInvalidation], by id: UInt64, _ body: () async throws(StoreError) -> Void) async throws(StoreError) {
        // A load that begins from here on sees the cause of this change.
        note(invalidations, by: id)
        let result: Result<Void, StoreError>
        do throws(StoreError) {
            result = .success(try await body())
        } catch {
            result = .failure(error)
        }
        tell(invalidations, by: id)
        try result.get()
    }

    func note(_ invalidations: [StoreInvalidation], by id: UInt64) {
        state.withLock { state in
            for invalidation in invalidations { state.changes.add(invalidation, by: id) }
        }
    }

    func tell(_ invalidations: [StoreInvalidation], by id: UInt64) {
        let (others, woken) = state.withLock { state in
            (state.mailboxes.filter { $0.key != id }.sorted { $0.key < $1.key }.map(\.value), state.takeWaiters(invalidations, by: id))
        }
        for mailbox in others {
            for invalidation in invalidations { mailbox.post(invalidation) }
        }
        wake(woken)
    }
}
