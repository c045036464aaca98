// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

// The caches of a simulation.
extension Simulation {
    /// A policy at a capacity.
    struct Cell: Sendable {
        let capacity: Int
        let countsBytes: Bool
        let policy: SimulationPolicy
        let replay: any Replaying
    }

    /// Empty caches for each capacity and policy.
    ///
    /// - Parameter held: The whole access trace, if it is in memory.
    func makeCells(for held: HeldTrace?) -> [Cell] {
        let nextUses = policies.contains(where: \.needsNextUses) ? held?.nextUses() ?? [] : []
        let distinctBytes = allCapacities.contains { $0.isRelative && $0.countsBytes } ? held?.distinctBytes() ?? 0 : 0
        func resolved(_ capacity: SimulationCapacity) -> Int {
            capacity.resolved(keyCount: held?.trace.keyCount ?? 0, byteCount: distinctBytes)
        }
        func makeReplay(_ policy: SimulationPolicy, capacity: Int, bytes: Bool) -> (any Replaying)? {
            guard let fleet = tiers else { return policy.makeReplay(capacity: capacity, countsBytes: bytes, nextUses: nextUses, held: held) }
            return policy.makeReplay(fleet, capacity: capacity, countsBytes: bytes, sharedCapacity: fleet.shared.map(resolved))
        }
        var seen: Set<[Int]> = []
        return capacities.flatMap { capacity -> [Cell] in
            let (number, bytes) = (resolved(capacity), capacity.countsBytes)
            guard seen.insert([bytes ? 1 : 0, number]).inserted else { return [] }
            var used: Set<SimulationPolicy> = []
            return policies.compactMap { $0.counting(bytes: bytes) }.filter { used.insert($0).inserted }.compactMap { policy in
                makeReplay(policy, capacity: number, bytes: bytes).map { Cell(capacity: number, countsBytes: bytes, policy: policy, replay: $0) }
            }
        }
    }

    /// The fleet, which one memory level above a disk is too; `nil` for single caches.
    var tiers: Fleet? { fleet ?? disk.map { Fleet(nodes: 1, shared: $0) } }

    /// Whether the access trace is held in memory, as a policy looks into the future or a capacity is a share.
    var needsWholeTrace: Bool { policies.contains(where: \.needsNextUses) || allCapacities.contains(where: \.isRelative) }

    private var allCapacities: [SimulationCapacity] { capacities + [disk, fleet?.shared].compactMap(\.self) }
}
