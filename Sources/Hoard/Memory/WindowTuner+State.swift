// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension WindowTuner {
    /// The shadows and their scores. No locks; for tests too.
    ///
    /// Two shadows are compared by the accesses that only one of them hit: an access that both hit or both missed says
    /// nothing. A candidate takes over when it leads by more than chance would make it lead, either lately, over some
    /// two capacities of accesses, or for long, over ten. So a trickle of hits is enough in the long run, and a few
    /// thousand accesses are when the workload has changed. The long memory does not speak for a candidate that is behind
    /// lately, or it would take each change back until it has forgotten the workload before.
    ///
    /// If the lead is very large, the tuner does not wait for the end of the epoch: after a change of all hot keys, a
    /// small window costs most hits of each capacity of accesses.
    ///
    /// *Audit*: a shadow may do well where the cache does not. A wide window has two states in which it stays: keys that hit are not inserted
    /// again, so that the others have the time to hit. The cache's own hits on the sampled keys tell; a tuning that does far worse
    /// in the cache than in its shadow is believed that much less, and forgiven slowly. If the cache does better than its shadow, others have to
    /// lead the cache itself: near a cliff, a sample can be just too large for its shadow when all keys do fit in.
    struct State: ~Copyable {
        private var shadows: [ShadowCache]
        private var patterns = HitPatterns(count: WindowTuner.candidates.count + 1)
        /// For each candidate, the cache's hits per hit of the shadow while it was in use, up to 1.
        private var credits: [Double]
        private var accesses = 0
        private var epochsInUse = 0
        private var epochs = 0
        /// Whether the candidate has been changed within the present epoch.
        private var hasChangedUrgently = false
        private let epochLength: Int
        private(set) var choice: Int

        /// The cache's place in the patterns.
        private static let cache = WindowTuner.candidates.count
        /// How much of a credit is new after each epoch, and how much of the distance to 1 comes back while another
        /// tuning is in use.
        private static let learning = 0.2
        private static let forgiving = 0.02
        /// Credits above this are noise and change nothing.
        private static let audit = 0.7
        /// So many epochs after a change are not audited: the cache's entries are those of the tuning before.
        private static let settlingEpochs = 4
        /// Before so many epochs the shadows' sketches know too little, and a few accesses decide too much, unless the lead is very large.
        private static let firstEpochs = 2
        /// Standard deviations by which another candidate must lead.
        private static let (recentMargin, longMargin) = (3.0, 2.0)
        /// The same within an epoch, the share of its accesses that the lead must be, and how often an epoch is looked at for that.
        private static let (urgentMargin, urgentLead, looksPerEpoch) = (5.0, 0.1, 4)
        /// Standard deviations by which the cache must do better than the shadow of its own tuning.
        private static let ownMargin = 1.0

        /// The lead that a change of the whole capacity costs by the short memory: the smaller window pushes entries out.
        private static let price = 0.05

        init(_ contents: [SampledEntry], choice: Int = WindowTuner.initialChoice) {
            self.choice = choice
            let capacity = max(1, contents.count)
            var shadows = WindowTuner.candidates.map { ShadowCache(capacity: capacity, tuning: $0) }
            for shadow in shadows.indices {
                for entry in contents {
                    for _ in 0...entry.uses { _ = shadows[shadow].access(entry.hash & ~1) }
                }
            }
            self.shadows = shadows
            credits = Array(repeating: 1, count: shadows.count)
            epochLength = max(100, capacity / 2)
        }

        deinit {
            for shadow in shadows { shadow.deallocate() }
        }

        /// Takes in one access. Returns the candidate to use when another one has become the best.
        mutating func access(_ sample: Sample) -> Int? {
            accesses += 1
            var pattern = Int(sample & 1) << Self.cache
            for candidate in shadows.indices where shadows[candidate].access(sample & ~1) { pattern |= 1 << candidate }
            patterns.add(pattern)
            if accesses == epochLength { return endEpoch() }
            guard accesses % (epochLength / Self.looksPerEpoch) == 0, let best = adopt(urgentlyBest()) else { return nil }
            hasChangedUrgently = true
            return best
        }

        private mutating func endEpoch() -> Int? {
            accesses = 0
            epochs += 1
            epochsInUse += 1
            updateCredits()
            patterns.endEpoch()
            defer { hasChangedUrgently = false }
            // Most of what the memories know of is older than an urgent change, and would take it back.
            guard epochs >= Self.firstEpochs, !hasChangedUrgently else { return nil }
            return adopt(best())
        }

        /// Returns the candidate, unless it is in use already.
        private mutating func adopt(_ candidate: Int) -> Int? {
            guard candidate != choice else { return nil }
            choice = candidate
            epochsInUse = 0
            return candidate
        }

        /// The candidate that leads by far in the present epoch.
        private func urgentlyBest() -> Int {
            let now = best(by: patterns.new, of: Double(accesses), margin: Self.urgentMargin, price: Self.price)
            return now.lead > Self.urgentLead ? now.candidate : choice
        }

        private func best() -> Int {
            let lately = best(by: patterns.recent, margin: Self.recentMargin, price: Self.price)
            let inTheLongRun = best(by: patterns.long, margin: Self.longMargin, price: 0)
            guard inTheLongRun.lead > 0, inTheLongRun.lead >= lately.lead, !isBehindLately(inTheLongRun.candidate) else { return lately.candidate }
            return inTheLongRun.candidate
        }

        private func isBehindLately(_ candidate: Int) -> Bool {
            let comparisons = HitPatterns.comparisons(in: patterns.recent, with: choice)
            return believed(comparisons[candidate].hits, of: candidate) < presentHits(comparisons)
        }

        private mutating func updateCredits() {
            for candidate in credits.indices where candidate != choice { credits[candidate] += (1 - credits[candidate]) * Self.forgiving }
            guard epochsInUse > Self.settlingEpochs else { return }
            let comparison = HitPatterns.comparisons(in: patterns.new, with: choice)
            let (hits, own) = (comparison[choice].hits, comparison[Self.cache])
            guard hits > 0 else { return }
            let isWorse = own.hits - hits < -2 * own.differences.squareRoot()
            credits[choice] += ((isWorse ? own.hits / hits : 1) - credits[choice]) * Self.learning
        }

        /// The candidate that leads the present one by most, and by how much of all accesses; the present one if none leads.
        ///
        /// - Parameter accesses: The accesses that the memory has; `nil` to add them up.
        private func best(by memory: [Double], of accesses: Double? = nil, margin: Double, price: Double) -> (candidate: Int, lead: Double) {
            let comparisons = HitPatterns.comparisons(in: memory, with: choice)
            let accesses = max(1, accesses ?? memory.reduce(0, +))
            let present = presentHits(comparisons)
            var best = (candidate: choice, lead: 0.0)
            for candidate in shadows.indices where candidate != choice {
                let chance = margin * comparisons[candidate].differences.squareRoot()
                let move = abs(WindowTuner.candidates[candidate].windowShare - WindowTuner.candidates[choice].windowShare)
                let lead = (believed(comparisons[candidate].hits, of: candidate) - present - chance) / accesses - price * move
                if lead > best.lead { best = (candidate, lead) }
            }
            return best
        }

        /// The hits of the candidate in use, by its shadow or by the cache, if that does better. Soon after a change, most of the cache's
        /// hits in the long memory are older, which keeps the tuner from further changes for some epochs.
        private func presentHits(_ comparisons: [HitPatterns.Comparison]) -> Double {
            let hits = believed(comparisons[choice].hits, of: choice)
            guard epochsInUse > Self.settlingEpochs else { return hits }
            let own = comparisons[Self.cache]
            return max(hits, own.hits - Self.ownMargin * own.differences.squareRoot())
        }

        private func believed(_ hits: Double, of candidate: Int) -> Double {
            credits[candidate] < Self.audit ? hits * credits[candidate] : hits
        }

        /// Checks all shadows. For tests.
        func checkInvariants() {
            for shadow in shadows { shadow.checkInvariants() }
        }
    }
}
