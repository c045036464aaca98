// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension Cache {
    /// The entries of a cache at one moment, to be put into another cache later. Holds no limits and no rules: restoring it
    /// never changes a cache's configuration.
    public struct Snapshot: Sendable {
        /// An entry, with the data that another cache needs to go on with it.
        public struct Entry: Sendable {
            /// The key of the entry.
            public var key: Key
            /// The value of the entry.
            public var value: Value
            /// The weight of the entry.
            public var weight: Int
            /// The nanoseconds until the entry expires; `nil` if it never does.
            public var nanosecondsLeft: Int64?
            /// The nanoseconds since the entry was written; `nil` if the cache kept no times.
            public var age: Int64?
            /// Labels by which the entry can be removed.
            public var tags: Set<String>
            /// The policy's estimate of how often the key had been seen lately, up to 15.
            public var frequency: Int
        }

        /// The date of the snapshot, by the wall clock. Entries also age between the snapshot and its restoration.
        public var date: Date
        /// The entries, coldest first.
        public var entries: [Entry]
    }

    /// Returns a snapshot of the entries that have a value and have not expired. Does not count as a use.
    ///
    /// Each shard is copied under its lock, one after the other; writes by other threads may lie before or after. Negative entries are left out.
    ///
    /// - Parameters:
    ///   - maximumCount: How many entries are copied at most: the hottest ones.
    ///   - clock: Dates the snapshot.
    /// - Complexity: O(*n* log *n*).
    public func snapshot(maximumCount: Int = .max, clock: any WallClock = SystemWallClock()) -> Snapshot {
        let now = exactTimeIfUsed()
        var ranked: [(rank: Double, entry: Snapshot.Entry)] = []
        beginWalk()
        defer { endWalk() }
        // Asks for the number of shards after each: a division that began before the walk may end while the first is waited for.
        cells.forEach { number in
            let entries = cells.withShard(number) { shard in shard.coldestFirst(now: now).map { shard.snapshot(of: $0, now: now) } }
            for (position, entry) in entries.enumerated() { ranked.append((Double(position) / Double(entries.count), entry)) }
        }
        ranked.sort { $0.rank < $1.rank }
        var snapshot = Snapshot(date: clock.now(), entries: ranked.map(\.entry))
        snapshot.keepHottest(max(0, maximumCount))
        return snapshot
    }

    /// Puts the entries of a snapshot into the cache, coldest first, so that the policy ranks them as before.
    ///
    /// Entries age between snapshot and restore, unless the wall clock has gone back. Entries that have expired meanwhile are left out. Keys that the
    /// cache has already are left as they are, for they are newer. Loads under way go on, and their values replace restored ones. Limits hold as for
    /// any write; of more entries than the limit by count, only the hottest are put in.
    ///
    /// - Parameter clock: Tells how much time has passed since the snapshot.
    /// - Returns: The number of entries put in and kept at that moment.
    /// - Complexity: O(*n*), or O(*n* log *n*) if there are more entries than the limit by count.
    @discardableResult
    public func restore(_ snapshot: Snapshot, clock: any WallClock = SystemWallClock()) -> Int {
        // More than three hundred years are as good as for ever, and cannot be counted in nanoseconds.
        let elapsed = Duration.seconds(min(1e10, max(0, clock.now().timeIntervalSince(snapshot.date)))).saturatingNanoseconds
        let now = time(ifNeededFor: snapshot)
        var restored = 0
        for entry in entriesThatFit(of: snapshot, after: elapsed) {
            let hash = hasher(entry.key)
            // Others do not leave for a heavy entry that will not be put in.
            if cells.withShard(for: hash, { $0.peek(entry.key, hash: hash, now: now) != .none }) { continue }
            let left = entry.nanosecondsLeft(after: elapsed)
            let age = (entry.age ?? 0).addingReportingOverflow(elapsed)
            var new = NewEntry<Value>(
                value: entry.value,
                weight: max(0, entry.weight),
                deadline: left.map { CacheClock.deadline($0, after: now) } ?? .max,
                writeTime: now == .min ? .min : now.subtractingReportingOverflow(age.overflow ? 0 : age.partialValue).partialValue
            )
            if !entry.tags.isEmpty { new.details = EntryDetails(tags: entry.tags) }
            var departures = Departures<Key, Value>()
            let wasKept = withShard(for: entry.key, hash, weight: new.weightToKeep, &departures) { shard, departures in
                guard shard.peek(entry.key, hash: hash, now: now) == .none else { return false }
                if shard.hasUpdates { shard.updates.interrupt(entry.key) }
                shard.policy.noteUses(max(1, entry.frequency) - 1, hash: UInt32(truncatingIfNeeded: hash))
                return shard.insert(new, forKey: entry.key, hash: hash, now: now, tuner: tuner, departures: &departures)
            }
            report(departures)
            if wasKept { restored += 1 }
        }
        return restored
    }

    /// Of the entries that have not expired, the hottest, if there are more than the limit by count allows: the policy of a small cache
    /// would see most of them only in passing.
    private func entriesThatFit(of snapshot: Snapshot, after elapsed: Int64) -> [Snapshot.Entry] {
        var live = snapshot
        live.entries.removeAll { $0.nanosecondsLeft(after: elapsed).map { $0 <= 0 } ?? false }
        if let maximumCount { live.keepHottest(maximumCount) }
        return live.entries
    }

    /// The time, if the cache uses times or the snapshot's entries do; the cache uses times from then on.
    private func time(ifNeededFor snapshot: Snapshot) -> Int64 {
        if snapshot.entries.contains(where: { $0.nanosecondsLeft != nil }) { usesTimes.store(true, ordering: .relaxed) }
        return exactTimeIfUsed()
    }
}

extension Cache.Snapshot.Entry: Codable where Key: Codable, Value: Codable {}
extension Cache.Snapshot: Codable where Key: Codable, Value: Codable {}

extension Cache.Snapshot.Entry {
    fileprivate func nanosecondsLeft(after elapsed: Int64) -> Int64? {
        nanosecondsLeft.map { max(0, $0) - elapsed }
    }
}

extension Cache.Snapshot {
    /// Drops all but the pinned entries and those that were seen most often; of the others, those that the policy would have kept longest.
    mutating func keepHottest(_ count: Int) {
        guard entries.count > count else { return }
        let hottestFirst = entries.indices.sorted { left, right in
            let (leftHeat, rightHeat) = (heat(of: entries[left]), heat(of: entries[right]))
            return leftHeat == rightHeat ? left > right : leftHeat > rightHeat
        }
        entries = hottestFirst.prefix(count).sorted().map { entries[$0] }
    }

    private func heat(of entry: Entry) -> Int { entry.weight == 0 ? .max : entry.frequency }
}

extension Shard {
    func snapshot(of slot: Slot, now: Int64) -> Cache<Key, Value>.Snapshot.Entry {
        let (flags, deadline) = (table.slots.flags(of: slot), table.slots.deadline(of: slot))
        return .init(
            key: table.key(at: slot),
            value: table.value(at: slot),
            weight: flags.segment == .pinned ? 0 : table.slots.weight(of: slot),
            nanosecondsLeft: deadline == .max ? nil : deadline &- now,
            age: table.slots.writeTime(of: slot).map { now &- $0 },
            tags: details[slot]?.tags ?? [],
            frequency: policy.rating(slot, in: table.slots.links)
        )
    }
}
