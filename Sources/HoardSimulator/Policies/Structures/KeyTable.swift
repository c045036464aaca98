// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// A hash table from keys to small numbers: open addressing with linear probing, at most half full.
///
/// A policy looks into it once per request; it is several times as fast as a `Dictionary`, which hashes to withstand hostile keys.
struct KeyTable: Sendable {
    private struct Cell {
        var key: UInt64
        var value: UInt32
    }

    /// The value of a free cell. No key has it.
    private static let free = UInt32.max

    private var cells = Array(repeating: Cell(key: 0, value: Self.free), count: 16)
    private var mask = 15
    private(set) var count = 0

    /// The value of a key. O(1).
    subscript(key: UInt64) -> Int? {
        var position = home(key)
        while true {
            let cell = cells[position]
            if cell.value == Self.free { return nil }
            if cell.key == key { return Int(cell.value) }
            position = (position + 1) & mask
        }
    }

    /// The value of a key. A new key gets the number of the keys before it, so that the values are those of an array's places. O(1), amortized.
    mutating func number(of key: UInt64) -> Int {
        if let known = self[key] { return known }
        insert(key, count)
        return count - 1
    }

    /// Adds a key that is not in the table. O(1), amortized.
    mutating func insert(_ key: UInt64, _ value: Int) {
        if (count + 1) * 2 > cells.count { grow() }
        place(Cell(key: key, value: UInt32(value)))
        count += 1
    }

    /// Removes a key that is in the table. O(1).
    mutating func remove(_ key: UInt64) {
        var hole = home(key)
        while cells[hole].key != key || cells[hole].value == Self.free { hole = (hole + 1) & mask }
        // Moves back those after the hole that may not stand behind a free cell.
        var position = (hole + 1) & mask
        while cells[position].value != Self.free {
            let distance = (position - home(cells[position].key)) & mask
            if distance >= (position - hole) & mask {
                cells[hole] = cells[position]
                hole = position
            }
            position = (position + 1) & mask
        }
        cells[hole].value = Self.free
        count -= 1
    }

    private func home(_ key: UInt64) -> Int {
        Int(truncatingIfNeeded: mixed(key)) & mask
    }

    private mutating func place(_ cell: Cell) {
        var position = home(cell.key)
        while cells[position].value != Self.free { position = (position + 1) & mask }
        cells[position] = cell
    }

    private mutating func grow() {
        let old = cells
        cells = Array(repeating: Cell(key: 0, value: Self.free), count: old.count * 2)
        mask = cells.count - 1
        for cell in old where cell.value != Self.free { place(cell) }
    }
}

/// A number that looks random, a different one for each key: the finalizer of SplitMix64.
///
/// Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, OOPSLA 2014.
func mixed(_ key: UInt64) -> UInt64 {
    var bits = key &+ 0x9e37_79b9_7f4a_7c15
    bits = (bits ^ (bits >> 30)) &* 0xbf58_476d_1ce4_e5b9
    bits = (bits ^ (bits >> 27)) &* 0x94d0_49bb_1331_11eb
    return bits ^ (bits >> 31)
}
