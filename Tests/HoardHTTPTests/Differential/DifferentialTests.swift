// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardHTTPTestSupport
import Testing

/// The numbers of a campaign, from the environment.
private struct DifferentialCampaign {
    let count = Self.number("HOARD_DIFFERENTIAL_EXCHANGES")
    let seed = Self.number("HOARD_DIFFERENTIAL_SEED")
    let lengthOfRun = 250

    var isLong: Bool { count ?? 0 > 50_000 }

    func seeds() -> [UInt64] {
        if let seed { return [UInt64(seed)] }
        let first = count == nil ? 1 : UInt64.random(in: 0...1 << 48)
        return (0..<UInt64(max(1, (count ?? 5_000) / lengthOfRun))).map { first + $0 }
    }

    private static func number(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
    }
}

private let campaign = DifferentialCampaign()

/// Random clients and origins, and two caches that have to agree: the one that is tested, and one
/// that was written from the text of the RFCs alone.
///
/// `HOARD_DIFFERENTIAL_EXCHANGES` asks for another number of exchanges than 5,000, with seeds of
/// its own; `HOARD_DIFFERENTIAL_SEED` runs one seed again.
@Suite(.timeLimit(.minutes(campaign.isLong ? 600 : 5))) struct DifferentialTests {
    @Test func theCacheDoesOnlyWhatTheRFCsAllow() async {
        let seeds = campaign.seeds()
        var hits = 0
        var confirmations = 0
        var differences = 0
        for seed in seeds where differences < 20 {
            var run = DifferentialRun(seed: seed)
            if let difference = await run.difference(count: campaign.lengthOfRun) {
                differences += 1
                Issue.record("\(difference)")
            }
            hits += run.hitCount
            confirmations += run.confirmationCount
        }
        guard seeds.count > 1, differences == 0 else { return }
        // The cache is of some use.
        #expect(hits > seeds.count * campaign.lengthOfRun / 10)
        #expect(confirmations > seeds.count * campaign.lengthOfRun / 100)
    }

    /// A rule that only one of the two caches breaks is noticed.
    @Test(arguments: PlainCache.Mistake.allCases)
    func aMistakeInOneOfTheCachesIsNoticed(mistake: PlainCache.Mistake) async {
        for seed: UInt64 in 1...40 {
            var run = DifferentialRun(seed: seed, mistakes: [mistake])
            if await run.difference(count: campaign.lengthOfRun) != nil { return }
        }
        Issue.record("Nobody notices: \(mistake)")
    }
}
