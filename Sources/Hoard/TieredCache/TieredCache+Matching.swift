// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// Removing, and marking as stale, what nobody can name: all keys that meet a condition.
///
/// Nothing that began before is published, as with every other removal. Memory and the stores are walked over, a page at a time; a store that cannot list what
/// it has, or fails to, loses all of it, so that nothing that should be gone is found. So does one whose records do not tell their keys.
///
/// What is copied upwards while the walk goes on is found all the same: the stores come farthest first, then memory, which is looked at twice.
extension TieredCache {
    /// An entry that a walk has come to.
    package struct Match: Sendable {
        package let key: Key
        /// See ``CachedValue/freshUntil``.
        package let freshUntil: Date?
    }

    /// How many places of memory, or records of a store, are looked at at a time.
    static var pageSize: Int { 512 }

    /// Removes the keys for which `isMatch` holds from every tier. Suspends. O(*n*), some at a time.
    ///
    /// - Parameters:
    ///   - isMatch: Is called under a lock, too. Must be pure.
    ///   - willRemove: Called with keys that are about to be removed, before they are.
    package func removeValues(
        where isMatch: @escaping @Sendable (Key) -> Bool,
        willRemove: @Sendable ([Match]) async -> Void = { _ in }
    ) async {
        await change(where: isMatch) { matches in
            await willRemove(matches)
            await removeValues(forKeys: matches.map(\.key))
        } underWay: { keys in
            await removeValues(forKeys: keys)
        } inTier: { tier in
            if let name {
                await tier.removeRecords(taggedWith: [StoreStack.namespaceTag(name)]) {}
            } else {
                await tier.removeAll {}
            }
        }
    }

    /// Ends the freshness of the keys for which `isMatch` holds, in every tier. Suspends. O(*n*), some at a time.
    ///
    /// - Parameters:
    ///   - isMatch: Is called under a lock, too. Must be pure.
    ///   - willMark: Called with keys that are about to be marked, before they are. What is not fresh, or stays so for ever, is none of them.
    package func markStale(
        where isMatch: @escaping @Sendable (Key) -> Bool,
        willMark: @Sendable ([Match]) async -> Void = { _ in }
    ) async {
        await change(where: isMatch) { matches in
            let now = clock.now()
            let fresh = matches.filter { match in match.freshUntil.map { now < $0 } ?? false }
            if fresh.isEmpty { return }
            await willMark(fresh)
            await markStale(forKeys: fresh.map(\.key))
        } underWay: { keys in
            // What stays fresh for ever is left as it is, as far as anybody knows.
            await markStale(forKeys: keys.filter { key in memory.peek(key).map { $0.terms.freshUntil != nil } ?? true })
        } inTier: { [now = clock.now()] tier in
            if let name {
                await tier.markStale(taggedWith: [StoreStack.namespaceTag(name)], at: now) {}
            } else {
                await tier.markAllStale(at: now) {}
            }
        }
    }

    /// Marks what there is under keys stale, like ``markStale(forKey:)``. Suspends.
    package func markStale(forKeys keys: some Collection<Key>) async {
        await withTaskGroup(of: Void.self) { group in
            for (index, key) in keys.enumerated() {
                if index >= Self.keysMarkedAtOnce { await group.next() }
                group.addTask { [self] in await markStale(forKey: key) }
            }
        }
    }

    private static var keysMarkedAtOnce: Int { 256 }

    private func change(
        where isMatch: @escaping @Sendable (Key) -> Bool,
        _ change: ([Match]) async -> Void,
        underWay changeKeys: (Set<Key>) async -> Void,
        inTier changeAll: (StoreTier) async -> Void
    ) async {
        let (underWay, id) = fences.withLock { $0.beginChange(where: isMatch) }
        detachAll()
        await changeInMemory(where: isMatch, change)
        // Whoever had a fence may be writing to a store. What is done to its key waits for that, and comes behind it.
        await changeKeys(underWay)
        for tier in tiers.reversed() {
            if await !changeListed(in: tier, where: isMatch, change) {
                await changeAll(tier)
                noteChangeOfEverything(hasEnded: true)
            }
        }
        await changeInMemory(where: isMatch, change)
        // What was fetched meanwhile may rest on what a store still had.
        let late = fences.withLock { $0.endChange(where: id) }
        detachAll()
        await changeKeys(late)
    }

    /// Drops the keys for which `isMatch` holds from memory, and keeps what is under way for them from being published. Calls no store. O(*n*) in memory's entries.
    ///
    /// - Parameter isMatch: Is called under a lock, too. Must be pure.
    /// - Returns: The keys that memory had, or that were under way: somebody may have written them to a store just now.
    package func dropFromMemory(where isMatch: @escaping @Sendable (Key) -> Bool) -> Set<Key> {
        var keys = breakFences(where: isMatch)
        var position: Cache<Key, TieredEntry<Value>>.Position? = .start
        while let start = position {
            let (entries, next) = memory.page(from: start, limit: Self.pageSize)
            position = next
            for entry in entries where isMatch(entry.key) { keys.insert(entry.key) }
        }
        dropFromMemory(keys)
        return keys
    }

    /// Keeps what is under way for the keys from being published, and from being joined. Calls no store.
    ///
    /// - Returns: The keys for which something was under way.
    package func breakFences(where isMatch: @escaping @Sendable (Key) -> Bool) -> Set<Key> {
        let keys = fences.withLock { $0.breakFences(where: isMatch) }
        detachAll()
        return keys
    }

    private func changeInMemory(where isMatch: (Key) -> Bool, _ change: ([Match]) async -> Void) async {
        var position: Cache<Key, TieredEntry<Value>>.Position? = .start
        while let start = position {
            let (entries, next) = memory.page(from: start, limit: Self.pageSize)
            position = next
            let matches = entries.filter { isMatch($0.key) }.map { Match(key: $0.key, freshUntil: $0.value.terms.freshUntil) }
            if !matches.isEmpty { await change(matches) }
        }
    }

    /// - Returns: Whether the store has told all that it has.
    private func changeListed(in tier: StoreTier, where isMatch: (Key) -> Bool, _ change: ([Match]) async -> Void) async -> Bool {
        guard naming.canTellKeys, let store = tier.store as? any ListingRecordStore else { return false }
        var cursor: RecordCursor?
        repeat {
            let page: RecordPage
            do {
                page = try await store.recordPage(after: cursor, limit: Self.pageSize)
            } catch {
                return error.code == .closed
            }
            let matches = page.records.compactMap { record -> Match? in
                guard case .key(let key) = naming.origin(of: record.key), isMatch(key) else { return nil }
                return Match(key: key, freshUntil: record.freshUntil)
            }
            if !matches.isEmpty { await change(matches) }
            cursor = page.next
        } while cursor != nil
        return true
    }
}
