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

    /// Hands accesses over.
    func submit(_ words: UnsafeBufferPointer<UInt64>) { collector.take(words, from: number) }
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
///
/// The memory stays the same when accesses are handed over, which copies them. So it is in the processor's nearest cache, and the next lock does
/// not wait until writes have reached memory that another thread has had.
@usableFromInline package struct AccessBuffer: ~Copyable, @unchecked Sendable {
    @usableFromInline let feed: RecordingFeed
    /// The recorder's time.
    @usableFromInline let time: RecordingTick
    /// Keys whose hashes end with 16 bits below this are recorded; 65,536 stands for all keys.
    @usableFromInline let threshold: UInt32
    /// Room for ``capacity`` words, the details of one more access, and a tick.
    @usableFromInline let words: UnsafeMutablePointer<UInt64>
    @usableFromInline var count = 0
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
        words = .allocate(capacity: Self.capacity + 5)
    }

    deinit {
        feed.submit(UnsafeBufferPointer(start: words, count: count))
        words.deallocate()
    }

    /// A buffer for the same recorder.
    func sibling() -> AccessBuffer { AccessBuffer(feed: feed.sibling()) }

    /// Whether accesses to a key with this hash are recorded.
    @inlinable @inline(__always)
    func records(_ hash: UInt64) -> Bool { hash & 0xffff < threshold }

    @usableFromInline mutating func append(_ kind: UInt64, _ hash: UInt64) {
        let now = time.value.load(ordering: .relaxed)
        if now != tick || count >= Self.capacity { begin(now) }
        append(hash & ~Self.kindMask | kind)
    }

    /// Records an access, or says that ``append(_:_:)`` has to. An access to a key that is not recorded needs nothing.
    @inlinable @inline(__always)
    mutating func appendIfRoom(_ kind: UInt64, _ hash: UInt64) -> Bool {
        guard records(hash) else { return true }
        guard time.value.load(ordering: .relaxed) == tick, count < Self.capacity else { return false }
        append(hash & ~Self.kindMask | kind)
        return true
    }

    mutating func append(_ kind: TraceEvent.Kind, _ hash: UInt64, _ details: TraceEvent.Details) {
        append(UInt64(kind.rawValue) | Self.detailsMark, hash)
        let size = details.size.map { UInt64(clamping: min($0, 1 << 48)) } ?? .max >> 8
        append(UInt64(details.tier) << 56 | size)
        append(details.lifetime ?? .max)
        append(UInt64(details.cost ?? .max) << 32 | UInt64(details.group ?? .max))
    }

    @inlinable @inline(__always)
    mutating func append(_ word: UInt64) {
        words[count] = word
        count &+= 1
    }

    /// Hands over the accesses if there are many, and marks the time.
    mutating func begin(_ now: UInt64) {
        if count >= Self.capacity { submit() }
        tick = now
        append(now << 4 | Self.tickMark)
    }

    /// Hands over the remaining accesses.
    mutating func submit() {
        guard count > 0 else { return }
        feed.submit(UnsafeBufferPointer(start: words, count: count))
        count = 0
        tick = .max
    }
}
