// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension ImageCache {
    /// The limits of an image cache. Negative numbers count as 0.
    public struct Configuration: Sendable {
        /// The most bytes of bitmaps held in memory: `width * height * 4` for each, and 256 more, and those of its
        /// names and of its original's entity tag. A bitmap that alone is larger is not kept. Default: 64 MiB.
        public var maximumMemoryBytes: Int = 64 << 20

        /// The most bytes of originals by key held in memory, so that a hit need not ask a store. Originals by URL are held by the HTTP cache. Default: 16 MiB.
        public var maximumOriginalMemoryBytes: Int = 16 << 20

        /// The most bytes of pixels of a thumbnail (``ImageOptions/keepsThumbnail``): `width * height * 4`. Larger bitmaps are not kept in stores, and
        /// not read from them. Default: 1 MiB, which is a square of 512 pixels.
        public var maximumThumbnailBytes: Int = 1 << 20

        /// Whether a ``ThumbHash`` of each image that is decoded is kept beside its original, under the same partition, in memory and in the stores, for
        /// ``ImageCache/placeholder(for:options:)``. Default: `false`.
        ///
        /// It is computed once for each original, outlives the original's eviction and the process, and is replaced when a new original is decoded. It
        /// leaves when the image or its partition is removed through this cache, when an original by key expires, and after 30 days at most. An image
        /// that must not be stored has none; that of an image kept in memory only is in memory only. Memory holds up to 1 MiB of placeholders, about
        /// 2,000, beside the other limits.
        public var keepsPlaceholders: Bool = false

        /// The most images that are decoded at once; at least 1. Default: half of the processors, so that other work goes on.
        public var maximumConcurrentDecodes: Int = max(1, ProcessInfo.processInfo.activeProcessorCount / 2)

        /// The limits on the cost of an image. One that exceeds them is refused.
        public var limits = ImageLimits()

        /// The partition of images for which ``ImageOptions/partition`` says nothing. `nil`: none; for URLs, the HTTP cache's. Default: `nil`.
        public var partition: String?

        /// Creates a configuration with the defaults; change the properties afterwards.
        public init() {}
    }
}
