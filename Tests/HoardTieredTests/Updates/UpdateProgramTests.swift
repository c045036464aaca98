// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import Testing

private let campaign = ProgramCampaign(defaultCount: 1_600, blockCount: 8)

/// Random programs in random orders. No observer sees an older state after a newer one, and
/// each observer sees the last state.
///
/// To repeat one, set `HOARD_FIRST_SEED` to its seed and `HOARD_PROGRAMS` to 1.
@Suite(.timeLimit(.minutes(campaign.isLong ? 240 : 10))) struct UpdateProgramTests {
    @Test(arguments: 0..<campaign.blockCount)
    func noObserverSeesAnOlderStateAfterANewerOneAndEachSeesTheLast(block: UInt64) async {
        if let failure = await campaign.failure(of: UpdateProgram.self, inBlock: block) { Issue.record("\(failure)") }
    }
}
