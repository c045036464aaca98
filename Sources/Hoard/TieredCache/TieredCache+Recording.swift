// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension TieredCache {
    /// Begins to record the accesses to this cache; `nil` ends the recording.
    ///
    /// A request is recorded as a hit, a hit of a stale value or a miss, with the tier that answered. A value that is loaded or written is recorded
    /// with the time it stays fresh, the duration of the load and, if memory is limited by weight, its weight. Removals by key and of everything
    /// are recorded too. An invalidation by tag or partition is recorded as the removal of each entry that leaves memory because of it, which is
    /// when a caller next asks for that entry. A change of a key by another process is recorded as a removal if memory has the key. The recording
    /// begins with the entries that memory has.
    ///
    /// While a cache records, a hit in memory takes some tens of nanoseconds more. Otherwise it costs nothing.
    /// - Complexity: O(*n*) for *n* entries in memory.
    public func recordAccesses(with recorder: CacheTraceRecorder?) {
        let hasWeights = configuration.maximumWeight != nil
        record(recorder.map { Recording(recorder: $0, recordsRequests: true) }) { [configuration] key, value, weight in
            guard hasWeights else { return (recorder?.hash(of: key) ?? 0, nil) }
            return (recorder?.hash(of: key) ?? 0, weight ?? value.flatMap { configuration.weigher?(key, $0) })
        }
    }

    /// Records writes and removals, for a cache above this one that records its requests itself.
    ///
    /// - Parameter identity: Returns the hash of the key in the cache above, and the bytes of the value; `nil` for a key that is no entry of its own
    ///   there. It gets no value when a key is removed.
    package func recordChanges(
        with recorder: CacheTraceRecorder?,
        identity: @escaping @Sendable (Key, Value?) -> (hash: UInt64, size: Int?)?
    ) {
        record(recorder.map { Recording(recorder: $0, recordsRequests: false) }) { key, value, _ in identity(key, value) }
    }

    /// A recorder, and the accesses it records.
    struct Recording: Sendable {
        typealias Identity = @Sendable (_ key: Key, _ value: Value?, _ weight: Int?) -> (hash: UInt64, size: Int?)?

        let recorder: CacheTraceRecorder
        /// Whether requests are recorded, or only changes.
        let recordsRequests: Bool
        var identity: Identity = { _, _, _ in nil }
    }

    private func record(_ recording: Recording?, identity: @escaping Recording.Identity) {
        var recording = recording
        recording?.identity = identity
        // The old recorder may be let go of here, which writes its file. That must not happen under the lock.
        let old = self.recording.withLock { current in
            defer { current = recording }
            return current
        }
        withExtendedLifetime(old) {}
        if let recorder = recording?.recorder {
            let now = ticker.nanoseconds()
            memory.recordContents(with: recorder) { key, entry, weight in
                guard let (hash, size) = identity(key, entry.value, weight) else { return nil }
                let lifetime = entry.ticks.fresh == .max ? nil : UInt64(max(0, entry.ticks.fresh.subtractingSaturated(now)) / 1_000_000)
                return (hash, TraceEvent.Details(size: size, lifetime: lifetime))
            }
        }
        observation.store(observer != nil || recording != nil, ordering: .relaxed)
    }

    /// Records a request.
    func record(_ result: CacheRequestResult, _ tier: CacheTier?, _ key: Key) {
        guard let recording = recording.withLock({ $0 }), recording.recordsRequests else { return }
        let hash = recording.recorder.hash(of: key)
        guard recording.recorder.records(hash) else { return }
        let kind: TraceEvent.Kind =
            switch result {
            case .hit, .negative: .hit
            case .stale: .stale
            default: .miss
            }
        let number = tier.flatMap { tier in tiers.firstIndex { tier == .store($0.name) } }.map { $0 + 1 } ?? 0
        recording.recorder.record(kind, hash: hash, details: TraceEvent.Details(tier: UInt8(clamping: number)))
    }

    /// Records that a value was loaded or written.
    @usableFromInline func record(_ publication: Publication) {
        guard let recording = recording.withLock({ $0 }),
            let (hash, size) = recording.identity(publication.key, publication.value, publication.weight), recording.recorder.records(hash)
        else { return }
        let terms = publication.terms
        let details = TraceEvent.Details(
            size: size,
            lifetime: terms.freshUntil.map { UInt64(max(0, terms.created.duration(to: $0).saturatingNanoseconds / 1_000_000)) },
            cost: terms.loadDuration.map { UInt32(clamping: $0.saturatingNanoseconds / 1_000) }
        )
        recording.recorder.record(.write, hash: hash, details: details)
    }

    /// Records that a key, or everything, was removed.
    func recordRemoval(of key: Key?) {
        guard let recording = recording.withLock({ $0 }) else { return }
        guard let key else { return recording.recorder.record(.removal, hash: 0) }
        if let (hash, _) = recording.identity(key, nil, nil) { recording.recorder.record(.removal, hash: hash) }
    }
}
