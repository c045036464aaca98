// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import Hoard
internal import Synchronization

extension HTTPCache {
    /// Begins to record the requests to this cache; `nil` ends the recording.
    ///
    /// A request is known by a pseudonym of its URI and of the partition. It is recorded as a hit, a hit of a stale response, a revalidation, a miss,
    /// or a request that the cache was not to answer. A miss has the time that the origin took. If the recorder records groups, requests have a
    /// pseudonym of the first part of the path. Each stored response is recorded with its bytes and with the time for which it is fresh. The
    /// recording begins with the responses that memory has.
    ///
    /// While a cache records, a hit takes some tens of nanoseconds more. Otherwise it costs nothing.
    /// - Complexity: O(*n*) for *n* responses in memory.
    public func recordAccesses(with recorder: CacheTraceRecorder?) {
        let recording = recorder.map { Recording(recorder: $0, baseScope: $0.hash(of: baseScope)) }
        self.recording.withLock { $0 = recording }
        isRecording.store(recording != nil, ordering: .relaxed)
        entries.recordChanges(with: recorder) { key, entry in
            switch entry {
            case .response(let response): (recording?.hash(of: key) ?? 0, max(entry?.weight ?? 0, response.body.completeLength ?? 0))
            case nil: (recording?.hash(of: key) ?? 0, nil)
            default: nil
            }
        }
    }

    /// A recorder of requests.
    struct Recording: Sendable {
        let recorder: CacheTraceRecorder
        /// The hash of ``HTTPCache/baseScope``.
        let baseScope: UInt64

        /// The hash of a key's URI and scope, and of the content of a QUERY. Variants of one URI are one key.
        func hash(of key: HTTPCacheKey) -> UInt64 {
            let object = key.queryDigest.map { "\(key.targetURI)\n\($0)" } ?? key.targetURI
            return Self.hash(recorder.hash(of: object), in: recorder.hash(of: key.scope))
        }

        func hash(ofURI uri: UnsafeRawBufferPointer) -> UInt64 { Self.hash(recorder.hash(ofUTF8: uri), in: baseScope) }

        private static func hash(_ uri: UInt64, in scope: UInt64) -> UInt64 { uri ^ (scope << 17 | scope >> 47) }
    }

    /// Records a request.
    func record(_ report: AnswerReport?, _ key: HTTPCacheKey) {
        guard isRecording.load(ordering: .relaxed), let report, let kind = TraceEvent.Kind(report.outcome), let recording = recording.withLock({ $0 })
        else { return }
        let hash = recording.hash(of: key)
        guard recording.recorder.records(hash) else { return }
        var details = TraceEvent.Details()
        if report.tier == .store { details.tier = 1 }
        if kind == .miss || kind == .revalidated {
            details.cost = report.originDuration.map { UInt32(clamping: $0.saturatingNanoseconds / 1_000) }
            if recording.recorder.configuration.recordsGroups { details.group = recording.recorder.group(Self.group(of: key.targetURI)) }
        }
        recording.recorder.record(kind, hash: hash, details: details)
    }

    /// Records a request that memory has answered.
    func recordHit(targetURI: UnsafeRawBufferPointer) {
        guard let recording = recording.withLock({ $0 }) else { return }
        recording.recorder.record(.hit, hash: recording.hash(ofURI: targetURI))
    }

    /// The origin and the first part of the path of a normalised URI.
    private static func group(of targetURI: String) -> String {
        let parts = targetURI.utf8.split(separator: UInt8(ascii: "/"), maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 4 else { return targetURI }
        let first = parts[3].prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
        return String(targetURI[..<first.endIndex])
    }
}

extension TraceEvent.Kind {
    /// - Returns: `nil` for requests that say nothing of the cache.
    fileprivate init?(_ outcome: AnswerReport.Outcome) {
        switch outcome {
        case .hit, .collapsedHit: self = .hit
        case .staleHit: self = .stale
        case .validatedHit: self = .revalidated
        case .miss: self = .miss
        case .bypass: self = .pass
        case .generated, .failure, .abandoned: return nil
        }
    }
}
