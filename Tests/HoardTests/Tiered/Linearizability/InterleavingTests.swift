// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import Testing

private let campaign = ProgramCampaign(defaultCount: 2_000, blockCount: 16)

/// Random programs in random orders over stores that fail at random: whatever happens, a cache is a register that may forget.
///
/// `Scripts/interleavings` runs many more of them. To repeat one, set `HOARD_FIRST_SEED` to its seed and `HOARD_PROGRAMS` to 1.
@Suite(.timeLimit(.minutes(campaign.isLong ? 240 : 5))) struct InterleavingTests {
    @Test(arguments: 0..<campaign.blockCount)
    func nothingOlderThanTheLastWriteOrRemovalIsEverSeen(block: UInt64) async {
        if let failure = await campaign.failure(of: TieredCacheProgram.self, inBlock: block) { Issue.record("\(failure)") }
    }
}
