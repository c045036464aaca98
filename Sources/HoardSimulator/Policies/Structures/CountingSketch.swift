// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Estimates how often keys were used lately: a count-min sketch of four rows whose counters end at 15, and are halved again and again.
///
/// Einziger, Friedman, Manes: TinyLFU: A Highly Efficient Cache Admission Policy, ACM TOS 13(4), 2017. The width of a row is four times the
/// number of entries, and the counters are halved after ten times as many additions, as in Caffeine.
struct CountingSketch: Sendable {
    static let rowCount = 4
    private static let maximum: UInt8 = 15

    /// Row by row. Empty until the number of entries is known.
    private var counters: [UInt8] = []
    private(set) var width = 0
    private var entryCount = 0
    private var additions = 0

    /// After how many additions the counters are halved.
    var period: Int { 10 * max(1, entryCount) }
    var isEmpty: Bool { width == 0 }

    /// Makes the sketch wide enough for so many entries. It begins anew if it was not.
    mutating func reserve(_ entries: Int) {
        guard entries * 4 > width else { return }
        width = 32
        while width < entries * 4 { width *= 2 }
        entryCount = entries
        additions = 0
        counters = Array(repeating: 0, count: width * Self.rowCount)
    }

    /// The number of times that a key was used, 15 at most, and 0 while the sketch is empty.
    func count(of key: UInt64) -> Int {
        guard !isEmpty else { return 0 }
        let hash = mixed(key)
        return (0..<Self.rowCount).reduce(Int(Self.maximum)) { min($0, Int(counters[Self.place(hash, row: $1, width: width)])) }
    }

    /// Counts a use of a key.
    mutating func add(_ key: UInt64) {
        guard !isEmpty else { return }
        let hash = mixed(key)
        var hasChanged = false
        for row in 0..<Self.rowCount {
            let place = Self.place(hash, row: row, width: width)
            guard counters[place] < Self.maximum else { continue }
            counters[place] += 1
            hasChanged = true
        }
        guard hasChanged else { return }
        additions += 1
        if additions >= period { halve() }
    }

    private mutating func halve() {
        var odd = 0
        for place in counters.indices {
            odd += Int(counters[place] & 1)
            counters[place] >>= 1
        }
        // Half of each odd counter is lost, and there are four for each addition.
        additions = (additions - odd / Self.rowCount) / 2
    }

    /// The place of a counter in the row that begins at a multiple of the width.
    static func place(_ hash: UInt64, row: Int, width: Int) -> Int {
        row * width + Int(truncatingIfNeeded: hash >> UInt64(row * 16) ^ (hash &* 0x9e37_79b9_7f4a_7c15) >> UInt64(8 + row)) & (width - 1)
    }
}
