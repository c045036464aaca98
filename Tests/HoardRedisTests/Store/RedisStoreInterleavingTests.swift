// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import Testing

@_spi(Client) @testable import HoardRedis

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Three stores, random operations, and every delay of commands, replies and news that a seed can choose.
@Suite struct RedisStoreInterleavingTests {
    private static let firstSeed: UInt64 = ProcessInfo.processInfo.environment["HOARD_SEED"].flatMap { UInt64($0) } ?? .random(in: 0 ... .max / 2)
    private static let seedCount: UInt64 = ProcessInfo.processInfo.environment["HOARD_SEEDS"].flatMap { UInt64($0) } ?? 50

    @Test(arguments: [false, true]) func noStoreEverReturnsWhatAnotherHasInvalidated(hasFaults: Bool) async throws {
        var (published, hits) = (0, 0)
        for seed in Self.firstSeed..<Self.firstSeed + Self.seedCount {
            let time = ManualTicker()
            let executor = SeededExecutor(seed: seed, time: time)
            do {
                let counts = try await executor.run {
                    let program = try CoherenceProgram(seed: seed, time: time, hasFaults: hasFaults)
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        for worker in 0..<program.stores.count {
                            for _ in 0..<2 { group.addTask { try await program.run(worker: worker, operationCount: 12) } }
                        }
                        try await group.waitForAll()
                    }
                    try await program.checkMemories()
                    for store in program.stores { await store.close() }
                    return program.counts
                }
                published += counts.published
                hits += counts.hits
            } catch {
                Issue.record("With SWIFT_DETERMINISTIC_HASHING=1 HOARD_SEED=\(seed) and \(hasFaults ? "" : "no ")faults: \(error)")
                return
            }
        }
        // Otherwise nothing would have been tried.
        #expect(published > Int(Self.seedCount))
        #expect(hits > Int(Self.seedCount))
    }
}
