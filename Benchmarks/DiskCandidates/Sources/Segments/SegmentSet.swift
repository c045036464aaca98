// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The segments that there are, in ascending order of their numbers in each log.
final class SegmentSet: Sendable {
    private struct Logs: Sendable {
        var small: [SegmentFile] = []
        var main: [SegmentFile] = []

        subscript(log: LogName) -> [SegmentFile] {
            get { log == .small ? small : main }
            _modify { if log == .small { yield &small } else { yield &main } }
        }
    }

    private let all: Mutex<Logs>

    init(_ segments: [LogName: [SegmentFile]]) {
        all = Mutex(Logs(small: segments[.small] ?? [], main: segments[.main] ?? []))
    }

    var count: Int { all.withLock { $0.small.count + $0.main.count } }

    /// The bytes of all files that count against limits.
    var byteCount: Int { all.withLock { Self.byteCount(of: $0.small) + Self.byteCount(of: $0.main) } }

    func byteCount(of log: LogName) -> Int { all.withLock { Self.byteCount(of: $0[log]) } }

    private static func byteCount(of segments: [SegmentFile]) -> Int { segments.reduce(0) { $0 + $1.byteCount.load(ordering: .relaxed) } }

    /// The bytes of the entries to which the index refers.
    func liveByteCount(of log: LogName) -> Int { all.withLock { $0[log].reduce(0) { $0 + $1.liveByteCount.load(ordering: .relaxed) } } }

    /// The oldest segment of a log, unless it is the only one.
    func oldest(of log: LogName) -> SegmentFile? { all.withLock { $0[log].count > 1 ? $0[log].first : nil } }

    /// The oldest first.
    func all(of log: LogName) -> [SegmentFile] { all.withLock { $0[log] } }

    /// In the order in which a key is looked for: the small log first, and the newest segments first.
    var newestFirst: [SegmentFile] { all.withLock { $0.small.reversed() + $0.main.reversed() } }

    /// The segment in which a place is. Numbers are consecutive.
    @inline(__always)
    func segment(_ place: Place) -> SegmentFile? {
        all.withLock { logs in
            let segments = place.log == .small ? logs.small : logs.main
            guard let first = segments.first else { return nil }
            let index = Int((UInt64(place.slot) &- first.name.number) & (Place.slotCount - 1))
            return index < segments.count ? segments[index] : nil
        }
    }

    func append(_ segment: SegmentFile) { all.withLock { $0[segment.name.log].append(segment) } }

    func removeOldest(of log: LogName) { all.withLock { _ = $0[log].removeFirst() } }
}
