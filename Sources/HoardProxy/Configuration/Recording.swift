// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import Hoard

extension CachingProxy.Configuration {
    /// The recording of which responses the cache is asked for, so that the traffic can be replayed: see `CacheTraceRecorder`.
    public struct Recording: Sendable, Hashable {
        /// The file. A recording that is there already is kept as the older file, with the suffix `.1`.
        public var path: String
        /// The limits of the recording.
        public var recorder = CacheTraceRecorder.Configuration()

        /// Creates a recording into a file, with the usual limits.
        public init(path: String) {
            self.path = path
        }
    }
}
