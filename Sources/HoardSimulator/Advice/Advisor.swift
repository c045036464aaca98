// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Advises changes of a cache, from an access trace of its requests.
///
/// An access log says most: paths, sizes, times, and if a cache wrote it, what the cache did. Of another access trace only the size of the cache can be
/// judged. Each ``Advice`` has the figures that it was drawn from, and nothing is said where they do not carry it.
///
/// ```swift
/// let report = try await Advisor(path: "access.log", capacity: .bytes(64 << 20)).report()
/// for advice in report.advice { print(advice.sentence) }
/// ```
///
/// The access trace is read twice, and up to twice again for each advice that a simulation can prove, so it has to be a file. Memory grows with the
/// number of different keys, not with the number of requests.
public struct Advisor: Sendable {
    /// The results.
    public struct Report: Sendable {
        /// The name of the access trace.
        public let name: String
        /// The number of requests.
        public let requestCount: Int
        /// Different keys, and the bytes of all of them; `nil` if there are no sizes.
        public let keyCount: Int
        /// The bytes of all different keys; `nil` if there are no sizes.
        public let distinctBytes: Int?
        /// For how many milliseconds the access trace goes on; `nil` if it has no times.
        public let span: UInt64?
        /// Hit ratios of ``SimulationPolicy/hoard`` at growing capacities.
        public let sizes: [SimulationResult]
        /// The smallest of these capacities whose hit ratio is within a point of that of the largest.
        public let recommended: SimulationResult?
        /// The advice, those that bring the most hits first.
        public let advice: [Advice]
        /// Sentences on the questions that could not be judged, and why.
        public let gaps: [String]
        /// How many lines of the access trace were skipped.
        public let skippedCount: Int
    }

    /// The file of the access trace.
    public let path: String
    /// The format of the file; `nil` if it is to be found out.
    public let format: AccessTraceFormat?
    /// The capacity of the cache, of which the advice is; `nil` if it is not known.
    public let capacity: SimulationCapacity?

    /// - Parameters:
    ///   - path: A file, which is read several times.
    ///   - format: The format; `nil` if it shall be found out.
    ///   - capacity: The capacity that the cache has; relative ones are of the access trace.
    public init(path: String, format: AccessTraceFormat? = nil, capacity: SimulationCapacity? = nil) {
        self.path = path
        self.format = format
        self.capacity = capacity
    }

    /// Reads the access trace, and judges it.
    ///
    /// - Parameter progress: Told the share that is done, from 0 to 1.
    public func report(progress: (Double) -> Void = { _ in }) async throws(AccessTraceError) -> Report {
        let site = SiteProfile()
        let reader = try AccessTraceReader(path: path, format: format, profile: site)
        var profile = TraceProfile(name: reader.name)
        var requests: [AccessRequest] = []
        while try reader.readBatch(into: &requests) { profile.add(requests) }
        progress(0.1)
        let sizes = try await sizes(for: profile)
        progress(0.5)
        let recommended = sizes.recommended
        let capacity = capacity ?? recommended.map { $0.countsBytes ? .bytes($0.capacity) : .count($0.capacity) }
        var advice: [Advice] = []
        if reader.format?.hasTargets == true, let capacity {
            let proposals = Self.proposals(for: site)
            var replays = Replays(capacity: capacity, withoutRules: sizes.own ?? recommended)
            for (number, proposal) in proposals.enumerated() {
                if let proven = try await prove(proposal, by: &replays) { advice.append(proven) }
                progress(0.5 + 0.4 * Double(number + 1) / Double(proposals.count))
            }
        }
        advice += try await sizeAdvice(among: sizes, for: profile, after: advice)
        progress(1)
        return Report(
            name: reader.name,
            requestCount: profile.requestCount,
            keyCount: profile.keys.count,
            distinctBytes: profile.hasSizes ? profile.distinctBytes : nil,
            span: profile.hasTimes ? profile.now : nil,
            sizes: sizes.ladder,
            recommended: recommended,
            advice: advice.sorted { $0.gain > $1.gain },
            gaps: Self.gaps(reader, site, profile),
            skippedCount: reader.skippedCount
        )
    }

    /// Advice on the size. Memory that is needed for copies of the same objects is not, if their parameters are ignored.
    private func sizeAdvice(among sizes: Sizes, for profile: TraceProfile, after advice: [Advice]) async throws(AccessTraceError) -> [Advice] {
        guard capacity != nil else { return [] }
        var rules = TraceRules()
        rules.ignoredParameters = advice.flatMap(\.ignoredParameters)
        let sizes = rules.isEmpty ? sizes : try await self.sizes(for: profile, rules: rules)
        return try await sizeAdvice(sizes, rules: rules)
    }

    /// The proposals that the figures of a site speak for.
    private static func proposals(for profile: SiteProfile) -> [Proposal] {
        let finder = SiteFaultFinder(profile)
        let split = SplitQueries.proposals(profile)
        let splitPaths = Set(split.flatMap { $0.paths })
        // Objects that a parameter makes new each time are not asked for again, of course.
        let single = finder.proposals(NeverAskedAgain.self).filter { proposal in
            !splitPaths.contains { $0.hasPrefix(proposal.advice.path ?? "/") }
        }
        return split.map(\.proposal) + finder.proposals(ShortLifetime.self) + finder.proposals(MissingLifetime.self)
            + finder.proposals(SplitVariants.self) + finder.proposals(OverlappingLoads.self) + finder.proposals(WaitingForReloads.self)
            + finder.proposals(MissingValidators.self) + finder.proposals(FailuresShown.self) + single
    }

    private static func gaps(_ reader: AccessTraceReader, _ site: SiteProfile, _ profile: TraceProfile) -> [String] {
        guard reader.format?.hasTargets == true else { return ["Paths are not known, so that only the size can be judged; an access log says more."] }
        var gaps: [String] = []
        if !profile.hasSizes { gaps.append("There are no sizes, so that capacities are numbers of objects.") }
        if !site.hasOutcomes {
            gaps.append("The log does not say what the cache did, so that lifetimes, variants, collapsing and waiting cannot be judged.")
        } else if !site.hasDurations {
            gaps.append("The log does not say how long answers took, so that collapsing and waiting cannot be judged.")
        }
        if site.hosts.count > 1 { gaps.append("There are several hosts, whose paths are looked at as if they were of one.") }
        return gaps
    }

    /// Replays the access trace without an advice and with it.
    ///
    /// - Returns: `nil` if the advice has to bring hits, and brings none.
    private func prove(_ proposal: Proposal, by replays: inout Replays) async throws(AccessTraceError) -> Advice? {
        var advice = proposal.advice
        guard let rules = proposal.rules else { return advice }
        let before = try await result(under: rules.before, among: &replays)
        let after = try await result(under: rules.after, among: &replays)
        if advice.kind.needsHits, after.hitRatio - before.hitRatio < 0.005 { return nil }
        advice.effect = Advice.Effect(
            before: before.hitRatio,
            after: after.hitRatio,
            argumentsBefore: rules.before.arguments(path: path, format: format, capacity: before),
            argumentsAfter: rules.after.arguments(path: path, format: format, capacity: after)
        )
        return advice
    }

    /// Results at one capacity that are known, by the rules of the replay.
    private struct Replays {
        let capacity: SimulationCapacity
        var results: [TraceRules: SimulationResult]

        init(capacity: SimulationCapacity, withoutRules result: SimulationResult?) {
            self.capacity = capacity
            results = result.map { [TraceRules(): $0] } ?? [:]
        }
    }

    /// Replays the access trace under some rules, unless that was done before.
    private func result(under rules: TraceRules, among replays: inout Replays) async throws(AccessTraceError) -> SimulationResult {
        if let known = replays.results[rules] { return known }
        let reader = try AccessTraceReader(path: path, format: format, rules: rules)
        let simulation = Simulation(policies: [.hoard], capacities: [replays.capacity], staleWhileRevalidate: rules.staleWhileRevalidate)
        let result = try await simulation.results(of: reader)[0]
        replays.results[rules] = result
        return result
    }
}
