// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import Hoard
@testable import HoardTesting

/// The number of seeds and the first of them: `HOARD_COHERENCE_RUNS` and `HOARD_FIRST_SEED`.
private enum CoherenceRuns {
    static let blockCount: UInt64 = 8
    static let count = number("HOARD_COHERENCE_RUNS") ?? 150
    static let firstSeed = number("HOARD_FIRST_SEED") ?? 0

    private static func number(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
    }
}

/// Random programs on three caches over one store. A cache that has heard of a change never shows an older
/// value, and neither does the store.
@Suite(.timeLimit(.minutes(CoherenceRuns.count > 10_000 ? 240 : 5))) struct CoherenceTests {
    @Test(arguments: 0..<CoherenceRuns.blockCount)
    func nothingOlderThanAChangeThatWasHeardOfIsEverSeen(block: UInt64) async {
        var failureCount = 0
        for number in stride(from: block, to: CoherenceRuns.count, by: Int(CoherenceRuns.blockCount)) {
            let seed = CoherenceRuns.firstSeed &+ number
            for violation in await CoherenceRun(seed: seed).violations() {
                Issue.record("seed \(seed): \(violation)")
                failureCount += 1
            }
            if failureCount > 2 { return }
        }
    }

    @Test func theProgramsFindAStoreThatPublishesOldLoads() async {
        var found = 0
        for seed in 0..<100 as Range<UInt64> where await !CoherenceRun(seed: seed, isDefective: true).violations().isEmpty { found += 1 }
        #expect(found > 0)
    }
}
