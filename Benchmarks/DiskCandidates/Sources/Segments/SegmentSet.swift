// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The segments that there are, in ascending order of their numbers.
final class SegmentSet: Sendable {
    private let all: Mutex<[SegmentFile]>

    init(_ segments: [SegmentFile]) { all = Mutex(segments) }

    var count: Int { all.withLock { $0.count } }
    /// The bytes of all files that count against limits.
    var byteCount: Int { all.withLock { $0.reduce(0) { $0 + $1.byteCount.load(ordering: .relaxed) } } }
    /// The oldest segment, unless it is the only one.
    var oldest: SegmentFile? { all.withLock { $0.count > 1 ? $0.first : nil } }
    /// The newest first.
    var newestFirst: [SegmentFile] { all.withLock { $0.reversed() } }

    /// The segment with this number modulo 2¹⁸. Numbers are consecutive.
    @inline(__always)
    func segment(_ slot: UInt32) -> SegmentFile? {
        all.withLock { segments in
            guard let first = segments.first else { return nil }
            let index = Int((UInt64(slot) &- first.number) & (Place.slotCount - 1))
            return index < segments.count ? segments[index] : nil
        }
    }

    func append(_ segment: SegmentFile) { all.withLock { $0.append(segment) } }

    func removeOldest() { all.withLock { _ = $0.removeFirst() } }
}
