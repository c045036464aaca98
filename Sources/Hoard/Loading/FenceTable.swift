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
/// Memory is bounded by the number of open fences; every operation is O(1), spread over the fences that were opened, but
/// those that concern everything.
@usableFromInline package struct FenceTable<Key: Hashable> {
    /// Stands for the moment at which it was opened.
    @usableFromInline package struct Fence {
        @usableFromInline package let key: Key
        @usableFromInline let id: UInt64
        /// Whether it was opened to copy what a tier has.
        @usableFromInline let isForCopy: Bool
        /// Where the shared stores stood no later than that.
        @usableFromInline package let positions: StorePositions

        @inlinable init(key: Key, id: UInt64, isForCopy: Bool, positions: StorePositions) {
            self.key = key
            self.id = id
            self.isForCopy = isForCopy
            self.positions = positions
        }
    }

    /// What is known of a key while it is being changed.
    @usableFromInline struct Changes {
        @usableFromInline var underWay = 0
        /// Whether one of them writes something, or one has ended since the first of them began: the stores may have what must not be seen any more.
        @usableFromInline var hasWritten = false
        /// The newest change that has reached each tier.
        @usableFromInline var newestInTiers: [Int: UInt64] = [:]

        @inlinable init() {}
    }

    /// What is known of a tag that has been invalidated while somebody works who must know.
    @usableFromInline struct TagMark {
        /// When the newest invalidation began.
        var begun: UInt64 = 0
        /// When the newest invalidation to end has ended.
        var ended: UInt64 = 0
        var changes = Changes()
    }

    @usableFromInline var openFences: [Key: FenceSet] = [:]
    @usableFromInline var tagMarks: [String: TagMark] = [:]
    /// Every tag without a mark, but that of everything, counts as invalidated then.
    @usableFromInline var tagFloor: UInt64 = 0
    /// The most tags remembered one by one.
    private static var maximumTagMarks: Int { 1_024 }
    @usableFromInline var changes: [Key: Changes] = [:]
    @usableFromInline var changesOfEverything = Changes()
    /// When the newest change of everything to end has ended.
    @usableFromInline var everythingEnded: UInt64 = 0
    /// The conditions by which keys are being changed.
    @usableFromInline var conditions: [UInt64: @Sendable (Key) -> Bool] = [:]
    @usableFromInline var lastID: UInt64 = 0

    package init() {}

    /// - Parameter positions: Where the shared stores stand. To be read before.
    @inlinable package mutating func open(_ key: Key, _ positions: StorePositions = .none) -> Fence {
        open(key, isForCopy: false, positions)
    }

    /// A fence for copying what a tier has to another one; `nil` while the key is being changed.
    @inlinable package mutating func openForCopy(_ key: Key, _ positions: StorePositions = .none) -> Fence? {
        isBeingChanged(key) ? nil : open(key, isForCopy: true, positions)
    }

    @inlinable mutating func open(_ key: Key, isForCopy: Bool, _ positions: StorePositions) -> Fence {
        lastID += 1
        openFences[key, default: FenceSet()].insert(lastID)
        return Fence(key: key, id: lastID, isForCopy: isForCopy, positions: positions)
    }

    /// Whether a change of the key, or of everything, has begun and not ended.
    @inlinable package func isBeingChanged(_ key: Key) -> Bool {
        changesOfEverything.underWay > 0 || changes[key] != nil
    }

    /// Whether something is being written under the key, so that some tiers have what replaces what others still have.
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
    /// What was copied from a tier must not have been read while an invalidation of its tags was under way.
    ///
    /// - Parameter isCopy: What is to be published rests on what a tier had, though the fence was not opened for a copy. Nothing that concerns it may have been under
    ///   way since.
    @inlinable package func isIntact(_ fence: Fence, tags: Set<String>, isCopy: Bool = false) -> Bool {
        guard isIntact(fence) else { return false }
        if isCopy, isBeingChanged(fence.key) || everythingEnded > fence.id || conditions.values.contains(where: { $0(fence.key) }) { return false }
        if tagMarks.isEmpty, tagFloor < fence.id { return true }
        return isUntouched(tags, since: fence, isCopy: isCopy || fence.isForCopy)
    }

    @usableFromInline func isUntouched(_ tags: Set<String>, since fence: Fence, isCopy: Bool) -> Bool {
        !isInvalidated(Self.tagOfEverything, since: fence, isCopy) && !tags.contains { isInvalidated($0, since: fence, isCopy) }
    }

    /// A tag that every value has, without being given it.
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

    /// Closes a fence whose owner publishes, and breaks those of its key that were opened before it.
    package mutating func closeAndBreakOlder(than fence: Fence) {
        removeFences(forKey: fence.key) { $0.removeAll(through: fence.id) }
    }

    /// Breaks all fences of a key but one.
    package mutating func breakFences(forKey key: Key, sparing spared: Fence? = nil) {
        guard !openFences.isEmpty else { return }
        openFences[key] = spared.flatMap { $0.key == key && isIntact($0) ? FenceSet($0.id) : nil }
        forgetTagsIfNobodyAsks()
    }

    /// Breaks all fences of the keys for which `isMatch` holds, which is called for each key that has one. O(number of such keys).
    ///
    /// - Returns: Those keys, and the matching ones that are being changed: whoever had their fences may be about to publish.
    package mutating func breakFences(where isMatch: (Key) -> Bool) -> Set<Key> {
        let broken = openFences.keys.filter(isMatch)
        let changing = changes.keys.filter(isMatch)
        for key in broken { openFences[key] = nil }
        forgetTagsIfNobodyAsks()
        return Set(broken).union(changing)
    }

    /// The same for a change of all of these keys, which goes on until ``endChange(where:)``.
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

    /// Whether somebody may still ask what has become of a tag.
    @inlinable var mustRememberTags: Bool { !openFences.isEmpty || !changes.isEmpty }

    @inlinable mutating func forgetTagsIfNobodyAsks() {
        if !tagMarks.isEmpty, !mustRememberTags { forgetTags() }
    }

    @usableFromInline mutating func forgetTags() {
        tagMarks = tagMarks.filter { $0.value.changes.underWay > 0 }
    }

    /// If there are too many tags to remember, those whose invalidation has ended are forgotten, and all of them count as invalidated now.
    private mutating func limitTagMarks() {
        guard tagMarks.count > Self.maximumTagMarks else { return }
        tagMarks = tagMarks.filter { $0.value.changes.underWay > 0 || $0.key == Self.tagOfEverything }
        lastID += 1
        tagFloor = lastID
    }

    /// The same table with the fences of some keys only.
    func filtered(by isWanted: (Key) -> Bool) -> FenceTable {
        var filtered = self
        filtered.openFences = openFences.filter { isWanted($0.key) }
        return filtered
    }

    /// Whether no unbroken fence is open.
    package var isEmpty: Bool { openFences.isEmpty }

    /// The number of open, unbroken fences.
    package var count: Int { openFences.values.reduce(0) { $0 + $1.count } }

    @inlinable mutating func removeFences(forKey key: Key, _ remove: (inout FenceSet) -> Void) {
        // In its place: a copy would cost as much as there are fences.
        guard let index = openFences.index(forKey: key) else { return }
        remove(&openFences.values[index])
        if openFences.values[index].isEmpty { openFences.remove(at: index) }
        forgetTagsIfNobodyAsks()
    }
}

// MARK: Changes

extension FenceTable {
    /// Begins a change, if `fence` is intact, also for these tags: breaks all other fences of its key. ``endChange(_:)`` must follow.
    ///
    /// - Parameter tags: `nil`: whatever has become of tags.
    /// - Returns: Whether the fence was intact.
    @inlinable package mutating func beginChange(_ fence: Fence, tags: Set<String>? = nil, isWrite: Bool = false) -> Bool {
        guard tags.map({ isIntact(fence, tags: $0) }) ?? isIntact(fence) else { return false }
        openFences[fence.key] = FenceSet(fence.id)
        changes[fence.key, default: Changes()].underWay += 1
        if isWrite { changes[fence.key]?.hasWritten = true }
        return true
    }

    /// Whether a change whose turn in a tier has come is to be made there. If so, older changes of the key are not made there any more.
    package mutating func mayReach(tier: Int, change fence: Fence) -> Bool {
        guard var others = changes[fence.key], fence.id > others.newestInTiers[tier, default: 0] else { return false }
        others.newestInTiers[tier] = fence.id
        changes[fence.key] = others
        return true
    }

    /// Begins to remove what a key stands for, which is kept under other keys: breaks its fences but one. ``endRemoval(ofKey:sparing:)`` must follow.
    package mutating func beginRemoval(ofKey key: Key, sparing spared: Fence? = nil) {
        breakFences(forKey: key, sparing: spared)
        changes[key, default: Changes()].underWay += 1
    }

    /// Ends the removal: breaks the fences that were opened meanwhile, whose owners may have seen what was being removed.
    package mutating func endRemoval(ofKey key: Key, sparing spared: Fence? = nil) {
        breakFences(forKey: key, sparing: spared)
        guard var others = changes[key] else { return }
        others.underWay -= 1
        changes[key] = others.underWay == 0 ? nil : others
        forgetTagsIfNobodyAsks()
    }

    /// Ends a change and closes its fence.
    @inlinable package mutating func endChange(_ fence: Fence) {
        close(fence)
        guard var others = changes[fence.key] else { return }
        others.underWay -= 1
        // A change that was overtaken has ended, but what it would have replaced or removed stays until the one that has overtaken it has ended, too.
        if others.underWay > 0 || changesOfEverything.underWay > 0 { others.hasWritten = true }
        let isOver = others.underWay == 0 && changesOfEverything.underWay == 0
        changes[fence.key] = isOver ? nil : others
        forgetTagsIfNobodyAsks()
    }

    /// Whether a younger change than `fence` has invalidated everything or a tag in a tier, so that a value with these tags must not get there any more.
    ///
    /// The record that it would replace has to go with it: nobody knows whether the younger change has been made in the tier already.
    package func isOutdated(_ fence: Fence, tags: Set<String>, inTier tier: Int) -> Bool {
        if fence.id < changesOfEverything.newestInTiers[tier, default: 0] { return true }
        if tagMarks.isEmpty, tagFloor < fence.id { return false }
        func isOutdated(_ tag: String) -> Bool {
            // A mark may be younger than the floor, and not know what was forgotten with an older one.
            if tagFloor > fence.id, tag != Self.tagOfEverything { return true }
            return tagMarks[tag].map { $0.changes.newestInTiers[tier, default: 0] > fence.id } ?? false
        }
        return isOutdated(Self.tagOfEverything) || tags.contains(where: isOutdated)
    }

    /// Stands for the moment at which an invalidation of tags began.
    package struct ChangeOfTags: Sendable {
        fileprivate let id: UInt64
        package let tags: Set<String>
    }

    /// Begins to invalidate tags: no fence that is open now is intact for a value with one of them. It has to be ended.
    package mutating func beginChange(ofTags tags: Set<String>) -> ChangeOfTags {
        lastID += 1
        for tag in tags {
            tagMarks[tag, default: TagMark()].begun = lastID
            tagMarks[tag]?.changes.underWay += 1
        }
        limitTagMarks()
        return ChangeOfTags(id: lastID, tags: tags)
    }

    /// Tags are being invalidated in a tier. What is older and has one of them does not get there any more.
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

    /// A change of all keys is made in a tier. Older values do not get there any more.
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
