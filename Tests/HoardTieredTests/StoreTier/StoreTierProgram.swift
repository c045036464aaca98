// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting

@testable import Hoard

/// Random reads and changes of one store's tier, each in its own task. Time goes on, and the
/// store waits, fails and loses answers.
struct StoreTierProgram: SeededProgram {
    enum Action: Sendable {
        case read([RecordKey])
        case insert([RecordKey], Set<String>, partition: String?)
        case remove([RecordKey])
        case markStale([RecordKey])
        case removeTagged(Set<String>)
        case removePartition(String)
        case removeAll
        case outdateKey(RecordKey)
        case outdateTag(String)
        /// Time goes on while the other tasks are at work.
        case advance(milliseconds: Int)
        /// A call that waits for its answer gets it.
        case answer(Int)
    }

    struct Step: Sendable {
        let action: Action
        /// The number of times that the other tasks may go first before the next step.
        let yields: Int
    }

    static let keys: [RecordKey] = ["a", "b", "c", "d"]
    static let defaultStepCount = 60

    let seed: UInt64
    let configuration: StoreStack.Configuration
    var steps: [Step]

    init(seed: UInt64) { self.init(seed: seed, stepCount: Self.defaultStepCount) }

    init(seed: UInt64, stepCount: Int) {
        self.seed = seed
        var generator = SeededGenerator(seed: seed)
        configuration = .init(
            deadline: .milliseconds([100, 500, 1_500].randomElement(using: &generator) ?? 500),
            failuresToOpen: Int.random(in: 1...4, using: &generator),
            maximumOpenFor: .seconds(8),
            maximumJournalCount: [3, 3, 100].randomElement(using: &generator) ?? 3
        )
        steps = (0..<stepCount).map { _ in
            Step(action: Self.action(using: &generator), yields: Int.random(in: 0..<6, using: &generator))
        }
    }

    private static func action(using generator: inout SeededGenerator) -> Action {
        let chosen = keys.filter { _ in Int.random(in: 0..<3, using: &generator) == 0 }
        let some = chosen.isEmpty ? [keys[Int.random(in: 0..<keys.count, using: &generator)]] : chosen
        // These are one tag in two spellings.
        let accented = ["\u{E9}", "e\u{301}"][Int.random(in: 0..<2, using: &generator)]
        let tags: Set<String> = [[], ["x"], [accented], ["x", accented]][Int.random(in: 0..<4, using: &generator)]
        let partition = ["p", "q"][Int.random(in: 0..<2, using: &generator)]
        let isOwned = Bool.random(using: &generator)
        switch Int.random(in: 0..<30, using: &generator) {
        case 0..<2: return .advance(milliseconds: Int.random(in: 10...1_500, using: &generator))
        case 2..<4: return .answer(Int.random(in: 0..<8, using: &generator))
        case 4..<12: return .read(some)
        case 12..<19: return .insert(some, tags, partition: isOwned ? partition : nil)
        case 19..<22: return .remove(some)
        case 22: return .markStale(some)
        case 23..<26: return .removeTagged(tags.isEmpty ? ["x"] : tags)
        case 26: return .removePartition(partition)
        case 27: return Int.random(in: 0..<3, using: &generator) == 0 ? .removeAll : .removeTagged([accented])
        case 28: return .outdateKey(some[0])
        default: return .outdateTag(tags.sorted().first ?? "x")
        }
    }

    var stepCount: Int { steps.count }

    func keepingSteps(where isKept: (Int) -> Bool) -> Self {
        var shorter = self
        shorter.steps = steps.indices.filter(isKept).map { steps[$0] }
        return shorter
    }

    var description: String {
        let deadline = configuration.deadline.map { "\($0)" } ?? "none"
        let lines = steps.map { "  \($0.action)\($0.yields == 0 ? "" : ", then \($0.yields) yields")" }
        return (["  deadline \(deadline), circuit opens after \(configuration.failuresToOpen)"] + lines).joined(separator: "\n")
    }

    func run() async -> ProgramOutcome {
        let run = StoreTierRun(self)
        do {
            try await SeededExecutor(seed: seed, time: run.ticker).run { try await run.perform() }
        } catch {
            run.history.complain("\(error)")
        }
        return run.history.outcome
    }
}
