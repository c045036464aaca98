// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting

/// Random steps of a few tasks at a time on one or several tiered caches over two stores that fail.
struct TieredCacheProgram: SeededProgram {
    static let taskCount = 3

    struct Step: Sendable {
        let task: Int
        let action: InterleavingRun.Step
        /// The seed of the rest: the key, the policy, and the time that the task waits before the step.
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
        // Runs the program once more, and traces the calls of the stores.
        let traced = InterleavingRun(self, isTraced: true)
        return await ProgramOutcome(violations: traced.violations(), events: traced.events)
    }
}
