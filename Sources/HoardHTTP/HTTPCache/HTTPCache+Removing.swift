// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard
internal import Synchronization

/// Removes responses or marks them stale, by URI, by tag, by partition or all at once.
///
/// A response that is *removed* is gone. One that is *marked stale* is not used again before the origin has confirmed it. Requests that are under way undo
/// neither. Their responses go to the callers that have asked, and are not stored; callers that ask afterwards do not get them.
extension HTTPCache {
    /// Removes the stored responses for a URI, with all variants, and those for its path that stand for several URIs (`No-Vary-Search`). It removes them in
    /// this cache's mode and one partition, for all credentials. Suspends.
    ///
    /// - Parameters:
    ///   - partition: `nil`: the one of the configuration.
    ///   - policy: That of requests for the URI: parts of the query that it ignores do not matter here either.
    /// - Returns: Whether `uri` is one of HTTP's.
    @discardableResult
    public func remove(_ uri: String, partition: String? = nil, policy: HTTPCachePolicy = HTTPCachePolicy()) async -> Bool {
        guard let keys = keysWithoutFences(of: uri, partition: partition, policy) else { return false }
        // A cancelled task would not find all that has to go.
        await startTask { [self] in await removeStored(keys) }.value
        return true
    }

    /// Removes the responses that are kept in memory only for a URI (``RequestOptions/keepsInMemoryOnly``), like
    /// ``remove(_:partition:policy:)``. No store learns of the URI. Suspends.
    package func removeKeptInMemoryOnly(_ uri: String, partition: String? = nil) async {
        guard let keys = keysWithoutFences(of: uri, partition: partition) else { return }
        await startTask { [self] in await removeStored(keys.filter(\.isMemoryOnly)) }.value
    }

    /// Removes all responses with a tag: a member of their `Cache-Tag` or `Surrogate-Key` fields. Suspends.
    public func remove(taggedWith tag: String) async {
        flights.removeAll()
        await entries.removeValues(taggedWith: tag)
        // Later requests do not join exchanges that have begun meanwhile either.
        flights.removeAll()
    }

    /// Removes all responses of an origin's group, which they name in `Cache-Groups` ([RFC 9875](https://www.rfc-editor.org/rfc/rfc9875)).
    /// Suspends. O(1) in each tier, whatever the size of the group.
    ///
    /// - Parameters:
    ///   - group: The name of the group. Its letters count as they are.
    ///   - uri: A URI of the origin.
    ///   - partition: `nil`: the one of the configuration.
    /// - Returns: Whether `uri` is one of HTTP's.
    @discardableResult
    public func remove(group: String, ofOriginOf uri: String, partition: String? = nil) async -> Bool {
        guard let target = TargetURI.normalized(uri) else { return false }
        let key = HTTPCacheKey(scope: space(partition: partition).baseScope, targetURI: target)
        await startTask { [self] in await removeStored(groups: [group], of: key) }.value
        return true
    }

    /// Removes the stored responses of groups of a key's origin.
    func removeStored(groups: [String], of key: HTTPCacheKey) async {
        guard !groups.isEmpty else { return }
        let (scope, origin) = (key.storedBaseScope, CacheGroups.origin(of: key.targetURI))
        let mayBeInGroup: @Sendable (FlightKey) -> Bool = { $0.key.storedBaseScope == scope && CacheGroups.origin(of: $0.key.targetURI) == origin }
        flights.removeAll(where: mayBeInGroup)
        await entries.removeValues(taggedWithAny: Set(groups.map { CacheGroups.tag($0, of: key.targetURI, baseScope: scope) }))
        flights.removeAll(where: mayBeInGroup)
    }

    /// Marks the stored responses for a URI stale, with the scope of ``remove(_:partition:policy:)``. Suspends.
    ///
    /// - Parameters:
    ///   - partition: `nil`: the one of the configuration.
    ///   - policy: That of requests for the URI.
    /// - Returns: Whether `uri` is one of HTTP's.
    @discardableResult
    public func markStale(_ uri: String, partition: String? = nil, policy: HTTPCachePolicy = HTTPCachePolicy()) async -> Bool {
        guard let keys = keysWithoutFences(of: uri, partition: partition, policy) else { return false }
        await startTask { [self] in
            await tellOfRemoval(of: keys)
            for key in keys { await markStoredStale(key) }
        }.value
        return true
    }

    /// Marks the responses under the key of a URI stale.
    func markStoredStale(_ key: HTTPCacheKey) async {
        for base in await bases(of: key) {
            switch await entries.lookup(forKey: base)?.value {
            case .variants(let index)?:
                for variant in index.variants { await entries.markStale(forKey: base.variantKey(variant, in: index)) }
            case nil:
                // A store that did not answer may have an index, whose variants are unknown.
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

    /// Removes all responses of a partition, with and without credentials, from memory and from the stores. Suspends. O(1) in each tier.
    ///
    /// An encrypted `DiskStore` destroys the partition's key. Responses under way for the partition reach the clients that have requested them, and are not stored. A body
    /// that is being read from a store may break off.
    ///
    /// - Parameter partition: As in ``RequestOptions/partition`` or ``Configuration/partition``. An empty name stands for none: nothing is removed.
    public func removePartition(_ partition: String) async {
        if partition.isEmpty { return }
        let scope = space(partition: partition).baseScope
        flights.removeAll { $0.key.storedBaseScope == scope }
        await entries.removePartition(partition)
        // Later requests do not join exchanges that have begun meanwhile either.
        flights.removeAll { $0.key.storedBaseScope == scope }
        journal.removeAll { $0.storedBaseScope == scope }
    }

    /// Removes everything from memory and from the stores, including the records of other caches in the same stores. Suspends.
    ///
    /// A cache with a partition (``Configuration/partition``) removes that, and leaves the others alone: ``removePartition(_:)``.
    public func removeAll() async {
        if let partition = space.partition { return await removePartition(partition) }
        flights.removeAll()
        await entries.removeAll()
        flights.removeAll()
    }

    // MARK: Keys

    /// The keys of a URI, whose fences have been broken; `nil` if it is none of HTTP's.
    private func keysWithoutFences(of uri: String, partition: String?, _ policy: HTTPCachePolicy = HTTPCachePolicy()) -> [HTTPCacheKey]? {
        guard let target = TargetURI.normalized(uri) else { return nil }
        let key = HTTPCacheKey(scope: space(partition: partition).baseScope, targetURI: target)
        let keys = keys(of: target, like: key, CompiledHTTPCachePolicy(policy))
        breakFences(of: keys)
        return keys
    }

    /// Removes the responses under the keys of URIs, whose fences have been broken.
    ///
    /// A request that looks for them meanwhile may find a response that is being removed, and have it confirmed by the origin. That is not stored again.
    ///
    /// - Parameter flight: Stores its response all the same.
    func removeStored(_ keys: [HTTPCacheKey], sparing flight: Flight? = nil) async {
        let removalKeys = keys.flatMap { [$0.removalKey, $0.searchRemovalKey] }
        for key in removalKeys { entries.beginRemoval(ofKey: key, sparing: flight?.fence(ofKey: key)) }
        defer { for key in removalKeys { entries.endRemoval(ofKey: key, sparing: flight?.fence(ofKey: key)) } }
        await tellOfRemoval(of: keys)
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
        // A request that came meanwhile may have found a response that is gone now, and have it confirmed. Later requests do not join it.
        let gone = removed.union(keys)
        flights.removeAll { gone.contains($0.key) || ($0.key.isQuery && gone.contains($0.key.withoutVariant)) }
    }

    /// Keeps the responses under way for URIs from being stored, and from being joined, except one flight.
    func breakFences(of keys: [HTTPCacheKey], sparing flight: Flight? = nil) {
        for key in keys {
            for key in [key.removalKey, key.searchRemovalKey, key] { entries.breakFences(forKey: key, sparing: flight?.fence(ofKey: key)) }
        }
    }

    /// The tags of the responses for these URIs with any credentials, of answers to QUERY, and of the responses for their paths that stand for several URIs by
    /// rules that need not be known any more.
    func uriTags(of keys: [HTTPCacheKey]) -> Set<String> {
        guard configuration.mode == .private || mayHaveQueries.load(ordering: .acquiring) || mayHaveSearchRules.load(ordering: .acquiring) else {
            return []
        }
        return Set(keys.flatMap { key in [key.targetURI, key.pathURI].map { uriTag($0, baseScope: key.storedBaseScope) } })
    }

    /// The key of a URI, and the canonical keys that it shares with others.
    func bases(of key: HTTPCacheKey) async -> [HTTPCacheKey] {
        [key] + (await searchRules(for: key)).map { key.canonicalKey($0) }
    }
}
