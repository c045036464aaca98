// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension CacheTraceRecorder {
    /// The limits of a recording.
    public struct Configuration: Hashable, Sendable {
        /// The size at which a file is closed and another one is begun, in bytes.
        public var maximumFileBytes = 256 << 20
        /// The number of files that are kept, from 1 to 1,000; other numbers stand for the nearer of the two. The newest has the path that was
        /// given, the older ones end with `.1`, `.2` and so on.
        public var fileCount = 4
        static let maximumFileCount = 1_000
        /// The share of the keys that are recorded, from 1/65,536 to 1. All accesses to a key are recorded, or none.
        public var sampledShare = 1.0
        /// Whether requests by HTTP are recorded with a pseudonym of their origin and the first part of their path.
        public var recordsGroups = false
        /// The time between two writes of accesses.
        public var flushInterval = Duration.seconds(1)
        /// The most bytes of accesses that may wait to be written. Further accesses are lost, and counted.
        public var maximumPendingBytes = 64 << 20

        /// Creates a configuration with the defaults; change the properties afterwards.
        public init() {}
    }

    /// The counts of a recorder.
    public struct Statistics: Hashable, Sendable {
        /// The number of accesses and changes written to files.
        public var written = 0
        /// The number of accesses and changes lost, because too many were waiting, or because they could not be written.
        public var lost = 0
        /// The bytes written to files, including files that have been deleted since.
        public var byteCount = 0
        /// The reason for which the recording ended early; `nil` if it has not.
        public var failure: String?
    }
}
