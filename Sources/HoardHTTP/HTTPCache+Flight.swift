// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import Hoard
internal import Synchronization

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension HTTPCache {
    /// One request on its way through the cache, with the fence that decides whether its response may be stored.
    ///
    /// Dropping the flight closes the fence, unless a publication has taken it over.
    final class Flight: Sendable {
        private let key: HTTPCacheKey
        private let fence: FenceTable<HTTPCacheKey>.Fence
        private let selectingFields: HTTPFields
        private let cache: HTTPCache
        private let state = Mutex(State())

        private struct State {
            var foundKey: HTTPCacheKey?
            var hasHandedOverFence = false
        }

        init(key: HTTPCacheKey, fence: FenceTable<HTTPCacheKey>.Fence, selectingFields: HTTPFields, cache: HTTPCache) {
            self.key = key
            self.fence = fence
            self.selectingFields = selectingFields
            self.cache = cache
        }

        deinit {
            if !state.withLock({ $0.hasHandedOverFence }) { cache.entries.closeFence(fence) }
        }

        /// Where the lookup found a stored response.
        var found: HTTPCacheKey? {
            get { state.withLock { $0.foundKey } }
            set { state.withLock { $0.foundKey = newValue } }
        }

        /// Removes the stored response that the lookup found.
        func removeFound() async {
            if let found { await cache.entries.removeValue(forKey: found) }
        }

        /// Stores a response, unless its key has been written or removed since the flight began.
        func store(_ response: StoredResponse) async {
            guard case .fields(let names) = Vary(response.head.headerFields) else { return }
            guard !names.isEmpty else {
                await cache.publish(.response(response), forKey: key, fence: handOverFence(), like: response)
                return
            }
            guard let index = await variantIndex(adding: names.map(\.canonicalName)),
                let variantKey = cache.variantKey(of: key, names.map(\.canonicalName), selectingFields, in: index)
            else { return }
            let variantFence = cache.entries.openFence(forKey: variantKey)
            // Of two requests for one variant, the answer to the later one stays.
            if case .response(let current)? = cache.entries.memoryLookup(forKey: variantKey)?.value, current.requestTime > response.requestTime {
                return cache.entries.closeFence(variantFence)
            }
            await cache.publish(.response(response), forKey: variantKey, fence: variantFence, like: response)
        }

        /// The index of the key's variants, which leads to responses selected by these fields.
        ///
        /// - Returns: `nil` if the key has been removed since the flight began.
        private func variantIndex(adding fieldNames: [String]) async -> VariantIndex? {
            guard cache.entries.isIntact(fence) else { return nil }
            var index = VariantIndex(generation: .random(in: 0 ... .max), fieldNameSets: [])
            // During a removal the stores may have the very index that is being removed. It must not be added to: its fields and its
            // generation would come back, and with them all variants. A removal that begins later breaks the fence.
            let found = cache.entries.isBeingChanged(key) ? cache.entries.memoryLookup(forKey: key) : await cache.entries.lookup(forKey: key)
            if case .variants(let current)? = found?.value { index = current }
            guard index.add(fieldNames) else { return cache.entries.isIntact(fence) ? index : nil }
            // The index itself does not grow stale; a store drops it when it needs the room.
            let cached = CachedValue(HTTPCacheEntry.variants(index), created: cache.clock.now(), freshUntil: nil, staleUntil: .forever)
            return await cache.entries.publish(cached, forKey: key, fence: handOverFence(), behind: true) ? index : nil
        }

        /// The fence, for a publication, which goes on after the flight has been dropped and closes the fence when it is done.
        private func handOverFence() -> FenceTable<HTTPCacheKey>.Fence {
            state.withLock { $0.hasHandedOverFence = true }
            return fence
        }
    }

    /// Writes an entry with the dates that follow from a response.
    fileprivate func publish(
        _ entry: HTTPCacheEntry,
        forKey key: HTTPCacheKey,
        fence: FenceTable<HTTPCacheKey>.Fence,
        like response: StoredResponse
    ) async {
        let freshness = ResponseFreshness(
            of: response.head,
            requestTime: response.requestTime,
            responseTime: response.responseTime,
            mode: configuration.mode
        )
        let validators = Validators(of: response.head.headerFields)
        let freshUntil = response.responseTime.addingTimeInterval(freshness.timeToLive(at: response.responseTime))
        let keptUntil = validators.isEmpty ? freshUntil : max(freshUntil, response.responseTime).addingTimeInterval(revalidationSeconds)
        let cached = CachedValue(
            entry,
            created: response.responseTime,
            freshUntil: freshUntil,
            staleUntil: .date(keptUntil),
            validator: (validators.eTag ?? validators.lastModified).map { String(decoding: $0, as: UTF8.self) }
        )
        await entries.publish(cached, forKey: key, fence: fence, behind: true)
    }

    private var revalidationSeconds: TimeInterval {
        max(0, TimeInterval(configuration.revalidationPeriod.components.seconds))
    }
}
