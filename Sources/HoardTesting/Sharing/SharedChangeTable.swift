// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard

/// The connections that have last changed each key of a ``SharedMemoryStore``. Bounded: when there is too much to
/// remember, older keys count as changed by all connections.
struct SharedChangeTable: Sendable {
    /// The number of the last change by each connection.
    private typealias Changes = [UInt64: UInt64]

    static var maximumCount: Int { 100_000 }

    private(set) var sequence: UInt64 = 0
    private var keys: [RecordKey: Changes] = [:]
    private var tags: [String: Changes] = [:]
    /// By the bytes of the names.
    private var partitions: [[UInt8]: Changes] = [:]
    private var everything: Changes = [:]
    /// The position at which everything that was changed before counts as changed.
    private var floor: UInt64 = 0

    mutating func add(_ invalidation: StoreInvalidation, by id: UInt64) {
        sequence += 1
        if keys.count + tags.count + partitions.count >= Self.maximumCount {
            (keys, tags, partitions) = ([:], [:], [:])
            floor = sequence
        }
        if let key = invalidation.key {
            keys[key, default: [:]][id] = sequence
        } else if let partition = invalidation.partition {
            partitions[Array(partition.utf8), default: [:]][id] = sequence
        } else if invalidation.tags.isEmpty {
            everything[id] = sequence
        } else {
            for tag in invalidation.tags { tags[tag, default: [:]][id] = sequence }
        }
    }

    /// Whether another connection has changed a key since a position.
    func hasChanged(_ key: RecordKey, since position: StorePosition, unlessBy id: UInt64) -> Bool {
        floor > position.number || isLater(keys[key], position, id) || isLater(everything, position, id)
    }

    /// Whether another connection has changed something that a record depends on.
    func hasChanged(_ record: Record, forKey key: RecordKey, since position: StorePosition, unlessBy id: UInt64) -> Bool {
        hasChanged(key, since: position, unlessBy: id) || record.tags.contains { isLater(tags[$0], position, id) }
            || record.partition.map { isLater(partitions[Array($0.utf8)], position, id) } ?? false
    }

    private func isLater(_ changes: Changes?, _ position: StorePosition, _ id: UInt64) -> Bool {
        changes?.contains { $0.key != id && $0.value > position.number } ?? false
    }
}
