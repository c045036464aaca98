// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard
internal import HoardHTTP
internal import Synchronization

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension ProxyStatistics {
    /// The figures that other parts of the proxy know.
    package struct Surroundings: Sendable {
        package var memory: Snapshot.Space?
        package var disk: Snapshot.Space?
        package var shared: Snapshot.SharedTier?
        package var evictions: Snapshot.Evictions?
        package var connections: Snapshot.Connections?
        package var origins: [Snapshot.OriginGroup]?
        /// The largest entries, if the cache knows them. `nil`: those that requests have shown.
        package var largest: [Snapshot.LargeEntry]?
        package var accessLog: Snapshot.AccessLogCounts?
        package var traces: Snapshot.TraceCounts?
        package var warmUp: Snapshot.WarmUp?
        package var recording: Snapshot.Recording?
        package var shadows: Snapshot.Shadows?
        /// The names of sites, in the order of their numbers.
        package var sites: [String]

        package init(
            memory: Snapshot.Space? = nil,
            disk: Snapshot.Space? = nil,
            shared: Snapshot.SharedTier? = nil,
            evictions: Snapshot.Evictions? = nil,
            connections: Snapshot.Connections? = nil,
            origins: [Snapshot.OriginGroup]? = nil,
            largest: [Snapshot.LargeEntry]? = nil,
            accessLog: Snapshot.AccessLogCounts? = nil,
            traces: Snapshot.TraceCounts? = nil,
            warmUp: Snapshot.WarmUp? = nil,
            recording: Snapshot.Recording? = nil,
            shadows: Snapshot.Shadows? = nil,
            sites: [String] = []
        ) {
            self.memory = memory
            self.disk = disk
            self.shared = shared
            self.evictions = evictions
            self.connections = connections
            self.origins = origins
            self.largest = largest
            self.accessLog = accessLog
            self.traces = traces
            self.warmUp = warmUp
            self.recording = recording
            self.shadows = shadows
            self.sites = sites
        }
    }

    /// The counts of all threads.
    private struct Collected: Sendable {
        var totals = TrafficHistory.Totals()
        var sites: [TrafficCounters] = []
        var latencies = Array(repeating: LatencyHistogram(), count: AnswerReport.Tier.allCases.count)
        var references = 0
        var missedReferences = 0
        var batches: [[ObjectAccess]] = []
        var popularity: [PopularURLs] = []
    }

    /// Closes the windows of the history whose time is over.
    func advance() {
        let (now, date) = (ticker.nanoseconds(), wallClock.now().timeIntervalSince1970)
        aggregate.withLock { _ = collect(into: &$0, now: now, date: date) }
    }

    /// The figures as they are now. It takes a fraction of a millisecond; at most each 5 seconds, one more for the open files.
    package func snapshot(_ surroundings: Surroundings = Surroundings()) -> Snapshot {
        let (now, date) = (ticker.nanoseconds(), wallClock.now().timeIntervalSince1970)
        let openFiles = openFileCount(at: now)
        let (collected, history, longHistory) = aggregate.withLock { aggregate in
            let collected = collect(into: &aggregate, now: now, date: date)
            return (collected, aggregate.history.points(at: now, collected.totals), aggregate.longHistory.points(at: now, collected.totals))
        }
        let traffic = collected.totals.traffic
        return Snapshot(
            time: date,
            uptimeSeconds: (Double(now - start) / 1e9).rounded(toPlaces: 3),
            version: configuration.version,
            requests: .init(traffic),
            bytes: .init(served: traffic.bytesServed, fromOrigin: traffic.bytesFromOrigin, saved: traffic.bytesSaved),
            latency: .init(collected.latencies),
            memory: surroundings.memory,
            disk: surroundings.disk,
            shared: surroundings.shared,
            process: .init(residentBytes: ProcessFigures.residentBytes(), openFiles: openFiles),
            evictions: surroundings.evictions,
            connections: surroundings.connections,
            origins: surroundings.origins,
            history: history,
            longHistory: longHistory,
            hottest: PopularURLs.hottest(of: collected.popularity, count: 20),
            largest: surroundings.largest ?? PopularURLs.largest(of: collected.popularity, count: 20),
            missRatioCurve: missRatioCurve(),
            accessLog: surroundings.accessLog,
            traces: surroundings.traces,
            sites: surroundings.sites.isEmpty
                ? nil
                : surroundings.sites.enumerated().map { number, name in
                    .init(name: name, traffic: number < collected.sites.count ? collected.sites[number] : TrafficCounters())
                },
            warmUp: surroundings.warmUp,
            recording: surroundings.recording,
            shadows: surroundings.shadows
        )
    }

    /// Adds up the threads' counts, hands their references on, and closes windows whose time is over.
    ///
    /// All of it is done under the lock of the aggregate, so that no caller compares older counts with newer ones. A thread that counts waits only while its own
    /// part is read.
    private func collect(into aggregate: inout Aggregate, now: Int64, date: Double) -> Collected {
        var collected = Collected()
        for shard in shards {
            shard.withState { state in
                guard state.traffic.requests > 0 else { return }
                collected.totals.traffic = collected.totals.traffic + state.traffic
                while collected.sites.count < state.sites.count { collected.sites.append(TrafficCounters()) }
                for site in state.sites.indices { collected.sites[site] = collected.sites[site] + state.sites[site] }
                for tier in collected.latencies.indices { collected.latencies[tier].add(state.latencies[tier]) }
                collected.references += state.references
                collected.missedReferences += state.missedReferences
                (state.references, state.missedReferences) = (0, 0)
                if !state.sampled.isEmpty { collected.batches.append(state.takeSampled()) }
                collected.popularity.append(state.popularity)
            }
        }
        for histogram in collected.latencies { collected.totals.latencies.add(histogram) }
        estimator.flush(collected.batches, requests: collected.references, misses: collected.missedReferences) { _ in }
        let closed = aggregate.history.advance(to: now, date: date, collected.totals)
        let closedLong = aggregate.longHistory.advance(to: now, date: date, collected.totals)
        if closedLong {
            aggregate.turns += 1
            estimator.flush { $0.fade(by: Self.fadingPerLongWindow) }
        }
        guard closed || closedLong else { return collected }
        let isHour = aggregate.turns.isMultiple(of: 12)
        for shard in shards {
            shard.withState { state in
                if closed { state.popularity.adapt() }
                if closedLong { state.popularity.turn(largestToo: isHour) }
            }
        }
        return collected
    }

    private func openFileCount(at now: Int64) -> Int? {
        if let known = aggregate.withLock({ $0.openFiles }), now - known.time < Self.windowPeriod { return known.count }
        let count = ProcessFigures.openFileCount()
        aggregate.withLock { $0.openFiles = (count, now) }
        return count
    }

    private func missRatioCurve() -> Snapshot.MissRatioCurve? {
        let current = cacheByteCount
        let sizes = Self.curveSizes(around: current)
        return estimator.flush { sampler in
            guard let ratios = sampler.missRatios(at: sizes), let measured = sampler.measuredMissRatio else { return nil }
            return Snapshot.MissRatioCurve(
                sampleRate: sampler.rate.rounded(toPlaces: 6),
                sampledRequests: sampler.sampledRequests,
                points: zip(sizes, ratios).map { .init(bytes: $0, missRatio: $1.rounded(toPlaces: 5)) },
                currentBytes: current,
                currentMissRatio: measured.rounded(toPlaces: 5)
            )
        }
    }

    /// From 1/64 to 16 times a size, four for each doubling.
    static func curveSizes(around size: Int) -> [Int] {
        var sizes: [Int] = []
        for quarter in -24...16 {
            let steps = [1, 1.189_207_115, 1.414_213_562, 1.681_792_831][(quarter + 24) % 4]
            let scaled = Double(size) * steps * Double(sign: .plus, exponent: (quarter + 24) / 4 - 6, significand: 1)
            let rounded = max(1, Int(min(scaled, Double(1 << 56)).rounded()))
            if rounded > sizes.last ?? 0 { sizes.append(rounded) }
        }
        return sizes
    }
}

extension ProxyStatistics.Snapshot.Requests {
    init(_ traffic: TrafficCounters) {
        total = traffic.requests
        byOutcome = Dictionary(uniqueKeysWithValues: AnswerReport.Outcome.allCases.map { ("\($0)", traffic.count($0)) })
        byStatus = Dictionary(uniqueKeysWithValues: (1...5).map { ("\($0)xx", traffic.count(statusClass: $0)) })
        refused = traffic.refusals
    }
}

extension ProxyStatistics.Snapshot.Site {
    init(name: String, traffic: TrafficCounters) {
        self.init(
            name: name,
            requests: traffic.requests,
            hits: traffic.hits,
            errors: traffic.errors,
            bytesServed: traffic.bytesServed,
            bytesSaved: traffic.bytesSaved
        )
    }
}

extension ProxyStatistics.Snapshot.Latencies {
    init(_ tiers: [LatencyHistogram]) {
        func percentiles(_ tier: AnswerReport.Tier) -> ProxyStatistics.Snapshot.Percentiles { .init(tiers[Int(tier.rawValue)]) }
        memory = percentiles(.memory)
        store = percentiles(.store)
        origin = percentiles(.origin)
        none = percentiles(.none)
    }
}

extension ProxyStatistics.Snapshot.Percentiles {
    init(_ histogram: LatencyHistogram) {
        count = histogram.count
        p50 = histogram.microseconds(0.5)
        p90 = histogram.microseconds(0.9)
        p99 = histogram.microseconds(0.99)
        p999 = histogram.microseconds(0.999)
        max = (Double(histogram.greatest) / 1e3).rounded(toPlaces: 3)
    }
}
