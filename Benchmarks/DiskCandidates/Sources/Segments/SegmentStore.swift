// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The place where a store of segments notes its commits, besides its segments.
///
/// A commit from which the journal has returned survives `kill -9`. All calls come from one thread at a time.
public protocol CommitJournal: AnyObject, Sendable {
    /// Notes that a segment is valid up to a length, together with the totals and the hashes of the
    /// changed keys, for other processes.
    func commit(segment: UInt64, validByteCount: Int, sequence: UInt64, recordCount: Int, byteCount: Int, hashes: [UInt64]) throws

    /// Notes that a segment is gone.
    func remove(segment: UInt64) throws

    /// The newest segment's number and valid length.
    func latest() throws -> (segment: UInt64, validByteCount: Int)?

    func close() throws
}

/// A bounded store of records in segment files: a log, an index in memory, and a hand that cleans the oldest segment.
///
/// - Records are appended in batches. When ``commit(_:)`` returns, its changes survive `kill -9`. Nothing is changed in place.
/// - The index has 16 bytes for each place. It is read from the footers of the segments when the store is opened; reading works before that is done.
/// - When room is needed, the oldest segment is cleaned: records that were read since they were written or last
///   spared are appended again, within a budget; the rest is forgotten. So the files of a store are always those
///   of consecutive numbers, and a removal that is older than all of them means nothing.
public final class SegmentStore: Sendable {
    public struct Configuration: Sendable {
        public var directory: String
        /// The most bytes of all files together, at any time. `nil` is no limit.
        public var maximumBytes: Int?
        /// The length at which a segment is sealed. A new store keeps it.
        public var segmentBytes: Int
        /// Whether each batch waits until the device has it.
        public var synchronizesCommits = false
        /// The share of a segment's bytes that may be appended again when the store is full.
        public var sparedShare = 0.25

        public init(directory: String, maximumBytes: Int? = nil, segmentBytes: Int = 64 << 20) {
            self.directory = directory
            self.maximumBytes = maximumBytes
            self.segmentBytes = maximumBytes.map { min(segmentBytes, max($0 / 32, 64 << 10)) } ?? segmentBytes
        }
    }

    let configuration: Configuration
    let journal: (any CommitJournal)?
    let index = PlaceIndex()
    let identity: StoreFile
    let position: PositionFile?
    let segments: SegmentSet
    let writer: Mutex<Writer>
    let counters = Counters()
    /// The workers that seal, load and clean segments.
    let workers = Workers()

    /// Opens a store, or makes a new one. Returns before the index is complete.
    ///
    /// - Parameter journal: Keeps the commits, in place of the segments themselves.
    public init(_ configuration: Configuration, journal: (any CommitJournal)? = nil) throws {
        self.configuration = configuration
        self.journal = journal
        identity = try StoreFile(directory: configuration.directory, segmentBytes: configuration.segmentBytes)
        position = journal == nil ? try PositionFile(directory: configuration.directory) : nil
        let opened = try Opening(directory: configuration.directory, identity: identity, position: position?.former, journal: journal)
        segments = SegmentSet(opened.segments)
        counters.savedBudget.withLock { [bytes = identity.segmentBytes] in $0 = bytes }
        writer = Mutex(opened.makeWriter(generation: position?.former?.generation ?? 0))
        begin(opened)
    }

    /// Waits for the work under way, and ends. The footer of the newest segment is written, so that the
    /// next opening reads no entries.
    public func close() throws {
        workers.stop()
        let last: FullSegment? = writer.withLock { writer in
            guard !writer.isClosed else { return nil }
            writer.isClosed = true
            return writer.takeOpenSegment()
        }
        workers.wait()
        if let last { try seal(last) }
        try journal?.close()
        identity.unlock()
    }
}

extension SegmentStore {
    final class Counters: Sendable {
        let records = Atomic(0)
        let liveBytes = Atomic(0)
        let evicted = Atomic(0)
        let spared = Atomic(0)
        let sparedBytes = Atomic(0)
        let damaged = Atomic(0)
        /// Bytes that may be spared beyond a segment's share.
        let savedBudget = Mutex(0)
        let isComplete = Atomic(false)
        let isCleaning = Atomic(false)
    }

    public struct Statistics: Sendable {
        public var records, liveBytes, fileBytes, segments, evicted, spared, sparedBytes, damaged, indexBytes: Int
    }

    /// Whether the index has everything.
    public var isComplete: Bool { counters.isComplete.load(ordering: .acquiring) }

    /// Returns when the index has everything. Blocks.
    public func waitUntilComplete() { workers.waitForCleaning() }

    /// Returns when full segments have their footers, and the cleaning that was due then is done. Blocks.
    public func waitForWorkers() {
        workers.waitForSealing()
        workers.waitForCleaning()
    }

    /// How many records there are. Until the index is complete, those that are known.
    public var recordCount: Int { counters.records.load(ordering: .relaxed) }

    public var statistics: Statistics {
        Statistics(
            records: recordCount,
            liveBytes: counters.liveBytes.load(ordering: .relaxed),
            fileBytes: segments.byteCount,
            segments: segments.count,
            evicted: counters.evicted.load(ordering: .relaxed),
            spared: counters.spared.load(ordering: .relaxed),
            sparedBytes: counters.sparedBytes.load(ordering: .relaxed),
            damaged: counters.damaged.load(ordering: .relaxed),
            indexBytes: index.allocatedByteCount
        )
    }
}
