// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Remembers, for the URIs asked for most recently, why the last answer was stored or not. Bounded.
///
/// A table of pairs. A key's hash tells its pair, which has the two keys that were noted last of all that share it. So a note costs one hash, and moves at
/// most one other.
final class DecisionJournal: Sendable {
    static let maximumCount = 1_024

    private struct Note {
        let hash: Int
        let key: HTTPCacheKey
        var decision: HTTPDecision

        func isOf(_ key: HTTPCacheKey, _ hash: Int) -> Bool { self.hash == hash && self.key == key }
    }

    /// Empty until something is noted.
    private let notes = Mutex<[Note?]>([])

    /// O(1).
    func note(_ decision: HTTPDecision, for key: HTTPCacheKey) { note(decision, for: key, hash: key.hashValue) }

    /// - Parameter hash: The key's. A test gives one that is the same in each run.
    func note(_ decision: HTTPDecision, for key: HTTPCacheKey, hash: Int) {
        // It is released outside the lock.
        _ = notes.withLock { notes -> Note? in
            if notes.isEmpty { notes = Array(repeating: nil, count: Self.maximumCount) }
            let place = Self.place(of: hash)
            if notes[place]?.isOf(key, hash) == true {
                notes[place]?.decision = decision
                return nil
            }
            defer {
                notes[place + 1] = notes[place]
                notes[place] = Note(hash: hash, key: key, decision: decision)
            }
            return notes[place + 1]
        }
    }

    /// Forgets the decisions about some keys. O(``maximumCount``).
    func removeAll(where isRemoved: (HTTPCacheKey) -> Bool) {
        notes.withLock { notes in
            for place in notes.indices where notes[place].map({ isRemoved($0.key) }) ?? false { notes[place] = nil }
        }
    }

    /// O(1).
    func decision(for key: HTTPCacheKey) -> HTTPDecision? { decision(for: key, hash: key.hashValue) }

    func decision(for key: HTTPCacheKey, hash: Int) -> HTTPDecision? {
        notes.withLock { notes in
            let place = Self.place(of: hash)
            return notes.isEmpty ? nil : [notes[place], notes[place + 1]].compactMap { $0 }.first { $0.isOf(key, hash) }?.decision
        }
    }

    /// The first place of a pair.
    private static func place(of hash: Int) -> Int { hash & (maximumCount - 2) }
}
