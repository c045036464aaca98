// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard
internal import HoardHTTP
internal import Synchronization

extension ImageCache {
    /// Removes the image at a URL: its bitmaps in all sizes, its thumbnails and placeholder, and its original from the HTTP cache. Suspends.
    ///
    /// - Parameter partition: As ``ImageOptions/partition``.
    public func removeImage(for url: String, partition: String? = nil) async {
        let partition = partitionOfURL(partition)
        let scope = ImageScope.image(.url(ExactText(url)), partition: partition)
        forget(scope)
        _ = await client?.cache.remove(url, partition: partition.text)
        // Bitmaps that were decoded from the original before it was gone.
        forget(scope)
        await removeDerived(scope)
    }

    /// Removes the image stored under a key: its bitmaps in all sizes, its thumbnails and placeholder, and its original from every tier. Suspends.
    ///
    /// - Parameter partition: As ``ImageOptions/partition``.
    public func removeImage(forKey key: String, partition: String? = nil) async {
        let originalKey = originalKey(key, partition)
        let scope = ImageScope.image(.key(originalKey.key), partition: originalKey.partition)
        forget(scope)
        await originals.removeValue(forKey: originalKey)
        forget(scope)
        await removeDerived(scope)
    }

    /// Removes all images of a partition, as when a user logs out: their bitmaps, their originals, thumbnails and placeholders in the stores, and in the HTTP cache whatever belongs to
    /// it, images or not. Suspends.
    ///
    /// Nothing that is under way for it is kept; callers that have asked get their images. O(1) in the stores and in
    /// the HTTP cache, O(*n*) in the partition's bitmaps in memory, whose memory is given back at once.
    public func removePartition(_ partition: String) async {
        guard !partition.isEmpty else { return }
        let scope = ImageScope.partition(ExactText(partition))
        forget(scope)
        await originals.removePartition(partition)
        await client?.cache.removePartition(partition)
        forget(scope)
        await removeDerived(scope)
    }

    /// Removes all bitmaps, thumbnails and placeholders, and all originals stored by key. Responses in the HTTP cache stay: they need not be this cache's alone. Suspends.
    public func removeAll() async {
        forget(.everything)
        await originals.removeAll()
        forget(.everything)
        await removeDerived(.everything)
    }

    /// Removes all bitmaps from memory, and no original, thumbnail or placeholder: they are decoded again, or read from their thumbnails, when they are
    /// asked for. Never suspends.
    public func removeDecodedImages() {
        forget(.everything)
    }

    /// Evicts the bitmaps used least until no more than a fraction of those now held, by count and by bytes, is left. Never suspends.
    ///
    /// - Parameter fraction: From 0 to 1; values outside count as the nearest of these.
    /// - Returns: The number of bitmaps evicted.
    @discardableResult
    public func trim(toFraction fraction: Double) -> Int {
        memory.trim(toFraction: fraction)
    }

    /// Waits until the stores have every thumbnail and placeholder that was accepted before. For a process that is
    /// about to end, and for tests: an image that a store misses is made again when it is needed. Suspends.
    public func flush() async {
        await derived.flush()
    }

    /// The counters of the cache: its content, and its work since it was created.
    public var statistics: ImageCacheStatistics {
        var statistics = state.withLock { $0.statistics }
        statistics.count = memory.count
        statistics.bytes = memory.totalWeight
        return statistics
    }
}
