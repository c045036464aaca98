// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import Testing

@testable import HoardSimulator

@Suite("Simulation of sizes, costs and lifetimes", .timeLimit(.minutes(5)))
struct SizedSimulationTests {
    private func results(
        _ requests: [AccessRequest],
        _ policies: [SimulationPolicy] = [.lru],
        _ capacities: SimulationCapacity...,
        batchCount: Int = 7
    ) async throws -> [SimulationResult] {
        try await Simulation(policies: policies, capacities: capacities)
            .results(of: RequestSource(name: "some", requests, batchCount: batchCount))
    }

    private func result(_ requests: [AccessRequest], _ capacity: SimulationCapacity, _ policy: SimulationPolicy = .lru) async throws
        -> SimulationResult
    {
        try #require(await results(requests, [policy], capacity).first)
    }

    @Test func bytesOfHitsAndRequestsAreCountedWithAnyCapacity() async throws {
        let requests = [AccessRequest(key: 1, size: 10), AccessRequest(key: 2, size: 30), AccessRequest(key: 1, size: 10)]
        for capacity in [SimulationCapacity.count(2), .bytes(40), .percent(100), .percentOfBytes(100)] {
            let result = try await result(requests, capacity)
            #expect(result.hits == 1 && result.hitBytes == 10 && result.requestedBytes == 50)
            #expect(result.hitRatio == 1.0 / 3 && result.byteHitRatio == 0.2 && result.hasSizes)
            #expect(result.savedTime == nil && result.expired == nil)
        }
        #expect(try await result(requests, .bytes(39)).hits == 0)
    }

    @Test func aRequestWithoutASizeHasTheLastKnownOneOfItsKey() async throws {
        let requests = [AccessRequest(key: 1), AccessRequest(key: 1, size: 10), AccessRequest(key: 1), AccessRequest(key: 2)]
        let result = try await result(requests, .bytes(100))
        #expect(result.requestedBytes == 1 + 10 + 10 + 1)
        #expect(result.hitBytes == 10 + 10)
    }

    @Test func aTraceWithoutSizesHasObjectsOfOneByte() async throws {
        let result = try await result([1, 2, 3, 1, 2, 3].map { AccessRequest(key: $0) }, .bytes(2))
        #expect(result.countsBytes && result.capacity == 2 && !result.hasSizes)
        #expect(result.hits == 0 && result.requestedBytes == 6)
    }

    @Test func anEmptyObjectTakesAByte() async throws {
        let requests = [1, 2, 3, 1].map { AccessRequest(key: $0, size: 0) }
        let results = try await results(requests, [.lru], .bytes(2), .bytes(3))
        #expect(results.map(\.hits) == [0, 1])
        #expect(results[1].requestedBytes == 0 && results[1].byteHitRatio == 0)
    }

    @Test(arguments: SimulationPolicy.all.filter { $0.canCount(bytes: true) && !$0.needsNextUses })
    func anObjectLargerThanTheCacheIsNotAdmittedAndEvictsNothing(policy: SimulationPolicy) {
        let replay = policy.makeReplay(capacity: 1000, countsBytes: true)
        let sizes = [(1, 10), (2, 1001), (1, 10), (2, 1001), (3, 20), (1, 10), (3, 20)]
        replay.replay(RequestBatch(sized: sizes))
        #expect(replay.hits == 3 && replay.count == 2 && replay.size == 30)
    }

    @Test(arguments: SimulationPolicy.all.filter { $0.canCount(bytes: true) && !$0.needsNextUses })
    func anObjectThatGetsAnotherSizeIsAHitAndChargedTheNewOne(policy: SimulationPolicy) {
        let replay = policy.makeReplay(capacity: 1000, countsBytes: true)
        replay.replay(RequestBatch(sized: [(1, 10), (2, 20), (1, 50), (2, 5)]))
        #expect(replay.hits == 2 && replay.count == 2 && replay.size == 55)
        // The object is too large now, and leaves.
        replay.replay(RequestBatch(sized: [(1, 1001)]))
        #expect(replay.hits == 3 && replay.count == 1 && replay.size == 5)
    }

    @Test(arguments: SimulationPolicy.all.filter { $0.canCount(bytes: true) && !$0.needsNextUses }, [1, 10, 100, 1000, 10_000])
    func noPolicyEverHoldsMoreThanItsBytes(policy: SimulationPolicy, capacity: Int) {
        for seed in UInt64(0)..<3 {
            let replay = policy.makeReplay(capacity: capacity, countsBytes: true)
            for (step, request) in randomSizedRequests(count: 600, keyCount: 60, largestSize: max(2, capacity / 8), seed: seed).enumerated() {
                replay.replay(RequestBatch(sized: [(request.key, request.size)]))
                guard replay.size > capacity || replay.count > replay.size else { continue }
                Issue.record("\(policy) holds \(replay.size) bytes of \(replay.count) keys at capacity \(capacity), seed \(seed), step \(step)")
                return
            }
        }
    }

    @Test func costsOfHitsAreSaved() async throws {
        let requests = [AccessRequest(key: 1, cost: 500), AccessRequest(key: 2), AccessRequest(key: 1), AccessRequest(key: 1, cost: 700)]
        let result = try await result(requests, .count(2))
        #expect(result.requestedTime == .microseconds(1700))
        #expect(result.savedTime == .microseconds(1200))
        #expect(result.savedTimeRatio == 1200.0 / 1700)
    }

    @Test(arguments: SimulationPolicy.all.filter { $0.canCount(bytes: false) })
    func anObjectIsExpiredFromItsLifetimeAfterItsLoadOn(policy: SimulationPolicy) async throws {
        // The hit at 50 does not prolong the life of the object that was loaded at 0.
        let requests = [0, 50, 99, 100, 150, 200].map { AccessRequest(key: 1, time: $0, lifetime: 100) }
        let result = try await result(requests, .count(3), policy)
        #expect(policy == .opt || result.hits == 3)
        #expect(policy == .opt ? result.expired == 0 : result.expired == 2)
    }

    @Test func aMissingLifetimeIsTheLastKnownOneOfTheKeyOrForEver() async throws {
        let requests = [
            AccessRequest(key: 1, time: 0, lifetime: 10), AccessRequest(key: 2, time: 0), AccessRequest(key: 1, time: 10),
            AccessRequest(key: 2, time: 10),
            AccessRequest(key: 1, time: 20), AccessRequest(key: 2, time: 1000),
        ]
        let result = try await result(requests, .count(3))
        #expect(result.hits == 2 && result.expired == 2)
    }

    @Test func anEvictedObjectDoesNotExpire() async throws {
        let requests = [AccessRequest(key: 1, time: 0, lifetime: 10), AccessRequest(key: 2, time: 0), AccessRequest(key: 1, time: 10)]
        #expect(try await result(requests, .count(1)).expired == 0)
        #expect(try await result(requests, .count(2)).expired == 1)
    }

    @Test func aStreamedTraceGivesTheSameResultsAsOneInMemory() async throws {
        var generator = SeededGenerator(seed: 5)
        var time: UInt64 = 0
        let requests = randomSizedRequests(count: 3000, keyCount: 100, largestSize: 100, seed: 5).map { request in
            time += UInt64.random(in: 0..<20, using: &generator)
            var whole = AccessRequest(key: request.key, size: request.size, time: time, lifetime: request.key % 3 == 0 ? 500 : 5000, cost: 7)
            if time > 3000, Bool.random(using: &generator) { whole.size = nil }
            if time > 6000, Bool.random(using: &generator) { whole.lifetime = nil }
            return whole
        }
        let online = SimulationPolicy.all.filter { !$0.needsNextUses }
        let streamed = try await results(requests, online, .count(20), .bytes(600), batchCount: 100)
        // A capacity that is a share needs the whole trace in memory.
        let held = try await results(requests, online, .count(20), .bytes(600), .percent(100), batchCount: 170)
        #expect(held.prefix(streamed.count) == streamed[...])
        #expect(streamed.allSatisfy { $0.hits > 0 && ($0.expired ?? 0) > 0 })
    }

    @Test func noPolicyHasMoreHitsThanTheOptimalOneWithLifetimes() async throws {
        for seed in UInt64(0)..<6 {
            let requests = randomRequests(count: 600, keyCount: 30, seed: seed).enumerated().map {
                AccessRequest(key: $1, time: UInt64($0), lifetime: $1 % 2 == 0 ? 40 : 200)
            }
            for result in try await results(requests, SimulationPolicy.all, .count(12)) {
                let best = try await self.result(requests, .count(12), .opt)
                #expect(result.hits <= best.hits, "\(result.policy), seed \(seed)")
            }
        }
    }
}

@Suite("FootprintBound", .timeLimit(.minutes(5)))
struct FootprintBoundTests {
    private func results(_ requests: [AccessRequest], _ policies: [SimulationPolicy], _ capacity: SimulationCapacity) async throws
        -> [SimulationResult]
    {
        try await Simulation(policies: policies, capacities: [capacity]).results(of: RequestSource(name: "some", requests))
    }

    /// The most hits, and the most bytes of hits, that any decisions can give, found by a search through all.
    private func best(_ requests: ArraySlice<SizedKey>, held: [UInt64: Int], capacity: Int, bytes: Bool) -> Int {
        guard let request = requests.first else { return 0 }
        let gain = held[request.key] == nil ? 0 : bytes ? request.size : 1
        var others = held
        others[request.key] = nil
        // Any of the other objects may be kept until the next request, and so may the requested object.
        var most = 0
        let keys = others.keys.sorted()
        for kept in 0..<(1 << keys.count) {
            var next: [UInt64: Int] = [:]
            for (place, key) in keys.enumerated() where kept & (1 << place) != 0 { next[key] = others[key] }
            for takesIn in [false, true] {
                if takesIn { next[request.key] = request.size }
                guard next.values.reduce(0, +) <= capacity else { continue }
                most = max(most, best(requests.dropFirst(), held: next, capacity: capacity, bytes: bytes))
            }
        }
        return gain + most
    }

    @Test func noDecisionsBringMoreHitsOrBytes() async throws {
        for seed in UInt64(0)..<12 {
            let requests = randomSizedRequests(count: 8, keyCount: 4, largestSize: 6, seed: seed)
            for capacity in [3, 7, 11] {
                let bound = try #require(await results(requests.map { AccessRequest(key: $0.key, size: $0.size) }, [.opt], .bytes(capacity)).first)
                #expect(bound.policy == .pfooL)
                let hits = best(requests[...], held: [:], capacity: capacity, bytes: false)
                let bytes = best(requests[...], held: [:], capacity: capacity, bytes: true)
                #expect(bound.hits >= hits && bound.hitBytes >= bytes, "seed \(seed), capacity \(capacity)")
            }
        }
    }

    @Test func noPolicyHasMoreHitsOrBytes() async throws {
        for seed in UInt64(0)..<4 {
            let requests = randomSizedRequests(count: 1500, keyCount: 80, largestSize: 50, seed: seed)
            let all = try await results(requests.map { AccessRequest(key: $0.key, size: $0.size) }, SimulationPolicy.all, .bytes(700))
            let bound = try #require(all.first { $0.policy == .pfooL })
            #expect(all.count(where: { $0.policy == .pfooL }) == 1)
            for result in all { #expect(result.hits <= bound.hits && result.hitBytes <= bound.hitBytes, "\(result.policy), seed \(seed)") }
        }
    }

    @Test func withOneSizeItIsNearTheExactBound() async throws {
        let requests = randomRequests(count: 2000, keyCount: 60, seed: 3).map { AccessRequest(key: $0) }
        let exact = try #require(await results(requests, [.opt], .count(20)).first)
        let bound = try #require(await results(requests, [.opt], .bytes(20)).first)
        #expect(bound.hits >= exact.hits)
        #expect(Double(bound.hits) < Double(exact.hits) * 1.3)
    }

    @Test func sizesWhoseSumIsNoNumberEndNoSimulation() async throws {
        let requests = (0..<30).map { AccessRequest(key: UInt64($0 % 3), size: .max - 1 - $0 % 2, time: UInt64($0)) }
        let capacities = [SimulationCapacity.count(2), .bytes(1 << 20)]
        let simulations = [
            Simulation(policies: SimulationPolicy.all, capacities: capacities),
            Simulation(policies: [.lru, .hoard], capacities: capacities, disk: .bytes(1 << 30)),
            Simulation(policies: [.lru], capacities: capacities, fleet: Fleet(nodes: 2, shared: .count(10), route: .random)),
        ]
        for simulation in simulations {
            let results = try await simulation.results(of: RequestSource(name: "absurd", requests))
            #expect(!results.isEmpty && results.allSatisfy { $0.requestedBytes == .max && $0.requests == 30 })
        }
    }

    @Test func anObjectThatBecomesAbsurdlyLargeLeavesLikeAnyThatIsTooLarge() async throws {
        let sizes = [10, 10, .max - 1, 20, .max - 1, 10]
        let requests = (0..<60).map { AccessRequest(key: UInt64($0 % 4), size: sizes[$0 % 6], time: UInt64.max - 1 - UInt64($0), lifetime: .max - 1) }
        let capacities = [SimulationCapacity.bytes(100), .percentOfBytes(50), .percentOfBytes(100)]
        let simulations = [
            Simulation(policies: SimulationPolicy.all, capacities: capacities),
            Simulation(policies: [.lru], capacities: capacities, disk: .percentOfBytes(100)),
        ]
        for simulation in simulations {
            let results = try await simulation.results(of: RequestSource(name: "absurd", requests))
            #expect(!results.isEmpty && results.allSatisfy { $0.hits < 60 && $0.capacity <= SimulationCapacity.maximumBytes })
        }
    }
}

extension RequestBatch {
    /// Requests for objects of these sizes.
    init<Key: BinaryInteger>(sized requests: [(Key, Int)]) {
        self.init(requests.map { AccessRequest(key: UInt64($0), size: $1) })
        parts = .sizes
    }
}
