// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The state of a key in a ``Cache``. See ``Cache/explain(_:)``.
public struct CacheExplanation: Sendable, Hashable {
    /// The part of the cache in which an entry is.
    public struct Segment: Hashable, Sendable, CustomStringConvertible {
        public let description: String

        /// The new entries, which leave in the order in which they came unless they have been used often enough.
        public static var window: Self { Self(description: #function) }
        /// The entries that have proved themselves.
        public static var main: Self { Self(description: #function) }
        /// Weight 0: never evicted.
        public static var pinned: Self { Self(description: #function) }
    }

    /// The state of an entry in the cache.
    public struct Entry: Sendable, Hashable {
        /// Whether the entry is negative: there is no value.
        public var isNegative: Bool
        /// Whether the entry has expired. Reads no longer find it, but its memory has not been reclaimed yet.
        public var isExpired: Bool
        /// The time since the entry was written; `nil` in a cache without expiration and refresh, which keeps no times.
        public var age: Duration?
        /// The time until the entry expires, zero if it has expired; `nil` if it never does.
        public var timeLeft: Duration?
        /// The weight of the entry; 0 if it is pinned.
        public var weight: Int
        /// The part of the cache in which the entry stands.
        public var segment: Segment
        /// The number of uses since the entry entered its segment or was last passed over, 3 at most. While the cache keeps the order of uses: 1 if
        /// it was used lately.
        public var recentUses: Int
        /// Labels by which the entry can be removed.
        public var tags: Set<String>
    }

    /// The entry, if there is one, expired or not.
    public var entry: Entry?
    /// The cause for which the key's entry left, if there is none and the cache remembers. It remembers about the last 64 departures of each shard.
    public var removalCause: RemovalCause?
    /// The policy's estimate of how often the key was seen lately, 0 to 15. It decides which entry stays when the cache is full.
    public var estimatedFrequency: Int
    /// Whether a load of the key is under way.
    public var isLoading: Bool
}

extension CacheExplanation: CustomStringConvertible {
    /// A readable text of one line. Holds no key and no value.
    public var description: String {
        var parts: [String] = []
        if let entry {
            parts.append(entry.isExpired ? "expired" : entry.isNegative ? "present: known not to exist" : "present")
            parts.append("in \(entry.segment)")
            if let age = entry.age { parts.append("age \(age)") }
            if let timeLeft = entry.timeLeft, !entry.isExpired { parts.append("expires in \(timeLeft)") }
            parts.append("weight \(entry.weight)")
            if !entry.tags.isEmpty { parts.append("\(entry.tags.count) tags") }
        } else if let removalCause {
            parts.append("absent, left because: \(removalCause)")
        } else {
            parts.append("absent, not seen leaving lately")
        }
        parts.append(estimatedFrequency == 1 ? "seen once lately" : "seen about \(estimatedFrequency) times lately")
        if isLoading { parts.append("being loaded") }
        return parts.joined(separator: ", ")
    }
}

extension Cache {
    /// Explains the state of a key: its entry, or why it left. Does not count as a use and changes nothing.
    /// - Complexity: O(1).
    public func explain(_ key: Key) -> CacheExplanation {
        let hash = hasher(key)
        let now = exactTimeIfUsed()
        var explanation = cells.withShard(for: hash) { $0.explain(key, hash: UInt32(truncatingIfNeeded: hash), now: now) }
        explanation.isLoading = flights.isLoading(key)
        return explanation
    }
}

extension Shard {
    func explain(_ key: Key, hash: UInt32, now: Int64) -> CacheExplanation {
        let frequency = policy.sketch.estimate(hash)
        let slot = table.find(key, hash: hash)
        guard slot != .none else {
            return CacheExplanation(entry: nil, removalCause: departureLog.cause(hash), estimatedFrequency: frequency, isLoading: false)
        }
        let (flags, deadline) = (table.slots.flags(of: slot), table.slots.deadline(of: slot))
        let segment: CacheExplanation.Segment =
            switch flags.segment {
            case .window: .window
            case .main: .main
            case .pinned, .free: .pinned
            }
        let entry = CacheExplanation.Entry(
            isNegative: flags.isNegative,
            isExpired: deadline <= now,
            age: table.slots.writeTime(of: slot).map { .nanoseconds(now &- $0) },
            timeLeft: deadline == .max ? nil : .nanoseconds(max(0, deadline &- now)),
            weight: segment == .pinned ? 0 : table.slots.weight(of: slot),
            segment: segment,
            recentUses: recentUses(flags),
            tags: details[slot]?.tags ?? []
        )
        return CacheExplanation(entry: entry, removalCause: nil, estimatedFrequency: frequency, isLoading: false)
    }

    private func recentUses(_ flags: SlotFlags) -> Int {
        let generation = table.slots.generation
        return generation == SlotTable.countsUses ? Int(flags.uses) : flags.generation == generation ? 1 : 0
    }
}
