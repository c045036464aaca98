// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// A set of small numbers that counts those above any of them: a bit for each, and a Fenwick tree over words of 64.
///
/// Fenwick: A New Data Structure for Cumulative Frequency Tables, Software: Practice and Experience 1994.
struct LivePlaces: Sendable {
    private var words: [UInt64]
    /// At *i*, how many bits are set in the words from *i* − (*i* & −*i*) to *i* − 1.
    private var tree: [Int32]
    private(set) var count: Int

    /// The numbers from 0 up to the count, in a set that has room for the capacity.
    init(count: Int, capacity: Int) {
        self.count = count
        words = (0..<(capacity + 63) / 64).map { word in
            let bits = min(max(count - word * 64, 0), 64)
            return bits == 64 ? .max : (1 << UInt64(bits)) - 1
        }
        tree = [0] + words.map { Int32($0.nonzeroBitCount) }
        for node in 1..<max(tree.count, 1) {
            let parent = node + (node & -node)
            if parent < tree.count { tree[parent] += tree[node] }
        }
    }

    func contains(_ place: Int) -> Bool { words[place >> 6] & Self.bit(place) != 0 }

    /// Adds a number that is not in the set. O(log *n*).
    mutating func insert(_ place: Int) {
        words[place >> 6] |= Self.bit(place)
        count += 1
        change(place, by: 1)
    }

    /// Removes a number that is in the set. O(log *n*).
    mutating func remove(_ place: Int) {
        words[place >> 6] &= ~Self.bit(place)
        count -= 1
        change(place, by: -1)
    }

    /// How many numbers of the set are larger. O(log *n*).
    func count(above place: Int) -> Int {
        // The bits of the word up to the place, itself included.
        var below = (words[place >> 6] & (Self.bit(place) | (Self.bit(place) - 1))).nonzeroBitCount
        var node = place >> 6
        while node > 0 {
            below += Int(tree[node])
            node &= node - 1
        }
        return count - below
    }

    private mutating func change(_ place: Int, by change: Int32) {
        var node = (place >> 6) + 1
        while node < tree.count {
            tree[node] += change
            node += node & -node
        }
    }

    private static func bit(_ place: Int) -> UInt64 { 1 << UInt64(place & 63) }
}
