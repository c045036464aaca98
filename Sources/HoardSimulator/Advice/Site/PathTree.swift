// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The paths of a site, with the figures of each: a bounded number, of which advice can name the beginnings.
///
/// A node is a beginning of paths that ends with a slash, or a whole path. A node has 64 below it at most, and there
/// are four levels; a path that finds no room counts for the node above.
struct PathTree: Sendable {
    private static let childLimit = 64
    private static let depthLimit = 4

    private struct Node: Sendable {
        /// The whole beginning, from the first slash.
        let path: String
        let depth: Int
        var children: [[UInt8]: Int] = [:]
        /// Of those requests only that no child counts.
        var figures = PathFigures()
    }

    private var nodes = [Node(path: "/", depth: 0)]
    /// The number of nodes.
    var count: Int { nodes.count }

    /// The beginning that a node stands for.
    func path(_ node: Int) -> String { nodes[node].path }

    /// Finds the node that counts the requests for a path. O(length of the path).
    mutating func node(for path: [UInt8]) -> Int {
        var node = 0
        var start = 1
        while start < path.count, nodes[node].depth < Self.depthLimit {
            let end = path[start...].firstIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? path.count
            let name = Array(path[start..<end])
            if let child = nodes[node].children[name] {
                node = child
            } else {
                guard nodes[node].children.count < Self.childLimit else { return node }
                nodes.append(Node(path: nodes[node].path + String(decoding: name, as: UTF8.self), depth: nodes[node].depth + 1))
                nodes[node].children[name] = nodes.count - 1
                node = nodes.count - 1
            }
            start = end
        }
        return node
    }

    /// Changes the figures of a node.
    mutating func note(_ node: Int, _ change: (inout PathFigures) -> Void) {
        change(&nodes[node].figures)
    }

    /// The figures of a node without all below it.
    func ownFigures(_ node: Int) -> PathFigures { nodes[node].figures }

    /// The figures of each node with those of all below it.
    func sums() -> [PathFigures] {
        var sums = nodes.map(\.figures)
        // Children come after their parents.
        for parent in nodes.indices.reversed() {
            for child in nodes[parent].children.values { sums[parent].add(sums[child]) }
        }
        return sums
    }

    /// The nodes right below another one, in the order of their paths.
    func children(of node: Int) -> [Int] {
        nodes[node].children.values.sorted { nodes[$0].path < nodes[$1].path }
    }
}
