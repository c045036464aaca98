// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension Advisor {
    /// Hit ratios at several capacities.
    struct Sizes {
        /// Capacities that double, up to one that holds everything.
        let ladder: [SimulationResult]
        /// That of the capacity which the cache has.
        let own: SimulationResult?

        private var curve: SizeCurve { SizeCurve(ladder.map(\.sizePoint)) }

        /// The smallest capacity whose hit ratio is within a point of the best.
        var recommended: SimulationResult? { curve.recommended.map { ladder[$0] } }

        /// The capacity to prefer to the one that the cache has; `nil` if there is none, or there were too few requests.
        var better: SimulationResult? {
            guard let own, own.requests >= 1_000, ladder.first?.countsBytes == own.countsBytes else { return nil }
            return curve.better(than: own.sizePoint).map { ladder[$0] }
        }
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

extension Advisor {
    /// Advice on the size of the cache, which has been simulated under some rules.
    func sizeAdvice(_ sizes: Sizes, rules: TraceRules) async throws(AccessTraceError) -> [Advice] {
        guard let own = sizes.own, let better = sizes.better else { return [] }
        let isMore = better.capacity > own.capacity
        let (misses, ownMisses) = (better.requests - better.hits, own.requests - own.hits)
        var evidence = "Of \(own.requests) requests, \(misses) would be misses; with \(own.capacityText) they are \(ownMisses)."
        if isMore, better.countsBytes, better.capacity >= 8 * own.capacity {
            // So much more may be cheaper on disk.
            let reader = try AccessTraceReader(path: path, format: format, rules: rules)
            let simulation = Simulation(policies: [.hoard], capacities: [.bytes(own.capacity)], disk: .bytes(better.capacity))
            if let tiered = try await simulation.results(of: reader).first {
                let diskHits = tiered.diskHits ?? 0
                evidence +=
                    " With a disk of \(better.capacityText) below it, \(tiered.requests - tiered.hits); \(diskHits) hits would come from the disk."
            }
        }
        if !rules.isEmpty { evidence += " That is with the parameters ignored that are named here." }
        let size = (new: better.capacityText, old: own.capacityText)
        var advice = Advice.size(isMore: isMore, size, evidence: evidence, .certain, isSetting: better.countsBytes)
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
    fileprivate var sizePoint: SizeCurve.Point { .init(capacity: capacity, hitRatio: hitRatio) }

    /// The capacity as `hoard simulate` reads it: `64MiB`, `1000`.
    package var capacityText: String {
        let text = countsBytes ? SizeText.text(capacity) : "\(capacity)"
        return countsBytes && text.last?.isNumber == true ? text + "B" : text
    }
}
