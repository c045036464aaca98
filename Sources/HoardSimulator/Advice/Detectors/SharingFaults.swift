// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Objects that are loaded again for each agent, or for each client, as with `Vary: User-Agent` or `Vary: Cookie`.
struct SplitVariants: SiteFault {
    private let reloads: Int
    private let knownHits: Int
    private let isByAgent: Bool

    init?(_ figures: PathFigures, of site: SiteFigures) {
        guard site.hasOutcomes, let limit = figures.ages.limit else { return nil }
        let (early, all) = (figures.ages.early(limit), figures.ages.total)
        let reloads = early.reloads
        self.reloads = reloads
        guard reloads >= 50, reloads * 20 >= figures.requests else { return nil }
        func splits(newReloads: Int, newHits: Int) -> Bool {
            newReloads * 100 >= reloads * 95 && newHits * 33 <= newHits + reloads && all.hits - newHits >= 50
        }
        if site.hasAgents, splits(newReloads: early.newAgentReloads, newHits: all.newAgentHits) {
            isByAgent = true
            knownHits = all.hits - all.newAgentHits
        } else if site.hasClients, splits(newReloads: early.newClientReloads, newHits: all.newClientHits) {
            isByAgent = false
            knownHits = all.hits - all.newClientHits
        } else {
            return nil
        }
    }

    func proposal(path: String, of site: SiteFigures) -> Proposal {
        let (who, field) = isByAgent ? ("User-Agent", "User-Agent") : ("client", "Cookie or another field of the client")
        let advice = Advice(
            .variants,
            path: path,
            "See whether what is below \(path) has to depend on \(field): each \(who) gets an object of its own.",
            evidence: "\(reloads) requests loaded something that the cache had, each for a \(who) that had not asked for it before; "
                + "\(knownHits) requests of one that had were hits.",
            .likely,
            settings: isByAgent ? [.init(path: path, name: "request-set", value: "[\"User-Agent: any\"]")] : []
        )
        return Proposal(advice: advice, rules: nil)
    }
}

/// Objects that are loaded several times at the same time.
struct OverlappingLoads: SiteFault {
    private let figures: PathFigures

    init?(_ figures: PathFigures, of site: SiteFigures) {
        guard figures.overlappingLoads >= 20, figures.overlappingLoads * 50 >= site.total.loads else { return nil }
        // No request can wait for an object that is not kept.
        guard figures.hits * 10 >= figures.requests, figures.collapsedHits <= figures.overlappingLoads else { return nil }
        self.figures = figures
    }

    func proposal(path: String, of site: SiteFigures) -> Proposal {
        let advice = Advice(
            .collapsing,
            path: path,
            "Let requests below \(path) wait for an object that is being loaded for another one.",
            evidence: "\(figures.overlappingLoads) of \(figures.loads) loads were of an object that was being loaded at that time.",
            .certain,
            settings: [.init(path: nil, name: "collapse-timeout", value: "5s")]
        )
        return Proposal(advice: advice)
    }
}

/// Failures of an origin, for objects that it had answered before.
struct FailuresShown: SiteFault {
    private let figures: PathFigures

    init?(_ figures: PathFigures, of site: SiteFigures) {
        guard figures.failures >= 20, figures.failures * 200 >= figures.requests else { return nil }
        self.figures = figures
    }

    func proposal(path: String, of site: SiteFigures) -> Proposal {
        let advice = Advice(
            .staleIfError,
            path: path,
            "Answer requests below \(path) with what has expired if the origin fails.",
            evidence: "Clients saw \(figures.failures) failures (5xx) for something that had been answered before, of \(figures.requests) requests.",
            .certain,
            settings: [.init(path: path, name: "stale-if-error", value: "1h")]
        )
        return Proposal(advice: advice)
    }
}
