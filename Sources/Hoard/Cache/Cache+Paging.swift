// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension Cache {
    /// Where a walk over the entries has come.
    package struct Position: Sendable, Hashable {
        package var shard: Int
        package var slot: Int

        package init(shard: Int, slot: Int) {
            self.shard = shard
            self.slot = slot
        }

        package static var start: Position { Position(shard: 0, slot: 0) }
    }

    /// Returns the entries with a value in some places of the table. Does not count as a use.
    ///
    /// An entry that is there from the first page to the last is on exactly one of them, even if its value is replaced meanwhile. It may be on two if
    /// the cache is divided meanwhile, because entries move to later shards. That happens once.
    ///
    /// - Parameter limit: How many places are looked at, at most; less than 1 counts as 1. All of them are in one shard, under its lock.
    /// - Returns: The entries, and where the next page begins; `nil` if there is none.
    /// - Complexity: O(`limit`).
    package func page(from position: Position, limit: Int) -> (entries: [(key: Key, value: Value)], next: Position?) {
        guard (0..<cells.count).contains(position.shard), position.slot >= 0 else { return ([], nil) }
        return page(from: position, limit: limit) { shard, slot in (shard.table.key(at: slot), shard.table.value(at: slot)) }
    }

    /// Returns the same page, with the result of `entry` for each place with a value. `entry` runs under the lock.
    func page<Entry>(
        from position: Position,
        limit: Int,
        _ entry: (borrowing Shard<Key, Value>, Slot) -> Entry
    ) -> (entries: [Entry], next: Position?) {
        let now = exactTimeIfUsed()
        let (entries, nextSlot) = cells.withShard(position.shard) { shard in
            let page = shard.liveSlots(from: position.slot, limit: max(1, limit), now: now)
            return (page.slots.map { entry(shard, $0) }, page.next)
        }
        if let nextSlot { return (entries, Position(shard: position.shard, slot: nextSlot)) }
        return (entries, position.shard + 1 < cells.count ? Position(shard: position.shard + 1, slot: 0) : nil)
    }
}

extension Shard {
    /// The slots of a part of the table that have a value which has not expired.
    fileprivate func liveSlots(from start: Int, limit: Int, now: Int64) -> (slots: [Slot], next: Int?) {
        let used = Int(table.slots.usedSlots.upperBound)
        guard start < used else { return ([], nil) }
        let end = limit < used - start ? start + limit : used
        let slots = (Slot(start)..<Slot(end)).filter { table.slots.flags(of: $0).segment != .free && hasValue($0, at: now) }
        return (slots, end < used ? end : nil)
    }
}
