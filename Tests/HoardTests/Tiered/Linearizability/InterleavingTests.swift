// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardTesting
import Testing

private let campaign = ProgramCampaign(defaultCount: 2_000, blockCount: 16)

/// Random programs in random orders over stores that fail at random: whatever happens, a cache is a register that may forget.
///
/// `Scripts/interleavings` runs many more of them. To repeat one, set `HOARD_FIRST_SEED` to its seed and `HOARD_PROGRAMS` to 1.
@Suite(.timeLimit(.minutes(campaign.isLong ? 240 : 10))) struct InterleavingTests {
    @Test(arguments: 0..<campaign.blockCount)
    func nothingOlderThanTheLastWriteOrRemovalIsEverSeen(block: UInt64) async {
        if let failure = await campaign.failure(of: TieredCacheProgram.self, inBlock: block) { Issue.record("\(failure)") }
    }

    /// The system's threads find other orders than the seeded executor, though not the same ones again.
    ///
    /// `HOARD_TIERED_CACHE_RUNS` asks for another number of programs in each block than the usual 25.
    @Test(arguments: 0..<8) func nothingOlderIsEverSeenOnRealThreads(block: Int) async throws {
        let count = ProcessInfo.processInfo.environment["HOARD_TIERED_CACHE_RUNS"].flatMap { Int($0) } ?? 25
        for _ in 0..<count {
            let run = InterleavingRun(TieredCacheProgram(seed: UInt64.random(in: .min ... .max)), isTraced: true, isSeeded: false)
            try await run.perform()
            let complaints = run.complaints
            guard complaints.isEmpty else {
                Issue.record(
                    "seed \(run.program.seed):\n\(run.program)\n\(complaints.joined(separator: "\n"))\n\(run.events.joined(separator: "\n"))"
                )
                return
            }
        }
    }
}
