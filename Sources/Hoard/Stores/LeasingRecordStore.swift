// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// A store on which processes agree who of them loads a key: ``CachePolicy/loadLease``.
///
/// A lease is a promise that ends by itself. Whoever holds one may lose it, by being slow or cut off, and nothing depends on there being one load only: what
/// is published is guarded by ``SharedRecordStore/insert(_:forKey:ifUnchangedSince:)``.
public protocol LeasingRecordStore: SharedRecordStore {
    /// Tries to become the only one that loads a key, for `duration` from now on. May suspend.
    ///
    /// - Returns: The lease; `nil` if somebody has it already, this instance included.
    func lease(forKey key: RecordKey, for duration: Duration) async throws(StoreError) -> RecordLease?

    /// Holds a lease for `duration` from now on. May suspend.
    ///
    /// - Returns: Whether it is still held; somebody else may have it after its time was up.
    func renew(_ lease: RecordLease, for duration: Duration) async throws(StoreError) -> Bool

    /// Gives a lease back, so that somebody else may have it at once. Does nothing if it is no longer held. May suspend.
    func release(_ lease: RecordLease) async throws(StoreError)

    /// Waits until somebody else has written or removed the key or given its lease back since `position`, until `duration` is over, or until the task is cancelled. Suspends.
    ///
    /// Returns at once if that has happened already: a position read before ``lease(forKey:for:)`` was tried misses nothing. May return early, and need not notice
    /// that the time of a lease is up.
    func waitForChange(ofKey key: RecordKey, since position: StorePosition, atMost duration: Duration) async
}

/// The right to load a key, for some time.
public struct RecordLease: Sendable, Hashable {
    public let key: RecordKey
    /// Differs between all leases.
    public let token: UInt64

    public init(key: RecordKey, token: UInt64) {
        self.key = key
        self.token = token
    }
}
