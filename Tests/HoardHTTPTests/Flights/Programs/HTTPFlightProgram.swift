// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardHTTPTestSupport
import HoardTesting

/// Requests and removals of several partitions at once, over a store that fails at random and a memory that holds little.
struct HTTPFlightProgram: SeededProgram {
    static let taskCount = 4
    static let owners = ["ann", "bob", "nobody"]
    static let paths = ["/a", "/vary", "/etag"]

    enum Action: Sendable {
        case get(Harm?)
        /// A client that is cancelled after so many yields.
        case getAndLeave(yields: Int)
        /// A client that reads one part and leaves.
        case readOnePart
        case remove
        case removePartition
        /// An unsafe request for the URI.
        case change
        case markStale
        case advance(seconds: Int64)
    }

    /// The origin's behaviour towards a request that asks for it, and towards no other.
    enum Harm: String, Sendable, CaseIterable {
        case closes, isNoHTTP, breaksOff
    }

    struct Step: Sendable {
        let task: Int
        let action: Action
        let owner: String
        let path: String
        let selectsOther: Bool
        let isInMemoryOnly: Bool
        /// How often other tasks may go first before the next step.
        let yields: Int
    }

    let seed: UInt64
    var steps: [Step]

    init(seed: UInt64) {
        self.seed = seed
        var generator = SeededGenerator(seed: seed)
        steps = (0..<40).map { number in
            Step(
                task: number % Self.taskCount,
                action: Self.action(using: &generator),
                owner: Self.owners.randomElement(using: &generator) ?? "",
                path: Self.paths.randomElement(using: &generator) ?? "",
                selectsOther: Bool.random(using: &generator),
                isInMemoryOnly: Int.random(in: 0..<4, using: &generator) == 0,
                yields: Int.random(in: 0..<4, using: &generator)
            )
        }
    }

    private static func action(using generator: inout SeededGenerator) -> Action {
        switch Int.random(in: 0..<24, using: &generator) {
        case 0..<11: .get(nil)
        case 11..<13: .get(Harm.allCases.randomElement(using: &generator))
        case 13..<15: .getAndLeave(yields: Int.random(in: 0..<20, using: &generator))
        case 15: .readOnePart
        case 16..<18: .remove
        case 18..<20: .removePartition
        case 20: .change
        case 21: .markStale
        default: .advance(seconds: 40)
        }
    }

    var stepCount: Int { steps.count }

    func keepingSteps(where isKept: (Int) -> Bool) -> Self {
        var shorter = self
        shorter.steps = steps.indices.filter(isKept).map { steps[$0] }
        return shorter
    }

    var description: String {
        steps.map { step in
            let notes = (step.selectsOther ? ", variant b" : "") + (step.isInMemoryOnly ? ", in memory only" : "")
            return "  task \(step.task): \(step.action) \(step.owner) \(step.path)\(notes), then \(step.yields) yields"
        }.joined(separator: "\n")
    }

    func run() async -> ProgramOutcome {
        let run = HTTPFlightRun(self)
        do {
            try await SeededExecutor(seed: seed, time: run.harness.time.ticker).run { try await run.perform() }
        } catch {
            run.log.complain("\(error)")
        }
        return run.log.outcome
    }
}
