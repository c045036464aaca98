// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

extension Cache {
    /// Calls a function with each entry, in no order.
    ///
    /// The view is weakly consistent: other threads go on to read and to write. An entry that is there all the time is visited exactly once, with the value that it has then;
    /// one that comes or leaves meanwhile may be visited or not. Expired and negative entries are left out. No use of any entry.
    ///
    /// - Parameter body: Runs outside all locks, and may use the cache.
    /// - Throws: The error of `body`, which ends the iteration.
    /// - Complexity: O(*n*). A lock is held for 256 places of the table at a time.
    public func forEach<Failure: Error>(_ body: (Key, Value) throws(Failure) -> Void) throws(Failure) {
        try forEachPage { shard, slot in
            (shard.table.key(at: slot), shard.table.value(at: slot))
        } _: { (entries: [(Key, Value)]) throws(Failure) in
            for (key, value) in entries { try body(key, value) }
        }
    }

    /// No division of the cache begins until ``endWalk()``, so that no entry changes its place. One that is under way holds the lock of the only
    /// shard, so a thread that has held that lock sees all shards.
    func beginWalk() { walks.add(1, ordering: .sequentiallyConsistent) }

    func endWalk() { walks.subtract(1, ordering: .sequentiallyConsistent) }

    /// The keys of all entries, in no order: those that ``forEach(_:)`` visits. O(*n*).
    public var keys: [Key] {
        var keys: [Key] = []
        keys.reserveCapacity(count)
        forEachPage { shard, slot in
            shard.table.key(at: slot)
        } _: {
            keys += $0
        }
        return keys
    }

    /// The entries that were used most often lately, hottest first.
    ///
    /// Pinned entries come first. Which of the others are hotter is an estimate: the policy counts up to 18 uses of a key, and halves its counts from time to time. Weakly consistent, like
    /// ``forEach(_:)``. No use of any entry.
    ///
    /// - Parameter maximumCount: How many entries are wanted at most; none if it is negative.
    /// - Complexity: O(*n* log `maximumCount`). A lock is held for 256 places of the table at a time.
    public func hottest(_ maximumCount: Int) -> [(key: Key, value: Value)] {
        guard maximumCount > 0 else { return [] }
        var hottest: [(heat: Int, key: Key, value: Value)] = []
        var leastHeat = Int.min
        let keepHottest = {
            hottest.sort { $0.heat > $1.heat }
            guard hottest.count > maximumCount else { return }
            hottest.removeSubrange(maximumCount...)
            leastHeat = hottest.last?.heat ?? .min
        }
        forEachPage { shard, slot -> (heat: Int, key: Key, value: Value) in
            let isPinned = shard.table.slots.flags(of: slot).segment == .pinned
            let heat = isPinned ? .max : shard.policy.rating(slot, in: shard.table.slots.links)
            return (heat, shard.table.key(at: slot), shard.table.value(at: slot))
        } _: { page in
            hottest += page.filter { $0.heat > leastHeat }
            if hottest.count / 2 > maximumCount { keepHottest() }
        }
        keepHottest()
        return hottest.map { ($0.key, $0.value) }
    }

    /// The entries that the policy would evict next, coldest first. Pinned entries, which it never evicts, are left out.
    ///
    /// An estimate, since uses until then count; a cache with several shards merges the orders that these have. Each shard is looked at by itself, others may write meanwhile. No use
    /// of any entry.
    ///
    /// - Parameter maximumCount: How many entries are wanted at most; none if it is negative.
    /// - Complexity: O(*n*), and O(*k* log *k*) for *k* = `maximumCount` × shards. Each shard is looked at under its lock, if need be at all of its entries.
    public func coldest(_ maximumCount: Int) -> [(key: Key, value: Value)] {
        guard maximumCount > 0 else { return [] }
        let now = exactTimeIfUsed()
        var coldest: [(rank: Double, key: Key, value: Value)] = []
        beginWalk()
        defer { endWalk() }
        // Asks for the number of shards after each, as a division that began before the walk may end meanwhile.
        cells.forEach { number in
            coldest += cells.withShard(number) { shard in
                let count = Double(shard.count)
                return shard.nextToLeave(now: now, atMost: maximumCount).enumerated().map { rank, slot in
                    (Double(rank) / count, shard.table.key(at: slot), shard.table.value(at: slot))
                }
            }
        }
        coldest.sort { $0.rank < $1.rank }
        return coldest.prefix(maximumCount).map { ($0.key, $0.value) }
    }

    private static var placesPerPage: Int { 256 }

    func forEachPage<Entry, Failure: Error>(
        _ entry: (borrowing Shard<Key, Value>, Slot) -> Entry,
        _ body: ([Entry]) throws(Failure) -> Void
    ) throws(Failure) {
        beginWalk()
        defer { endWalk() }
        var position: Position? = .start
        while let start = position {
            let page = page(from: start, limit: Self.placesPerPage, entry)
            try body(page.entries)
            position = page.next
        }
    }
}
