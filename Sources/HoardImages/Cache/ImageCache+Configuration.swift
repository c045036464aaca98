// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension ImageCache {
    /// How much an image cache holds, and what it refuses. Negative numbers count as 0.
    public struct Configuration: Sendable {
        /// The most bytes of bitmaps held in memory: `width * height * 4` for each, and 256 more, and what its names take up. A bitmap that alone is larger is not kept. Default: 64 MiB.
        public var maximumMemoryBytes: Int = 64 << 20

        /// The most bytes of originals by key held in memory, so that a hit need not ask a store. Originals by URL are held by the HTTP cache. Default: 16 MiB.
        public var maximumOriginalMemoryBytes: Int = 16 << 20

        /// The most images that are decoded at once; at least 1. Default: half of the processors, so that other work goes on.
        public var maximumConcurrentDecodes: Int = max(1, ProcessInfo.processInfo.activeProcessorCount / 2)

        /// What an image may cost before it is refused.
        public var limits = ImageLimits()

        /// Whose images they are where ``ImageOptions/partition`` says nothing. `nil`: nobody's; for URLs, whose the HTTP cache says. Default: `nil`.
        public var partition: String?

        public init() {}
    }
}
