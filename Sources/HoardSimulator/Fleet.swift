// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Several processes, each with a near cache, and the shared tier between them and the origin, if there is one.
///
/// A hit in a node's near cache does not reach the shared tier, whose order it leaves alone. A miss looks there: a hit is brought into the near
/// cache, and stays in the shared tier; a miss loads the object, and writes it to both. Each tier evicts on its own, unless the
/// fleet is inclusive. A write brings the object
/// into the node that got it and into the shared tier, and removes it from all other nodes; a removal concerns all. The nodes are taken to
/// hear of it at once, which in a real fleet takes the time of a message.
///
/// ```swift
/// let fleet = Fleet(nodes: 4, shared: .bytes(1 << 30), route: .random)
/// let results = try await Simulation(policies: [.hoard], capacities: [.bytes(64 << 20)], fleet: fleet).results(of: reader)
/// ```
public struct Fleet: Hashable, Sendable {
    /// The most nodes there can be.
    public static let maximumNodes = 1_000

    /// The number of nodes.
    public let nodes: Int
    /// The capacity of the shared tier, which evicts the least recently used object; `nil` if there is none.
    public let shared: SimulationCapacity?
    /// The node that gets a request.
    public let route: FleetRoute
    /// Whether nodes drop objects that the shared tier evicts. A Redis tells its clients of evicted keys as it does of
    /// removed ones.
    public let isInclusive: Bool

    /// - Parameter nodes: From 1 to ``maximumNodes``.
    public init(nodes: Int, shared: SimulationCapacity? = nil, route: FleetRoute = .hash, isInclusive: Bool = false) {
        precondition((1...Self.maximumNodes).contains(nodes), "A fleet has from 1 to \(Self.maximumNodes) nodes, not \(nodes).")
        self.nodes = nodes
        self.shared = shared
        self.route = route
        self.isInclusive = isInclusive
    }
}

/// How the requests of an access trace are spread over the nodes of a ``Fleet``.
public struct FleetRoute: Hashable, Sendable, CustomStringConvertible {
    /// The name on the command line.
    public let description: String

    /// All requests for a key go to the same node, which a consistent hash of the key decides.
    public static var hash: Self { Self(description: #function) }
    /// Each request goes to any node, with the same chance, and to the same one in every run.
    public static var random: Self { Self(description: #function) }

    /// All routes.
    public static var all: [Self] { [hash, random] }

    /// The route of that name; `nil` if there is none.
    public init?(name: String) {
        guard let route = Self.all.first(where: { $0.description == name.lowercased() }) else { return nil }
        self = route
    }

    private init(description: String) { self.description = description }
}
