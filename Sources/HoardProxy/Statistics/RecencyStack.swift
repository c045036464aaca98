// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Objects in the order of their last use, with the bytes of those that were used after any of them in O(log *n*).
///
/// Each use takes the next place in a row; a Fenwick tree (Fenwick: A New Data Structure for Cumulative Frequency Tables, Software: Practice and Experience
/// 24(3), 1994) holds the bytes at each place. When the row is full the objects move together at its beginning, which costs O(1) for each use since.
struct RecencyStack: Sendable {
    private static let none = UInt32.max

    /// The slot at each place.
    private var slots: [UInt32]
    /// The Fenwick tree, counted from 1.
    private var tree: [Int]
    /// For each slot, its place and its bytes.
    private var places: [UInt32]
    private(set) var bytes: [Int]
    private var nextPlace = 0
    /// No object is at a place before it.
    private var firstPlace = 0
    private(set) var totalBytes = 0
    private(set) var count = 0

    /// - Parameter capacity: How many slots there are.
    init(capacity: Int) {
        slots = Array(repeating: Self.none, count: capacity * 2)
        tree = Array(repeating: 0, count: capacity * 2 + 1)
        places = Array(repeating: Self.none, count: capacity)
        bytes = Array(repeating: 0, count: capacity)
    }

    /// The bytes of all objects that were used later than this one. O(log *n*).
    func bytesAbove(_ slot: Int) -> Int {
        var sum = 0
        var index = Int(places[slot]) + 1
        while index > 0 {
            sum &+= tree[index]
            index &= index &- 1
        }
        return totalBytes - sum
    }

    /// Makes an object the one that was used last, with so many bytes. O(log *n*), amortized.
    mutating func use(_ slot: Int, bytes newBytes: Int) {
        remove(slot)
        if nextPlace == slots.count { moveTogether() }
        slots[nextPlace] = UInt32(slot)
        places[slot] = UInt32(nextPlace)
        bytes[slot] = newBytes
        add(newBytes, at: nextPlace)
        nextPlace += 1
        totalBytes += newBytes
        count += 1
    }

    /// Takes an object out, if it is in. O(log *n*).
    mutating func remove(_ slot: Int) {
        guard places[slot] != Self.none else { return }
        let place = Int(places[slot])
        add(-bytes[slot], at: place)
        slots[place] = Self.none
        places[slot] = Self.none
        totalBytes -= bytes[slot]
        count -= 1
    }

    /// The object that has not been used for longest. O(1), amortized.
    mutating func oldest() -> Int? {
        while firstPlace < nextPlace {
            if slots[firstPlace] != Self.none { return Int(slots[firstPlace]) }
            firstPlace += 1
        }
        return nil
    }

    private mutating func add(_ difference: Int, at place: Int) {
        var index = place + 1
        while index < tree.count {
            tree[index] &+= difference
            index &+= (index & -index)
        }
    }

    private mutating func moveTogether() {
        var place = 0
        for old in slots.indices where slots[old] != Self.none {
            let slot = slots[old]
            slots[old] = Self.none
            slots[place] = slot
            places[Int(slot)] = UInt32(place)
            place += 1
        }
        nextPlace = place
        firstPlace = 0
        for index in 1..<tree.count { tree[index] = index <= place ? bytes[Int(slots[index - 1])] : 0 }
        for index in 1..<tree.count {
            let parent = index + (index & -index)
            if parent < tree.count { tree[parent] &+= tree[index] }
        }
    }

    var byteCount: Int { (slots.count + places.count) * MemoryLayout<UInt32>.stride + (tree.count + bytes.count) * MemoryLayout<Int>.stride }
}
