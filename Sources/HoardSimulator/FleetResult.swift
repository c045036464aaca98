// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The part of a result that only a fleet has: hits in its shared tier, loads from the origin, and the bytes between tiers.
public struct FleetResult: Hashable, Sendable {
    /// The fleet that was replayed.
    public let fleet: Fleet
    /// The number of hits that were not in a near cache but in the shared tier; `nil` if there is none.
    public internal(set) var sharedHits: Int?
    /// The number of loads that the nodes sent to the origin. Where there is a shared tier, they have leases: of the nodes that miss a key, one loads it,
    /// and the others wait for it and take it from there.
    ///
    /// In one node, requests for a key that is being loaded join the load. They are misses, and no loads.
    public internal(set) var originLoads: Int
    /// How many loads there would be without leases, when each node that misses a key while another one loads it loads it too; `nil` without a
    /// shared tier. It equals ``originLoads`` if the access trace has no times or no costs: see ``hasLoadTimes``.
    public internal(set) var originLoadsWithoutLeases: Int?
    /// Whether the access trace says when loads ran: it has times and costs.
    public internal(set) var hasLoadTimes: Bool
    /// The number of different keys in the access trace.
    public internal(set) var keyCount: Int
    /// The most loads of one key.
    public internal(set) var mostLoadsOfAKey: Int
    /// The bytes of the hits in the shared tier, which went from there to nodes.
    public internal(set) var bytesFromShared: Int
    /// The bytes of loads and writes, which went from nodes to the shared tier; 0 if there is none.
    public internal(set) var bytesToShared: Int

    /// The average loads of a key.
    public var loadsPerKey: Double { keyCount == 0 ? 0 : Double(originLoads) / Double(keyCount) }
}

extension FleetResult {
    /// A result of a fleet with that tally.
    init(_ fleet: Fleet, tally: HitTally, loads: OriginLoads, bytesToShared: Int) {
        self.fleet = fleet
        sharedHits = fleet.shared.map { _ in tally.lowerHits }
        originLoads = loads.count
        originLoadsWithoutLeases = fleet.shared.map { _ in loads.countWithoutLeases }
        hasLoadTimes = loads.hasTimes
        keyCount = loads.keyCount
        mostLoadsOfAKey = loads.most
        bytesFromShared = tally.lowerBytes
        self.bytesToShared = bytesToShared
    }
}
