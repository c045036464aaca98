// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard
internal import NIOCore
internal import Synchronization

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Keeps the bodies that are too long for one entry, in segments that are entries of their own.
///
/// A segment's key is a random number, so a body never takes the place of another one that is being read. A segment to
/// which nothing refers any more is removed when its last reader has finished. A segment that is not removed, because a
/// process ended too early, expires.
final class BodySegments: Sendable {
    /// The bytes in each segment but the last.
    static let segmentLength = 256 << 10

    private let entries: TieredCache<HTTPCacheKey, HTTPCacheEntry>
    private let clock: any WallClock
    /// Longer bodies go to the stores alone.
    private let maximumLengthInMemory: Int
    private let work: BackgroundWork
    private let grace: Grace?
    private let waitingRemovalCount = Atomic<Int>(0)
    private let readers = Mutex<[UInt64: Readers]>([:])

    private struct Readers {
        var count = 0
        var isToBeRemoved: BodyReference?
    }

    /// The time for which segments without references stay, for others that are reading them.
    struct Grace: Sendable {
        let duration: Duration
        let ticker: any Ticker
        let deadlines: DeadlineQueue

        /// The most bodies that wait to be removed.
        static let maximumCount = 10_000
    }

    /// - Parameters:
    ///   - maximumLengthInMemory: Longer bodies are kept in the stores alone. `nil`: there are no stores.
    ///   - work: Does the removals.
    ///   - grace: `nil`: no other process reads the segments in the stores.
    init(
        entries: TieredCache<HTTPCacheKey, HTTPCacheEntry>,
        clock: any WallClock,
        maximumLengthInMemory: Int?,
        work: BackgroundWork,
        grace: Grace? = nil
    ) {
        self.entries = entries
        self.clock = clock
        self.maximumLengthInMemory = maximumLengthInMemory ?? .max
        self.work = work
        self.grace = grace
    }

    private func key(_ id: UInt64, _ index: Int) -> HTTPCacheKey { .segment(index, ofBody: id) }

    /// Whether memory keeps the segments of a body that is at least so long.
    func areKeptInMemory(length: Int) -> Bool { length <= maximumLengthInMemory }

    /// The operations of stores that have failed so far.
    var storeFailureCount: Int { entries.statistics.storeFailures }

    /// To whom a body belongs.
    struct Owner: Sendable {
        let partition: String?
        /// The positions of shared stores when the body was asked for: another process may have removed the partition since.
        let positions: StorePositions
        /// Whether it is still to be written.
        let isThere: @Sendable () -> Bool

        static var nobody: Owner { Owner(partition: nil, positions: .none) { true } }
    }

    /// Writes a segment. Suspends until the stores have it, if there are any.
    ///
    /// - Returns: Whether it was written: not if its owner's partition has been removed.
    func write(_ bytes: ByteBuffer, id: UInt64, index: Int, bodyLength: Int, keptUntil: Date, owner: Owner) async -> Bool {
        let cached = CachedValue(
            HTTPCacheEntry.segment(bytes),
            created: clock.now(),
            freshUntil: keptUntil,
            staleUntil: .whenNoLongerFresh,
            partition: owner.partition
        )
        let key = key(id, index)
        // A removal that comes later breaks the fence. The key is a random number, which no other writer uses.
        let fence = entries.openFence(forKey: key, owner.positions)
        guard owner.isThere() else {
            entries.closeFence(fence)
            return false
        }
        return await entries.publish(
            cached,
            forKey: key,
            fence: fence,
            skipping: areKeptInMemory(length: bodyLength) ? [] : .memoryWrites
        )
    }

    /// A segment; `nil` if it is no longer there or not as long as it must be.
    func segment(_ index: Int, of reference: BodyReference) async -> ByteBuffer? {
        let policy = areKeptInMemory(length: reference.length) ? nil : entries.policy.with { $0.skipping.formUnion(.memoryWrites) }
        guard case .segment(let bytes)? = await entries.lookup(forKey: key(reference.id, index), policy: policy)?.value,
            bytes.readableBytes == min(reference.segmentLength, reference.length - index * reference.segmentLength)
        else { return nil }
        return bytes
    }

    // MARK: Readers

    /// As long as it lives, the segments of some bodies are not removed, though nothing may refer to them any more.
    final class Lease: Sendable {
        private let segments: BodySegments
        private let ids: [UInt64]

        fileprivate init(_ segments: BodySegments, _ ids: [UInt64]) {
            self.segments = segments
            self.ids = ids
        }

        deinit {
            for id in ids { segments.readerLeaves(id) }
        }
    }

    func lease(_ references: [BodyReference]) -> Lease? {
        if references.isEmpty { return nil }
        let ids = references.map(\.id)
        readers.withLock { readers in
            for id in ids { readers[id, default: Readers()].count += 1 }
        }
        return Lease(self, ids)
    }

    private func readerLeaves(_ id: UInt64) {
        let removed = readers.withLock { readers -> BodyReference? in
            guard var left = readers[id] else { return nil }
            left.count -= 1
            readers[id] = left.count > 0 ? left : nil
            return left.count > 0 ? nil : left.isToBeRemoved
        }
        if let removed { removeUnread(removed) }
    }

    /// Removes the segments of a body to which nothing refers any more, in the background, and not before its last reader has finished.
    func remove(_ reference: BodyReference) {
        let isBeingRead = readers.withLock { readers in
            guard readers[reference.id] != nil else { return false }
            readers[reference.id]?.isToBeRemoved = reference
            return true
        }
        if !isBeingRead { removeUnread(reference) }
    }

    /// Removes a body that has no reader here. If there is a grace period, waits for readers in other processes that found the body before it was replaced.
    private func removeUnread(_ reference: BodyReference) {
        guard let grace, waitingRemovalCount.load(ordering: .relaxed) < Grace.maximumCount else { return removeAtOnce(reference) }
        waitingRemovalCount.add(1, ordering: .relaxed)
        let end = grace.ticker.nanoseconds().addingSaturated(grace.duration.saturatingNanoseconds)
        // If the process ends before, the segments expire.
        _ = grace.deadlines.schedule(at: end) { [weak self] in
            guard let self else { return }
            waitingRemovalCount.subtract(1, ordering: .relaxed)
            removeAtOnce(reference)
        }
    }

    private func removeAtOnce(_ reference: BodyReference) {
        let keys = (0..<reference.segmentCount).map { key(reference.id, $0) }
        work.start { [entries] in await entries.removeValues(forKeys: keys) }
    }
}
