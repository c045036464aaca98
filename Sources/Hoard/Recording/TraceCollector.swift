// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Gathers the accesses of all feeds until they are written.
final class TraceCollector: Sendable {
    private struct State {
        var pending: [UInt64] = []
        var parts: [TraceOrder.Part] = []
        /// Empty, with the room of accesses that have been written.
        var spare: [UInt64] = []
        var lost = 0
        var isClosed = false
    }

    let tick = RecordingTick()
    /// Of 65,536 keys, how many are recorded.
    let threshold: UInt32
    private let maximumWordCount: Int
    private let feedCount = Atomic<UInt64>(0)
    private let state = Mutex(State())
    /// Turns hashes into pseudonyms. Never leaves the process.
    private let secret = (RandomNumbers.draw(), RandomNumbers.draw())
    /// Makes pseudonyms that are the same in every run; `nil` outside of tests.
    private let fixedHasher: KeyHasher?

    /// So many accesses are written without waiting for the end of the interval, so that few have to wait in memory.
    private static let manyWords = 32_768
    /// Room for more words is not kept.
    private static let maximumSpareCapacity = 1 << 21

    /// - Parameters:
    ///   - threshold: Of 65,536 keys, how many are recorded.
    ///   - maximumByteCount: How much may wait to be written.
    ///   - seed: See ``CacheTraceRecorder/init(listenedShare:configuration:ticker:pseudonymSeed:)``.
    init(threshold: UInt32, maximumByteCount: Int, pseudonymSeed seed: UInt64?) {
        fixedHasher = seed.map { KeyHasher.fixed($0) }
        self.threshold = threshold
        maximumWordCount = maximumByteCount / 8
    }

    func makeFeed() -> RecordingFeed { RecordingFeed(number: feedCount.add(1, ordering: .relaxed).newValue, collector: self) }

    /// Takes over accesses of a feed.
    func take(_ words: UnsafeBufferPointer<UInt64>, from feed: UInt64) {
        guard !words.isEmpty else { return }
        state.withLock { state in
            guard !state.isClosed else { return }
            guard state.pending.count + words.count <= maximumWordCount else {
                state.lost += AccessBuffer.eventCount(in: words)
                return
            }
            state.parts.append(TraceOrder.Part(feed: feed, words: state.pending.count..<(state.pending.count + words.count)))
            state.pending += words
        }
    }

    /// Takes nothing more.
    func close() { state.withLock { $0.isClosed = true } }

    /// Whether so much waits that it should be written now.
    var hasMany: Bool { state.withLock { $0.pending.count >= Self.manyWords } }

    /// The accesses taken over since the last call, and how many were lost.
    func drain() -> (order: TraceOrder, lost: Int) {
        let (pending, parts, lost) = state.withLock { state in
            defer {
                (state.pending, state.parts, state.lost) = (state.spare, [], 0)
                state.spare = []
            }
            return (state.pending, state.parts, state.lost)
        }
        return (TraceOrder(pending, parts), lost)
    }

    /// Keeps the room of accesses that have been written, as new memory would cost the threads that read more than the rest.
    func reuse(_ order: consuming TraceOrder) {
        var words = order.words
        _ = consume order
        guard words.capacity <= Self.maximumSpareCapacity else { return }
        words.removeAll(keepingCapacity: true)
        state.withLock { $0.spare = words }
    }

    /// Hands out accesses in order, with pseudonyms, and with the upper 60 bits of their keys' hashes.
    func forEachEvent(in order: TraceOrder, _ body: (_ event: TraceEvent, _ hash: UInt64) -> Void) {
        order.forEach { kind, hash, tick, details in
            let key = kind == .removal && hash == 0 ? TraceEvent.everything : pseudonym(of: hash)
            body(TraceEvent(kind, key: key, tick: tick, details: details), hash)
        }
    }

    /// The pseudonym of a key: 48 bits that are the same for the same key in this recording, and reveal the key only to
    /// holders of the secret.
    ///
    /// SipHash, keyed with the secret and the process's own.
    private func pseudonym(of hash: UInt64) -> UInt64 {
        if let fixedHasher { return fixedHasher(hash) & TraceBlock.keyMask }
        var hasher = Hasher()
        hasher.combine(secret.0)
        hasher.combine(secret.1)
        hasher.combine(hash)
        return UInt64(truncatingIfNeeded: hasher.finalize()) & TraceBlock.keyMask
    }
}
