// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting

/// Random writes, removals, marks, loads and evictions by a few tasks on one cache, or on two that share
/// a store. Observers follow the keys.
struct UpdateProgram: SeededProgram {
    static let taskCount = 3

    enum Action: CaseIterable, Sendable {
        case insert, remove, markStale, removeTag, markTagStale, removePartition, removeAll, load, read, evict, deliver, failLoads, healLoads, leave
    }

    struct Step: Sendable {
        let task: Int
        let action: Action
        /// The seed of the rest: the key, the cache, and the time that the task waits before the step.
        let seed: UInt64
    }

    let seed: UInt64
    var steps: [Step]

    init(seed: UInt64) {
        self.seed = seed
        var generator = SeededGenerator(seed: ~seed)
        steps = (0..<24).map { number in
            Step(task: number % Self.taskCount, action: Action.allCases.randomElement(using: &generator) ?? .read, seed: generator.next())
        }
    }

    var stepCount: Int { steps.count }

    func keepingSteps(where isKept: (Int) -> Bool) -> Self {
        var shorter = self
        shorter.steps = steps.indices.filter(isKept).map { steps[$0] }
        return shorter
    }

    var description: String { steps.map { "  task \($0.task): \($0.action)" }.joined(separator: "\n") }

    func run() async -> ProgramOutcome { await UpdateRun(self).outcome() }
}
