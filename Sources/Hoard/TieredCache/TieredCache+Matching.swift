// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// Removes, or marks as stale, all keys that meet a condition, for callers that cannot list the keys.
///
/// As with every removal, loads and writes that began before are not published. The walk goes through memory and the stores a page at a time.
/// A store that cannot list its records, fails to, takes eight deadlines for a page, or has records that do not lead back to their keys
/// loses all of them. So no matching record is left.
///
/// The walk also finds records that are promoted meanwhile: it visits the farthest store first, and memory before and after the stores.
extension TieredCache {
    /// An entry that a walk has come to.
    package struct Match: Sendable {
        package let key: Key
        /// See ``CachedValue/freshUntil``.
        package let freshUntil: Date?
    }

    /// The number of slots of memory, or records of a store, in one page.
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
    ///   - willMark: Called with keys that are about to be marked, before they are. Keys that are stale already, or fresh for ever, are left out.
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
            // A value that memory knows to be fresh for ever is left as it is.
            await markStale(forKeys: keys.filter { key in memory.peek(key).map { $0.terms.freshUntil != nil } ?? true })
        } inTier: { [now = clock.now()] tier in
            if let name {
                await tier.markStale(taggedWith: [StoreStack.namespaceTag(name)], at: now) {}
            } else {
                await tier.markAllStale(at: now) {}
            }
        }
    }

    /// Marks the values of keys stale, like ``markStale(forKey:)``. Suspends.
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
        let order = storeChanges.begin()
        defer { storeChanges.finished(order) }
        let (underWay, id) = fences.withLock { $0.beginChange(where: isMatch) }
        detachAll()
        await changeInMemory(where: isMatch, change)
        // The owner of a broken fence may be writing to a store. This change of its key waits for that write and comes after it.
        await changeKeys(underWay)
        for tier in tiers.reversed() {
            if await !changeListed(in: tier, where: isMatch, change) {
                await changeAll(tier)
                noteChangeOfEverything(hasEnded: true)
            }
        }
        await changeInMemory(where: isMatch, change)
        // A load that began meanwhile may rest on a record that a store still had.
        let late = fences.withLock { $0.endChange(where: id) }
        detachAll()
        await changeKeys(late)
    }

    /// Drops the keys for which `isMatch` holds from memory, and keeps their loads and writes under way from publishing. Calls no store. O(*n*) in
    /// memory's entries.
    ///
    /// - Parameter isMatch: Is called under a lock, too. Must be pure.
    /// - Returns: The keys that memory had, or that had something under way: a store may have got their values just now.
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

    /// Keeps the loads and writes under way for the keys from publishing, and loads from being joined. Calls no store.
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

    /// - Returns: Whether the store has listed all of its records.
    private func changeListed(in tier: StoreTier, where isMatch: (Key) -> Bool, _ change: ([Match]) async -> Void) async -> Bool {
        guard naming.canTellKeys else { return false }
        var cursor: RecordCursor?
        repeat {
            let page: RecordPage
            switch await tier.page(after: cursor, limit: Self.pageSize) {
            case .success(let listed): page = listed
            case .failure(let error): return error.code == .closed
            case .timedOut, nil: return false
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
