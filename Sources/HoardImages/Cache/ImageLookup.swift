// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import HoardHTTP

/// An image, and where it came from. See ``ImageCache/lookup(for:options:)``.
public struct ImageLookup: Sendable {
    /// The image itself.
    public let image: Bitmap

    /// The image with all its frames, if these were asked for.
    public let animation: AnimatedImage?

    /// Whether the image was decoded for this request; if not, its bitmap was in memory or, as a thumbnail, in a store.
    public let wasDecoded: Bool

    /// Whether the original came from a cache or a store, revalidated or not.
    public let isFromCache: Bool

    /// How stale the original is, if it stands in for one that cannot be had; `nil` if it is fresh.
    public let staleness: HTTPCacheResponse.Staleness?

    init(_ decoded: DecodedImage, wasDecoded: Bool, isFromCache: Bool, staleness: HTTPCacheResponse.Staleness?) {
        image = decoded.bitmap
        animation = decoded.animation
        self.wasDecoded = wasDecoded
        self.isFromCache = isFromCache
        self.staleness = staleness
    }
}

/// The counters of an ``ImageCache``: its content, and its work since it was created.
public struct ImageCacheStatistics: Hashable, Sendable {
    /// Requests answered with a bitmap that was in memory. Callers that waited for the same flight count as one.
    public var memoryHits = 0
    /// Requests answered with a thumbnail from a store (``ImageOptions/keepsThumbnail``). Callers that waited for the same flight count as one.
    public var thumbnailHits = 0
    /// Images that were decoded.
    public var decodes = 0
    /// Images that could not be decoded, those refused included.
    public var failures = 0
    /// Images that were refused because they are beyond a limit.
    public var refusals = 0
    /// Bitmaps in memory now.
    public var count = 0
    /// Bytes of bitmaps in memory now.
    public var bytes = 0
}
