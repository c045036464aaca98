// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import Testing

private let campaign = ProgramCampaign(defaultCount: 500)

/// Whatever tasks do at the same time, and however the store fails: what was replaced or removed is not found afterwards.
@Suite(.timeLimit(.minutes(campaign.isLong ? 240 : 5))) struct CacheManagerInterleavingTests {
    @Test(arguments: 0..<campaign.blockCount)
    func nothingOlderThanTheLastChangeIsEverFound(block: UInt64) async {
        if let failure = await campaign.failure(of: CacheManagerProgram.self, inBlock: block) { Issue.record("\(failure)") }
    }
}
