// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import Synchronization

extension Cache {
    /// Writes a value, and replaces any other value of its key. Counts as a use.
    ///
    /// Other entries leave until the limits hold. A value that alone is heavier than ``Configuration/maximumWeight``
    /// is refused: it is not kept, the older value of its key goes, nothing else does.
    /// A load of the key that is under way does not publish its value over this one.
    ///
    /// - Parameters:
    ///   - weight: The weight of the entry. By default the weigher decides, or it weighs 1. 0 pins it; negative counts as 0.
    ///   - expiresAfter: When this entry expires, counted from now. By default the cache's ``Configuration/expiration`` decides.
    ///     With zero or less the value is not kept.
    ///   - tags: Labels by which ``removeValues(taggedWith:)`` finds the entry. They replace those of an older value.
    /// - Complexity: O(1) amortised, and O(1) for each entry evicted.
    @inlinable public func insert(_ value: Value, forKey key: Key, weight: Int? = nil, expiresAfter: Duration? = nil, tags: Set<String> = []) {
        report(insert(entry(for: value, key: key, weight: weight, expiresAfter: expiresAfter, tags: tags), forKey: key))
    }

    /// Writes an entry and returns the entries that left because of it. A caller that holds a lock of its own keeps that until the lock is released.
    @inlinable @inline(__always)
    func insert(_ entry: NewEntry<Value>, forKey key: Key) -> Departures<Key, Value> {
        let hash = hasher(key)
        let now = entry.writeTime
        var departures = Departures<Key, Value>()
        var mustTune = false
        withShard(for: key, hash, weight: entry.weightToKeep, &departures) { shard, departures in
            if shard.hasFences { shard.breakFences(forKey: key) }
            if shard.hasUpdates { shard.updates.overtake(key) }
            _ = shard.insert(entry, forKey: key, hash: hash, now: now, tuner: tuner, departures: &departures)
            mustTune = shard.samples.count > 16
        }
        if mustTune { tune(hash) }
        if flights.mayHaveFlights { flights.detach(key) }
        return departures
    }

    /// Removes a value and returns it if it had not expired. A load of the key that is under way will not publish its value.
    /// - Complexity: O(1).
    @discardableResult
    @inlinable public func removeValue(forKey key: Key) -> Value? {
        let (departure, wasAlive) = removeEntry(forKey: key)
        guard let departure else { return nil }
        report(departure)
        return wasAlive ? departure.value : nil
    }

    /// Removes an entry, expired or not, and returns it, as ``insert(_:forKey:)`` does.
    @inlinable func removeEntry(forKey key: Key) -> (departure: Departures<Key, Value>.Departure?, wasAlive: Bool) {
        let hash = hasher(key)
        let now = exactTimeIfUsed()
        let removed = cells.withShard(for: hash) { shard -> (Departures<Key, Value>.Departure?, Bool) in
            if shard.hasFences { shard.breakFences(forKey: key) }
            let slot = shard.table.find(key, hash: UInt32(truncatingIfNeeded: hash))
            guard slot != .none else { return (nil, false) }
            let isAlive = shard.table.slots.deadline(of: slot) > now
            if shard.recording != nil { shard.record(AccessBuffer.removal, hash) }
            if isAlive { shard.otherStatistics.removals &+= 1 } else { shard.otherStatistics.expirations &+= 1 }
            return (shard.remove(slot, cause: isAlive ? .explicit : .expired), isAlive)
        }
        if flights.mayHaveFlights { flights.detach(key) }
        return removed
    }

    /// Removes every value. No load that is under way will publish its value.
    ///
    /// Values that other threads write meanwhile may stay or go.
    /// - Complexity: O(*n*).
    @inlinable public func removeAll() {
        let removed = removeAllEntries()
        guard observers.isActive.load(ordering: .acquiring) else { return }
        report(removed.departures())
    }

    /// Removes every value and returns the entries that left, as ``insert(_:forKey:)`` does.
    @inlinable func removeAllEntries() -> RemovedTables<Key, Value> {
        let removed = RemovedTables<Key, Value>()
        cells.forEach { number in
            let (table, details) = cells.withShard(number) { $0.removeAll() }
            removed.tables.append(table)
            removed.details.append(details)
        }
        cells.withShard(0) { $0.recording?.append(AccessBuffer.removal, 0) }
        flights.detachAll()
        return removed
    }

    /// Removes all values with a tag. A load under way that finds a value with this tag will not publish it.
    ///
    /// - Returns: The number of values removed.
    /// - Complexity: O(*k*) for *k* values with the tag, and one lock for each shard.
    @discardableResult
    public func removeValues(taggedWith tag: String) -> Int {
        var departures = Departures<Key, Value>()
        let now = exactTimeIfUsed()
        let removed = forEachShard(0) { $0 += $1.remove(taggedWith: tag, now: now, departures: &departures) }
        flights.detachAll()
        recordRemovals(departures)
        report(departures)
        return removed
    }

    /// Reclaims the memory of all expired entries. Reads never return such entries anyway, and writes reclaim some of them on the way.
    /// - Complexity: O(*k*) for *k* expired entries.
    public func removeExpired() {
        guard usesTimes.load(ordering: .relaxed) else { return }
        let now = clock.now()
        cells.forEach { number in
            var departures = Departures<Key, Value>()
            cells.withShard(number) { $0.reclaimAll(now: now, departures: &departures) }
            report(departures)
        }
    }

    /// Evicts the coldest entries until no more than a fraction of the present entries, and of their weight, is left.
    ///
    /// All expired entries leave first, and living ones that are pinned stay. The limits do not change: the cache fills up again.
    ///
    /// - Parameter fraction: From 0 to 1; values outside count as the nearest of these.
    /// - Returns: The number of entries that left.
    /// - Complexity: O(*n*).
    @discardableResult
    public func trim(toFraction fraction: Double) -> Int {
        let fraction = min(1, max(0, fraction.isNaN ? 1 : fraction))
        let now = exactTimeIfUsed()
        return forEachShardReporting { shard, departures in shard.trim(toFraction: fraction, now: now, departures: &departures) }
    }

    private func forEachShardReporting(_ body: (inout Shard<Key, Value>, inout Departures<Key, Value>) -> Int) -> Int {
        var result = 0
        cells.forEach { number in
            var departures = Departures<Key, Value>()
            result += cells.withShard(number) { body(&$0, &departures) }
            report(departures)
        }
        return result
    }

    /// The entry that a write makes. Runs the weigher, so it must not run under the lock.
    @inlinable func entry(for value: Value, key: Key, weight: Int?, expiresAfter: Duration?) -> NewEntry<Value> {
        let weight = weight ?? (configuration.weigher.map { $0(key, value) } ?? 1)
        guard usesTimes.load(ordering: .relaxed) || expiresAfter != nil else {
            return NewEntry(value: value, weight: max(0, weight), deadline: .max, writeTime: .min)
        }
        return timedEntry(value, weight: max(0, weight), expiresAfter: expiresAfter ?? configuration.variableExpiration?.afterWrite(key, value))
    }

    /// The same with tags.
    @inlinable func entry(for value: Value, key: Key, weight: Int?, expiresAfter: Duration?, tags: Set<String>) -> NewEntry<Value> {
        var entry = entry(for: value, key: key, weight: weight, expiresAfter: expiresAfter)
        if !tags.isEmpty { entry.details = EntryDetails(tags: tags) }
        return entry
    }

    @inlinable func timedEntry(_ value: Value?, weight: Int, expiresAfter: Duration?) -> NewEntry<Value> {
        usesTimes.store(true, ordering: .relaxed)
        let now = clock.now()
        let lifetime = expiresAfter?.saturatingNanoseconds ?? configuration.expiration.writeLifetime
        return NewEntry(value: value, weight: weight, deadline: CacheClock.deadline(lifetime, after: now), writeTime: now)
    }
}
