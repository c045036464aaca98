// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The programs of many seeds, in blocks that can run beside each other.
///
/// `HOARD_PROGRAMS` says how many there are instead of the default, `HOARD_FIRST_SEED` with which seed they begin.
package struct ProgramCampaign: Sendable {
    package let count: UInt64
    package let firstSeed: UInt64
    package let blockCount: UInt64
    /// The first program of each block and every tenth after it are run twice, and the runs are compared, if equal dictionaries have equal orders in
    /// this process.
    private let comparesRuns = ProcessInfo.processInfo.environment["SWIFT_DETERMINISTIC_HASHING"] == "1"

    package init(defaultCount: UInt64, blockCount: UInt64 = 8) {
        count = Self.number("HOARD_PROGRAMS") ?? defaultCount
        firstSeed = Self.number("HOARD_FIRST_SEED") ?? 0
        self.blockCount = blockCount
    }

    /// Whether far more programs were asked for than a run of all tests has.
    package var isLong: Bool { count > 20_000 }

    /// Runs the programs of a block until one fails.
    ///
    /// - Returns: The shrunk failure, as text.
    package func failure<Program: SeededProgram>(of: Program.Type, inBlock block: UInt64) async -> String? {
        for (number, seed) in seeds(inBlock: block).enumerated() {
            if let failure = await Program(seed: seed).failure(comparingTwoRuns: comparesRuns && number % 10 == 0) { return failure }
        }
        return nil
    }

    /// The seeds of the programs of a block.
    package func seeds(inBlock block: UInt64) -> StrideTo<UInt64> {
        stride(from: firstSeed &+ block, to: firstSeed &+ count, by: Int(blockCount))
    }

    /// Runs programs until one fails, on the system's threads: these find other orders than the seeded executor, though not the same ones again.
    ///
    /// - Parameters:
    ///   - variable: The environment variable that asks for another number of programs than `defaultCount`.
    ///   - makeProgram: Gives the program of a seed. Seeds are drawn at random, unless `HOARD_FIRST_SEED` names the first.
    /// - Returns: The failure, as text.
    package static func failureOnThreads<Program: SeededProgram>(
        countNamed variable: String,
        defaultCount: UInt64,
        of makeProgram: (UInt64) -> Program,
        run: (Program) async throws -> ProgramOutcome
    ) async throws -> String? {
        let firstSeed = number("HOARD_FIRST_SEED")
        for index in 0..<(number(variable) ?? defaultCount) {
            let program = makeProgram(firstSeed.map { $0 &+ index } ?? .random(in: .min ... .max))
            let outcome = try await run(program)
            guard outcome.violations.isEmpty else {
                return """
                    Seed \(program.seed) has failed on threads: \(outcome.violations.joined(separator: "\n"))
                    Its steps:
                    \(program)
                    Its events:
                      \(outcome.events.joined(separator: "\n  "))
                    """
            }
        }
        return nil
    }

    private static func number(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
    }
}
