// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard
internal import Synchronization

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Limits that an original sets for the images made of it.
struct DerivedTerms: Sendable {
    var isInMemoryOnly = false
    /// When the original leaves, if that is known. Nothing that was made of it is kept for longer.
    var expires: Date?
}

/// Thumbnails and placeholders lie in one cache, `derived`, under the partition of their original and a tag that stands for it.
extension ImageCache {
    /// The time for which thumbnails and placeholders are kept, counted from when they were made. Reading one does not make it longer.
    static var derivedLifetime: Duration { .seconds(30 * 86_400) }

    /// The most bytes of placeholders in memory: about 2,000 of them. Thumbnails are not in this memory.
    static var placeholderMemoryBytes: Int { 1 << 20 }

    static func derivedCache(
        _ stores: StoreStack,
        _ configuration: Configuration,
        _ clock: any WallClock,
        _ ticker: any Ticker
    ) -> TieredCache<DerivedKey, DerivedImage> {
        TieredCache(
            name: "images-derived",
            configuration: .init(maximumWeight: placeholderMemoryBytes, freshFor: derivedLifetime, weigher: { $1.byteCount + $0.byteCount + 256 }),
            stores: stores,
            codec: DerivedImage.codec(maximumThumbnailBytes: max(0, configuration.maximumThumbnailBytes)),
            recordKey: { $0.recordKey },
            clock: clock,
            ticker: ticker
        )
    }

    /// Keeps the thumbnail and the placeholder of an image that was decoded, if they are wanted. Returns when memory has it; the stores get it in the background.
    func keepDerived(_ image: DecodedImage, of request: ImageRequest, _ terms: DerivedTerms, _ fence: FenceTable<ImageRequest>.Fence) async {
        await keepThumbnail(image, of: request, terms, fence)
        await keepPlaceholder(image, of: request, terms, fence)
    }

    /// Writes a derived image, unless its original was removed while it was made.
    ///
    /// Every removal breaks the fence of the request before it removes derived images. So if that fence is intact once `derived` has a fence of its own, a
    /// removal that comes later breaks that one, in memory and on the way into each store.
    func publish(
        _ image: DerivedImage,
        forKey key: DerivedKey,
        _ terms: DerivedTerms,
        skipping: CachePolicy.Skipping,
        _ fence: FenceTable<ImageRequest>.Fence
    ) async {
        let own = derived.openFence(forKey: key)
        guard state.withLock({ $0.fences.isIntact(fence) }) else { return derived.closeFence(own) }
        let now = clock.now()
        let end = now.addingTimeInterval(Double(Self.derivedLifetime.components.seconds))
        let cached = CachedValue(
            image,
            created: now,
            freshUntil: min(end, terms.expires ?? end),
            tags: [DerivedKey.tag(of: key.source, partition: key.partition)],
            partition: key.partition.isEmpty ? nil : key.partition.text
        )
        await derived.publish(cached, forKey: key, fence: own, skipping: skipping, behind: true)
    }

    /// Removes what was made of an original that is kept in memory only from now on. Loads that let stores have it, and began before, keep nothing.
    func withdrawDerived(of request: ImageRequest) async {
        let scope = ImageScope.image(request.source, partition: request.partition)
        state.withLock { _ = $0.fences.breakFences { scope.contains($0) && !$0.options.keepsInMemoryOnly } }
        await removeDerived(scope)
    }

    /// Removes thumbnails and placeholders from every tier. One call of each store. ``forget(_:)`` must come before.
    func removeDerived(_ scope: ImageScope) async {
        switch scope {
        case .image(let source, let partition): await derived.removeValues(taggedWith: DerivedKey.tag(of: source, partition: partition))
        case .partition(let partition): await derived.removePartition(partition.text)
        case .everything: await derived.removeAll()
        }
    }
}
