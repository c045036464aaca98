// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting

/// Random steps of a few tasks at a time on a manager of screens over a store that waits, fails, and may not answer at all.
struct CacheManagerProgram: SeededProgram {
    static let taskCount = 3

    enum Action: Sendable {
        case add(identifier: String, partition: String?, isSensitive: Bool)
        case get(identifier: String)
        case remove(identifier: String)
        case removePartition(String)
        case clear
        case save
        /// Time passes before the task goes on.
        case wait(milliseconds: Int)
    }

    struct Step: Sendable {
        let task: Int
        let action: Action
        /// How often other tasks may go first before the next step.
        let yields: Int
    }

    let seed: UInt64
    let memoryCapacity: Int
    let diskCapacity: Int
    var steps: [Step]

    init(seed: UInt64) {
        self.seed = seed
        var generator = SeededGenerator(seed: seed)
        memoryCapacity = [0, 1, 2, 100].randomElement(using: &generator) ?? 0
        diskCapacity = [0, 2, 100].randomElement(using: &generator) ?? 0
        steps = (0..<30).map { number in
            Step(task: number % Self.taskCount, action: Self.action(using: &generator), yields: Int.random(in: 0..<6, using: &generator))
        }
    }

    private static func action(using generator: inout SeededGenerator) -> Action {
        let identifier = "/\(Int.random(in: 0..<3, using: &generator))"
        let partition = ["p", "q"].randomElement(using: &generator) ?? "p"
        switch Int.random(in: 0..<20, using: &generator) {
        case 0..<6:
            let isOwned = Int.random(in: 0..<3, using: &generator) > 0
            let isSensitive = Int.random(in: 0..<5, using: &generator) == 0
            return .add(identifier: identifier, partition: isOwned ? partition : nil, isSensitive: isSensitive)
        case 6..<13: return .get(identifier: identifier)
        case 13..<15: return .remove(identifier: identifier)
        case 15: return .removePartition(partition)
        case 16: return Bool.random(using: &generator) ? .clear : .removePartition(partition)
        case 17: return .save
        default: return .wait(milliseconds: Int.random(in: 1...2_000, using: &generator))
        }
    }

    var stepCount: Int { steps.count }

    func keepingSteps(where isKept: (Int) -> Bool) -> Self {
        var shorter = self
        shorter.steps = steps.indices.filter(isKept).map { steps[$0] }
        return shorter
    }

    var description: String {
        let lines = steps.map { "  task \($0.task): \($0.action), then \($0.yields) yields" }
        return (["  room for \(memoryCapacity) in memory, \(diskCapacity) on the disk"] + lines).joined(separator: "\n")
    }

    func run() async -> ProgramOutcome {
        let run = CacheManagerRun(self)
        do {
            try await SeededExecutor(seed: seed, time: run.time).run { try await run.perform() }
        } catch {
            run.history.complain("\(error)")
        }
        return run.history.outcome
    }
}
