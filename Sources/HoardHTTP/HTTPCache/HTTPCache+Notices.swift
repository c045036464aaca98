// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard

/// What caches in several processes tell each other through a store that they share, beyond the keys that change in it.
///
/// A removal concerns more than what is stored: what is being asked for must not be stored afterwards, nor joined, and only the cache that asks knows of it. So
/// the removal of a URI, or of what begins with a text, is told before anything is removed: by the removal of a key under which there never is a record, of which a
/// ``SharedRecordStore`` tells the others as of any other. It comes first, so that whoever has heard of the removal of a record has heard of the notice: what is
/// written before the record is removed goes with it, what comes later is not written.
extension HTTPCache {
    /// Whether other processes use a store of this cache.
    private var isShared: Bool { sharedStores.contains(true) }

    /// Tells the other caches that what is stored for URIs is about to go. Suspends until the stores have it.
    func tellOfRemoval(of keys: [HTTPCacheKey]) async {
        guard isShared else { return }
        await entries.tellOthersOfRemoval(of: keys.flatMap { [$0.removalKey, $0.searchRemovalKey] })
    }

    /// The same for all URIs that begin with a text: their responses are about to go, or to be marked stale.
    func tell(_ change: URIsBeginning.Change, of matching: URIsBeginning) async {
        guard isShared else { return }
        await entries.tellOthersOfRemoval(of: CollectionOfOne(matching.noticeKey(of: change)))
    }

    /// Does what follows from a change that another cache has made to a store. Memory has dropped what has changed, and the fences of a notice's key are broken.
    ///
    /// Called on the thread that hears of the change, so it calls no store and walks over nothing long.
    func heed(_ change: TieredCache<HTTPCacheKey, HTTPCacheEntry>.ForeignChange) {
        switch change {
        case .tags(let tags) where tags.allSatisfy(Self.isURITag):
            // Of a URI, a notice of its own tells the rest.
            flights.removeAll { $0.key.isOneOfMany }
        case .tags, .partition, .everything:
            // Nobody knows yet what the responses that are on their way have in common with what has gone.
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
            // What was written after the other cache had begun to look for it is still in the store.
            if keys.isEmpty { return }
            switch change {
            case .removal: await entries.removeValues(forKeys: keys)
            case .staleness: await entries.markStale(forKeys: keys)
            }
        }
    }

    /// What stands for a URI and others, by rules that maybe only this cache has heard of, goes with it.
    private func heedRemoval(ofURI notice: HTTPCacheKey) {
        let key = HTTPCacheKey(scope: notice.scope, targetURI: notice.targetURI)
        guard case .searchRules(let rules)? = entries.memoryLookup(forKey: key.searchRulesKey)?.value else { return }
        let keys = Set(rules.map { key.canonicalKey($0) })
        entries.dropFromMemory(keys)
        work.start { [self] in await entries.removeValues(forKeys: keys) }
    }
}

extension URIsBeginning {
    /// What becomes of the responses of URIs. The raw value is the part of a key that says so.
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
