// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard
internal import Synchronization

/// A random test program made from a seed: steps that can be left out, and a verdict that repeats.
///
/// Its description lists the steps as a person would read them.
package protocol SeededProgram: Sendable, CustomStringConvertible {
    /// The program of a seed. The same seed gives the same program on every machine.
    init(seed: UInt64)

    var seed: UInt64 { get }
    var stepCount: Int { get }

    /// The same program without some of its steps.
    ///
    /// - Parameter isKept: Says of a step, by its place in this program, whether it stays.
    func keepingSteps(where isKept: (Int) -> Bool) -> Self

    /// Runs the program on a scheduler of its own. Two runs of one program have equal outcomes if Hoard draws the same
    /// random numbers in both: ``outcome()``.
    func run() async -> ProgramOutcome
}

/// The outcome of a program's run.
package struct ProgramOutcome: Sendable, Equatable {
    /// Sentences that name the violations. None: the program has passed.
    package let violations: [String]
    /// Everything that happened, in its order.
    package let events: [String]

    package init(violations: [String], events: [String]) {
        self.violations = violations
        self.events = events
    }

    /// A number that stands for the events: FNV-1a over their bytes. O(length).
    package var digest: UInt64 {
        var digest: UInt64 = 0xcbf2_9ce4_8422_2325
        for event in events { for byte in event.utf8 { digest = (digest ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 } }
        return digest
    }
}

extension SeededProgram {
    /// Runs the program, in which the seed decides Hoard's random numbers, too.
    package func outcome() async -> ProgramOutcome {
        await RandomNumbers.$source.withValue(SeededNumbers(seed: seed)) { await run() }
    }

    /// The shortest program that still fails, found by leaving out steps: halves, quarters, and so on down to single ones.
    ///
    /// - Parameter limit: The most runs to spend on it.
    package func shrunk(limit: Int = 2_000) async -> Self {
        var shortest = self
        var runs = 0
        var length = max(1, stepCount / 2)
        while true {
            var hasShrunk = false
            var start = 0
            while start < shortest.stepCount, runs < limit {
                let left = start..<min(start + length, shortest.stepCount)
                let candidate = shortest.keepingSteps { !left.contains($0) }
                runs += 1
                if await candidate.outcome().violations.isEmpty {
                    start += length
                } else {
                    shortest = candidate
                    hasShrunk = true
                }
            }
            if runs >= limit || (length == 1 && !hasShrunk) { return shortest }
            if !hasShrunk || length > 1 { length = max(1, length / 2) }
        }
    }

    /// Runs the program twice. A failure is shrunk and told with its steps.
    ///
    /// - Returns: The failure as text; `nil` if the program passes. Two runs that differ are a failure, too.
    package func failure(comparingTwoRuns: Bool = false) async -> String? {
        let outcome = await self.outcome()
        if comparingTwoRuns {
            let second = await self.outcome()
            guard outcome.digest == second.digest else {
                let place = zip(outcome.events, second.events).prefix { $0 == $1 }.count
                let ways = [outcome, second].map { $0.events.dropFirst(place).first ?? "nothing" }
                return "Seed \(seed) has run in two ways: after \(place) events came \(ways[0]), and then \(ways[1])."
            }
        }
        guard !outcome.violations.isEmpty else { return nil }
        let shortest = await shrunk()
        let last = await shortest.outcome()
        return """
            Seed \(seed) has failed: \(outcome.violations[0])
            Its \(shortest.stepCount) steps that still fail, of \(stepCount):
            \(shortest)
            \(last.violations.joined(separator: "\n"))
            Its events:
              \(last.events.joined(separator: "\n  "))
            """
    }
}

/// Numbers that many tasks draw, one after the other.
private final class SeededNumbers: RandomNumberSource {
    private let generator: Mutex<SeededGenerator>

    init(seed: UInt64) { generator = Mutex(SeededGenerator(seed: seed)) }

    func next() -> UInt64 { generator.withLock { $0.next() } }
}
