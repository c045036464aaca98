// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Finds parameters of queries that make no difference to the answer: objects that differ in nothing else have the same
/// size.
struct QuerySplits: Sendable {
    /// The counts of a parameter.
    struct Parameter: Sendable {
        /// Sizes of objects that differ in more than this parameter: how many followed each other, and how many of these were the same.
        var others = 0
        var equalOthers = 0
        var lastSize: Int?
        /// The counts of each path.
        var places: [Int: Place] = [:]

        /// The pairs at all paths.
        var pairs: Int { places.values.reduce(0) { $0 + $1.pairs } }
        var equalPairs: Int { places.values.reduce(0) { $0 + $1.equalPairs } }
    }

    /// The counts of a parameter at a path.
    struct Place: Sendable {
        /// Pairs of objects that differ in this parameter alone, and those of them that have the same size.
        var pairs = 0
        var equalPairs = 0

        static func += (place: inout Self, other: Self) {
            place.pairs += other.pairs
            place.equalPairs += other.equalPairs
        }

        /// Whether there are pairs, and nearly all of them have the same size.
        var isEvidence: Bool { pairs > 0 && equalPairs * 10 >= pairs * 9 }
    }

    private struct Joined {
        var size: Int
        var object: UInt64
    }

    /// So many objects without a parameter are known; later ones are not looked at.
    private static let limit = 1 << 20
    /// So many parameters are known. Clients can make names up, so that there is always room for those that ``SplitQueries`` knows by name.
    private static let nameLimit = 256

    private(set) var parameters: [[UInt8]: Parameter] = [:]
    private var joined: [UInt64: Joined] = [:]

    /// Adds an object that has just been asked for the first time.
    ///
    /// - Parameters:
    ///   - node: The node of its path.
    ///   - key: The hash of its whole target.
    ///   - seed: The hash of its host.
    mutating func add(path: [UInt8], query: [UInt8], key: UInt64, seed: UInt64, size: Int, node: Int) {
        let pathHash = path.withSpan { $0.hash(0..<$0.count, seed: seed) }
        var found: [(name: [UInt8], parameter: Range<Int>)] = []
        query.withSpan { span in
            IgnoredParameters.forEachParameter(of: span, 0..<span.count) { parameter, nameEnd in
                let name = Self.family(of: Array(query[parameter.lowerBound..<nameEnd]))
                if found.count < 16 { found.append((name, parameter)) }
            }
        }
        for name in Set(found.map(\.name)) {
            guard parameters[name] != nil || parameters.count < Self.nameLimit || SplitQueries.isKnown(name) else { continue }
            var hash = mixed(pathHash) ^ name.withSpan { $0.hash(0..<$0.count) }
            for other in found where other.name != name {
                hash = mixed(hash) ^ query.withSpan { $0.hash(other.parameter) }
            }
            note(name, joined: hash, key: key, size: size, node: node)
        }
    }

    /// The name of a parameter, or that of all which mark campaigns.
    private static func family(of name: [UInt8]) -> [UInt8] {
        name.starts(with: Array("utm_".utf8)) ? Array("utm_*".utf8) : name
    }

    private mutating func note(_ name: [UInt8], joined hash: UInt64, key: UInt64, size: Int, node: Int) {
        var parameter = parameters[name] ?? Parameter()
        // So that no copy is made of it.
        parameters[name] = nil
        defer { parameters[name] = parameter }
        if let other = joined[hash] {
            guard other.object != key else { return }
            parameter.places[node, default: Place()] += Place(pairs: 1, equalPairs: other.size == size ? 1 : 0)
            joined[hash] = Joined(size: size, object: key)
        } else {
            if joined.count < Self.limit { joined[hash] = Joined(size: size, object: key) }
            if let last = parameter.lastSize {
                parameter.others += 1
                if last == size { parameter.equalOthers += 1 }
            }
            parameter.lastSize = size
            parameter.places[node, default: Place()] += Place()
        }
    }
}
