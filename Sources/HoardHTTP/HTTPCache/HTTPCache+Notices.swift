// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard

/// The notices that caches in several processes send each other through a store that they share, beyond the keys that change in it.
///
/// A removal concerns more than stored responses. A response that is on its way must not be stored afterwards, nor joined, and only the cache that asked
/// knows of it. So a cache sends a notice before it removes a URI, or all URIs that begin with a text. The notice is the removal of a key that never has a
/// record; a ``SharedRecordStore`` tells the other caches of it as of any other removal. The notice comes first, so a cache that has heard of the removal
/// of a record has heard of the notice. A response that is written before the record is removed goes with it; one that comes later is not written.
extension HTTPCache {
    /// Whether other processes use a store of this cache.
    private var isShared: Bool { sharedStores.contains(true) }

    /// Tells the other caches that the responses for URIs are about to be removed. Suspends until the stores have the notice.
    func tellOfRemoval(of keys: [HTTPCacheKey]) async {
        guard isShared else { return }
        await entries.tellOthersOfRemoval(of: keys.flatMap { [$0.removalKey, $0.searchRemovalKey] })
    }

    /// The same for all URIs that begin with a text: their responses are about to go, or to be marked stale.
    func tell(_ change: URIsBeginning.Change, of matching: URIsBeginning) async {
        guard isShared else { return }
        await entries.tellOthersOfRemoval(of: CollectionOfOne(matching.noticeKey(of: change)))
    }

    /// Handles a change that another cache has made to a store. Memory has dropped the changed entries, and the fences
    /// of a notice's key are broken.
    ///
    /// Called on the thread that hears of the change, so it calls no store and walks over nothing long.
    func heed(_ change: TieredCache<HTTPCacheKey, HTTPCacheEntry>.ForeignChange) {
        switch change {
        case .tags(let tags) where tags.allSatisfy(Self.isURITag):
            // Of a URI, a notice of its own tells the rest.
            flights.removeAll { $0.key.isOneOfMany }
        case .tags, .partition, .everything:
            // The cache does not know yet whether the responses on their way belong to the removed responses.
            flights.removeAll()
        case .key(let key):
            if let (change, matching) = URIsBeginning.notice(withKey: key) {
                heed(change, of: matching)
            } else if key.isRemovalOfURI {
                heedRemoval(ofURI: key)
            }
        }
    }

    private func heed(_ change: URIsBeginning.Change, of matching: URIsBeginning) {
        flights.removeAll { matching.includes($0.key) }
        let underWay = entries.breakFences(where: matching.includes)
        work.start { [self] in
            let keys = entries.dropFromMemory(where: matching.includes).union(underWay).filter { !$0.isNotice }
            flights.removeAll { matching.includes($0.key) }
            // A record that was written after the other cache had begun its search is still in the store.
            if keys.isEmpty { return }
            switch change {
            case .removal: await entries.removeValues(forKeys: keys)
            case .staleness: await entries.markStale(forKeys: keys)
            }
        }
    }

    /// Removes the entries that stand for a URI and others, by rules that maybe only this cache has heard of.
    private func heedRemoval(ofURI notice: HTTPCacheKey) {
        let key = HTTPCacheKey(scope: notice.scope, targetURI: notice.targetURI)
        guard case .searchRules(let rules)? = entries.memoryLookup(forKey: key.searchRulesKey)?.value else { return }
        let keys = Set(rules.map { key.canonicalKey($0) })
        entries.dropFromMemory(keys)
        work.start { [self] in await entries.removeValues(forKeys: keys) }
    }
}

extension URIsBeginning {
    /// A change to the responses of URIs. The raw value is the part of a key that names it.
    enum Change: String, CaseIterable, Sendable {
        case removal = "prefix removal"
        case staleness = "prefix staleness"
    }

    /// The key whose removal tells other caches of a change to all this.
    func noticeKey(of change: Change) -> HTTPCacheKey { HTTPCacheKey(scope: scope, targetURI: text, variant: change.rawValue) }

    /// - Returns: `nil` if it is the key of something else.
    static func notice(withKey key: HTTPCacheKey) -> (Change, URIsBeginning)? {
        guard let change = key.variant.flatMap({ Change(rawValue: $0) }) else { return nil }
        if key.targetURI.isEmpty { return (change, URIsBeginning(scope: key.scope)) }
        return URIsBeginning(with: key.targetURI, scope: key.scope).map { (change, $0) }
    }
}

extension HTTPCacheKey {
    /// Whether its removal tells of the removal of a URI.
    fileprivate var isRemovalOfURI: Bool { variant == "removal" }

    /// Whether there never is anything under it.
    fileprivate var isNotice: Bool { isRemovalOfURI || variant == "search removal" || variant == "partition removal" }
}
