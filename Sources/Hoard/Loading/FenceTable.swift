// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Tells whether a key has been written or removed since a certain moment.
///
/// Whoever is about to load a key opens a fence before it begins. Every write and removal of the key breaks the
/// fences that are open for it. The load publishes its result only if its fence is still intact, and so can never put an
/// older value over a newer one, or bring back what was removed.
///
/// A write or removal that takes time, because it goes through several tiers, is a *change*. It begins with its own fence. Until it
/// ends, nobody can open a fence to copy what one of the tiers has, which may be what the change is about to remove.
/// Changes are numbered in the order in which they began, and a tier that has been reached by one is no longer changed by an older one.
///
/// Not thread-safe: its owner calls it under the same lock that guards what is published.
/// Memory is bounded by the number of open fences; every operation is O(1) but those that concern everything.
package struct FenceTable<Key: Hashable> {
    /// Stands for the moment at which it was opened.
    package struct Fence {
        package let key: Key
        fileprivate let id: UInt64
    }

    /// What is known of a key while it is being changed.
    private struct Changes {
        var underWay = 0
        /// The newest change that has reached each tier.
        var newestInTiers: [Int: UInt64] = [:]
    }

    private var openFences: [Key: [UInt64]] = [:]
    /// When tags were last invalidated, while fences are open.
    private var invalidatedTags: [String: UInt64] = [:]
    private static var maximumInvalidatedTags: Int { 1_024 }
    private var changes: [Key: Changes] = [:]
    private var changesOfEverything = Changes()
    private var lastID: UInt64 = 0

    package init() {}

    package mutating func open(_ key: Key) -> Fence {
        lastID += 1
        openFences[key, default: []].append(lastID)
        return Fence(key: key, id: lastID)
    }

    /// A fence for copying what a tier has to another one; `nil` while the key is being changed.
    package mutating func openForCopy(_ key: Key) -> Fence? {
        isBeingChanged(key) ? nil : open(key)
    }

    /// Whether a change of the key, or of everything, has begun and not ended.
    package func isBeingChanged(_ key: Key) -> Bool {
        changesOfEverything.underWay > 0 || changes[key] != nil
    }

    package func isIntact(_ fence: Fence) -> Bool {
        openFences[fence.key]?.contains(fence.id) ?? false
    }

    /// Whether neither the key nor one of these tags has been invalidated since the fence was opened.
    package func isIntact(_ fence: Fence, tags: Set<String>) -> Bool {
        isIntact(fence) && !tags.contains { invalidatedTags[$0, default: 0] > fence.id }
    }

    /// Remembers that a tag was invalidated, for the fences that are open now.
    ///
    /// If there are too many tags to remember, all fences are broken instead.
    package mutating func breakFences(taggedWith tag: String) {
        guard !openFences.isEmpty else { return }
        lastID += 1
        invalidatedTags[tag] = lastID
        if invalidatedTags.count > Self.maximumInvalidatedTags { breakAll() }
    }

    /// Forgets a fence that is no longer needed. Closing a broken one does nothing.
    package mutating func close(_ fence: Fence) {
        removeFences(forKey: fence.key) { $0 == fence.id }
    }

    /// Closes a fence whose owner publishes, and breaks those of its key that were opened before it.
    package mutating func closeAndBreakOlder(than fence: Fence) {
        removeFences(forKey: fence.key) { $0 <= fence.id }
    }

    /// Breaks all fences of a key.
    package mutating func breakFences(forKey key: Key) {
        guard !openFences.isEmpty else { return }
        openFences[key] = nil
        forgetTagsIfNobodyAsks()
    }

    package mutating func breakAll() {
        openFences.removeAll()
        forgetTagsIfNobodyAsks()
    }

    private mutating func forgetTagsIfNobodyAsks() {
        if openFences.isEmpty, !invalidatedTags.isEmpty { invalidatedTags.removeAll() }
    }

    /// Whether no unbroken fence is open.
    package var isEmpty: Bool { openFences.isEmpty }

    /// The number of open, unbroken fences.
    package var count: Int { openFences.values.reduce(0) { $0 + $1.count } }

    private mutating func removeFences(forKey key: Key, where predicate: (UInt64) -> Bool) {
        guard var ids = openFences[key] else { return }
        ids.removeAll(where: predicate)
        openFences[key] = ids.isEmpty ? nil : ids
        forgetTagsIfNobodyAsks()
    }
}

// MARK: Changes

extension FenceTable {
    /// Begins a change, if `fence` is intact: breaks all other fences of its key. ``endChange(_:)`` must follow.
    ///
    /// - Returns: Whether the fence was intact.
    package mutating func beginChange(_ fence: Fence) -> Bool {
        guard isIntact(fence) else { return false }
        openFences[fence.key] = [fence.id]
        changes[fence.key, default: Changes()].underWay += 1
        return true
    }

    /// Whether a change whose turn in a tier has come is to be made there. If so, older changes of the key are not made there any more.
    package mutating func mayReach(tier: Int, change fence: Fence) -> Bool {
        guard fence.id > changesOfEverything.newestInTiers[tier, default: 0], var others = changes[fence.key],
            fence.id > others.newestInTiers[tier, default: 0]
        else { return false }
        others.newestInTiers[tier] = fence.id
        changes[fence.key] = others
        return true
    }

    /// Ends a change and closes its fence.
    package mutating func endChange(_ fence: Fence) {
        close(fence)
        guard var others = changes[fence.key] else { return }
        others.underWay -= 1
        changes[fence.key] = others.underWay == 0 ? nil : others
    }

    /// Stands for the moment at which a change of all keys began.
    package struct ChangeOfEverything: Sendable {
        fileprivate let id: UInt64
    }

    /// Begins a change of all keys: breaks all fences. ``endChangeOfEverything()`` must follow.
    package mutating func beginChangeOfEverything() -> ChangeOfEverything {
        breakAll()
        changesOfEverything.underWay += 1
        lastID += 1
        return ChangeOfEverything(id: lastID)
    }

    /// A change of all keys is made in a tier. Older changes are not made there any more.
    package mutating func reach(tier: Int, change: ChangeOfEverything) {
        changesOfEverything.newestInTiers[tier] = max(change.id, changesOfEverything.newestInTiers[tier, default: 0])
    }

    package mutating func endChangeOfEverything() {
        changesOfEverything.underWay -= 1
    }
}

extension FenceTable.Fence: Sendable where Key: Sendable {}
