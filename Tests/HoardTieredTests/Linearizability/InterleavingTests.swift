// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import Testing

private let campaign = ProgramCampaign(defaultCount: 2_000, blockCount: 16)

/// Random programs in random orders over stores that fail at random. Whatever happens, a cache
/// is a register that may forget.
///
/// `Scripts/interleavings` runs many more of them. To repeat one, set `HOARD_FIRST_SEED` to its seed and `HOARD_PROGRAMS` to 1.
@Suite(.timeLimit(.minutes(campaign.isLong ? 240 : 10))) struct InterleavingTests {
    @Test(arguments: 0..<campaign.blockCount)
    func nothingOlderThanTheLastWriteOrRemovalIsEverSeen(block: UInt64) async {
        if let failure = await campaign.failure(of: TieredCacheProgram.self, inBlock: block) { Issue.record("\(failure)") }
    }

    /// The system's threads find other orders than the seeded executor, but cannot repeat them.
    ///
    /// `HOARD_TIERED_CACHE_RUNS` sets another number of programs in each block than the usual 25.
    @Test(arguments: 0..<8) func nothingOlderIsEverSeenOnRealThreads(block: Int) async throws {
        let failure = try await ProgramCampaign.failureOnThreads(
            countNamed: "HOARD_TIERED_CACHE_RUNS",
            defaultCount: 25,
            of: TieredCacheProgram.init
        ) {
            let run = InterleavingRun($0, isTraced: true, isSeeded: false)
            try await run.perform()
            return ProgramOutcome(violations: run.complaints, events: run.events)
        }
        if let failure { Issue.record("\(failure)") }
    }
}
