// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// A store that can read a record on the caller's thread, without suspending.
///
/// A cache above it then reads without a task, a continuation or a timer, which cost more than the read itself. ``MemoryStore`` and `DiskStore` are such stores;
/// a store across a network is not. `RecordStoreConformance.immediateChecks` (module `HoardTesting`) tries them.
///
/// No deadline can end a read on the caller's thread. When one takes long, the cache stops asking in this way, and reads with ``RecordStore/record(forKey:)`` under
/// the deadline of ``StoreStack/Configuration``, until the store is quick again.
public protocol ImmediateRecordStore: RecordStore {
    /// Whether the store can be asked at once. Constant; `true` by default. For stores around other stores, some of which cannot answer at once.
    var answersAtOnce: Bool { get }

    /// Reads a record and counts as a use of it, as ``RecordStore/record(forKey:)`` does. Never suspends.
    ///
    /// May block for about as long as the read of a local file takes, but not for a network, another process or a lock that is held for long.
    ///
    /// - Returns: ``ImmediateReading/unavailable`` if the store would have to suspend; nothing is counted then.
    /// - Throws: The errors of ``RecordStore/record(forKey:)``.
    func immediateRecord(forKey key: RecordKey) throws(StoreError) -> ImmediateReading

    /// Returns whether the store knows, without reading anything, that it has no record of a key. Never suspends or blocks, and counts nothing.
    ///
    /// `false` if it has one, or if it would have to look; `false` by default. Complexity: O(1).
    func isKnownAbsent(_ key: RecordKey) -> Bool
}

extension ImmediateRecordStore {
    public var answersAtOnce: Bool { true }

    public func isKnownAbsent(_ key: RecordKey) -> Bool { false }
}

/// The result of ``ImmediateRecordStore/immediateRecord(forKey:)``.
public enum ImmediateReading: Sendable, Hashable {
    /// The record.
    case record(Record)
    /// The store has no record of the key that is valid now.
    case absent
    /// The store has to suspend for its answer, which ``RecordStore/record(forKey:)`` gets.
    case unavailable

    /// Creates the answer for a record, or for its absence.
    public init(_ record: Record?) { self = record.map { .record($0) } ?? .absent }
}
