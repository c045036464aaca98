// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// A table of a bounded number of entries, from which those leave that have not been used for longest, more or less.
///
/// Entries are in one of two halves. An entry that is written or found is in the young half. When that is full, it
/// becomes the old half, and the entries of the former old half have left. So every operation is O(1) amortised, and an
/// entry stays for at least half the table's capacity of other entries.
struct AgingTable<Value: Sendable>: Sendable {
    private let halfCapacity: Int
    private var young: [KeyHash: Value] = [:]
    private var old: [KeyHash: Value] = [:]

    /// - Parameter capacity: How many entries are kept at most. With 0, none are.
    init(capacity: Int) {
        halfCapacity = max(0, capacity) / 2
    }

    var count: Int { young.count + old.count }

    /// The entry of a key, which counts as used.
    subscript(key: KeyHash) -> Value? {
        mutating get {
            if let value = young[key] { return value }
            guard let value = old.removeValue(forKey: key) else { return nil }
            _ = insert(value, for: key)
            return value
        }
    }

    /// The entry of a key, without counting as a use.
    func peek(_ key: KeyHash) -> Value? { young[key] ?? old[key] }

    /// Writes an entry.
    ///
    /// - Returns: Whether the old half has left to make room.
    mutating func insert(_ value: Value, for key: KeyHash) -> Bool {
        guard halfCapacity > 0 else { return true }
        var hasMadeRoom = false
        if young.count >= halfCapacity, young[key] == nil {
            swap(&young, &old)
            young.removeAll(keepingCapacity: true)
            hasMadeRoom = true
        } else if !old.isEmpty {
            old[key] = nil
        }
        young[key] = value
        if hasMadeRoom { old[key] = nil }
        return hasMadeRoom
    }

    mutating func remove(_ key: KeyHash) {
        young[key] = nil
        old[key] = nil
    }

    mutating func removeAll() {
        young = [:]
        old = [:]
    }
}
