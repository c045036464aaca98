// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HoardHTTP
internal import HoardNIO
internal import Synchronization

/// The counts of the requests of one thread, or of a few. Threads practically never wait for its lock.
final class StatisticsShard: Sendable {
    /// The settings by which requests are judged.
    struct Settings: Sendable {
        var distinguishesHosts: Bool
        /// See ``ReuseDistanceSampler/threshold``.
        var threshold: UInt64
    }

    struct State: Sendable {
        var traffic = TrafficCounters()
        /// By the numbers of sites, less 1.
        var sites: [TrafficCounters] = []
        /// By the raw values of the tiers.
        var latencies = Array(repeating: LatencyHistogram(), count: AnswerReport.Tier.allCases.count)
        /// Uses of cached objects since they were last collected, and how many of them were misses.
        var references = 0
        var missedReferences = 0
        /// The sampled ones.
        var sampled: [ObjectAccess] = []
        var popularity = PopularURLs()
    }

    /// How many sampled references are handed on together.
    static let batchCount = 256

    private let state = Mutex(State())

    /// Counts an exchange. O(1); a reference in the sample costs the room for it, and one request in ``PopularURLs/stride`` a look through some 100 hashes.
    ///
    /// - Returns: A batch of references, when there are enough of them.
    @inline(__always)
    func record(_ report: ExchangeReport, _ identity: RequestIdentity?, _ settings: Settings) -> [ObjectAccess]? {
        let reference = identity.flatMap { ObjectAccess(report, $0) }
        let latency = Int(clamping: report.timeToFirstByte.nanoseconds)
        let tier = report.answer?.latencyTier ?? AnswerReport.Tier.none
        return state.withLock { state in
            state.traffic.add(report)
            if let site = report.note?.site, site > 0 { state.add(report, toSite: site) }
            state.latencies[Int(tier.rawValue)].record(latency)
            guard let identity else { return nil }
            state.popularity.add(report, identity, reference, distinguishesHosts: settings.distinguishesHosts)
            guard let reference else { return nil }
            state.references &+= 1
            if reference.isMiss { state.missedReferences &+= 1 }
            guard ReuseDistanceSampler.isSampled(reference.hash, below: settings.threshold) else { return nil }
            state.sampled.append(reference)
            return state.sampled.count >= Self.batchCount ? state.takeSampled() : nil
        }
    }

    /// Looks at the state, and changes it.
    func withState<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        state.withLock { body(&$0) }
    }
}

extension StatisticsShard.State {
    mutating func add(_ report: ExchangeReport, toSite number: Int) {
        while sites.count < number { sites.append(TrafficCounters()) }
        sites[number - 1].add(report)
    }

    mutating func takeSampled() -> [ObjectAccess] {
        var batch: [ObjectAccess] = []
        swap(&batch, &sampled)
        sampled.reserveCapacity(StatisticsShard.batchCount)
        return batch
    }
}

extension AnswerReport {
    /// The tier that the client waited for: the origin, if it was asked, even if the content was there already.
    @inline(__always)
    fileprivate var latencyTier: Tier { originDuration != nil || outcome == .collapsedHit || outcome == .validatedHit ? .origin : tier }
}

extension Duration {
    /// Whole nanoseconds; a longer time than an `Int64` can hold is cut.
    @inline(__always)
    fileprivate var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds < 1 << 32 ? seconds &* 1_000_000_000 &+ attoseconds / 1_000_000_000 : .max
    }
}
