// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard
internal import HoardHTTP

/// Removing. A load that is under way for a removed screen still answers the callers that have asked for it. Its screen is kept in no tier, and no
/// later caller gets it. Prefetches under way are given up.
extension ViewClient {
    /// Removes everything of a partition, as when a user logs out: decoded screens, the cache manager's, those of prefetches, and the caching client's
    /// responses, in memory and in stores. Suspends; not to be called by the cache manager while it adds a reference.
    ///
    /// O(1) in the stores, in Hoard's cache manager and in the caching client; O(*n*) in the number of the partition's decoded screens.
    public func removePartition(_ partition: String) async {
        let (decoded, cache, client) = (decoded, dependencies.cache, dependencies.client)
        let name = ExactText(partition)
        await flights.remove(.partition(name)) {
            decoded.removeValues(taggedWith: name.label)
            await cache?.removePartition(partition)
            await client?.cache.removePartition(partition)
        }
    }

    /// Removes the screens that are kept for a request, sensitive or not. The caching client's responses go for all
    /// fields that may have been sent to the URL. Suspends.
    ///
    /// Does nothing if the path gives no URL.
    public func remove(_ request: ViewRequest) async {
        guard let plan = try? plan(for: request) else { return }
        for isSensitive in [false, true] { await removeKept(plan.key.sensitive(isSensitive), url: plan.url) }
    }

    /// Removes everything, in all partitions: also all else that the cache manager and the caching client keep. Suspends.
    ///
    /// Of a caching client whose cache has a partition (``HTTPCache/Configuration/partition``), only that is removed.
    public func removeAll() async {
        let (decoded, cache, client) = (decoded, dependencies.cache, dependencies.client)
        await flights.remove(.all) {
            decoded.removeAll()
            await cache?.clear()
            await client?.cache.removeAll()
        }
    }

    /// Removes a screen from memory and from the cache manager, and the caching client's responses for a URL.
    func removeKept(_ key: ViewKey, url: String? = nil) async {
        let (decoded, cache, client) = (decoded, dependencies.cache, dependencies.client)
        await flights.remove(.view(key)) {
            decoded.removeValue(forKey: key)
            await cache?.removeReference(identifiedBy: key.identifier)
            if let url, let http = client?.cache { await http.remove(url, partition: key.partition(in: http)) }
        }
    }
}
