// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Collects the data of an access trace for a report, while a simulation reads and replays it.
public final class ReportCollector: Sendable {
    private struct State {
        var profile: TraceProfile
        var history: HitRatioHistory?
        /// The hits of each policy that are in the history.
        var hits: [SimulationPolicy: Int] = [:]
    }

    // The simulation adds from one task at a time; the lock is free whenever it is taken.
    private let state: Mutex<State>

    /// - Parameter name: The name of the access trace.
    public init(name: String) {
        state = Mutex(State(profile: TraceProfile(name: name)))
    }

    /// Adds requests as they are read.
    func add(_ requests: [AccessRequest]) {
        state.withLock { $0.profile.add(requests) }
    }

    /// Adds the hits of a policy in the batch that it has just replayed.
    ///
    /// - Parameters:
    ///   - allHits: The hits of all batches so far.
    ///   - requests: The requests of this batch.
    ///   - capacity: A number of keys or bytes, the same each time.
    func add(allHits: Int, requests: Int, by policy: SimulationPolicy, capacity: Int, countsBytes: Bool) {
        state.withLock { state in
            let hits = allHits - state.hits[policy, default: 0]
            state.hits[policy] = allHits
            var history = state.history ?? HitRatioHistory(capacity: capacity, countsBytes: countsBytes)
            // One reference only, so that adding copies nothing.
            state.history = nil
            history.add(requests: requests, hits: hits, by: policy)
            state.history = history
        }
    }

    /// The part of a report that is about this access trace.
    public func section(results: [SimulationResult]) -> TraceReport.Section {
        state.withLock { TraceReport.Section(profile: $0.profile, results: results, history: $0.history) }
    }
}

extension RequestSource {
    /// The same requests, of which a collector is told.
    init(_ source: RequestSource, collector: ReportCollector) {
        name = source.name
        readBatch = { (requests) throws(AccessTraceError) in
            let isBatch = try source.readBatch(&requests)
            if isBatch { collector.add(requests) }
            return isBatch
        }
        bytesRead = source.bytesRead
    }
}
