// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

extension Cache {
    /// Begins to record the accesses to this cache; `nil` ends the recording.
    ///
    /// Reads are recorded as hits or misses, and writes with the entry's weight, if the cache is limited by weight, and its lifetime. ``peek(_:)``,
    /// ``contains(_:)`` and walks over the entries are not recorded. The entries that are there when the recording begins are recorded first, so that
    /// a replay begins with a cache as full as this one. An earlier recorder gets the accesses that it has not got yet.
    ///
    /// While a cache records, a read takes some nanoseconds more. When it does not, nothing.
    /// - Complexity: O(*n*) for *n* entries. A lock is held for 256 places of the table at a time.
    public func recordAccesses(with recorder: CacheTraceRecorder?) {
        // A recorder that fails tells the user's code, and one that is let go of closes its file: neither may happen under the lock.
        let (old, number) = recordingState.withLock { state -> (RecordingSource?, UInt64) in
            defer { state.source = nil }
            state.changeCount += 1
            if state.source != nil { forEachShard(()) { _, shard in shard.beginRecording(into: nil) } }
            return (state.source, state.changeCount)
        }
        if let old { old.recorder.removeSource(old.number) }
        guard let recorder else { return }
        let source = RecordingSource(recorder: recorder, number: recorder.addSource { [weak self] in self?.submitRecording() })
        // No new shards come meanwhile, which would not have been told.
        beginWalk()
        defer { endWalk() }
        let hasWeights = configuration.maximumWeight != nil
        recordContents(with: recorder) { key, _, weight in (hasher(key), TraceEvent.Details(size: hasWeights ? weight : nil)) }
        let isLatest = recordingState.withLock { state in
            // Another call may have come between, even one by the function that is told of failures.
            guard state.changeCount == number else { return false }
            state.source = source
            forEachShard(()) { _, shard in shard.beginRecording(into: AccessBuffer(feed: recorder.makeFeed())) }
            return true
        }
        if !isLatest { recorder.removeSource(source.number) }
    }

    private func submitRecording() {
        forEachShard(()) { _, shard in shard.recording?.submit() }
    }

    /// Records the entries that are there.
    ///
    /// - Parameter entry: The hash by which the recorder knows a key, and the details of its value and weight; `nil` to
    ///   record nothing.
    func recordContents(with recorder: CacheTraceRecorder, _ entry: (Key, Value, Int) -> (hash: UInt64, TraceEvent.Details)?) {
        var buffer = AccessBuffer(feed: recorder.makeFeed())
        forEachPage { shard, slot in
            (shard.table.key(at: slot), shard.table.value(at: slot), shard.table.slots.weight(of: slot), shard.table.slots.deadline(of: slot))
        } _: { (entries: [(Key, Value, Int, Int64)]) in
            for (key, value, weight, deadline) in entries {
                guard case (let hash, var details)? = entry(key, value, weight), buffer.records(hash) else { continue }
                if details.lifetime == nil, deadline < .max {
                    details.lifetime = UInt64(max(0, deadline.subtractingSaturated(clock.now())) / 1_000_000)
                }
                buffer.append(.present, hash, details)
            }
        }
        buffer.submit()
        // So that no access comes between them, in the same tick.
        recorder.flushContents()
    }

    /// Records that entries were removed.
    func recordRemovals(_ departures: Departures<Key, Value>) {
        guard recordingState.withLock({ $0.source != nil }) else { return }
        for departure in [departures.first].compactMap(\.self) + departures.others where departure.cause == .explicit {
            let hash = hasher(departure.key)
            cells.withShard(for: hash) { $0.record(AccessBuffer.removal, hash) }
        }
    }
}

/// The recorder that a cache feeds, if any.
@usableFromInline struct RecordingState: Sendable {
    var source: RecordingSource?
    /// The calls that began or ended a recording.
    var changeCount: UInt64 = 0
}

/// A recorder that a cache feeds.
@usableFromInline struct RecordingSource: Sendable {
    let recorder: CacheTraceRecorder
    /// The number of the function that hands over the events that the shards still have.
    let number: Int
}

extension Shard {
    /// Records a read or a removal.
    @inlinable @inline(__always)
    mutating func record(_ kind: UInt64, _ hash: UInt64) {
        guard recording?.records(hash) == true else { return }
        recording?.append(kind, hash)
    }

    /// Records that an entry was written.
    @usableFromInline mutating func recordWrite(_ hash: UInt64, weight: Int, deadline: Int64, writeTime: Int64) {
        guard recording?.records(hash) == true else { return }
        let size = rules.maximumWeight == nil ? nil : weight
        let lifetime = deadline == .max ? nil : UInt64(max(0, deadline.subtractingSaturated(writeTime)) / 1_000_000)
        recording?.append(.write, hash, TraceEvent.Details(size: size, lifetime: lifetime))
    }
}
