// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Finds the slots of sampled objects by their hashes: open addressing with linear probing, at most half full, of a fixed size.
struct SampleTable: Sendable {
    private static let free = UInt32.max

    /// The slots, and ``free``.
    private var cells: [UInt32]
    private let mask: Int

    init(capacity: Int) {
        var size = 16
        while size < capacity * 2 { size *= 2 }
        cells = Array(repeating: Self.free, count: size)
        mask = size - 1
    }

    /// The slot of a hash. O(1).
    func slot(of hash: UInt64, in hashes: [UInt64]) -> Int? {
        var position = home(hash)
        while cells[position] != Self.free {
            let slot = Int(cells[position])
            if hashes[slot] == hash { return slot }
            position = (position &+ 1) & mask
        }
        return nil
    }

    /// Adds a slot whose hash is not in the table. O(1).
    mutating func insert(_ slot: Int, in hashes: [UInt64]) {
        var position = home(hashes[slot])
        while cells[position] != Self.free { position = (position &+ 1) & mask }
        cells[position] = UInt32(slot)
    }

    /// Removes a slot that is in the table. O(1).
    mutating func remove(_ slot: Int, in hashes: [UInt64]) {
        var hole = home(hashes[slot])
        while cells[hole] != UInt32(slot) {
            guard cells[hole] != Self.free else { return }
            hole = (hole &+ 1) & mask
        }
        // Moves back those behind the hole that may not stand behind a free cell.
        var position = (hole &+ 1) & mask
        while cells[position] != Self.free {
            let distance = (position &- home(hashes[Int(cells[position])])) & mask
            if distance >= (position &- hole) & mask {
                cells[hole] = cells[position]
                hole = position
            }
            position = (position &+ 1) & mask
        }
        cells[hole] = Self.free
    }

    /// The upper half of a hash chooses the sample, and says nothing new within it.
    private func home(_ hash: UInt64) -> Int { Int(truncatingIfNeeded: hash) & mask }

    var byteCount: Int { cells.count * MemoryLayout<UInt32>.stride }
}
