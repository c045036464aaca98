// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The changes on the server that a process has heard of, and when it heard of them.
///
/// Moments are counted: each has a number of its own, so that two can be told apart even if nothing happened between them. The log keeps a bounded
/// number of keys. It says of keys that it does not remember that they have changed.
struct ChangeLog: Sendable {
    /// When a key was changed last, and when before that.
    private struct Change: Sendable {
        var latest: UInt64
        var previous: UInt64
    }

    private var latest: UInt64 = 1
    /// The log does not remember changes until here: any key may have changed.
    private(set) var floor: UInt64 = 1
    /// When a change was heard of last.
    private(set) var latestChange: UInt64 = 1
    private var changes: AgingTable<Change>
    /// The moment at which the younger half of the table began.
    private var halfBegan: UInt64 = 1

    /// - Parameter capacity: How many keys are remembered at most.
    init(capacity: Int) {
        changes = AgingTable(capacity: capacity)
    }

    /// A new moment, later than all before. Changes that are heard of from now on are later.
    mutating func moment() -> UInt64 {
        latest += 1
        return latest
    }

    /// Notes that a key has been changed: written, removed, expired or evicted.
    mutating func note(_ key: KeyHash) {
        let now = moment()
        latestChange = now
        let previous = changes.peek(key)?.latest ?? 0
        if changes.insert(Change(latest: now, previous: previous), for: key) {
            // The half that has left was written before the other one began.
            floor = max(floor, halfBegan)
            halfBegan = now
        }
    }

    /// Notes that any key may have been changed.
    mutating func noteEverything() {
        floor = moment()
        latestChange = floor
        halfBegan = floor
        changes.removeAll()
    }

    /// Whether a key may have been changed by something that was heard of after `moment`. O(1).
    func hasChanged(_ key: KeyHash, since moment: UInt64) -> Bool {
        if moment <= floor { return true }
        return changes.peek(key).map { $0.latest > moment } ?? false
    }

    /// When the latest change of a key was heard of, as far as that is remembered.
    func latestChange(of key: KeyHash) -> UInt64? { changes.peek(key)?.latest }

    /// Whether a key may have been changed more than once, by notices that came after `moment`. O(1).
    func hasChangedAgain(_ key: KeyHash, since moment: UInt64) -> Bool {
        if moment <= floor { return true }
        return changes.peek(key).map { $0.previous > moment } ?? false
    }

    /// The number of keys that are remembered.
    var count: Int { changes.count }
}
