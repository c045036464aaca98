// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HoardSimulator

@Suite("Simulation of memory above a disk", .timeLimit(.minutes(5)))
struct TieredSimulationTests {
    private func result(
        _ requests: [AccessRequest],
        _ policy: SimulationPolicy = .lru,
        memory: SimulationCapacity,
        disk: SimulationCapacity
    ) async throws -> SimulationResult {
        let results = try await Simulation(policies: [policy], capacities: [memory], disk: disk).results(of: RequestSource(name: "some", requests))
        return try #require(results.first)
    }

    @Test func aMissInMemoryLooksOnDisk() async throws {
        let requests = [1, 2, 3, 3, 2, 1, 4].map { AccessRequest(key: $0) }
        let result = try await result(requests, memory: .count(1), disk: .count(3))
        #expect(result.hits == 3 && result.diskHits == 2 && result.diskHitRatio == 2.0 / 7)
    }

    @Test func aHitInMemoryLeavesTheOrderOfTheDiskAlone() async throws {
        // Key 1 is used only in memory. Key 3 evicts it from the disk, and then from memory.
        let result = try await result([1, 2, 1, 3, 4, 1].map { AccessRequest(key: $0) }, memory: .count(2), disk: .count(2))
        #expect(result.hits == 1 && result.diskHits == 0)
    }

    @Test func levelsMayCountDifferentUnits() async throws {
        let requests = [(1, 60), (2, 50), (1, 60), (2, 50), (3, 200), (3, 200)].map { AccessRequest(key: $0, size: $1) }
        let result = try await result(requests, memory: .bytes(100), disk: .count(5))
        // Object 3 is too large for the memory.
        #expect(result.hits == 3 && result.diskHits == 3 && result.diskHitBytes == 310)
    }

    @Test func anObjectFromTheDiskKeepsItsDeadline() async throws {
        let requests = [(1, 0), (2, 10), (1, 50), (1, 99), (1, 100), (1, 199)].map { AccessRequest(key: $0, time: $1, lifetime: 100) }
        let result = try await result(requests, memory: .count(1), disk: .count(2))
        #expect(result.hits == 3 && result.diskHits == 1 && result.expired == 1)
    }

    @Test func onlySomePoliciesStandAboveADisk() async throws {
        let requests = randomRequests(count: 900, keyCount: 50, seed: 1).map { AccessRequest(key: $0) }
        let simulation = Simulation(capacities: [.count(10), .bytes(10)], disk: .percent(50))
        let results = try await simulation.results(of: RequestSource(name: "some", requests))
        #expect(results.map(\.policy) == [.hoard, .lru, .hoard, .hoardBytes, .lru])
        let alone = try await Simulation(policies: [.lru], capacities: [.count(10)]).results(of: RequestSource(name: "some", requests))
        #expect(results[1].hits - (results[1].diskHits ?? 0) == alone[0].hits)
        #expect(results.allSatisfy { ($0.diskHits ?? 0) > 0 })
        #expect(alone[0].diskHits == nil)
    }
}
