// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardTesting
import Testing

private let campaign = ProgramCampaign(defaultCount: 500)

/// Whatever tasks do at the same time, and however the store fails: what was replaced or removed is not found afterwards.
@Suite(.timeLimit(.minutes(campaign.isLong ? 240 : 10))) struct CacheManagerInterleavingTests {
    @Test(arguments: 0..<campaign.blockCount)
    func nothingOlderThanTheLastChangeIsEverFound(block: UInt64) async {
        if let failure = await campaign.failure(of: CacheManagerProgram.self, inBlock: block) { Issue.record("\(failure)") }
    }

    /// The system's threads find other orders than the seeded executor, though not the same ones again.
    ///
    /// `HOARD_CACHE_MANAGER_RUNS` asks for another number of programs in each block than the usual 25.
    @Test(arguments: 0..<8) func nothingOlderThanTheLastChangeIsFoundOnRealThreads(block: Int) async throws {
        let count = ProcessInfo.processInfo.environment["HOARD_CACHE_MANAGER_RUNS"].flatMap { Int($0) } ?? 25
        for _ in 0..<count {
            let program = CacheManagerProgram(seed: UInt64.random(in: .min ... .max))
            let run = CacheManagerRun(program, isSeeded: false)
            try await run.perform()
            let outcome = run.history.outcome
            guard outcome.violations.isEmpty else {
                Issue.record("seed \(program.seed):\n\(program)\n\(outcome.events.joined(separator: "\n"))")
                return
            }
        }
    }
}
