// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

extension Cache {
    /// Runs `body`, which may write an entry, while holding the lock of the entry's shard.
    ///
    /// In a cache limited by weight, other shards make room first if the entry is heavy, and a cache that has become large is divided.
    @inlinable @inline(__always)
    func withShard<Result>(
        for key: Key,
        _ hash: UInt64,
        weight: Int,
        _ departures: inout Departures<Key, Value>,
        _ body: (inout Shard<Key, Value>, inout Departures<Key, Value>) -> Result
    ) -> Result {
        while true {
            let result = cells.withShard(for: hash) { shard -> Result? in
                if shard.policy.isHeavy(weight) { return nil }
                let result = body(&shard, &departures)
                if shard.isDueForDivision { divide(&shard) }
                return result
            }
            if let result = result ?? withRoom(for: weight, key, hash, &departures, body) { return result }
        }
    }

    /// The same for an entry that is too heavy for its shard to make room for it alone: all shards do, in equal parts.
    ///
    /// One heavy entry is written after the other, so that two never wait for the room that the other one has been given.
    ///
    /// - Returns: `nil` if the limit was lowered meanwhile, which took the room.
    @usableFromInline func withRoom<Result>(
        for weight: Int,
        _ key: Key,
        _ hash: UInt64,
        _ departures: inout Departures<Key, Value>,
        _ body: (inout Shard<Key, Value>, inout Departures<Key, Value>) -> Result
    ) -> Result? {
        var result: Result?
        heavyWrites.withLock { _ in
            let granted = room(for: weight, key, hash, &departures)
            result = cells.withShard(for: hash) { shard in
                shard.policy.grant(granted)
                shard.policy.keepsRoom = true
                defer {
                    shard.policy.keepsRoom = false
                    shard.policy.giveBackWeight()
                }
                return shard.policy.canHold(weight) || weight > shard.rules.maximumWeight ?? .max ? body(&shard, &departures) : nil
            }
        }
        return result
    }

    /// Takes room for an entry from the pool, and then from all shards but its own, which makes room for an equal part. The entry that it replaces
    /// leaves it its room.
    private func room(for weight: Int, _ key: Key, _ hash: UInt64, _ departures: inout Departures<Key, Value>) -> UInt {
        let now = exactTimeIfUsed()
        let (own, shardCount) = (cells.number(for: hash), UInt(cells.count))
        let (limit, growth, isPossible) = cells.withShard(own) { shard in
            let slot = shard.table.find(key, hash: UInt32(truncatingIfNeeded: hash))
            let replaced = slot == .none ? 0 : UInt(shard.table.slots.weight(of: slot))
            let limit = shard.policy.maximumWeight ?? 0
            return (
                min(limit - min(limit, replaced), shard.policy.nominalWeight ?? 0),
                UInt(weight) - min(UInt(weight), replaced),
                weight <= shard.rules.maximumWeight ?? .max
            )
        }
        guard isPossible else { return 0 }
        let wanted = growth - min(limit, growth / shardCount)
        var room: UInt = 0
        // First equal parts, then from each shard all that it has.
        for part in [wanted / (shardCount - 1) + 1, wanted] {
            cells.forEach { number in
                room += UInt(weightPool.take(upTo: Int(wanted - room)))
                guard number != own, room < wanted else { return }
                room += cells.withShard(number) { $0.giveAwayWeight(upTo: min(part, wanted - room), now: now, departures: &departures) }
            }
        }
        return room
    }

    /// Divides the cache, if its limit by weight allows many entries and no walk over them is under way. Its only shard is locked.
    @usableFromInline func divide(_ first: inout Shard<Key, Value>) {
        guard walks.load(ordering: .sequentiallyConsistent) == 0 else { return }
        let maximumCount = maximumCount
        let shardCount = min(cells.capacity, Configuration.shardCount(for: first.expectedCount(maximumCount: maximumCount)))
        guard shardCount > 1, let maximumWeight = first.rules.maximumWeight else {
            first.isDueForDivision = false
            return
        }
        let pool = Configuration.pool(for: maximumCount, shardCount: shardCount)
        let rules = (0..<shardCount).map { number in
            var rules = first.rules
            rules.shardCount = shardCount
            rules.pool = pool
            if let maximumCount { rules.maximumCount = Configuration.equalPart(maximumCount, number, of: shardCount) }
            return rules
        }
        func number(of key: Key) -> Int { cells.number(for: hasher(key), of: shardCount) }
        for new in 1..<shardCount {
            cells.initialize(new, to: Shard(besides: first, rules: rules[new]) { number(of: $0) == new })
        }
        for slot in first.policy.coldestFirst(in: first.table.slots) {
            let number = number(of: first.table.key(at: slot))
            if number > 0 { cells.shard(number).pointee.takeOver(slot, from: &first) }
        }
        first.keepOperations { number(of: $0) == 0 }
        for number in 0..<shardCount {
            let part = Configuration.equalPart(maximumWeight, number, of: shardCount)
            if number == 0 {
                first.didDivide(rules[0], nominalWeight: part)
            } else {
                cells.shard(number).pointee.didDivide(rules[number], nominalWeight: part)
            }
        }
        weightPool.add(Int(first.policy.giveAway(upTo: .max)))
        cells.publish(count: shardCount)
    }
}
