// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension Advisor {
    /// Hit ratios at several capacities.
    struct Sizes {
        /// Capacities that double, up to one that holds everything.
        let ladder: [SimulationResult]
        /// That of the capacity which the cache has.
        let own: SimulationResult?
    }

    /// Simulates the ladder, and the capacity of the cache if it is known, under some rules.
    func sizes(for profile: TraceProfile, rules: TraceRules = TraceRules()) async throws(AccessTraceError) -> Sizes {
        let total = profile.hasSizes ? profile.distinctBytes : profile.keys.count
        let steps = Self.ladder(upTo: total, countsBytes: profile.hasSizes)
        let capacities = steps.map { profile.hasSizes ? SimulationCapacity.bytes($0) : .count($0) }
        let reader = try AccessTraceReader(path: path, format: format, rules: rules)
        let results = try await Simulation(policies: [.hoard], capacities: capacities + [capacity].compactMap(\.self)).results(of: reader)
        // A capacity that is one of the ladder has one result.
        let ladder = results.filter { $0.countsBytes == profile.hasSizes && steps.contains($0.capacity) }
        guard let capacity else { return Sizes(ladder: ladder, own: nil) }
        let number = capacity.resolved(keyCount: profile.keys.count, byteCount: profile.distinctBytes)
        return Sizes(ladder: ladder, own: results.first { $0.countsBytes == capacity.countsBytes && $0.capacity == number })
    }

    /// Powers of two, from a 512th of everything to all of it.
    static func ladder(upTo total: Int, countsBytes: Bool) -> [Int] {
        let largest = min(max(total, 1), countsBytes ? SimulationCapacity.maximumBytes : SimulationCapacity.maximum)
        var capacities: [Int] = []
        var next = countsBytes ? 1 << 10 : 16
        while next < largest / 512 { next *= 2 }
        while next < largest {
            capacities.append(next)
            next *= 2
        }
        return capacities + [min(next, countsBytes ? SimulationCapacity.maximumBytes : SimulationCapacity.maximum)]
    }
}

/// Advice on the size of a cache.
enum SizeAdvice {
    /// The smallest capacity whose hit ratio is within a point of the best.
    static func recommended(_ sizes: Advisor.Sizes) -> SimulationResult? {
        guard let best = sizes.ladder.map(\.hitRatio).max() else { return nil }
        return sizes.ladder.first { $0.hitRatio >= best - 0.01 }
    }

    /// The capacity that the cache had better have; `nil` if its own is good.
    ///
    /// More memory has to bring two points of the hit ratio, and less has to cost a tenth of a point at most, at a quarter of the capacity.
    static func better(than own: SimulationResult, among ladder: [SimulationResult]) -> SimulationResult? {
        let ladder = ladder.filter { $0.countsBytes == own.countsBytes }
        guard let best = ladder.map(\.hitRatio).max(), own.requests >= 1_000 else { return nil }
        if let more = ladder.first(where: { $0.capacity > own.capacity && $0.hitRatio >= best - 0.01 }), more.hitRatio - own.hitRatio >= 0.02 {
            return more
        }
        return ladder.first { $0.capacity <= own.capacity / 4 && $0.hitRatio >= own.hitRatio - 0.001 }
    }
}

extension Advisor {
    /// Advice on the size of the cache, which has been simulated under some rules.
    func sizeAdvice(_ sizes: Sizes, rules: TraceRules) async throws(AccessTraceError) -> [Advice] {
        guard let own = sizes.own, let better = SizeAdvice.better(than: own, among: sizes.ladder) else { return [] }
        let isMore = better.capacity > own.capacity
        let text = better.capacityText
        let (misses, ownMisses) = (better.requests - better.hits, own.requests - own.hits)
        var evidence = "Of \(own.requests) requests, \(misses) would be misses; with \(own.capacityText) they are \(ownMisses)."
        if isMore, better.countsBytes, better.capacity >= 8 * own.capacity {
            // So much more may be cheaper on disk.
            let reader = try AccessTraceReader(path: path, format: format, rules: rules)
            let simulation = Simulation(policies: [.hoard], capacities: [.bytes(own.capacity)], disk: .bytes(better.capacity))
            if let tiered = try await simulation.results(of: reader).first {
                let diskHits = tiered.diskHits ?? 0
                evidence += " With a disk of \(text) below it, \(tiered.requests - tiered.hits); \(diskHits) hits would come from the disk."
            }
        }
        if !rules.isEmpty { evidence += " That is with the parameters ignored that are named here." }
        var advice = Advice(
            isMore ? .moreMemory : .lessMemory,
            path: nil,
            isMore ? "Give memory \(text) instead of \(own.capacityText)." : "Memory of \(text) is enough; it has \(own.capacityText).",
            evidence: evidence,
            .certain,
            settings: better.countsBytes ? [.init(path: nil, name: "memory", value: text)] : []
        )
        advice.effect = Advice.Effect(
            before: own.hitRatio,
            after: better.hitRatio,
            argumentsBefore: rules.arguments(path: path, format: format, capacity: own),
            argumentsAfter: rules.arguments(path: path, format: format, capacity: better)
        )
        return [advice]
    }
}

extension SimulationResult {
    /// The capacity as `hoard simulate` reads it: `64MiB`, `1000`.
    package var capacityText: String { countsBytes ? Self.text(ofBytes: capacity) : "\(capacity)" }

    /// A number of bytes in the largest unit of which it is a multiple.
    static func text(ofBytes bytes: Int) -> String {
        for (unit, name) in [(1 << 40, "TiB"), (1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")] where bytes % unit == 0 {
            return "\(bytes / unit)\(name)"
        }
        return "\(bytes)B"
    }
}
