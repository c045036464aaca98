// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Objects below a path that expire at an age which can be seen: hits end there, and loads begin.
///
/// Where objects leave for want of room, those that are asked for often live longer than others, and there is no such age.
struct Expiry {
    let limit: AgeHistogram.Limit
    /// The requests for objects that had expired.
    let late: AgeHistogram.Bin

    init?(_ figures: PathFigures, of site: SiteFigures) {
        guard site.hasOutcomes, let limit = figures.ages.limit, limit.age >= 500, site.span / 20 >= limit.age else { return nil }
        late = figures.ages.late(limit)
        self.limit = limit
        let early = figures.ages.early(limit)
        guard figures.ages.total.hits >= 50, count >= 30, early.reloads * 10 <= early.reloads + count else { return nil }
    }

    /// The number of times that something expired was asked for.
    var count: Int { late.reloads + late.revalidations }
    /// The number of times that the new object was known to be the same as before, or another.
    var comparedCount: Int { late.comparedReloads + late.revalidations }
    var unchangedCount: Int { late.unchangedReloads + late.revalidations }
    /// The lifetime that the objects seem to have, in milliseconds.
    var lifetime: UInt64 { NiceDuration.ceiling(limit.age) }
}

/// Objects that expire, and are loaded again though they have not changed.
struct ShortLifetime: SiteFault {
    private let expiry: Expiry
    private let requests: Int
    private let proposed: UInt64

    init?(_ figures: PathFigures, of site: SiteFigures) {
        guard let expiry = Expiry(figures, of: site), expiry.count * 20 >= figures.requests, expiry.comparedCount >= 30 else { return nil }
        guard expiry.unchangedCount * 100 >= expiry.comparedCount * 97 else { return nil }
        // Small objects may have the same size by chance.
        let late = expiry.late
        guard late.revalidations >= expiry.comparedCount / 2 || late.unchangedBytes >= 256 * late.unchangedReloads else { return nil }
        proposed = NiceDuration.floor(min(expiry.lifetime * 10, site.span / 10))
        guard proposed >= expiry.lifetime * 2 else { return nil }
        self.expiry = expiry
        requests = figures.requests
    }

    func proposal(path: String, of site: SiteFigures) -> Proposal {
        let (old, new) = (NiceDuration.text(expiry.lifetime), NiceDuration.text(proposed))
        let advice = Advice(
            .longerLifetime,
            path: path,
            "Let objects below \(path) live for \(new) instead of \(old).",
            evidence: "Of \(requests) requests, \(expiry.count) were for something that had expired after \(old); "
                + "of \(expiry.comparedCount) that could be compared, \(expiry.unchangedCount) had not changed.",
            expiry.late.revalidations * 2 >= expiry.comparedCount ? .certain : .likely,
            settings: [.init(path: path, name: "lifetime", value: new)]
        )
        var (before, after) = (TraceRules(), TraceRules())
        before.lifetimes[path] = expiry.lifetime
        after.lifetimes[path] = proposed
        return Proposal(advice: advice, rules: (before, after))
    }
}

/// Objects that expire and take long to load, so that clients wait for answers that a stale object could have given.
struct WaitingForReloads: SiteFault {
    private let expiry: Expiry
    private let waits: Int
    private let microseconds: Int

    init?(_ figures: PathFigures, of site: SiteFigures) {
        guard site.hasDurations, figures.staleHits == 0, let expiry = Expiry(figures, of: site) else { return nil }
        let soon = figures.ages.late(expiry.limit, upToTimes: 2)
        waits = soon.reloads + soon.revalidations
        microseconds = soon.microseconds
        guard waits >= 30, microseconds / waits >= 100_000, microseconds >= site.total.loadMicroseconds / 20 else { return nil }
        // Where nothing changes, a longer lifetime is better.
        guard ShortLifetime(figures, of: site) == nil else { return nil }
        self.expiry = expiry
    }

    func proposal(path: String, of site: SiteFigures) -> Proposal {
        let window = NiceDuration.text(expiry.lifetime)
        let advice = Advice(
            .staleWhileRevalidate,
            path: path,
            "Answer requests below \(path) with what has just expired, for \(window), while it is loaded anew.",
            evidence: "\(waits) requests waited \(microseconds / waits / 1_000) ms each on average for something that had expired "
                + "less than \(window) before.",
            .certain,
            settings: [.init(path: path, name: "stale-while-revalidate", value: window)]
        )
        var (before, after) = (TraceRules(), TraceRules())
        before.lifetimes[path] = expiry.lifetime
        after.lifetimes[path] = expiry.lifetime
        after.staleWhileRevalidate = expiry.lifetime
        return Proposal(advice: advice, rules: (before, after))
    }
}

/// Objects that expire and are then sent as a whole though they have not changed.
struct MissingValidators: SiteFault {
    private let count: Int
    private let bytes: Int
    private let share: Double
    private let wasSeenAtCache: Bool

    init?(_ figures: PathFigures, of site: SiteFigures) {
        if let expiry = Expiry(figures, of: site) {
            (count, bytes) = (expiry.late.unchangedReloads, expiry.late.unchangedBytes)
            guard count >= 30, expiry.late.revalidations * 50 <= expiry.count, count * 10 >= expiry.late.comparedReloads * 9 else { return nil }
            share = Double(bytes) / Double(max(1, site.total.loadedBytes))
            wasSeenAtCache = true
        } else {
            guard !site.hasOutcomes, figures.repeatedAnswers >= 100, figures.notModified == 0 else { return nil }
            // Clients would ask with conditions if they could.
            guard site.total.notModified * 100 >= site.total.requests else { return nil }
            (count, bytes) = (figures.repeatedAnswers, figures.repeatedBytes)
            share = Double(bytes) / Double(max(1, site.total.sentBytes))
            wasSeenAtCache = false
        }
        guard share >= 0.1 else { return nil }
    }

    func proposal(path: String, of site: SiteFigures) -> Proposal {
        let percent = Int((share * 100).rounded())
        let advice = Advice(
            .validators,
            path: path,
            "Have the origin send ETag or Last-Modified with what is below \(path), so that it need not be sent again while it is the same.",
            evidence: wasSeenAtCache
                ? "\(count) objects were loaded again with the size that they had, and none was confirmed: \(percent) % of all bytes from the origin."
                : "\(count) objects were sent again to a client that had been sent as many bytes before, and none was confirmed: \(percent) % of all bytes.",
            .likely
        )
        return Proposal(advice: advice)
    }
}
