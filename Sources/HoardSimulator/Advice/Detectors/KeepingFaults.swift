// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Objects that are loaded for each request though they do not change.
struct MissingLifetime: SiteFault {
    private let requests: Int
    private let reloads: AgeHistogram.Bin
    private let isShared: Bool?
    private let proposed: UInt64

    init?(_ figures: PathFigures, of site: SiteFigures) {
        guard site.hasOutcomes, figures.hits * 100 <= figures.requests else { return nil }
        reloads = figures.ages.total
        guard reloads.reloads >= 100, reloads.reloads * 5 >= figures.requests, reloads.comparedReloads >= 50 else { return nil }
        let unchanged = reloads.unchangedReloads
        guard unchanged * 100 >= reloads.comparedReloads * 97, reloads.unchangedBytes >= 256 * unchanged else { return nil }
        // A cache that is too small has hits of objects that come again at once.
        guard figures.ages.total(upTo: 60_000).reloads * 2 >= reloads.reloads else { return nil }
        // Only requests of other clients show that the answer is for all.
        isShared = site.hasClients ? reloads.newClientReloads * 10 >= reloads.reloads : nil
        guard isShared != false else { return nil }
        proposed = NiceDuration.floor(min(300_000, site.span / 10))
        requests = figures.requests
    }

    func proposal(path: String, of site: SiteFigures) -> Proposal {
        let lifetime = NiceDuration.text(proposed)
        let advice = Advice(
            .missingLifetime,
            path: path,
            "Let objects below \(path) live for \(lifetime), if they are the same for everybody.",
            evidence: "None of \(requests) requests was a hit; of \(reloads.comparedReloads) objects that were loaded again, "
                + "\(reloads.unchangedReloads) had the size that they had before"
                + (isShared == true ? ", \(reloads.newClientReloads) of them for another client." : "."),
            isShared == true ? .likely : .possible,
            settings: [.init(path: path, name: "lifetime", value: lifetime)]
        )
        var (before, after) = (TraceRules(), TraceRules())
        before.bypassedPaths.insert(path)
        after.lifetimes[path] = proposed
        return Proposal(advice: advice, rules: (before, after))
    }
}

/// Objects that take room, and that no client asks for again.
struct NeverAskedAgain: SiteFault {
    private let figures: PathFigures
    private let share: Double

    init?(_ figures: PathFigures, of site: SiteFigures) {
        guard figures.objects >= 100, figures.repeatedObjects * 50 <= figures.objects, figures.passes * 10 <= figures.requests else { return nil }
        // A log may be too short for anything to come again.
        guard site.total.repeatedObjects * 5 >= site.total.objects - figures.objects, site.total.repeatedObjects >= 50 else { return nil }
        share = Double(figures.objectBytes) / Double(max(1, site.total.objectBytes))
        guard share >= 0.1 else { return nil }
        self.figures = figures
    }

    func proposal(path: String, of site: SiteFigures) -> Proposal {
        let advice = Advice(
            .bypass,
            path: path,
            "Do not keep what is below \(path).",
            evidence: "Of \(figures.objects) objects, \(figures.objects - figures.repeatedObjects) were asked for once only. "
                + "They have \(Int((share * 100).rounded())) % of the bytes of all objects.",
            .likely,
            settings: [.init(path: path, name: "bypass", value: "yes")]
        )
        var after = TraceRules()
        after.bypassedPaths.insert(path)
        return Proposal(advice: advice, rules: (TraceRules(), after))
    }
}
