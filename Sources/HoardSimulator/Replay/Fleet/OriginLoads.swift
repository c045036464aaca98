// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The loads that the nodes of a fleet send to the origin, with leases and without, and those that are under way.
///
/// An object that is being loaded counts as held from the beginning of its load on, in all tiers: requests for it wait, as they do in a cache.
/// So the contents of the tiers are the same with leases and without, and one replay counts both.
struct OriginLoads: Sendable {
    /// A load that may be under way; with leases perhaps a node that waits for another's.
    private struct Flight {
        let node: Int
        /// In milliseconds of the trace.
        let end: Double
    }

    private(set) var count = 0
    private(set) var countWithoutLeases = 0
    /// The most loads of one key, with leases.
    private(set) var most = 0
    /// Whether any load had a time and took some.
    private(set) var hasTimes = false
    /// The loads of each key, by its number.
    private var loads: [UInt32] = []
    /// The loads of each key that have not all ended, and of some that have, by its number.
    private var flights: [Int: [Flight]] = [:]
    /// The most keys that may have flights before those that have ended are dropped.
    private var flightLimit = 1 << 10

    /// How many different keys there were.
    var keyCount: Int { loads.count }

    /// Notes that there is a key with that number.
    mutating func noteKey(_ number: Int) {
        while loads.count <= number { loads.append(0) }
    }

    /// Notes that a node has missed a key that no tier has: it loads it, unless it does so already. O(1), amortized.
    ///
    /// - Returns: Whether it loads it.
    mutating func noteMiss(_ request: AccessRequest, _ number: Int, at node: Int) -> Bool {
        let time = Double(request.time ?? 0)
        let underWay = flights[number]?.filter { $0.end > time } ?? []
        guard underWay.allSatisfy({ $0.node != node }) else { return false }
        flights[number] = underWay.isEmpty ? nil : underWay
        noteLoad(number)
        begin(request, number, at: node)
        return true
    }

    /// Notes that a node has found a key in the shared tier. Without leases it loads it, if no load of the key has ended yet, and none is its own.
    mutating func noteSharedHit(_ request: AccessRequest, _ number: Int, at node: Int) {
        guard let flights = flights[number] else { return }
        let time = Double(request.time ?? 0)
        guard flights.allSatisfy({ $0.end > time && $0.node != node }) else { return }
        countWithoutLeases += 1
        begin(request, number, at: node)
    }

    /// Notes a load in any case, as of an object that cannot be kept.
    mutating func noteLoad(_ number: Int) {
        count += 1
        countWithoutLeases += 1
        loads[number] += 1
        most = max(most, Int(loads[number]))
    }

    /// Notes that a key was written or removed: no request joins the loads that began before.
    mutating func noteChange(_ number: Int) { flights[number] = nil }

    private mutating func begin(_ request: AccessRequest, _ number: Int, at node: Int) {
        guard let time = request.time, let cost = request.cost, cost > 0 else { return }
        hasTimes = true
        flights[number, default: []].append(Flight(node: node, end: Double(time) + Double(cost) / 1000))
        guard flights.count > flightLimit else { return }
        flights = flights.filter { $0.value.contains { $0.end > Double(time) } }
        flightLimit = max(1 << 10, flights.count * 2)
    }
}
