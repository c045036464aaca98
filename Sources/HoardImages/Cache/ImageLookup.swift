// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import HoardHTTP

/// An image, and where it came from. See ``ImageCache/lookup(for:options:)``.
public struct ImageLookup: Sendable {
    public let image: Bitmap

    /// Whether the image was decoded for this request; if not, its bitmap was in memory.
    public let wasDecoded: Bool

    /// Whether the original came from a cache or a store, revalidated or not.
    public let isFromCache: Bool

    /// How stale the original is, if it stands in for one that cannot be had; `nil` if it is fresh.
    public let staleness: HTTPCacheResponse.Staleness?
}

/// What an ``ImageCache`` holds and has done since it was created.
public struct ImageCacheStatistics: Hashable, Sendable {
    /// Requests answered with a bitmap that was in memory. Callers that waited for the same flight count as one.
    public var memoryHits = 0
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
