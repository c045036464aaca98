// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard

/// Removing, and marking as stale: by URI, by tag and altogether.
///
/// What is *removed* is gone. What is *marked stale* is not used again before the origin has confirmed it. Neither is undone by what is under way: it is
/// given to those who have asked, and is not stored; nobody who asks afterwards gets it.
extension HTTPCache {
    /// Removes what is stored for a URI, with all its variants and with what differs from it only in parts of the query that do not matter
    /// (`No-Vary-Search`), in this cache's mode and partition, for all credentials. Suspends.
    ///
    /// - Returns: Whether `uri` is one of HTTP's.
    @discardableResult
    public func remove(_ uri: String) async -> Bool {
        guard let target = TargetURI.normalized(uri) else { return false }
        let key = HTTPCacheKey(scope: baseScope, targetURI: target)
        breakFences(of: key)
        // A cancelled task would not find all that has to go.
        await startTask { [self] in await removeStored([key]) }.value
        return true
    }

    /// Removes all responses with a tag: a member of their `Cache-Tag` or `Surrogate-Key` fields. Suspends.
    public func remove(taggedWith tag: String) async {
        flights.removeAll()
        await entries.removeValues(taggedWith: tag)
        // Nobody joins what has been asked for meanwhile either.
        flights.removeAll()
    }

    /// Marks what is stored for a URI stale, like ``remove(_:)`` removes it. Suspends.
    ///
    /// - Returns: Whether `uri` is one of HTTP's.
    @discardableResult
    public func markStale(_ uri: String) async -> Bool {
        guard let target = TargetURI.normalized(uri) else { return false }
        let key = HTTPCacheKey(scope: baseScope, targetURI: target)
        breakFences(of: key)
        await startTask { [self] in await markStoredStale(key) }.value
        return true
    }

    /// Marks what is stored under the key of a URI stale.
    func markStoredStale(_ key: HTTPCacheKey) async {
        for base in await bases(of: key) {
            switch await entries.lookup(forKey: base)?.value {
            case .variants(let index)?:
                for variant in index.variants { await entries.markStale(forKey: base.variantKey(variant, in: index)) }
            case nil:
                // What a store has that did not answer may be an index, whose variants nobody can name.
                await entries.removeValue(forKey: base)
            default:
                await entries.markStale(forKey: base)
            }
        }
        for tag in uriTags(of: [key]) { await entries.markStale(taggedWith: tag) }
    }

    /// Marks all responses with a tag stale: a member of their `Cache-Tag` or `Surrogate-Key` fields. Suspends.
    public func markStale(taggedWith tag: String) async {
        flights.removeAll()
        await entries.markStale(taggedWith: tag)
        flights.removeAll()
    }

    /// Removes everything from memory and from the stores, also what caches with other partitions keep in the same stores. Suspends.
    public func removeAll() async {
        flights.removeAll()
        await entries.removeAll()
        flights.removeAll()
    }

    // MARK: Keys

    /// Removes what is stored under the keys of URIs, whose fences have been broken.
    func removeStored(_ keys: [HTTPCacheKey]) async {
        var removed: Set<HTTPCacheKey> = []
        var references: [BodyReference] = []
        for key in keys {
            for base in await bases(of: key) {
                removed.insert(base)
                references += self.references(at: base)
                guard case .variants(let index)? = entries.memoryLookup(forKey: base)?.value else { continue }
                references += index.variants.flatMap { self.references(at: base.variantKey($0, in: index)) }
            }
        }
        await entries.removeValues(forKeys: removed)
        let tags = uriTags(of: keys)
        if !tags.isEmpty { await entries.removeValues(taggedWithAny: tags) }
        for reference in references { segments.remove(reference) }
    }

    /// Keeps what is under way for a URI from being stored, and from being joined.
    func breakFences(of key: HTTPCacheKey) {
        for key in [key.removalKey, key.searchRemovalKey, key] { entries.breakFences(forKey: key) }
    }

    /// The tags of what is stored for these URIs with any credentials.
    func uriTags(of keys: [HTTPCacheKey]) -> Set<String> {
        Set(keys.flatMap { [$0.targetURI, $0.pathURI] }.compactMap { uriTag($0) })
    }

    /// The key of a URI, and those of what it has in common with others.
    private func bases(of key: HTTPCacheKey) async -> [HTTPCacheKey] {
        [key] + (await searchRules(for: key)).map { key.canonicalKey($0) }
    }
}
