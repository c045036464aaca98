// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard

extension SimulationPolicy {
    /// An empty cache that replays requests with this policy.
    ///
    /// - Parameters:
    ///   - capacity: A number of keys, or of bytes if the policy is to count those, and can.
    ///   - nextUses: The next uses of all requests, for a policy that needs them.
    ///   - held: All requests, for a policy that needs them.
    func makeReplay(capacity: Int, countsBytes: Bool = false, nextUses: [UInt32] = [], held: HeldTrace? = nil) -> any Replaying {
        if countsBytes, needsNextUses, let held { return FootprintBound(held, nextUses: nextUses, capacity: capacity) }
        return countsBytes ? makeByteReplay(capacity: capacity) : makeKeyReplay(capacity: capacity, nextUses: nextUses)
    }

    private func makeKeyReplay(capacity: Int, nextUses: [UInt32]) -> any Replaying {
        switch base {
        case .hoard, .hoardBytes: Replay(HoardPolicy(capacity: capacity), reclaims: true)
        // AdaptSize and PFOO-L count bytes, and are not asked for in keys.
        case .lru, .adaptsize, .pfooL: Replay(LRUPolicy(capacity: capacity))
        case .fifo: Replay(FIFOPolicy(capacity: capacity))
        case .clock: Replay(ClockPolicy(capacity: capacity))
        case .sieve: Replay(SievePolicy(capacity: capacity))
        case .s3fifo: Replay(S3FIFOPolicy(capacity: capacity))
        case .merlin: Replay(MerlinPolicy(capacity: capacity))
        case .arc: Replay(ARCPolicy(capacity: capacity))
        case .lirs: Replay(LIRSPolicy(capacity: capacity))
        case .tinylfu: Replay(TinyLFUPolicy(capacity: capacity))
        case .gdsf: Replay(GDSFPolicy(capacity: capacity))
        case .lhd: Replay(LHDPolicy(capacity: capacity))
        case .opt: Replay(OptimalPolicy(capacity: capacity, nextUses: nextUses))
        }
    }

    private func makeByteReplay(capacity: Int) -> any Replaying {
        switch base {
        case .hoard: Replay(HoardPolicy(byteCapacity: capacity, favouring: .objects), countsBytes: true, reclaims: true)
        case .hoardBytes: Replay(HoardPolicy(byteCapacity: capacity, favouring: .bytes), countsBytes: true, reclaims: true)
        case .fifo: Replay(FIFOPolicy(byteCapacity: capacity), countsBytes: true)
        case .clock: Replay(ClockPolicy(byteCapacity: capacity), countsBytes: true)
        case .sieve: Replay(SievePolicy(byteCapacity: capacity), countsBytes: true)
        case .s3fifo: Replay(S3FIFOPolicy(byteCapacity: capacity), countsBytes: true)
        case .merlin: Replay(MerlinPolicy(byteCapacity: capacity), countsBytes: true)
        case .tinylfu: Replay(TinyLFUPolicy(byteCapacity: capacity), countsBytes: true)
        case .gdsf: Replay(GDSFPolicy(capacity: capacity), countsBytes: true)
        case .lhd: Replay(LHDPolicy(capacity: capacity), countsBytes: true)
        case .adaptsize: Replay(AdaptSizePolicy(byteCapacity: capacity), countsBytes: true)
        // ARC and LIRS count keys, and are not asked for in bytes; the bounds have been made above.
        case .lru, .arc, .lirs, .opt, .pfooL: Replay(LRUPolicy(byteCapacity: capacity), countsBytes: true)
        }
    }

    /// An empty fleet with this policy in each node; `nil` if the policy cannot be that of a node.
    ///
    /// - Parameter sharedCapacity: The capacity of the shared tier, in the unit of the fleet's capacity; `nil` if there
    ///   is none.
    func makeReplay(_ fleet: Fleet, capacity: Int, countsBytes: Bool, sharedCapacity: Int?) -> (any Replaying)? {
        // Each node needs a cache of its own.
        func nodes<Near: ReplacementPolicy>(_ near: () -> Near) -> any Replaying {
            // As ``Replay`` does for the cache of this package. Above a shared tier an expired object takes its room until it is asked for.
            let reclaims = base != .lru && fleet.shared == nil
            let nodes = (0..<fleet.nodes).map { _ in ExpiringCache(near(), countsBytes: countsBytes, reclaims: reclaims) }
            return fleet.shared?.countsBytes == true
                ? FleetReplay(fleet, nodes: nodes, shared: sharedCapacity.map { ExpiringCache(LRUPolicy(byteCapacity: $0), countsBytes: true) })
                : FleetReplay(fleet, nodes: nodes, shared: sharedCapacity.map { ExpiringCache(LRUPolicy(capacity: $0), countsBytes: false) })
        }
        switch (base, countsBytes) {
        case (.lru, false): return nodes { LRUPolicy(capacity: capacity) }
        case (.lru, true): return nodes { LRUPolicy(byteCapacity: capacity) }
        case (.hoard, false): return nodes { HoardPolicy(capacity: capacity) }
        case (.hoard, true): return nodes { HoardPolicy(byteCapacity: capacity, favouring: .objects) }
        case (.hoardBytes, true): return nodes { HoardPolicy(byteCapacity: capacity, favouring: .bytes) }
        default: return nil
        }
    }
}
