// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardTesting
import Testing

@testable import Hoard

/// How many seeds are tried, and which.
private enum Interleavings {
    static let blockCount: UInt64 = 16
    static let count = number("HOARD_INTERLEAVINGS") ?? 2_000
    static let firstSeed = number("HOARD_FIRST_SEED") ?? 0

    private static func number(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
    }
}

/// Random programs in random orders over stores that fail at random: whatever happens, a cache is a register that may forget.
///
/// `Scripts/interleavings` runs many more of them. To repeat one, set `HOARD_FIRST_SEED` to its seed and `HOARD_INTERLEAVINGS` to 1, and
/// `SWIFT_DETERMINISTIC_HASHING` to 1 if that is how it was found; it then tells what the stores were asked, too.
@Suite(.timeLimit(.minutes(Interleavings.count > 10_000 ? 240 : 2))) struct InterleavingTests {
    @Test(arguments: 0..<Interleavings.blockCount)
    func nothingOlderThanTheLastWriteOrRemovalIsEverSeen(block: UInt64) async {
        var failureCount = 0
        for number in stride(from: block, to: Interleavings.count, by: Int(Interleavings.blockCount)) {
            let seed = Interleavings.firstSeed &+ number
            for violation in await InterleavingRun(seed: seed, isTraced: Interleavings.count == 1).violations() {
                Issue.record("seed \(seed): \(violation)")
                failureCount += 1
            }
            // A defect shows often. The first few seeds are enough.
            if failureCount > 3 { return }
        }
    }

    @Test func theSameSeedGivesTheSameHistory() async {
        // The order of a dictionary's keys is not the seed's, unless there is only one or the environment says so.
        for seed in 0..<60 as Range<UInt64> where InterleavingRun(seed: seed).keys.count == 1 {
            let (first, second) = (InterleavingRun(seed: seed), InterleavingRun(seed: seed))
            _ = await (first.violations(), second.violations())
            #expect(first.log.description == second.log.description, "seed \(seed)")
            #expect(!first.log.description.isEmpty)
        }
    }
}
