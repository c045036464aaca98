// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import Testing

@testable import Hoard

private let campaign = ProgramCampaign(defaultCount: 500)

/// Random programs on the tier of a store that waits, fails, and loses answers.
///
/// The tier never serves a record that was invalidated before. When the store works again and time has
/// passed, it no longer has the record.
@Suite(.timeLimit(.minutes(campaign.isLong ? 240 : 5))) struct StoreTierModelTests {
    @Test(arguments: 0..<campaign.blockCount)
    func whatWasInvalidatedIsNeverServed(block: UInt64) async {
        if let failure = await campaign.failure(of: StoreTierProgram.self, inBlock: block) { Issue.record("\(failure)") }
    }

    /// The system's threads find other orders than the seeded executor, but cannot repeat them.
    ///
    /// `HOARD_STORE_TIER_RUNS` sets another number of programs in each block than the usual 25.
    @Test(arguments: 0..<8)
    func whatWasInvalidatedIsNeverServedOnRealThreads(block: Int) async throws {
        let failure = try await ProgramCampaign.failureOnThreads(
            countNamed: "HOARD_STORE_TIER_RUNS",
            defaultCount: 25,
            of: { StoreTierProgram(seed: $0, stepCount: 300) }
        ) {
            let run = StoreTierRun($0)
            try await run.perform()
            return run.history.outcome
        }
        if let failure { Issue.record("\(failure)") }
    }
}
