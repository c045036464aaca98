// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Estimates how often a key has been seen lately, also when it is not in the cache.
///
/// A count-min sketch of 4-bit counters in four rows (Cormode and Muthukrishnan, "An Improved Data Stream Summary: The Count-Min
/// Sketch and its Applications", Journal of Algorithms 55(1), 2005). An estimate is never too low, but for counters that have
/// reached 15. After 20 additions per entry of the cache all counters are halved, so that old popularity
/// fades (the *reset* of TinyLFU, Einziger, Friedman and Manes 2017).
///
/// Memory: 2 bytes times ``countersPerEntry(forCapacity:)`` for each entry the cache can hold.
struct FrequencySketch: Sendable {
    /// 16 counters to a word; the rows follow each other.
    private var words: [UInt64]
    /// Counters in a row.
    private let width: UInt32
    private let period: Int
    private var additions = 0

    private static let rowCount = 4
    private static let additionsPerEntry = 20

    /// Entries of the cache, or of its part, that the sketch serves.
    let capacity: Int

    /// - Parameter total: The capacity of the whole cache, which decides about ``countersPerEntry(forCapacity:)``.
    init(capacity: Int, ofTotal total: Int) {
        self.capacity = capacity
        let wordsPerRow = max(1, (capacity * Self.countersPerEntry(forCapacity: total) + 15) / 16)
        width = UInt32(wordsPerRow * 16)
        words = Array(repeating: 0, count: wordsPerRow * Self.rowCount)
        period = max(16, capacity * Self.additionsPerEntry)
    }

    /// Counters in each row for each entry of a cache of this capacity.
    ///
    /// Twice the counters are worth 0.1 to 0.3 points of hit ratio (docs/decisions.md); the larger the cache, the more its memory matters.
    static func countersPerEntry(forCapacity capacity: Int) -> Int {
        capacity <= 1 << 15 ? 8 : capacity <= 1 << 19 ? 4 : 2
    }

    /// How often the key with this hash has been seen: 0 to 15.
    func estimate(_ hash: UInt32) -> Int {
        words.withUnsafeBufferPointer { words in
            var least: UInt64 = 15
            for row in 0..<Self.rowCount {
                let (word, shift) = position(hash, row)
                least = min(least, words[word] &>> shift & 15)
            }
            return Int(truncatingIfNeeded: least)
        }
    }

    mutating func add(_ hash: UInt32) {
        let (width, rows) = (width, Self.rowCount)
        words.withUnsafeMutableBufferPointer { words in
            for row in 0..<rows {
                let (word, shift) = Self.position(hash, row, width: width)
                if words[word] &>> shift & 15 < 15 { words[word] &+= 1 &<< shift }
            }
        }
        additions &+= 1
        if additions >= period { halve() }
    }

    mutating func add(_ hash: UInt32, times: Int) {
        for _ in 0..<max(0, min(15, times)) { add(hash) }
    }

    private mutating func halve() {
        additions = 0
        for word in words.indices { words[word] = words[word] &>> 1 & 0x7777_7777_7777_7777 }
    }

    @inline(__always)
    private func position(_ hash: UInt32, _ row: Int) -> (word: Int, shift: UInt64) {
        Self.position(hash, row, width: width)
    }

    @inline(__always)
    private static func position(_ hash: UInt32, _ row: Int, width: UInt32) -> (word: Int, shift: UInt64) {
        let mixed = (UInt64(hash) &+ 1) &* multiplier(row)
        let counter = UInt32(truncatingIfNeeded: ((mixed &>> 32) &* UInt64(width)) &>> 32)
        return (row &* (Int(width) &>> 4) &+ Int(counter &>> 4), UInt64(counter & 15) &<< 2)
    }

    /// Odd constants with evenly spread bits, one for each row: the golden ratio's, and the primes of two well-known hash functions.
    @inline(__always)
    private static func multiplier(_ row: Int) -> UInt64 {
        switch row {
        case 0: 0x9E37_79B9_7F4A_7C15
        case 1: 0xC2B2_AE3D_27D4_EB4F
        case 2: 0x1656_67B1_9E37_79F9
        default: 0xD6E8_FEB8_6659_FD93
        }
    }

    /// Bytes of the counters.
    var byteCount: Int { words.count * 8 }
}
