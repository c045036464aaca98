// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard

/// The values that were last written to a cache, and the events that its removal listener has reported. The model
/// knows nothing of the eviction policy.
struct CacheModel {
    struct Entry {
        var value: Int
        var weight: Int
        var deadline: Int64
        var tags: Set<String>

        func isAlive(at now: Int64) -> Bool { deadline > now }
    }

    struct Event: Sendable {
        let key: Int
        let value: Int
        let cause: RemovalCause
    }

    /// The entries that an operation may evict, besides expired ones.
    enum Permission {
        case nothing
        case eviction
        /// A write of a key.
        case replacement(of: Int)
        case removal(of: Int)
        case tagRemoval(String)
        case everything
    }

    /// The entries that were written and that no event has yet reported as gone.
    var entries: [Int: Entry] = [:]
    var statistics = CacheStatistics()

    var totalWeight: Int { entries.values.reduce(0) { $0 + $1.weight } }
    var evictableCount: Int { entries.values.count { $0.weight > 0 } }

    func value(forKey key: Int, now: Int64) -> Int? {
        entries[key].flatMap { $0.isAlive(at: now) ? $0.value : nil }
    }

    func aliveCount(taggedWith tag: String, now: Int64) -> Int {
        entries.values.count { $0.tags.contains(tag) && $0.isAlive(at: now) }
    }

    /// Records a read that counts as a use. Returns the value that it must find.
    mutating func read(_ key: Int, now: Int64, accessLifetime: Int64) -> Int? {
        guard let entry = entries[key], entry.isAlive(at: now) else {
            statistics.misses += 1
            return nil
        }
        statistics.hits += 1
        use(key, now: now, accessLifetime: accessLifetime)
        return entry.value
    }

    /// A use of an entry that is there.
    mutating func use(_ key: Int, now: Int64, accessLifetime: Int64) {
        guard let entry = entries[key], accessLifetime > 0, entry.deadline < .max else { return }
        entries[key]?.deadline = max(entry.deadline, Self.deadline(accessLifetime, after: now))
    }

    /// Takes in an event of the listener. Returns a description of the mistake in it, if there is one.
    mutating func take(_ event: Event, permission: Permission, now: Int64) -> String? {
        guard let entry = entries[event.key], entry.value == event.value else { return "\(event) left, but was not there or had left before" }
        var isAllowed = false
        switch event.cause {
        case .expired:
            isAllowed = !entry.isAlive(at: now)
            statistics.expirations += 1
        case .size:
            isAllowed = entry.isAlive(at: now) && entry.weight > 0
            switch permission {
            case .eviction: break
            case .replacement(let key): isAllowed = isAllowed && key != event.key
            default: isAllowed = false
            }
            statistics.evictions += 1
        case .replaced:
            if case .replacement(of: event.key) = permission { isAllowed = entry.isAlive(at: now) }
            statistics.replacements += 1
        case .explicit:
            statistics.removals += 1
            switch permission {
            case .removal(let key): isAllowed = key == event.key && entry.isAlive(at: now)
            case .tagRemoval(let tag): isAllowed = entry.tags.contains(tag) && entry.isAlive(at: now)
            case .everything: isAllowed = true
            default: break
            }
        default: break
        }
        entries[event.key] = nil
        return isAllowed ? nil : "\(event) left for a wrong cause; it was \(entry) at \(now)"
    }

    static func deadline(_ lifetime: Int64, after now: Int64) -> Int64 {
        guard lifetime > 0 else { return .min }
        let (sum, overflowed) = now.addingReportingOverflow(lifetime)
        return overflowed ? .max : sum
    }
}
