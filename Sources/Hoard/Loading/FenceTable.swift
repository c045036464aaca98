// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Tells whether a key has been written or removed since a certain moment.
///
/// Whoever is about to load a key opens a fence before it begins. Every write and removal of the key breaks the
/// fences that are open for it. The load publishes its result only if its fence is still intact, and so can never put an
/// older value over a newer one, or bring back what was removed.
///
/// Not thread-safe: its owner calls it under the same lock that guards what is published.
/// Memory is bounded by the number of open fences; every operation is O(1) but ``breakAll()``.
package struct FenceTable<Key: Hashable> {
    /// Stands for the moment at which it was opened.
    package struct Fence {
        package let key: Key
        fileprivate let id: UInt64
    }

    private var openFences: [Key: [UInt64]] = [:]
    private var lastID: UInt64 = 0

    package init() {}

    package mutating func open(_ key: Key) -> Fence {
        lastID += 1
        openFences[key, default: []].append(lastID)
        return Fence(key: key, id: lastID)
    }

    package func isIntact(_ fence: Fence) -> Bool {
        openFences[fence.key]?.contains(fence.id) ?? false
    }

    /// Forgets a fence that is no longer needed. Closing a broken one does nothing.
    package mutating func close(_ fence: Fence) {
        guard var ids = openFences[fence.key] else { return }
        ids.removeAll { $0 == fence.id }
        openFences[fence.key] = ids.isEmpty ? nil : ids
    }

    /// Breaks the fences of a key, all but `survivor`.
    ///
    /// - Returns: Whether there were any.
    @discardableResult
    package mutating func breakFences(forKey key: Key, except survivor: Fence? = nil) -> Bool {
        guard !openFences.isEmpty, let ids = openFences.removeValue(forKey: key) else { return false }
        guard let survivor, ids.contains(survivor.id) else { return true }
        openFences[key] = [survivor.id]
        return ids.count > 1
    }

    package mutating func breakAll() {
        openFences.removeAll()
    }

    /// The number of open, unbroken fences.
    package var count: Int { openFences.values.reduce(0) { $0 + $1.count } }
}

extension FenceTable.Fence: Sendable where Key: Sendable {}
