// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Sends each request of an access trace to a node of a fleet.
struct FleetRouter: Sendable {
    private let nodes: Int
    private let isRandom: Bool
    /// It begins the same in every replay, so that all policies and capacities see the same requests at the same nodes.
    private var random = SplitMix64(state: 1)

    init(_ fleet: Fleet) {
        nodes = fleet.nodes
        isRandom = fleet.route == .random
    }

    /// The node that gets the next request, which is for that key. O(1) at random, O(log *nodes*) by hash.
    mutating func node(for key: UInt64) -> Int {
        isRandom ? random.number(below: nodes) : Self.node(of: key, nodes: nodes)
    }

    /// Spreads keys evenly over nodes, and moves as few as possible when there is one node more.
    ///
    /// Lamping, Veach: A Fast, Minimal Memory, Consistent Hash Algorithm, arXiv 1406.2294, 2014.
    static func node(of key: UInt64, nodes: Int) -> Int {
        var bits = mixed(key)
        var (node, next) = (0, 0)
        while next < nodes {
            node = next
            bits = bits &* 2_862_933_555_777_941_757 &+ 1
            next = Int(Double(node + 1) * (Double(1 << 31) / Double((bits >> 33) + 1)))
        }
        return node
    }
}
