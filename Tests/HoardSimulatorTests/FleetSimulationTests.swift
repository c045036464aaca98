// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import Testing

@testable import HoardSimulator

@Suite("Simulation of a fleet", .timeLimit(.minutes(5)))
struct FleetSimulationTests {
    private func result(
        _ requests: [AccessRequest],
        _ policy: SimulationPolicy = .lru,
        near: SimulationCapacity,
        _ fleet: Fleet
    ) async throws -> (whole: SimulationResult, fleet: FleetResult) {
        let results = try await Simulation(policies: [policy], capacities: [near], fleet: fleet)
            .results(of: RequestSource(name: "some", requests, batchCount: 11))
        let whole = try #require(results.first)
        return (whole, try #require(whole.fleet))
    }

    // MARK: Nodes and the tier they share

    @Test func aMissInANearCacheLooksInTheSharedTier() async throws {
        // Key 1 and key 2 belong to different nodes by their hashes, and each request goes to the node of its key.
        let keys = Array([1, 2].flatMap { key in (UInt64(0)..<100).filter { FleetRouter.node(of: $0, nodes: 2) == key - 1 }.prefix(2) })
        let requests = [0, 1, 2, 3, 0, 1].map { AccessRequest(key: keys[$0], size: 10) }
        let (whole, fleet) = try await result(requests, near: .count(1), Fleet(nodes: 2, shared: .count(4)))
        #expect(whole.hits == 2 && fleet.sharedHits == 2 && fleet.originLoads == 4)
        #expect(fleet.bytesFromShared == 20 && fleet.bytesToShared == 40 && fleet.mostLoadsOfAKey == 1 && fleet.loadsPerKey == 1)
        let (alone, apart) = try await result(requests, near: .count(1), Fleet(nodes: 2))
        #expect(alone.hits == 0 && apart.sharedHits == nil && apart.originLoads == 6 && apart.mostLoadsOfAKey == 2)
        #expect(apart.bytesToShared == 0 && apart.originLoadsWithoutLeases == nil && alone.sharedHitRatio == nil)
    }

    @Test func withoutASharedTierEachNodeLoadsAKeyThatIsSentToAll() async throws {
        let requests = (0..<100).map { AccessRequest(key: 1, time: $0) }
        let (whole, fleet) = try await result(requests, near: .count(3), Fleet(nodes: 4, route: .random))
        #expect(whole.hits == 96 && fleet.originLoads == 4 && fleet.mostLoadsOfAKey == 4 && fleet.keyCount == 1)
        let (shared, one) = try await result(requests, near: .count(3), Fleet(nodes: 4, shared: .count(1), route: .random))
        #expect(shared.hits == 99 && one.originLoads == 1 && one.sharedHits == 3)
    }

    @Test func aWriteLeavesTheObjectInOneNodeAndInTheSharedTier() async throws {
        var requests = (0..<60).map { _ in AccessRequest(key: 1) }
        requests.append(AccessRequest(key: 1, kind: .write))
        requests += (0..<60).map { _ in AccessRequest(key: 1) }
        let (_, fleet) = try await result(requests, near: .count(3), Fleet(nodes: 4, shared: .count(3), route: .random))
        #expect(fleet.originLoads == 1 && fleet.sharedHits == 3 + 3)
        requests[60].kind = .removal
        let (_, emptied) = try await result(requests, near: .count(3), Fleet(nodes: 4, shared: .count(3), route: .random))
        #expect(emptied.originLoads == 2 && emptied.sharedHits == 3 + 3)
    }

    @Test func nodesOfAnInclusiveFleetDropWhatTheSharedTierEvicts() async throws {
        // Key 1 is used only in the near cache, so the shared tier evicts it for key 3.
        let requests = [1, 2, 1, 3, 1].map { AccessRequest(key: $0) }
        let (_, apart) = try await result(requests, near: .count(3), Fleet(nodes: 1, shared: .count(2)))
        let (_, inclusive) = try await result(requests, near: .count(3), Fleet(nodes: 1, shared: .count(2), isInclusive: true))
        #expect(apart.originLoads == 3 && inclusive.originLoads == 4)
    }

    // MARK: Leases

    @Test func withoutLeasesEveryNodeLoadsAKeyThatIsBeingLoaded() async throws {
        // The load runs for 50 ms, and all nodes ask in this time. A node that first asks later
        // finds the object in the shared tier.
        let early = (0..<100).map { AccessRequest(key: 1, time: $0 / 2, cost: 50_000) }
        let (_, fleet) = try await result(early, near: .count(3), Fleet(nodes: 4, shared: .count(3), route: .random))
        #expect(fleet.hasLoadTimes && fleet.originLoads == 1 && fleet.originLoadsWithoutLeases == 4)
        let late = (0..<100).map { AccessRequest(key: 1, time: $0 * 50, cost: 50_000) }
        let (_, calm) = try await result(late, near: .count(3), Fleet(nodes: 4, shared: .count(3), route: .random))
        #expect(calm.originLoads == 1 && calm.originLoadsWithoutLeases == 1)
    }

    @Test(arguments: [AccessRequest(key: 1, time: 5), AccessRequest(key: 1, cost: 50_000), AccessRequest(key: 1, time: 5, cost: 0)])
    func withoutTimesOrCostsThereAreAsManyLoadsWithoutLeases(request: AccessRequest) async throws {
        let requests = Array(repeating: request, count: 50)
        let (_, fleet) = try await result(requests, near: .count(3), Fleet(nodes: 4, shared: .count(3), route: .random))
        #expect(!fleet.hasLoadTimes && fleet.originLoads == 1 && fleet.originLoadsWithoutLeases == 1)
    }

    @Test func requestsInOneNodeJoinALoadThatRuns() async throws {
        // The object is too large for both tiers, and its load runs for 10 ms.
        let requests = [0, 3, 9, 10, 30].map { AccessRequest(key: 1, size: 500, time: $0, cost: 10_000) }
        let (whole, fleet) = try await result(requests, near: .bytes(100), Fleet(nodes: 1, shared: .bytes(200)))
        #expect(whole.hits == 0 && fleet.originLoads == 3 && fleet.originLoadsWithoutLeases == 3)
    }

    // MARK: The same as other replays

    @Test(arguments: [SimulationPolicy.lru, .hoard])
    func aFleetOfOneNodeIsAMemoryAboveADisk(policy: SimulationPolicy) async throws {
        for seed in UInt64(0)..<6 {
            let requests = randomFullRequests(count: 3000, seed: seed)
            let capacities: [(SimulationCapacity, SimulationCapacity)] = [
                (.count(10), .count(30)), (.bytes(300), .count(25)), (.percent(10), .percentOfBytes(30)),
            ]
            for (near, shared) in capacities {
                let one = Fleet(nodes: 1, shared: shared, route: seed % 2 == 0 ? .hash : .random)
                let (whole, fleet) = try await result(requests, policy, near: near, one)
                var tiered = try #require(
                    await Simulation(policies: [policy], capacities: [near], disk: shared).results(of: RequestSource(name: "some", requests)).first
                )
                #expect(fleet.sharedHits == tiered.diskHits && fleet.bytesFromShared == tiered.diskHitBytes, "seed \(seed), \(near) over \(shared)")
                (tiered.diskHits, tiered.diskHitBytes, tiered.fleet) = (nil, nil, whole.fleet)
                #expect(whole == tiered, "seed \(seed), \(near) over \(shared)")
            }
        }
    }

    @Test(arguments: [SimulationPolicy.lru, .hoard])
    func aFleetWithoutASharedTierIsACacheForEachPartOfTheKeys(policy: SimulationPolicy) async throws {
        for seed in UInt64(0)..<6 {
            let requests = randomFullRequests(count: 3000, seed: seed)
            let (whole, _) = try await result(requests, policy, near: .bytes(150), Fleet(nodes: 3))
            // A request without a time has the time of the last request, which another node may have received.
            var completed = RequestBatch(requests)
            var completer = RequestCompleter()
            completer.complete(&completed)
            var (hits, expired) = (0, 0)
            for node in 0..<3 {
                let part = completed.requests.filter { FleetRouter.node(of: $0.key, nodes: 3) == node }
                let results = try await Simulation(policies: [policy], capacities: [.bytes(150)]).results(of: RequestSource(name: "some", part))
                hits += try #require(results.first).hits
                expired += try #require(results.first?.expired)
            }
            #expect(whole.hits == hits && whole.expired == expired, "seed \(seed)")
        }
    }

    @Test(arguments: [FleetRoute.hash, .random])
    func aFleetAgreesWithItsModel(route: FleetRoute) async throws {
        for seed in UInt64(0)..<12 {
            let requests = randomFullRequests(count: 2500, seed: seed)
            for (near, shared) in [(SimulationCapacity.count(6), SimulationCapacity.count(20)), (.bytes(200), .bytes(600)), (.count(6), nil)] {
                let fleet = Fleet(nodes: 1 + Int(seed % 5), shared: shared, route: route, isInclusive: seed % 2 == 1)
                let (whole, result) = try await result(requests, near: near, fleet)
                for hasLeases in [true, false] {
                    let model = model(fleet, near: near, hasLeases: hasLeases, of: requests)
                    let place: Comment = "seed \(seed), \(fleet), near \(near), leases \(hasLeases)"
                    #expect(whole.hits == model.hits && whole.expired == model.expired && result.keyCount == model.keyCount, place)
                    #expect(result.sharedHits == shared.map { _ in model.sharedHits }, place)
                    let loads = hasLeases ? result.originLoads : result.originLoadsWithoutLeases
                    #expect(loads == model.loads || (loads == nil && shared == nil), place)
                    guard hasLeases else { continue }
                    #expect(result.mostLoadsOfAKey == model.mostLoadsOfAKey, place)
                    #expect(result.bytesFromShared == model.bytesFromShared && result.bytesToShared == model.bytesToShared, place)
                }
                if shared != nil, fleet.nodes > 1, route == .random { #expect(result.originLoads < result.originLoadsWithoutLeases ?? 0) }
            }
        }
    }

    private func model(_ fleet: Fleet, near: SimulationCapacity, hasLeases: Bool, of requests: [AccessRequest]) -> FleetModel {
        func tier(_ capacity: SimulationCapacity) -> FleetModel.Tier {
            FleetModel.Tier(capacity: capacity.resolved(keyCount: 0), countsBytes: capacity.countsBytes)
        }
        let shared = fleet.shared.map(tier)
        var model = FleetModel(nodes: fleet.nodes, near: tier(near), shared: shared, hasLeases: hasLeases, isInclusive: fleet.isInclusive)
        var router = FleetRouter(fleet)
        var batch = RequestBatch(requests)
        var completer = RequestCompleter()
        completer.complete(&batch)
        for request in batch.requests { model.replay(request, at: router.node(for: request.key)) }
        return model
    }
}

@Suite("FleetRouter", .timeLimit(.minutes(5)))
struct FleetRouterTests {
    @Test(arguments: [FleetRoute.hash, .random])
    func nodesGetAboutEquallyManyRequests(route: FleetRoute) {
        var router = FleetRouter(Fleet(nodes: 5, route: route))
        var counts = Array(repeating: 0, count: 5)
        for key in UInt64(0)..<10_000 { counts[router.node(for: key)] += 1 }
        #expect(counts.allSatisfy { (1_800...2_200).contains($0) }, "\(counts)")
    }

    @Test func aNodeMoreTakesKeysOverAndMovesNoOthers() {
        let moved = (UInt64(0)..<10_000).filter { FleetRouter.node(of: $0, nodes: 4) != FleetRouter.node(of: $0, nodes: 5) }
        #expect((1_800...2_200).contains(moved.count), "\(moved.count)")
        #expect(moved.allSatisfy { FleetRouter.node(of: $0, nodes: 5) == 4 })
    }

    @Test func aRandomRouteIsTheSameInEveryRun() {
        var routers = (FleetRouter(Fleet(nodes: 7, route: .random)), FleetRouter(Fleet(nodes: 7, route: .random)))
        #expect((0..<200).allSatisfy { routers.0.node(for: $0) == routers.1.node(for: 1000 - $0) })
    }

    @Test func aRouteHasAName() {
        #expect(FleetRoute.all.map(\.description) == ["hash", "random"])
        #expect(FleetRoute(name: "Random") == .random && FleetRoute(name: "ring") == nil)
    }
}
