// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard

extension HTTPCache {
    /// Whose responses a request may get, and where they may be kept. Responses of different spaces never answer for each other.
    struct Space: Sendable {
        /// The owner of the responses, whose responses are removed together; `nil`: there is none.
        let partition: String?
        /// The beginning of the keys, except for those of requests with credentials in a private cache.
        let baseScope: String

        init(_ mode: CacheMode, partition: String, isMemoryOnly: Bool = false) {
            self.partition = partition.isEmpty ? nil : partition
            var scope = mode == .shared ? "http-shared" : "http-private"
            // A name that no digest of credentials can be taken for, which comes after a space.
            if !partition.isEmpty { scope += "@" + HTTPCache.digest(partition.utf8) }
            baseScope = isMemoryOnly ? HTTPCacheKey.memoryScope(scope) : scope
        }

        /// The labels by which fences know the responses, beyond their tags.
        var labels: Set<String> { partition.map { [EntryTerms.label(ofPartition: $0)] } ?? [] }
    }

    /// The space of a request.
    ///
    /// - Parameter partition: `nil`: the configuration's.
    func space(partition: String?, isMemoryOnly: Bool = false) -> Space {
        if partition == nil, !isMemoryOnly { return space }
        return Space(configuration.mode, partition: partition ?? configuration.partition, isMemoryOnly: isMemoryOnly)
    }

    /// Removes all responses that a store, or memory, has of a URI that is about to be kept in memory only, and keeps
    /// it from being brought back.
    ///
    /// Nothing is sent to a store that says that it has nothing, so that no store is told of the URI.
    func removeStoredCopies(for call: Call) async {
        var keys = keys(of: call.key.targetURI, like: call.key).filter { !$0.isMemoryOnly }
        if call.key.isQuery { keys += keys.map { HTTPCacheKey(scope: $0.scope, targetURI: $0.targetURI, variant: call.key.variant) } }
        breakFences(of: keys)
        // A cancelled task would not find all that has to go.
        await startTask { [self] in
            var present: [HTTPCacheKey] = []
            for key in keys where await mayBeStored(key) { present.append(key) }
            if !present.isEmpty { await removeStored(present) }
        }.value
    }

    private func mayBeStored(_ key: HTTPCacheKey) async -> Bool {
        for base in await bases(of: key) {
            let explanation = await entries.explain(base)
            // A response that is about to be written is as good as stored.
            if explanation.memory != nil || explanation.isBeingChanged
                || explanation.stores.contains(where: { $0.holding != nil || $0.skipReason != nil })
            {
                return true
            }
        }
        return false
    }
}

extension HTTPCacheKey {
    /// The form of a scope whose entries are kept in memory only.
    static func memoryScope(_ scope: String) -> String { scope + "!" }

    /// Whether the entry is kept in memory only, and no store is told of it.
    var isMemoryOnly: Bool { scope.utf8.last == UInt8(ascii: "!") }

    /// The scope, or that which it would have if it were kept in stores.
    var storedScope: String { isMemoryOnly ? String(scope.dropLast()) : scope }

    /// The same without credentials. The key shares it with all other requests of its partition.
    var storedBaseScope: String { String(storedScope.prefix { $0 != " " }) }

    /// Whether it is the key of requests with credentials, in a private cache.
    var hasCredentials: Bool { scope.utf8.contains(UInt8(ascii: " ")) }
}
