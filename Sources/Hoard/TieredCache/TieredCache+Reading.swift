// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import Synchronization

extension TieredCache {
    /// Returns the fresh value of a key from memory or a store. Counts as a use. Suspends only if memory does not have it.
    ///
    /// Never throws: a store that fails is passed by. A cancelled caller gets `nil`.
    ///
    /// - Parameter policy: The policy for this call. Only the tiers that it skips matter. By default the cache's policy.
    @inlinable public func value(forKey key: Key, policy: CachePolicy? = nil) async -> Value? {
        var found: TieredEntry<Value>?
        if policy == nil, readsMemory {
            found = memory.value(forKey: key)
            if let found, needsNoCloserLook(found) {
                if isObserved { noteMemoryHit(key) }
                return found.value
            }
        }
        return await valueBeyondMemory(forKey: key, policy: policy, found: found)
    }

    /// Returns the fresh value of a key if memory has it. Counts as a use. Never suspends, and asks neither a store nor a loader.
    /// - Complexity: O(1).
    @inlinable public func memoryValue(forKey key: Key) -> Value? {
        let found = memory.value(forKey: key)
        if let found, needsNoCloserLook(found) {
            if isObserved { noteMemoryHit(key) }
            return found.value
        }
        return freshMemoryValue(forKey: key, found: found)
    }

    /// Returns the value like ``value(forKey:policy:)``, with its provenance, and a stale value that is still kept.
    ///
    /// When memory has only a stale value, the stores are asked for a fresher one.
    @inlinable public func lookup(forKey key: Key, policy: CachePolicy? = nil) async -> Lookup<Value>? {
        let found = (policy ?? configuration.policy).skipping.contains(.memoryReads) ? nil : memory.value(forKey: key)
        if policy == nil, found == nil { return await storedLookup(forKey: key) }
        return await answer(forKey: key, policy: policy, found: found)
    }

    /// Does the same for a caller that has just found nothing in memory.
    @inlinable package func storedLookup(forKey key: Key) async -> Lookup<Value>? {
        let pass = await firstPass(forKey: key, under: configuration.policy)
        if pass?.findsNothing == true {
            noteMiss(key)
            return nil
        }
        return await answer(forKey: key, policy: nil, found: nil, pass: pass)
    }

    /// Whether an entry of memory can be used as it is: nothing was invalidated since its last check, and no deadline is near.
    @inlinable @inline(__always)
    func needsNoCloserLook(_ entry: TieredEntry<Value>) -> Bool {
        guard entry.checkedEra.load(ordering: .relaxed) == currentEra(hasTags: entry.hasTags) else { return false }
        return entry.attention == .max || memory.clock.coarse() < entry.attention &- memory.lag
    }

    /// The era in which an entry has to have been checked.
    @inlinable @inline(__always)
    func currentEra(hasTags: Bool) -> UInt64 {
        hasTags ? era.load(ordering: .acquiring) : untaggedEra.load(ordering: .acquiring)
    }

    /// Counts a request without a loader that has found nothing.
    @usableFromInline func noteMiss(_ key: Key) { count(.absent(isKnown: false), key) }

    @usableFromInline func noteMemoryHit(_ key: Key) {
        observer?.requestAnswered(.hit, tier: .memory, cache: label)
        record(.hit, .memory, key)
    }

    @usableFromInline func noteStoreHit(_ key: Key, _ tier: CacheTier) {
        observer?.requestAnswered(.hit, tier: tier, cache: label)
        record(.hit, tier, key)
    }

    func noteFailure(_ key: Key) {
        observer?.requestAnswered(.failed, tier: nil, cache: label)
        record(.failed, nil, key)
    }

    @usableFromInline func freshValue(forKey key: Key, policy: CachePolicy?, found: TieredEntry<Value>?, pass: FirstPass?) async -> Value? {
        var found = found
        // With a policy of its own, the call has not looked into memory yet.
        if let policy, !policy.skipping.contains(.memoryReads) { found = memory.value(forKey: key) }
        return await answer(forKey: key, policy: policy, found: found, pass: pass, freshOnly: true)?.value
    }

    @usableFromInline func freshMemoryValue(forKey key: Key, found: TieredEntry<Value>?) -> Value? {
        let entry = found.flatMap { checked($0, key: key) }
        let isFresh = entry?.isFresh(at: ticker.nanoseconds()) ?? false
        let answer: Answer<Value> = isFresh ? entry?.cached.map { .value(lookup($0, .memory)) } ?? .absent(isKnown: true) : .absent(isKnown: false)
        noteCloserLook(found)
        count(answer, key)
        return isFresh ? entry?.value : nil
    }

    @usableFromInline func answer(
        forKey key: Key,
        policy: CachePolicy?,
        found: TieredEntry<Value>?,
        pass: FirstPass? = nil,
        freshOnly: Bool = false
    ) async -> Lookup<Value>? {
        let inquiry = inquiry(forKey: key, policy: policy)
        noteCloserLook(found)
        do {
            var answer = try await answer(inquiry, found: found, pass: pass)
            if freshOnly, let lookup = answer.lookup, !lookup.isFresh { answer = .absent(isKnown: false) }
            count(answer, key)
            return answer.lookup
        } catch {
            // The caller was cancelled, or a store asked the cache above it.
            count(.absent(isKnown: false), key)
            return nil
        }
    }

    /// Whether memory and the stores are known to have no entry of a key, without reading a store. Never suspends. If so, it counts as a miss of the
    /// cache. It is no miss of the memory tier: callers have looked there before, and its policy sees a key once for each request.
    ///
    /// - Parameter other: Another key that has to be absent, too. Both are misses then, or neither.
    @inlinable package func isKnownAbsent(_ key: Key, and other: @autoclosure () -> Key? = nil) -> Bool {
        guard isAbsent(key) else { return false }
        let other = other()
        if let other, !isAbsent(other) { return false }
        noteMiss(key)
        if let other { noteMiss(other) }
        return true
    }

    @inlinable func isAbsent(_ key: Key) -> Bool {
        guard memory.peek(key) == nil else { return false }
        guard !tiers.isEmpty, let recordKey = naming.recordKey(for: key) else { return true }
        return !fences.withLock({ $0.isBeingWritten(key) }) && tiers.allSatisfy { $0.isKnownAbsent(recordKey) }
    }

    // MARK: Memory

    /// Returns the value in memory, whatever has been invalidated since it came. Counts as nothing. Never suspends.
    @inlinable package func memoryPeek(forKey key: Key) -> Value? { memory.peek(key)?.value }

    /// Returns the value in memory, fresh or stale. Counts as a use of the memory tier only. Never suspends.
    @inlinable package func memoryLookup(forKey key: Key) -> Lookup<Value>? {
        memory.value(forKey: key).flatMap { memoryLookup(of: $0, key: key) }
    }

    @inlinable func memoryLookup(of found: TieredEntry<Value>, key: Key) -> Lookup<Value>? {
        noteCloserLook(found)
        let isChecked = found.checkedEra.load(ordering: .relaxed) == currentEra(hasTags: found.hasTags)
        guard let entry = isChecked ? found : checked(found, key: key), let cached = entry.cached else { return nil }
        return lookup(cached, .memory, staleReason: entry.isFresh(at: ticker.nanoseconds()) ? nil : StaleReason(.noLoader))
    }

    /// Applies the invalidations since an entry's last check. Returns the entry as it is, a copy that is stale from an earlier time on, or `nil`.
    @usableFromInline func checked(_ entry: TieredEntry<Value>, key: Key) -> TieredEntry<Value>? {
        let current = currentEra(hasTags: entry.hasTags)
        if entry.checkedEra.load(ordering: .relaxed) == current { return entry }
        let labels = entry.terms.labels
        let verdict = marks.withLock { $0.verdict(onEntryBornIn: entry.bornEra, tags: labels) }
        if verdict.isRemoved {
            if replace(entry, with: nil, key: key), isObserved { recordRemoval(of: key) }
            return nil
        }
        if let staleSince = verdict.staleSince, staleSince < entry.ticks.fresh {
            let aged = staleCopy(of: entry, since: staleSince, era: current)
            replace(entry, with: aged, key: key, weight: memory.weight(forKey: key))
            return aged
        }
        // The next check finds invalidations that came after `current` was read.
        entry.checkedEra.store(current, ordering: .relaxed)
        return entry
    }

    /// Replaces an entry in memory, or removes it, if it is still there. Returns whether it was.
    ///
    /// - Parameter weight: The new entry's weight. `nil`: the weigher computes it.
    @discardableResult
    func replace(_ entry: TieredEntry<Value>, with new: TieredEntry<Value>?, key: Key, weight: Int? = nil) -> Bool {
        let newEntry = new.map { memoryEntry($0, forKey: key, weight: weight) }
        // Entries that leave memory are released after the lock.
        let left = fences.withLock { _ -> (current: TieredEntry<Value>?, departures: Departures<Key, TieredEntry<Value>>?) in
            let current = memory.peek(key)
            guard current === entry else { return (current, nil) }
            if let newEntry { return (current, memory.insert(newEntry, forKey: key)) }
            var departures = Departures<Key, TieredEntry<Value>>()
            if let departure = memory.removeEntry(forKey: key).departure { departures.append(departure) }
            return (current, departures)
        }
        guard let departures = left.departures else { return false }
        memory.report(departures)
        return true
    }

    /// Replaces a value with another form of it, in memory only and with the same lifetime. Neither stores nor other caches are told. Never suspends.
    ///
    /// - Parameter isMatch: Whether the value in memory is the one to replace.
    /// - Returns: Whether the value was replaced.
    @discardableResult
    package func replaceInMemory(with value: Value, forKey key: Key, where isMatch: (Value) -> Bool) -> Bool {
        guard let entry = memory.peek(key), let old = entry.value, isMatch(old) else { return false }
        let new = TieredEntry(value: value, terms: entry.terms, ticks: entry.ticks, era: entry.bornEra, isProvisional: entry.isProvisional)
        new.checkedEra.store(entry.checkedEra.load(ordering: .relaxed), ordering: .relaxed)
        return replace(entry, with: new, key: key)
    }

    /// A copy of an entry that is stale since a tick.
    func staleCopy(of entry: TieredEntry<Value>, since tick: Int64, era: UInt64) -> TieredEntry<Value> {
        var terms = entry.terms
        terms.freshUntil = clock.now().advanced(by: .nanoseconds(tick.subtractingSaturated(ticker.nanoseconds())))
        var ticks = entry.ticks
        ticks.fresh = tick
        ticks.earlyRefresh = .max
        ticks.spread = 0
        return TieredEntry(value: entry.value, terms: terms, ticks: ticks, era: era, isProvisional: entry.isProvisional)
    }

    @inlinable func lookup(_ cached: CachedValue<Value>, _ tier: CacheTier, staleReason: StaleReason? = nil) -> Lookup<Value> {
        Lookup(cached.value, terms: cached.terms, tier: tier, age: cached.created.duration(to: clock.now()), staleReason: staleReason)
    }

    // MARK: Counting

    /// Notes a hit in memory whose answer is counted later in `counters`, so that memory's own count of hits does not count it too.
    @inlinable func noteCloserLook(_ found: TieredEntry<Value>?) {
        if found != nil { closerLooks.wrappingAdd(1, ordering: .relaxed) }
    }

    func count(_ answer: Answer<Value>, _ key: Key) {
        counters.withLock { counters in
            switch answer {
            case .absent(isKnown: true): counters.negativeHits += 1
            case .absent(isKnown: false): counters.misses += 1
            case .value(let lookup) where !lookup.isFresh: counters.staleHits += 1
            case .value(let lookup) where lookup.tier == .memory: counters.memoryHits += 1
            case .value(let lookup) where lookup.tier == .loader: counters.misses += 1
            case .value: counters.storeHits += 1
            }
        }
        guard isObserved else { return }
        observer?.requestAnswered(answer.result, tier: answer.lookup?.tier, cache: label)
        record(answer.result, answer.lookup?.tier, key)
    }
}
