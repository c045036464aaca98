// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import Synchronization

/// One way for accesses into a recorder: from a shard of a cache, or from a part of the recorder itself.
@usableFromInline package final class RecordingFeed: Sendable {
    /// Distinguishes this way from the others of the recorder.
    private let number: UInt64
    fileprivate let collector: TraceCollector

    init(number: UInt64, collector: TraceCollector) {
        self.number = number
        self.collector = collector
    }

    /// Another way to the same recorder.
    func sibling() -> RecordingFeed { collector.makeFeed() }

    /// Hands accesses over, and leaves an empty array in their place.
    func submit(_ words: inout [UInt64]) { collector.take(&words, from: number) }
}

/// The time of a recording, which every access reads.
@usableFromInline package final class RecordingTick: Sendable {
    @usableFromInline let value = Atomic<UInt64>(0)

    init() {}
}

/// The accesses that a feed has not handed over yet. Its owner's lock guards it.
///
/// An access is a word: the upper 60 bits of the key's hash, and its kind. If bit 3 is set, three words with details follow. The kind 7 without
/// details says which tick the accesses behind it belong to.
@usableFromInline package struct AccessBuffer: Sendable {
    @usableFromInline let feed: RecordingFeed
    /// The recorder's time.
    @usableFromInline let time: RecordingTick
    /// Keys whose hashes end with 16 bits below this are recorded; 65,536 stands for all keys.
    @usableFromInline let threshold: UInt32
    @usableFromInline var words: [UInt64] = []
    /// The tick of the last word.
    @usableFromInline var tick = UInt64.max

    /// Handed over when there are so many words.
    @inlinable static var capacity: Int { 512 }
    // The kinds that a shard records: ``TraceEvent/Kind``, of which inlined code may know nothing.
    @inlinable static var hit: UInt64 { 0 }
    @inlinable static var miss: UInt64 { 3 }
    @inlinable static var removal: UInt64 { 6 }
    @usableFromInline static var tickMark: UInt64 { 7 }
    @usableFromInline static var detailsMark: UInt64 { 8 }
    @inlinable static var kindMask: UInt64 { 15 }

    init(feed: RecordingFeed) {
        self.feed = feed
        time = feed.collector.tick
        threshold = feed.collector.threshold
    }

    /// Whether accesses to a key with this hash are recorded.
    @inlinable @inline(__always)
    func records(_ hash: UInt64) -> Bool { hash & 0xffff < threshold }

    @inlinable @inline(__always)
    mutating func append(_ kind: UInt64, _ hash: UInt64) {
        let now = time.value.load(ordering: .relaxed)
        if now != tick || words.count >= Self.capacity { begin(now) }
        words.append(hash & ~Self.kindMask | kind)
    }

    mutating func append(_ kind: TraceEvent.Kind, _ hash: UInt64, _ details: TraceEvent.Details) {
        let now = time.value.load(ordering: .relaxed)
        if now != tick || words.count >= Self.capacity { begin(now) }
        words.append(hash & ~Self.kindMask | UInt64(kind.rawValue) | Self.detailsMark)
        let size = details.size.map { UInt64(clamping: min($0, 1 << 48)) } ?? .max >> 8
        words.append(UInt64(details.tier) << 56 | size)
        words.append(details.lifetime ?? .max)
        words.append(UInt64(details.cost ?? .max) << 32 | UInt64(details.group ?? .max))
    }

    /// Hands over the accesses if there are many, and marks the time.
    @usableFromInline mutating func begin(_ now: UInt64) {
        if words.count >= Self.capacity { submit() }
        if words.capacity == 0 { words.reserveCapacity(Self.capacity + 8) }
        tick = now
        words.append(now << 4 | Self.tickMark)
    }

    /// Hands over the remaining accesses.
    @usableFromInline package mutating func submit() {
        guard !words.isEmpty else { return }
        feed.submit(&words)
        tick = .max
    }
}
