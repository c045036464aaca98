// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// A store that grants leases, so that one process loads a key at a time. See ``CachePolicy/loadLease``.
///
/// A lease is a promise that ends by itself. A process that is slow or cut off may lose its lease. Nothing depends on there being one load only:
/// ``SharedRecordStore/insert(_:forKey:ifUnchangedSince:)`` guards every value that is published.
public protocol LeasingRecordStore: SharedRecordStore {
    /// Tries to get the lease of a key for `duration` from now on. May suspend.
    ///
    /// - Returns: The lease; `nil` if another instance or this one has it already.
    func lease(forKey key: RecordKey, for duration: Duration) async throws(StoreError) -> RecordLease?

    /// Renews a lease for `duration` from now on. May suspend.
    ///
    /// - Returns: Whether it is still held; another instance may have it after its time was up.
    func renew(_ lease: RecordLease, for duration: Duration) async throws(StoreError) -> Bool

    /// Gives a lease back, so that another instance can get it at once. Does nothing if it is no longer held. May suspend.
    func release(_ lease: RecordLease) async throws(StoreError)

    /// Waits until the key has changed or its lease has been given back, but for at most `duration`. Suspends.
    ///
    /// Only changes by other instances since `position` count: a write or removal of the key, or the return of its lease. Ends early when the
    /// task is cancelled. Returns at once if such a change has happened already: a position read before ``lease(forKey:for:)`` was tried misses
    /// nothing. May return early, and need not notice that the time of a lease is up.
    func waitForChange(ofKey key: RecordKey, since position: StorePosition, atMost duration: Duration) async
}

/// The right to load a key, for some time.
public struct RecordLease: Sendable, Hashable {
    /// The key that may be loaded.
    public let key: RecordKey
    /// The lease's number, which no other lease has.
    public let token: UInt64

    /// Creates a lease, for stores of your own.
    public init(key: RecordKey, token: UInt64) {
        self.key = key
        self.token = token
    }
}
