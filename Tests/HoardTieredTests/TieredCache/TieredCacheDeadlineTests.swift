// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardTesting
import Testing

/// The number of seeds for each program: `HOARD_DEADLINE_SEEDS`, or 2.
private let seedCount = ProcessInfo.processInfo.environment["HOARD_DEADLINE_SEEDS"].flatMap { UInt64($0) } ?? 2

/// Short programs over a slow store. The deadline passes before the first job of the executor, then in the next run
/// before the second, and so on to the last.
///
/// Whenever it passes, no reader finds a value that is older than the last acknowledged change,
/// and in the end no work is left.
@Suite(.timeLimit(.minutes(seedCount > 20 ? 240 : 10))) struct TieredCacheDeadlineTests {
    @Test(arguments: DeadlineProgram.Change.allCases, DeadlineProgram.Setting.allCases)
    func whatWasAcknowledgedHoldsWheneverTheTimeIsOver(change: DeadlineProgram.Change, setting: DeadlineProgram.Setting) async {
        var timeouts = 0
        for seed in 0..<seedCount {
            for job in 1... {
                let run = DeadlineRun(DeadlineProgram(change, setting, seed: seed, job: job))
                let isEarlier = await run.perform()
                let violations = run.log.violations()
                guard violations.isEmpty else {
                    Issue.record("\(run.program)\n\(violations.joined(separator: "\n"))\n\(run.log.events.joined(separator: "\n"))")
                    return
                }
                timeouts += run.timeouts
                // The run has ended without such a job.
                if !isEarlier { break }
            }
        }
        // Otherwise the test would have tried nothing.
        #expect(timeouts > 0)
    }
}
