// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import Synchronization

extension Cache {
    /// Returns the value of a key, if there is one and it has not expired.
    ///
    /// Counts as a use of the entry, and as a hit or a miss. Takes one short lock, allocates nothing and reads the clock only
    /// in a cache whose entries can expire.
    /// - Complexity: O(1).
    @inlinable public func value(forKey key: Key) -> Value? {
        let hash = hasher(key)
        if computesLifetimesOnRead { return valueWithComputedLifetime(key, hash: hash) }
        let now = usesTimes.load(ordering: .relaxed) ? clock.coarse() : .min
        var reading = read(key, hash: hash, now: now, lag: lag)
        if case .needsExactTime = reading { reading = readAtExactTime(key, hash: hash) }
        switch reading {
        case .hit(let value): return value
        case .miss, .negative, .needsExactTime: return nil
        case .expired(let departure):
            report(departure)
            return nil
        }
    }

    /// - Parameter look: Looks at the shard under the lock of the read.
    @inlinable @inline(__always)
    func read(
        _ key: Key,
        hash: UInt64,
        now: Int64,
        lag: Int64,
        _ look: (borrowing Shard<Key, Value>) -> Void = { _ in }
    ) -> Shard<Key, Value>.Reading {
        var mustTune = false
        let reading = cells.withShard(for: hash) { shard in
            let reading = shard.read(key, hash: hash, now: now, lag: lag)
            if shard.isNoted(hash) { mustTune = shard.note(hash, reading.outcome) }
            look(shard)
            return reading
        }
        if mustTune { tune(hash) }
        return reading
    }

    /// The same with a clock that tells whether the deadline has passed. Never needs a more exact time.
    @inlinable @inline(never)
    func readAtExactTime(_ key: Key, hash: UInt64) -> Shard<Key, Value>.Reading {
        read(key, hash: hash, now: clock.now(), lag: 0)
    }

    /// Lets the tuner take in a shard's samples.
    @inlinable @inline(never)
    func tune(_ hash: UInt64) {
        let samples = cells.withShard(for: hash) { $0.samples.take() }
        tuner.feed(samples)
    }

    /// The weight of a key's entry; `nil` if there is none. No use of it.
    func weight(forKey key: Key) -> Int? {
        let hash = hasher(key)
        let now = exactTimeIfUsed()
        return cells.withShard(for: hash) { shard in
            let slot = shard.peek(key, hash: hash, now: now)
            return slot == .none ? nil : shard.table.slots.weight(of: slot)
        }
    }

    /// Returns the value of a key without counting as a use: recency and statistics stay as they are.
    /// - Complexity: O(1).
    @inlinable public func peek(_ key: Key) -> Value? {
        let hash = hasher(key)
        let now = exactTimeIfUsed()
        return cells.withShard(for: hash) { shard in
            let slot = shard.peekValue(key, hash: hash, now: now)
            return slot == .none ? nil : shard.table.value(at: slot)
        }
    }

    /// Returns whether there is an unexpired value, without counting as a use.
    /// - Complexity: O(1).
    @inlinable public func contains(_ key: Key) -> Bool {
        let hash = hasher(key)
        let now = exactTimeIfUsed()
        return cells.withShard(for: hash) { $0.peekValue(key, hash: hash, now: now) != .none }
    }

    /// Reads like ``value(forKey:)``; writes like ``insert(_:forKey:weight:expiresAfter:tags:)``, or removes if the new value is `nil`.
    @inlinable public subscript(key: Key) -> Value? {
        get { value(forKey: key) }
        set {
            if let newValue {
                insert(newValue, forKey: key)
            } else {
                removeValue(forKey: key)
            }
        }
    }

    /// The number of entries. Includes negative entries, and expired ones whose memory has not been reclaimed yet.
    ///
    /// While other threads write, the number is of no single moment.
    /// - Complexity: O(1).
    public var count: Int {
        forEachShard(0) { $0 += $1.count }
    }

    /// The total weight of the entries that ``count`` counts.
    /// - Complexity: O(1).
    public var totalWeight: Int {
        Int(clamping: forEachShard(UInt(0)) { $0 += $1.policy.totalWeight })
    }

    /// The present values of the counters.
    ///
    /// The shards' counters are taken one after the other; while other threads work, the sum is of no single moment.
    public var statistics: CacheStatistics {
        forEachShard(CacheStatistics()) { $0.add($1.statistics) }
    }

    func forEachShard<Result>(_ initial: Result, _ body: (inout Result, inout Shard<Key, Value>) -> Void) -> Result {
        var result = initial
        cells.forEach { number in cells.withShard(number) { body(&result, &$0) } }
        return result
    }

    /// The time, or `Int64.min` if nothing in the cache can expire.
    @inlinable func exactTimeIfUsed() -> Int64 {
        usesTimes.load(ordering: .relaxed) ? clock.now() : .min
    }

    @inlinable func report(_ departure: Departures<Key, Value>.Departure) {
        guard observers.isActive.load(ordering: .acquiring) else { return }
        var departures = Departures<Key, Value>()
        departures.append(departure)
        observers.report(departures)
    }

    @inlinable func report(_ departures: Departures<Key, Value>) {
        if observers.isActive.load(ordering: .acquiring) { observers.report(departures) }
    }
}
