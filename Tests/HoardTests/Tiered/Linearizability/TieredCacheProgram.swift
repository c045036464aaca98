// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting

/// Random steps of a few tasks at a time on a tiered cache, or several, over two stores that fail.
struct TieredCacheProgram: SeededProgram {
    static let taskCount = 3

    struct Step: Sendable {
        let task: Int
        let action: InterleavingRun.Step
        /// Decides about the rest: the key, the policy, how long the task waits before it.
        let seed: UInt64
    }

    let seed: UInt64
    var steps: [Step]

    init(seed: UInt64) {
        self.seed = seed
        var generator = SeededGenerator(seed: ~seed)
        steps = (0..<18).map { Step(task: $0 % Self.taskCount, action: .random(using: &generator), seed: generator.next()) }
    }

    var stepCount: Int { steps.count }

    func keepingSteps(where isKept: (Int) -> Bool) -> Self {
        var shorter = self
        shorter.steps = steps.indices.filter(isKept).map { steps[$0] }
        return shorter
    }

    var description: String { steps.map { "  task \($0.task): \($0.action)" }.joined(separator: "\n") }

    func run() async -> ProgramOutcome {
        let run = InterleavingRun(self)
        let violations = await run.violations()
        guard !violations.isEmpty else { return ProgramOutcome(violations: [], events: run.events) }
        // Once more, with what the stores were asked.
        let traced = InterleavingRun(self, isTraced: true)
        return await ProgramOutcome(violations: traced.violations(), events: traced.events)
    }
}
