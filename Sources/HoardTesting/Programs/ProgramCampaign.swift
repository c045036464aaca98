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
    /// The first programs of each block are run twice, and the runs are compared, if equal dictionaries have equal orders in this process.
    private let comparedCount: UInt64 = ProcessInfo.processInfo.environment["SWIFT_DETERMINISTIC_HASHING"] == "1" ? 4 : 0

    package init(defaultCount: UInt64, blockCount: UInt64 = 8) {
        count = Self.number("HOARD_PROGRAMS") ?? defaultCount
        firstSeed = Self.number("HOARD_FIRST_SEED") ?? 0
        self.blockCount = blockCount
    }

    /// Whether far more programs were asked for than a run of all tests has.
    package var isLong: Bool { count > 20_000 }

    /// Runs the programs of a block until one fails.
    ///
    /// - Returns: What has failed, shrunk, as text.
    package func failure<Program: SeededProgram>(of: Program.Type, inBlock block: UInt64) async -> String? {
        var number: UInt64 = 0
        for seed in stride(from: firstSeed &+ block, to: firstSeed &+ count, by: Int(blockCount)) {
            number += 1
            if let failure = await Program(seed: seed).failure(comparingTwoRuns: number <= comparedCount) { return failure }
        }
        return nil
    }

    private static func number(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
    }
}
