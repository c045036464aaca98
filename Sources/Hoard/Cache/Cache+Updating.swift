// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension Cache {
    /// Computes a value from the present one and writes it, as one step: inserts, changes or removes.
    ///
    /// ```swift
    /// let visits = counts.update(forKey: page) { ($0 ?? 0) + 1 }
    /// ```
    ///
    /// Updates of one key run one after the other, each with the value that the one before has left. `body` runs outside the cache's locks, once; again only if the value
    /// leaves meanwhile (by removal, eviction or expiration), is written because there was none, or comes from a load. A value that is inserted meanwhile stays: the
    /// update counts as done just before.
    ///
    /// Counts as a use, but neither as a hit nor as a miss. A load of the key that is under way does not publish its value over this one.
    ///
    /// - Parameters:
    ///   - weight: The weight of the entry, as in ``insert(_:forKey:weight:expiresAfter:tags:)``.
    ///   - expiresAfter: When the entry expires, counted from now.
    ///   - tags: Labels by which ``removeValues(taggedWith:)`` finds the entry. They replace those of the old value.
    ///   - body: Gets the value, or `nil` if there is none that has not expired. Returns the new value; `nil` removes the value. It may use the
    ///     cache, but must not update the same key, which traps. Updates of other keys within it can come to wait for each other for ever.
    /// - Returns: The result of `body`.
    /// - Throws: The error of `body`. Then nothing changes.
    /// - Complexity: O(1) amortised, and O(1) for each entry evicted. Waits for other updates of the key.
    @discardableResult
    @inlinable public func update<Failure: Error>(
        forKey key: Key,
        weight: Int? = nil,
        expiresAfter: Duration? = nil,
        tags: Set<String> = [],
        _ body: (Value?) throws(Failure) -> Value?
    ) throws(Failure) -> Value? {
        try change(key) { (old) throws(Failure) -> (Change, Value?) in
            guard let new = try body(old) else { return (.remove, nil) }
            return (.write(entry(for: new, key: key, weight: weight, expiresAfter: expiresAfter, tags: tags)), new)
        }
    }

    /// Removes a value if a predicate says so, as one step, like ``update(forKey:weight:expiresAfter:tags:_:)``.
    ///
    /// If the value stays, that is no use of it.
    ///
    /// - Parameter predicate: Gets a value that has not expired. The rules of an update's body hold for it.
    /// - Returns: The value that was removed; `nil` if none was.
    /// - Throws: The error of `predicate`. Then nothing changes.
    @discardableResult
    @inlinable public func removeValue<Failure: Error>(
        forKey key: Key,
        if predicate: (Value) throws(Failure) -> Bool
    ) throws(Failure) -> Value? {
        try change(key) { (old) throws(Failure) -> (Change, Value?) in
            guard let old, try predicate(old) else { return (.keep, nil) }
            return (.remove, old)
        }
    }

    /// Writes a value if there is none, as one step.
    ///
    /// Counts as a use of the value that is there in the end, but neither as a hit nor as a miss. A negative entry counts as no value. If the value is written, a load
    /// of the key that is under way does not publish its own over it.
    ///
    /// - Parameters:
    ///   - weight: The weight of the entry, as in ``insert(_:forKey:weight:expiresAfter:tags:)``.
    ///   - expiresAfter: When the entry expires, counted from now.
    ///   - tags: Labels by which ``removeValues(taggedWith:)`` finds the entry.
    /// - Returns: The value that was there; `nil` if there was none.
    /// - Complexity: O(1) amortised, and O(1) for each entry evicted. Never waits for an update.
    @discardableResult
    @inlinable public func insertIfAbsent(
        _ value: Value,
        forKey key: Key,
        weight: Int? = nil,
        expiresAfter: Duration? = nil,
        tags: Set<String> = []
    ) -> Value? {
        let hash = hasher(key)
        let now = exactTimeIfUsed()
        if let (found, times) = cells.withShard(for: hash, { $0.use(key, hash: hash, now: now) }) {
            if computesLifetimesOnRead { putOff(key, hash: hash, value: found, from: times, now: now) }
            return found
        }
        let entry = entry(for: value, key: key, weight: weight, expiresAfter: expiresAfter, tags: tags)
        var departures = Departures<Key, Value>()
        let found = withShard(for: key, hash, weight: entry.weightToKeep, &departures) { shard, departures -> Shard<Key, Value>.Use? in
            if let found = shard.use(key, hash: hash, now: entry.writeTime) { return found }
            if shard.hasFences { shard.breakFences(forKey: key) }
            if shard.hasUpdates { shard.updates.interrupt(key) }
            _ = shard.insert(entry, forKey: key, hash: hash, now: entry.writeTime, tuner: tuner, departures: &departures)
            return nil
        }
        if let found, computesLifetimesOnRead { putOff(key, hash: hash, value: found.value, from: found.times, now: entry.writeTime) }
        if found == nil, flights.mayHaveFlights { flights.detach(key) }
        report(departures)
        return found?.value
    }

    /// A change of an entry.
    @usableFromInline enum Change: Sendable {
        case keep, remove
        case write(NewEntry<Value>)
    }

    /// Decides on a change by looking at the value, and makes it.
    @inlinable func change<Failure: Error>(
        _ key: Key,
        _ decide: (Value?) throws(Failure) -> (Change, Value?)
    ) throws(Failure) -> Value? {
        let hash = hasher(key)
        let turn = cells.withShard(for: hash) { $0.updates.enter(key) }
        defer { cells.withShard(for: hash) { $0.updates.leave(key) } }
        // Values are released when the turn is over: their deinitialisers may use the cache.
        var (seen, departures): ([Value], Departures<Key, Value>) = ([], Departures())
        // Entries may have left to make room for a value that was then not written, even if the function throws after that.
        defer { report(departures) }
        return try turn.take { () throws(Failure) -> Value? in
            while true {
                let now = exactTimeIfUsed()
                let old = cells.withShard(for: hash) { $0.beginUpdate(of: key, hash: hash, now: now) }
                if let old { seen.append(old) }
                let (change, result) = try decide(old)
                if make(change, of: key, hash: hash, hadValue: old != nil, &departures) { return result }
                if let result { seen.append(result) }
            }
        }
    }

    /// Makes a change that was decided on by the value that was there, or by its absence.
    ///
    /// - Returns: Whether that still holds. Otherwise nothing has been done.
    @inlinable func make(_ change: Change, of key: Key, hash: UInt64, hadValue: Bool, _ departures: inout Departures<Key, Value>) -> Bool {
        let entry: NewEntry<Value>?
        switch change {
        case .keep: return true
        case .remove: entry = nil
        case .write(let new): entry = new
        }
        let now = entry?.writeTime ?? exactTimeIfUsed()
        let (holds, isChanged) = withShard(for: key, hash, weight: entry?.weightToKeep ?? 0, &departures) { shard, departures -> (Bool, Bool) in
            switch shard.updates.interference(with: key) {
            case .overtaken: return (true, false)
            case .interrupted: return (false, false)
            case .none: break
            }
            let slot = shard.peekValue(key, hash: hash, now: now)
            let hasValue = slot != .none
            // The value may have expired without having been removed.
            guard hasValue == hadValue else { return (false, false) }
            // A removal is one for loads under way, even if there is nothing to remove.
            if shard.hasFences { shard.breakFences(forKey: key) }
            guard entry != nil || hasValue else { return (true, true) }
            if let entry {
                _ = shard.insert(entry, forKey: key, hash: hash, now: now, tuner: tuner, departures: &departures)
            } else {
                if shard.recording != nil { shard.record(AccessBuffer.removal, hash) }
                shard.otherStatistics.removals &+= 1
                departures.append(shard.remove(slot, cause: .explicit))
            }
            return (true, true)
        }
        if isChanged, flights.mayHaveFlights { flights.detach(key) }
        return holds
    }
}
