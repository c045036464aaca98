// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension CacheManager {
    /// The number of references that a ``CacheManager`` keeps, and the time for which they are valid.
    public struct Configuration: Sendable, Hashable {
        /// The most references in memory. 0: none; sensitive ones are not kept at all then. Default: 50.
        public var memoryMaximumCapacity: Int

        /// The most bytes in memory, counting data, identifiers and hashes. Default: 16 MiB.
        public var memoryMaximumBytes: Int

        /// The most references on the disk, whatever else the store has. The least recently used leave first. Default: 150.
        public var diskMaximumCapacity: Int

        /// For how many seconds references are valid that do not say. 0 or less: never. Default: 300.
        public var cacheMaxAge: Int

        /// - Precondition: No capacity is negative.
        public init(
            memoryMaximumCapacity: Int = 50,
            memoryMaximumBytes: Int = 16 << 20,
            diskMaximumCapacity: Int = 150,
            cacheMaxAge: Int = 300
        ) {
            self.memoryMaximumCapacity = memoryMaximumCapacity
            self.memoryMaximumBytes = memoryMaximumBytes
            self.diskMaximumCapacity = diskMaximumCapacity
            self.cacheMaxAge = cacheMaxAge
            checkLimits()
        }

        /// Stops the program if no manager can have this configuration. A manager checks again, as properties can change after `init`.
        func checkLimits() {
            precondition(
                memoryMaximumCapacity >= 0 && memoryMaximumBytes >= 0 && diskMaximumCapacity >= 0,
                "memoryMaximumCapacity, memoryMaximumBytes and diskMaximumCapacity must not be negative."
            )
        }
    }
}

/// The counters of a ``CacheManager``: the content of its memory, and how its calls of `getReference` were answered.
public struct CacheManagerStatistics: Sendable, Hashable {
    /// Calls that memory answered.
    public var memoryHits = 0
    /// Calls that the disk answered.
    public var diskHits = 0
    /// Calls that found nothing.
    public var misses = 0
    /// References in memory.
    public var memoryCount = 0
    /// Bytes in memory: data, identifiers and hashes, and ``CacheManager/overheadBytesPerReference`` for each reference.
    public var memoryBytes = 0

    /// Creates counters that are all zero.
    public init() {}
}
