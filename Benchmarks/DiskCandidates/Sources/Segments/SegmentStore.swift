// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// A bounded store of records in segment files: two logs, an index in memory, and a hand that cleans the oldest segments.
///
/// - Records are appended in batches. When ``commit(_:)`` returns, its changes survive `kill -9`. Nothing is changed in place.
/// - The index has 16 bytes for each place. It is read from the footers of the segments when the store is opened; reading works before that is done.
/// - When room is needed, the oldest segment of a log is cleaned: of the small log while that is longer than its share, of the main log otherwise.
///   Records that were read since they were written or last moved are appended to the main log; the rest is
///   forgotten. So the files of a log are always those of consecutive numbers.
public final class SegmentStore: Sendable {
    public struct Configuration: Sendable {
        public var directory: String
        /// The most bytes of all files together, at any time. `nil` is no limit.
        public var maximumBytes: Int?
        /// The length at which a segment is sealed. A new store keeps it.
        public var segmentBytes: Int
        /// Whether each batch waits until the device has it.
        public var synchronizesCommits = false
        /// The share of all bytes that the small log has when the store is full.
        public var smallShare = 0.1
        /// The share of a main segment's bytes that may be appended again when the store is full.
        public var sparedShare = 0.75

        public init(directory: String, maximumBytes: Int? = nil, segmentBytes: Int = 64 << 20) {
            self.directory = directory
            self.maximumBytes = maximumBytes
            self.segmentBytes = maximumBytes.map { min(segmentBytes, max($0 / 32, 64 << 10)) } ?? segmentBytes
        }
    }

    let configuration: Configuration
    let index = PlaceIndex()
    let identity: StoreFile
    let position: PositionFile
    let segments: SegmentSet
    /// Written by callers.
    let small: Mutex<Log>
    /// Written by the hand alone.
    let main: Mutex<Log>
    let ghosts = GhostTable()
    /// The oldest small segment when the store was opened. Another process may have been cleaning it: the main log may have any record of it, although
    /// it has no shadow.
    let begunSegment: SegmentName?
    let counters = Counters()
    /// The workers that seal, load and clean segments.
    let workers = Workers()

    /// Opens a store, or makes a new one. Returns before the index is complete.
    public init(_ configuration: Configuration) throws {
        self.configuration = configuration
        identity = try StoreFile(directory: configuration.directory, segmentBytes: configuration.segmentBytes)
        position = try PositionFile(directory: configuration.directory)
        let opened = try Opening(directory: configuration.directory, identity: identity, position: position.former)
        begunSegment = opened.logs[.small]?.segments.first?.name
        segments = SegmentSet(opened.logs.mapValues(\.segments))
        counters.savedBudget.withLock { [bytes = identity.segmentBytes] in $0 = bytes }
        small = Mutex(opened.makeLog(.small, generation: position.former[.small]?.generation ?? 0))
        main = Mutex(opened.makeLog(.main, generation: position.former[.main]?.generation ?? 0))
        begin(opened)
    }

    /// Waits for the work under way, and ends. The footers of the newest segments are written, so that the
    /// next opening reads no entries.
    public func close() throws {
        defer { identity.unlock() }
        workers.stop()
        let last = [Self.close(small), Self.close(main)]
        workers.wait()
        for case let full? in last { try seal(full) }
    }

    private static func close(_ log: borrowing Mutex<Log>) -> FullSegment? {
        log.withLock { log in
            guard !log.isClosed else { return nil }
            log.isClosed = true
            return log.takeOpenSegment()
        }
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
        /// Whether there is a segment whose records the index may have forgotten.
        let isCleaning = Atomic(false)
        /// The segments whose cleaning has begun, and whose files are still there.
        let begunSegments = Mutex<Set<SegmentName>>([])
    }

    public struct Statistics: Sendable {
        public var records, liveBytes, fileBytes, segments, evicted, spared, sparedBytes, damaged, indexBytes, ghostBytes: Int
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
            indexBytes: index.allocatedByteCount,
            ghostBytes: ghosts.allocatedByteCount
        )
    }
}
