// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Estimates how often keys were used lately: a count-min sketch of four rows whose counters have an end, and are halved again and again.
///
/// Einziger, Friedman, Manes: TinyLFU: A Highly Efficient Cache Admission Policy, ACM TOS 13(4), 2017. The width of a row is four times the
/// number of entries. Unless told otherwise, counters end at 15 and are halved after ten times as many additions, as in Caffeine.
struct CountingSketch: Sendable {
    static let rowCount = 4

    private let maximum: UInt8
    private let halvesByItself: Bool
    /// Row by row. Empty until the number of entries is known.
    private var counters: [UInt8] = []
    private(set) var width = 0
    private var entryCount = 0
    private var additions = 0

    /// - Parameters:
    ///   - maximum: Where counters end.
    ///   - halvesByItself: Whether counters are halved after so many additions, and not only on demand.
    init(maximum: UInt8 = 15, halvesByItself: Bool = true) {
        self.maximum = maximum
        self.halvesByItself = halvesByItself
    }

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

    /// The number of times that a key was used, the maximum at most, and 0 while the sketch is empty.
    func count(of key: UInt64) -> Int {
        guard !isEmpty else { return 0 }
        let hash = mixed(key)
        return (0..<Self.rowCount).reduce(Int(maximum)) { min($0, Int(counters[Self.place(hash, row: $1, width: width)])) }
    }

    /// Counts a use of a key.
    mutating func add(_ key: UInt64) {
        guard !isEmpty else { return }
        let hash = mixed(key)
        var hasChanged = false
        for row in 0..<Self.rowCount {
            let place = Self.place(hash, row: row, width: width)
            guard counters[place] < maximum else { continue }
            counters[place] += 1
            hasChanged = true
        }
        guard hasChanged, halvesByItself else { return }
        additions += 1
        if additions >= period { halve() }
    }

    /// Halves all counters. O(*n*).
    mutating func halve() {
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
