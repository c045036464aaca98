// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Finds out whether a key has been written or removed since a fence was opened.
///
/// A load opens a fence for its key before it begins. Every write and removal of the key breaks the fences that are open for it. The load
/// publishes its result only if its fence is still intact. So it can never put an older value over a newer one, or bring back a removed value.
///
/// A write or removal that takes time, because it goes through several tiers, is a *change*. It begins with its own fence. Until it ends, no fence
/// can be opened to copy a tier's record, because the change may be about to remove that record. Changes are numbered in the order in which they
/// began. Once a change has reached a tier, an older one does not change the tier any more.
///
/// Not thread-safe: its owner calls it under the same lock that guards publications. Memory is bounded by the number of open fences. Every
/// operation is O(1), amortised over the fences that were opened, except operations on all keys.
@usableFromInline package struct FenceTable<Key: Hashable> {
    /// A fence, which marks the moment at which it was opened.
    @usableFromInline package struct Fence {
        @usableFromInline package let key: Key
        @usableFromInline let id: UInt64
        /// Whether it was opened to copy a tier's record.
        @usableFromInline let isForCopy: Bool
        /// The positions of the shared stores at that moment, or earlier.
        @usableFromInline package let positions: StorePositions

        @inlinable init(key: Key, id: UInt64, isForCopy: Bool, positions: StorePositions) {
            self.key = key
            self.id = id
            self.isForCopy = isForCopy
            self.positions = positions
        }
    }

    /// The state of a key that is being changed.
    @usableFromInline struct Changes {
        @usableFromInline var underWay = 0
        /// Whether one of the changes writes a value, or one has ended since the first of them began. The stores may then have a record that must not
        /// be seen any more.
        @usableFromInline var hasWritten = false
        /// The newest change that has reached each tier.
        @usableFromInline var newestInTiers: [Int: UInt64] = [:]

        @inlinable init() {}
    }

    /// The state of a tag that was invalidated while fences were open or changes were under way.
    @usableFromInline struct TagMark {
        /// The number at which the newest invalidation began.
        var begun: UInt64 = 0
        /// The number at which an invalidation last ended.
        var ended: UInt64 = 0
        var changes = Changes()
    }

    @usableFromInline var openFences: [Key: FenceSet] = [:]
    @usableFromInline var tagMarks: [String: TagMark] = [:]
    /// The number at which every tag without a mark counts as invalidated. Does not apply to ``tagOfEverything``.
    @usableFromInline var tagFloor: UInt64 = 0
    /// The most tags that are remembered one by one.
    private static var maximumTagMarks: Int { 1_024 }
    @usableFromInline var changes: [Key: Changes] = [:]
    @usableFromInline var changesOfEverything = Changes()
    /// The number at which a change of everything last ended.
    @usableFromInline var everythingEnded: UInt64 = 0
    /// The conditions of the changes by condition that are under way.
    @usableFromInline var conditions: [UInt64: @Sendable (Key) -> Bool] = [:]
    @usableFromInline var lastID: UInt64 = 0

    package init() {}

    /// Opens a fence.
    ///
    /// - Parameter positions: The positions of the shared stores. Read them before this call.
    @inlinable package mutating func open(_ key: Key, _ positions: StorePositions = .none) -> Fence {
        open(key, isForCopy: false, positions)
    }

    /// Opens a fence for copying a record from one tier to another; `nil` while the key is being changed, also by condition.
    @inlinable package mutating func openForCopy(_ key: Key, _ positions: StorePositions = .none) -> Fence? {
        isBeingChanged(key) || isBeingChangedByCondition(key) ? nil : open(key, isForCopy: true, positions)
    }

    @inlinable mutating func open(_ key: Key, isForCopy: Bool, _ positions: StorePositions) -> Fence {
        lastID += 1
        // A fence of a key that does not equal itself, such as NaN, would not be found again to be closed. It counts as broken.
        if key == key { openFences[key, default: FenceSet()].insert(lastID) }
        return Fence(key: key, id: lastID, isForCopy: isForCopy, positions: positions)
    }

    /// Whether a change of the key, or of everything, has begun and not ended.
    @inlinable package func isBeingChanged(_ key: Key) -> Bool {
        changesOfEverything.underWay > 0 || changes[key] != nil
    }

    /// Whether a change by condition that concerns the key has begun and not ended.
    @inlinable func isBeingChangedByCondition(_ key: Key) -> Bool {
        !conditions.isEmpty && conditions.values.contains { $0(key) }
    }

    /// Whether a value is being written under the key, so that some tiers have the new value and others the old one.
    @inlinable package func isBeingWritten(_ key: Key) -> Bool {
        changes[key]?.hasWritten ?? false
    }

    /// Whether an older change of a change's key is still under way.
    package func isOvertaking(_ fence: Fence) -> Bool {
        changesOfEverything.underWay > 0 || (changes[fence.key]?.underWay ?? 0) > 1
    }

    @inlinable package func isIntact(_ fence: Fence) -> Bool {
        openFences[fence.key]?.contains(fence.id) ?? false
    }

    /// Whether neither the key nor one of these tags has been invalidated since the fence was opened.
    ///
    /// A record to copy must not have been read while an invalidation of its tags was under way.
    ///
    /// - Parameter isCopy: Whether the value to publish rests on a tier's record, although the fence was not opened for a copy. Then no change that
    ///   concerns it may have been under way since.
    @inlinable package func isIntact(_ fence: Fence, tags: Set<String>, isCopy: Bool = false) -> Bool {
        guard isIntact(fence) else { return false }
        if isCopy, isBeingChanged(fence.key) || everythingEnded > fence.id || isBeingChangedByCondition(fence.key) { return false }
        if tagMarks.isEmpty, tagFloor < fence.id { return true }
        return isUntouched(tags, since: fence, isCopy: isCopy || fence.isForCopy)
    }

    @usableFromInline func isUntouched(_ tags: Set<String>, since fence: Fence, isCopy: Bool) -> Bool {
        !isInvalidated(Self.tagOfEverything, since: fence, isCopy) && !tags.contains { isInvalidated($0, since: fence, isCopy) }
    }

    /// A tag that stands for every value.
    package static var tagOfEverything: String { "\u{0}" }

    private func isInvalidated(_ tag: String, since fence: Fence, _ isCopy: Bool) -> Bool {
        guard let mark = tagMarks[tag] else { return tag != Self.tagOfEverything && tagFloor > fence.id }
        return mark.begun > fence.id || isCopy && (mark.changes.underWay > 0 || mark.ended > fence.id)
    }

    /// Remembers that a tag was invalidated, for the fences that are open now.
    package mutating func breakFences(taggedWith tag: String) {
        guard mustRememberTags else { return }
        lastID += 1
        tagMarks[tag, default: TagMark()].begun = lastID
        limitTagMarks()
    }

    /// Forgets a fence that is no longer needed. Closing a broken one does nothing.
    @inlinable package mutating func close(_ fence: Fence) {
        removeFences(forKey: fence.key) { $0.remove(fence.id) }
    }

    /// Closes a fence whose owner publishes, and breaks the older fences of its key.
    package mutating func closeAndBreakOlder(than fence: Fence) {
        removeFences(forKey: fence.key) { $0.removeAll(through: fence.id) }
    }

    /// Breaks all fences of a key, except the spared one.
    package mutating func breakFences(forKey key: Key, sparing spared: Fence? = nil) {
        guard !openFences.isEmpty else { return }
        openFences[key] = spared.flatMap { $0.key == key && isIntact($0) ? FenceSet($0.id) : nil }
        forgetTagsIfNobodyAsks()
    }

    /// Breaks all fences of the keys for which `isMatch` holds. O(*n*) in the number of keys with open fences or changes.
    ///
    /// - Returns: Those keys, and the matching keys that are being changed: the owners of their fences may be about to publish.
    package mutating func breakFences(where isMatch: (Key) -> Bool) -> Set<Key> {
        let broken = openFences.keys.filter(isMatch)
        let changing = changes.keys.filter(isMatch)
        for key in broken { openFences[key] = nil }
        forgetTagsIfNobodyAsks()
        return Set(broken).union(changing)
    }

    /// Begins a change of all keys for which `isMatch` holds, which goes on until ``endChange(where:)``. Breaks their fences.
    package mutating func beginChange(where isMatch: @escaping @Sendable (Key) -> Bool) -> (keys: Set<Key>, id: UInt64) {
        lastID += 1
        conditions[lastID] = isMatch
        return (breakFences(where: isMatch), lastID)
    }

    /// Breaks the fences that were opened meanwhile, too.
    package mutating func endChange(where id: UInt64) -> Set<Key> { conditions.removeValue(forKey: id).map { breakFences(where: $0) } ?? [] }

    package mutating func breakAll() {
        openFences.removeAll()
        forgetTagsIfNobodyAsks()
    }

    /// Whether fences or changes may still ask for the state of a tag.
    @inlinable var mustRememberTags: Bool { !openFences.isEmpty || !changes.isEmpty }

    @inlinable mutating func forgetTagsIfNobodyAsks() {
        if !tagMarks.isEmpty, !mustRememberTags { forgetTags() }
    }

    @usableFromInline mutating func forgetTags() {
        tagMarks = tagMarks.filter { $0.value.changes.underWay > 0 }
    }

    /// With too many tags, forgets those whose invalidation has ended. All forgotten tags count as invalidated now.
    private mutating func limitTagMarks() {
        guard tagMarks.count > Self.maximumTagMarks else { return }
        tagMarks = tagMarks.filter { $0.value.changes.underWay > 0 || $0.key == Self.tagOfEverything }
        lastID += 1
        tagFloor = lastID
    }

    /// A copy of the table with the fences of some keys only.
    func filtered(by isWanted: (Key) -> Bool) -> FenceTable {
        var filtered = self
        filtered.openFences = openFences.filter { isWanted($0.key) }
        return filtered
    }

    /// Whether no fence is open.
    package var isEmpty: Bool { openFences.isEmpty }

    /// The number of open fences, without broken ones.
    package var count: Int { openFences.values.reduce(0) { $0 + $1.count } }

    @inlinable mutating func removeFences(forKey key: Key, _ remove: (inout FenceSet) -> Void) {
        // Changed in place: a copy would take O(number of fences).
        guard let index = openFences.index(forKey: key) else { return }
        remove(&openFences.values[index])
        if openFences.values[index].isEmpty { openFences.remove(at: index) }
        forgetTagsIfNobodyAsks()
    }
}

// MARK: Changes

extension FenceTable {
    /// Begins a change if `fence` is intact, also for these tags, and breaks all other fences of its key. ``endChange(_:)`` must follow.
    ///
    /// - Parameter tags: The tags that must be intact, too; `nil` to ignore tags.
    /// - Returns: Whether the fence was intact.
    @inlinable package mutating func beginChange(_ fence: Fence, tags: Set<String>? = nil, isWrite: Bool = false) -> Bool {
        guard tags.map({ isIntact(fence, tags: $0) }) ?? isIntact(fence) else { return false }
        openFences[fence.key] = FenceSet(fence.id)
        changes[fence.key, default: Changes()].underWay += 1
        if isWrite { changes[fence.key]?.hasWritten = true }
        return true
    }

    /// Notes that a change has reached a tier. Older changes of the key are not made there any more.
    ///
    /// - Returns: Whether to make the change there: no newer change of the key has reached the tier.
    package mutating func mayReach(tier: Int, change fence: Fence) -> Bool {
        guard var others = changes[fence.key], fence.id > others.newestInTiers[tier, default: 0] else { return false }
        others.newestInTiers[tier] = fence.id
        changes[fence.key] = others
        return true
    }

    /// Begins the removal of a key whose values are kept under other keys: breaks its fences, except the spared one. ``endRemoval(ofKey:sparing:)``
    /// must follow.
    package mutating func beginRemoval(ofKey key: Key, sparing spared: Fence? = nil) {
        breakFences(forKey: key, sparing: spared)
        changes[key, default: Changes()].underWay += 1
    }

    /// Ends the removal: breaks the fences that were opened meanwhile, as their owners may have seen a removed value.
    package mutating func endRemoval(ofKey key: Key, sparing spared: Fence? = nil) {
        breakFences(forKey: key, sparing: spared)
        guard var others = changes[key] else { return }
        others.underWay -= 1
        // The stores may have a record that an earlier change was to replace, until the change of everything has ended.
        let isOver = others.underWay == 0 && changesOfEverything.underWay == 0
        changes[key] = isOver ? nil : others
        forgetTagsIfNobodyAsks()
    }

    /// Ends a change and closes its fence.
    @inlinable package mutating func endChange(_ fence: Fence) {
        close(fence)
        guard var others = changes[fence.key] else { return }
        others.underWay -= 1
        // If this change was overtaken, the record that it would have replaced or removed stays until the other change has ended, too.
        if others.underWay > 0 || changesOfEverything.underWay > 0 { others.hasWritten = true }
        let isOver = others.underWay == 0 && changesOfEverything.underWay == 0
        changes[fence.key] = isOver ? nil : others
        forgetTagsIfNobodyAsks()
    }

    /// Whether a change younger than `fence` has invalidated everything, or one of these tags, in a tier. A value with these tags must not get there
    /// any more.
    ///
    /// The record that the value would replace has to go, too: the younger change may not have been made in the tier yet.
    package func isOutdated(_ fence: Fence, tags: Set<String>, inTier tier: Int) -> Bool {
        if fence.id < changesOfEverything.newestInTiers[tier, default: 0] { return true }
        if tagMarks.isEmpty, tagFloor < fence.id { return false }
        func isOutdated(_ tag: String) -> Bool {
            // A mark may be younger than the floor, and an older mark of the same tag may have been forgotten.
            if tagFloor > fence.id, tag != Self.tagOfEverything { return true }
            return tagMarks[tag].map { $0.changes.newestInTiers[tier, default: 0] > fence.id } ?? false
        }
        return isOutdated(Self.tagOfEverything) || tags.contains(where: isOutdated)
    }

    /// An invalidation of tags, which marks the moment at which it began.
    package struct ChangeOfTags: Sendable {
        fileprivate let id: UInt64
        package let tags: Set<String>
    }

    /// Begins to invalidate tags. No fence that is open now stays intact for a value with one of them. ``endChange(_:)`` must follow.
    package mutating func beginChange(ofTags tags: Set<String>) -> ChangeOfTags {
        lastID += 1
        for tag in tags {
            tagMarks[tag, default: TagMark()].begun = lastID
            tagMarks[tag]?.changes.underWay += 1
        }
        limitTagMarks()
        return ChangeOfTags(id: lastID, tags: tags)
    }

    /// Notes that an invalidation of tags has reached a tier. Older values with one of the tags do not get there any more.
    package mutating func reach(tier: Int, change: ChangeOfTags) {
        for tag in change.tags {
            guard var mark = tagMarks[tag] else { continue }
            mark.changes.newestInTiers[tier] = max(change.id, mark.changes.newestInTiers[tier, default: 0])
            tagMarks[tag] = mark
        }
    }

    package mutating func endChange(_ change: ChangeOfTags) {
        lastID += 1
        for tag in change.tags {
            tagMarks[tag]?.ended = lastID
            tagMarks[tag]?.changes.underWay -= 1
        }
        forgetTagsIfNobodyAsks()
    }

    /// A change of all keys, which marks the moment at which it began.
    package struct ChangeOfEverything: Sendable {
        fileprivate let id: UInt64
    }

    /// Begins a change of all keys, and breaks all fences. ``endChangeOfEverything()`` must follow.
    package mutating func beginChangeOfEverything() -> ChangeOfEverything {
        breakAll()
        changesOfEverything.underWay += 1
        lastID += 1
        return ChangeOfEverything(id: lastID)
    }

    /// Notes that a change of all keys has reached a tier. Older values do not get there any more.
    package mutating func reach(tier: Int, change: ChangeOfEverything) {
        changesOfEverything.newestInTiers[tier] = max(change.id, changesOfEverything.newestInTiers[tier, default: 0])
    }

    package mutating func endChangeOfEverything() {
        changesOfEverything.underWay -= 1
        lastID += 1
        everythingEnded = lastID
        if changesOfEverything.underWay == 0 { changes = changes.filter { $0.value.underWay > 0 } }
    }
}

extension FenceTable.Fence: Sendable where Key: Sendable {}
