// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The places of all records, in 256 shards by the highest byte of the hash, each with a lock of its own.
///
/// A shard grows on its own, and copies a 256th of the index when it does.
final class PlaceIndex: Sendable {
    private final class Shard: Sendable {
        let table = Mutex(PlaceTable())
    }

    private let shards = (0..<256).map { _ in Shard() }

    @inline(__always)
    private func shard(of hash: UInt64) -> Shard { shards[Int(truncatingIfNeeded: hash >> 56)] }

    func find(_ hash: UInt64, isUse: Bool) -> Place? { shard(of: hash).table.withLock { $0.find(hash, isUse: isUse) } }

    /// Gives a hash a place.
    ///
    /// - Parameter frequency: Gives the frequency, from the place that the hash had.
    /// - Returns: The place that it had.
    func set(_ hash: UInt64, to place: Place, frequency: @Sendable (Place?) -> UInt64) -> Place? {
        shard(of: hash).table.withLock { $0.set(hash, to: place, frequency: frequency) }
    }

    func remove(_ hash: UInt64) -> Place? { shard(of: hash).table.withLock { $0.remove(hash) } }

    /// Changes the place of a hash if it still is `place`, however often that was read; `nil` removes it.
    func replace(_ hash: UInt64, _ place: Place, with new: Place?) -> Bool {
        shard(of: hash).table.withLock { $0.replace(hash, place, with: new) }
    }

    /// Adds places whose hashes have none, and calls `added` for each. The lock of a shard is taken once for its places if they are in ascending order.
    func add(_ places: UnsafeBufferPointer<HashedPlace>, added: (Place) -> Void) {
        var first = 0
        while first < places.count {
            let number = places[first].hash >> 56
            var end = first + 1
            while end < places.count, places[end].hash >> 56 == number { end += 1 }
            shards[Int(number)].table.withLock { table in
                for index in first..<end where table.find(places[index].hash, isUse: false) == nil {
                    // In a footer, these bits are not the frequency.
                    _ = table.set(places[index].hash, to: places[index].place) { _ in 0 }
                    added(places[index].place)
                }
            }
            first = end
        }
    }

    func removeAll(where isUnwanted: @Sendable (HashedPlace) -> Bool) {
        for shard in shards { shard.table.withLock { $0.removeAll(where: isUnwanted) } }
    }

    var count: Int { shards.reduce(0) { $0 + $1.table.withLock { $0.count } } }
    var allocatedByteCount: Int { shards.reduce(0) { $0 + $1.table.withLock { $0.allocatedByteCount } } }
}
