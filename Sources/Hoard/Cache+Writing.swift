// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

extension Cache {
    /// Writes a value, replacing any other of its key, and makes it the most recently used one.
    ///
    /// Least recently used entries leave until the limits hold. A value that alone is heavier than ``Configuration/maximumWeight``
    /// is refused: it is not kept, the older value of its key goes, nothing else does.
    /// A load of the key that is under way does not publish its value over this one.
    ///
    /// - Parameters:
    ///   - weight: What the entry weighs. By default the weigher decides, or it weighs 1. 0 pins it; negative counts as 0.
    ///   - expiresAfter: When this entry expires, counted from now. By default the cache's ``Configuration/expiration`` decides.
    ///     With zero or less the value is not kept.
    /// - Complexity: O(1), and O(1) for each entry evicted.
    public func insert(_ value: Value, forKey key: Key, weight: Int? = nil, expiresAfter: Duration? = nil) {
        _ = insert(entry(for: value, key: key, weight: weight, expiresAfter: expiresAfter), forKey: key)
    }

    /// Writes an entry and returns what left for it. A caller that holds a lock of its own keeps that until the lock is released.
    func insert(_ entry: LRUEngine<Key, Value>.Entry, forKey key: Key) -> LRUEngine<Key, Value>.InsertionOutcome {
        let outcome = state.withLock { state in
            state.fences.breakFences(forKey: key)
            return state.insert(entry, forKey: key)
        }
        flights.detach(key)
        return outcome
    }

    /// Removes a value and returns it if it had not expired. A load of the key that is under way will not publish its value.
    /// - Complexity: O(1).
    @discardableResult
    public func removeValue(forKey key: Key) -> Value? {
        let now = ticker.nanoseconds()
        guard let removed = removeEntry(forKey: key), removed.deadline > now else { return nil }
        return removed.value
    }

    /// Removes an entry, expired or not, and returns it, as ``insert(_:forKey:)`` does.
    func removeEntry(forKey key: Key) -> LRUEngine<Key, Value>.Entry? {
        let removed = state.withLock { state in
            state.fences.breakFences(forKey: key)
            return state.engine.remove(key)
        }
        flights.detach(key)
        return removed
    }

    /// Removes every value. No load that is under way will publish its value.
    /// - Complexity: O(*n*).
    public func removeAll() {
        _ = removeAllEntries()
    }

    /// Removes every value and returns what left, as ``insert(_:forKey:)`` does.
    func removeAllEntries() -> some Sendable {
        let removed = state.withLock { state in
            state.fences.breakAll()
            return state.engine.removeAll()
        }
        flights.detachAll()
        return removed
    }

    /// Reclaims the memory of all entries whose time is up. Reads never return such entries, whether this is called or not.
    /// - Complexity: O(*n*).
    public func removeExpired() {
        let now = ticker.nanoseconds()
        let removed = state.withLock { state in
            let removed = state.engine.removeAll { $0.deadline <= now }
            state.statistics.expirations += removed.count
            return removed
        }
        withExtendedLifetime(removed) {}
    }

    /// The entry that a write makes. Runs the weigher, so it must not run under the lock.
    func entry(for value: Value, key: Key, weight: Int?, expiresAfter: Duration?) -> LRUEngine<Key, Value>.Entry {
        let weight = weight ?? configuration.weigher.map { $0(key, value) } ?? 1
        let lifetime: Int64 =
            switch (expiresAfter, configuration.expiration.base) {
            case (let duration?, _): duration.saturatingNanoseconds
            case (nil, .afterWrite(let nanoseconds)): nanoseconds
            case (nil, .never): .max
            }
        return .init(value: value, weight: max(0, weight), deadline: deadline(after: lifetime))
    }

    private func deadline(after lifetime: Int64) -> Int64 {
        guard lifetime > 0 else { return .min }
        guard lifetime < .max else { return .max }
        let (deadline, overflowed) = ticker.nanoseconds().addingReportingOverflow(lifetime)
        return overflowed ? .max : deadline
    }
}

extension Cache.State {
    mutating func insert(_ entry: LRUEngine<Key, Value>.Entry, forKey key: Key) -> LRUEngine<Key, Value>.InsertionOutcome {
        let outcome = engine.insert(entry, forKey: key)
        statistics.evictions += outcome.evicted.count
        if outcome.wasKept {
            statistics.insertions += 1
        } else {
            statistics.refusals += 1
        }
        return outcome
    }
}
