// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard
internal import Synchronization

/// Removing, and marking as stale, all responses whose URIs begin with the same text.
///
/// As with every other removal, requests that are under way do not undo it. Their responses go to the callers that have asked, and are not stored; callers
/// that ask afterwards do not get them.
extension HTTPCache {
    /// Removes the stored responses for all URIs that begin with `prefix`, from memory and the stores, with all variants and segments, for all
    /// credentials, in one partition. Suspends.
    ///
    /// Walks over memory and the stores, some records at a time: O(*n*) for *n* entries. A store that cannot list its records (``ListingRecordStore``), or fails to, loses all
    /// of it. With a query in the prefix, a response that stands for several URIs of its path (`No-Vary-Search`) goes too. A response stored meanwhile may go as well.
    ///
    /// - Parameters:
    ///   - prefix: The beginning of an absolute `http` or `https` URI, such as `https://example.com/images/`. A host alone is all of that host.
    ///   - partition: `nil`: the one of the configuration.
    /// - Returns: How many responses were found and removed; `nil` if `prefix` is not the beginning of an HTTP URI.
    @discardableResult
    public func remove(prefix: String, partition: String? = nil) async -> Int? {
        guard let matching = URIsBeginning(with: prefix, scope: space(partition: partition).baseScope) else { return nil }
        return await removeStored(matching)
    }

    /// Marks the stored responses for all URIs that begin with `prefix` stale, with the scope of ``remove(prefix:partition:)``. Suspends.
    ///
    /// In a store that cannot list its records, or fails to, everything is marked.
    ///
    /// - Returns: How many responses were fresh until then; `nil` if `prefix` is not the beginning of an HTTP URI.
    @discardableResult
    public func markStale(prefix: String, partition: String? = nil) async -> Int? {
        guard let matching = URIsBeginning(with: prefix, scope: space(partition: partition).baseScope) else { return nil }
        return await markStoredStale(matching)
    }

    /// Marks everything stale, in memory and in the stores, including the records of other caches in the same stores. Suspends.
    ///
    /// A cache with a partition (``Configuration/partition``) marks that, and leaves the others alone; it walks over memory and the stores for that.
    public func markAllStale() async {
        if space.partition != nil {
            await markStoredStale(URIsBeginning(scope: space.baseScope))
        } else {
            flights.removeAll()
            await entries.markAllStale()
            flights.removeAll()
        }
    }

    /// The number of responses that are stored for a URI, for requests without credentials. They count as used. Suspends.
    ///
    /// - Returns: `nil` if `uri` is none of HTTP's.
    package func storedResponseCount(_ uri: String, partition: String? = nil, policy: HTTPCachePolicy = HTTPCachePolicy()) async -> Int? {
        guard let target = TargetURI.normalized(uri) else { return nil }
        let key = HTTPCacheKey(scope: space(partition: partition).baseScope, targetURI: target)
        var count = 0
        for key in keys(of: target, like: key, CompiledHTTPCachePolicy(policy)) {
            for base in await bases(of: key) {
                switch await entries.lookup(forKey: base)?.value {
                case .response?: count += 1
                case .variants(let index)?:
                    for variant in index.variants where await entries.lookup(forKey: base.variantKey(variant, in: index)) != nil { count += 1 }
                case .segment?, .searchRules?, nil: break
                }
            }
        }
        return count
    }

    private func removeStored(_ matching: URIsBeginning) async -> Int {
        flights.removeAll { matching.includes($0.key) }
        // A cancelled task would not find all that has to go.
        return await startTask { [self] in
            await tell(.removal, of: matching)
            let removed = Mutex((count: 0, references: [BodyReference]()))
            await entries.removeValues(where: matching.includes) { matches in
                for match in matches where match.freshUntil != nil {
                    removed.withLock { $0.count += 1 }
                    guard case .response(let response)? = await entries.peek(forKey: match.key) else { continue }
                    let references = response.body.references
                    if !references.isEmpty { removed.withLock { $0.references += references } }
                }
            }
            // Later requests do not join exchanges that have begun meanwhile either.
            flights.removeAll { matching.includes($0.key) }
            let (count, references) = removed.withLock { $0 }
            for reference in references { segments.remove(reference) }
            return count
        }.value
    }

    @discardableResult
    private func markStoredStale(_ matching: URIsBeginning) async -> Int {
        flights.removeAll { matching.includes($0.key) }
        return await startTask { [self] in
            await tell(.staleness, of: matching)
            let count = Mutex(0)
            await entries.markStale(where: matching.includes) { matches in count.withLock { $0 += matches.count } }
            flights.removeAll { matching.includes($0.key) }
            return count.withLock { $0 }
        }.value
    }
}

/// The keys of URIs that begin with the same text, in one partition, with any credentials.
struct URIsBeginning: Sendable {
    let scope: String
    /// Normalised; empty for all URIs.
    let text: String
    private let prefix: [UInt8]
    /// The path, if the prefix goes on behind it.
    private let path: [UInt8]?

    /// All URIs.
    init(scope: String) {
        self.scope = scope
        text = ""
        prefix = []
        path = nil
    }

    /// - Returns: `nil` if `prefix` is not the beginning of an HTTP URI.
    init?(with prefix: String, scope: String) {
        guard let normalized = TargetURI.normalized(prefix) else { return nil }
        self.scope = scope
        text = normalized
        let bytes = Array(normalized.utf8)
        self.prefix = bytes
        path = bytes.firstIndex(of: .questionMark).map { Array(bytes[..<$0]) }
    }

    /// Whether a key is of such a URI, or is one that such URIs may share with others.
    @Sendable func includes(_ key: HTTPCacheKey) -> Bool {
        guard !key.isSegment, key.storedBaseScope == scope else { return false }
        if key.targetURI.utf8.starts(with: prefix) { return true }
        guard let path, let variant = key.variant, key.targetURI.utf8.elementsEqual(path) else { return false }
        return variant.utf8.first == .questionMark || variant.hasPrefix("search")
    }
}
