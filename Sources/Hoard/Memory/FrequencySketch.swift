// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Estimates how often a key has been seen lately, also when it is not in the cache.
///
/// A count-min sketch of 4-bit counters in four rows (Cormode and Muthukrishnan, "An Improved Data Stream Summary: The Count-Min Sketch and its
/// Applications", Journal of Algorithms 55(1), 2005), in blocks. A key's four counters lie in one block of 64 bytes, 32 counters of each row, so that
/// an access costs one cache line or two instead of four. The blocks are the idea of Putze, Sanders and Singler, "Cache-, Hash- and Space-Efficient
/// Bloom Filters", 2007. An estimate is never too low, except for counters that have reached 15. After 20 additions per entry of the cache all
/// counters are halved, so that old popularity fades (the *reset* of TinyLFU, Einziger, Friedman and Manes 2017).
///
/// Memory: 2 bytes times ``countersPerEntry(forCapacity:)`` for each entry the cache can hold. Copies share it.
struct FrequencySketch {
    /// 16 counters to a word, eight words to a block; each row has two words of a block.
    private final class Words {
        let words: UnsafeMutablePointer<UInt64>

        init(count: Int) {
            words = .allocate(capacity: count)
            words.initialize(repeating: 0, count: count)
        }

        deinit { words.deallocate() }
    }

    private let memory: Words
    private let words: UnsafeMutablePointer<UInt64>
    private let wordCount: Int
    private let blockCount: UInt64
    private let period: Int
    private var additions = 0

    private static let wordsPerBlock = 8
    private static let countersPerRowOfBlock = 32
    private static let rowCount = 4
    private static let additionsPerEntry = 20

    /// Entries of the cache, or of its part, that the sketch serves.
    let capacity: Int

    /// - Parameter total: The capacity of the whole cache, which decides about ``countersPerEntry(forCapacity:)``.
    init(capacity: Int, ofTotal total: Int) {
        self.capacity = capacity
        let counters = capacity * Self.countersPerEntry(forCapacity: total)
        let blocks = max(1, (counters + Self.countersPerRowOfBlock - 1) / Self.countersPerRowOfBlock)
        blockCount = UInt64(blocks)
        wordCount = blocks * Self.wordsPerBlock
        memory = Words(count: wordCount)
        words = memory.words
        period = max(16, capacity * Self.additionsPerEntry)
    }

    /// Counters in each row for each entry of a cache of this capacity.
    ///
    /// Twice the counters are worth 0.1 to 0.3 points of hit ratio (docs/decisions.md); the larger the cache, the more its memory matters.
    static func countersPerEntry(forCapacity capacity: Int) -> Int {
        capacity <= 1 << 16 ? 8 : capacity <= 1 << 18 ? 4 : 2
    }

    /// The number of times that the key with this hash has been seen: 0 to 15.
    func estimate(_ hash: UInt32) -> Int {
        let (first, places) = place(hash)
        var least: UInt64 = 15
        for row in 0..<Self.rowCount {
            let place = places &>> UInt64(row &* 5)
            least = min(least, words[first &+ row &* 2 &+ Int(place & 1)] &>> (place &<< 1 & 60) & 15)
        }
        return Int(truncatingIfNeeded: least)
    }

    mutating func add(_ hash: UInt32) {
        let (first, places) = place(hash)
        for row in 0..<Self.rowCount {
            let place = places &>> UInt64(row &* 5)
            let (word, shift) = (first &+ row &* 2 &+ Int(place & 1), place &<< 1 & 60)
            if words[word] &>> shift & 15 < 15 { words[word] &+= 1 &<< shift }
        }
        additions &+= 1
        if additions >= period { halve() }
    }

    mutating func add(_ hash: UInt32, times: Int) {
        for _ in 0..<max(0, min(15, times)) { add(hash) }
    }

    private mutating func halve() {
        additions = 0
        for word in 0..<wordCount { words[word] = words[word] &>> 1 & 0x7777_7777_7777_7777 }
    }

    /// The first word of a key's block, and for each row five bits: one chooses the word, four the counter in it.
    @inline(__always)
    private func place(_ hash: UInt32) -> (firstWord: Int, places: UInt64) {
        let key = UInt64(hash) &+ 1
        let block = (((key &* 0x9E37_79B9_7F4A_7C15) &>> 32) &* blockCount) &>> 32
        return (Int(truncatingIfNeeded: block) &* Self.wordsPerBlock, (key &* 0xC2B2_AE3D_27D4_EB4F) &>> 40)
    }

    /// Bytes of the counters.
    var byteCount: Int { wordCount * 8 }
}
