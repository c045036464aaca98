// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// A store that other processes change too, and that detects their changes.
///
/// A load that began before another process wrote or removed its key, or invalidated one of its tags, must not be published. The tiers above note the store's
/// position when a load begins, and write its result with it. They drop their own copies of the store's records when they are told of a change.
///
/// An instance does not tell its watchers of its own changes; they know of them. Two instances over the same records tell each other.
public protocol SharedRecordStore: RecordStore {
    /// The position up to which the store has heard of changes by others. Never decreases. O(1); never suspends.
    ///
    /// A position stands for the moment at which it was read, however late the store hears of changes before or after.
    var position: StorePosition { get }

    /// Writes a record, unless another instance has changed its key, one of its tags, its partition or everything since `position`. May suspend.
    ///
    /// When in doubt, for example after a lost connection, the store does not write the record, and leaves its present record of the key as it is.
    /// Changes by this instance since `position` may keep the record from being written, but need not: the tiers above see to that.
    ///
    /// - Returns: Whether the record was written.
    /// - Throws: As ``RecordStore/insert(_:forKey:)``. A record that can never fit removes any older one.
    @discardableResult
    func insert(_ record: Record, forKey key: RecordKey, ifUnchangedSince position: StorePosition) async throws(StoreError) -> Bool

    /// Writes several records, except those that another instance has changed since `position`. Usually one round trip where there is a network.
    /// May suspend.
    ///
    /// By default they are written one by one. A record that can never fit removes any older one of its key, is not among those that were refused, and keeps no
    /// other from being written. When the call throws, some of the records may have been written.
    /// - Returns: The keys of those that were refused, because they have been changed or may have been.
    func insert(_ records: [RecordKey: Record], ifUnchangedSince position: StorePosition) async throws(StoreError) -> Set<RecordKey>

    /// Calls `onChange` for each change by others, as soon as the store hears of it, on the thread that hears of it, and in that order.
    ///
    /// Faster than ``RecordStore/invalidations()``: no task has to wait for its turn, and no change is lost because too many wait. A store that may have missed
    /// something tells of everything. A read that begins after the call of `onChange` has returned finds a record at
    /// least as new as that change. The same change may be told more than once.
    ///
    /// - Parameter onChange: Called outside all locks of the store. Must be quick, must not block, and must not call the store.
    /// - Returns: The watch, which ends when it is cancelled or released.
    func watch(_ onChange: @escaping @Sendable (StoreInvalidation) -> Void) -> StoreWatch
}

extension SharedRecordStore {
    public func insert(_ records: [RecordKey: Record], ifUnchangedSince position: StorePosition) async throws(StoreError) -> Set<RecordKey> {
        var refused: Set<RecordKey> = []
        for (key, record) in records {
            do {
                if try await !insert(record, forKey: key, ifUnchangedSince: position) { refused.insert(key) }
            } catch {
                guard error.code == .recordTooLarge else { throw error }
            }
        }
        return refused
    }
}

/// A moment in the life of a ``SharedRecordStore``. Valid only for the store that made it, as long as the store is open.
public struct StorePosition: Sendable, Hashable, Comparable {
    /// The number of the moment, greater for a later one.
    public let number: UInt64

    /// Creates a position, for stores of your own.
    public init(number: UInt64) {
        self.number = number
    }

    public static func < (left: Self, right: Self) -> Bool { left.number < right.number }
}
