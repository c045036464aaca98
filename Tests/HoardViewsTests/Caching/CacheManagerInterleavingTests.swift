// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import Testing

private let campaign = ProgramCampaign(defaultCount: 500)

/// A reference that was replaced or removed is not found afterwards, whatever tasks do at the same time,
/// and however the store fails.
@Suite(.timeLimit(.minutes(campaign.isLong ? 240 : 10))) struct CacheManagerInterleavingTests {
    @Test(arguments: 0..<campaign.blockCount)
    func nothingOlderThanTheLastChangeIsEverFound(block: UInt64) async {
        if let failure = await campaign.failure(of: CacheManagerProgram.self, inBlock: block) { Issue.record("\(failure)") }
    }

    /// The system's threads find other orders than the seeded executor, though not the same ones again.
    ///
    /// `HOARD_CACHE_MANAGER_RUNS` asks for another number of programs in each block than the usual 25.
    @Test(arguments: 0..<8) func nothingOlderThanTheLastChangeIsFoundOnRealThreads(block: Int) async throws {
        let failure = try await ProgramCampaign.failureOnThreads(
            countNamed: "HOARD_CACHE_MANAGER_RUNS",
            defaultCount: 25,
            of: CacheManagerProgram.init
        ) {
            let run = CacheManagerRun($0, isSeeded: false)
            try await run.perform()
            return run.history.outcome
        }
        if let failure { Issue.record("\(failure)") }
    }
}
