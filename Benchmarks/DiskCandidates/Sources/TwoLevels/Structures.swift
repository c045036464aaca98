// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// A doubly linked queue of the numbers below a bound, without allocation.
struct NumberQueue {
    private var next: [Int32]
    private var previous: [Int32]
    private(set) var count = 0
    /// The sentinel's index.
    private let end: Int32

    init(bound: Int) {
        end = Int32(bound)
        next = Array(repeating: -1, count: bound + 1)
        previous = next
        next[bound] = end
        previous[bound] = end
    }

    func contains(_ number: Int) -> Bool { next[number] >= 0 }
    /// The element that was added first.
    var first: Int? { count == 0 ? nil : Int(next[Int(end)]) }
    /// The neighbour that was added after this one.
    func after(_ number: Int) -> Int? { next[number] == end ? nil : Int(next[number]) }

    mutating func append(_ number: Int) {
        let last = previous[Int(end)]
        next[Int(last)] = Int32(number)
        previous[number] = last
        next[number] = end
        previous[Int(end)] = Int32(number)
        count += 1
    }

    mutating func remove(_ number: Int) {
        next[Int(previous[number])] = next[number]
        previous[Int(next[number])] = previous[number]
        next[number] = -1
        count -= 1
    }

    mutating func removeFirst() -> Int? {
        guard let first else { return nil }
        remove(first)
        return first
    }
}

/// How often keys were asked for: a count-min sketch of 4 rows with counters up to 15, which are halved after ten times as many additions as the memory has entries.
///
/// A memory cache knows this anyway. The sketch is as large as the memory's own, or `scale` times as large.
struct FrequencySketch {
    private var rows: [UInt8]
    private let mask: UInt64
    private var additions = 0
    private let period: Int

    init(capacity: Int) {
        var width = 64
        while width < capacity * 2 { width *= 2 }
        mask = UInt64(width - 1)
        rows = Array(repeating: 0, count: width * 4)
        period = capacity * 10
    }

    private func slots(_ key: Int) -> (Int, Int, Int, Int) {
        var mixed = UInt64(key) &* 0x9E37_79B9_7F4A_7C15
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed ^= mixed >> 27
        let step = (mixed &* 0x94D0_49BB_1331_11EB) | 1
        let width = Int(mask) + 1
        return (
            Int(mixed & mask), width + Int((mixed &+ step) >> 7 & mask), 2 * width + Int((mixed &+ step &* 2) >> 13 & mask),
            3 * width + Int((mixed &+ step &* 3) >> 19 & mask)
        )
    }

    func estimate(_ key: Int) -> UInt8 {
        let slots = slots(key)
        return min(min(rows[slots.0], rows[slots.1]), min(rows[slots.2], rows[slots.3]))
    }

    mutating func add(_ key: Int) {
        let least = estimate(key)
        if least < 15 {
            let slots = slots(key)
            if rows[slots.0] == least { rows[slots.0] += 1 }
            if rows[slots.1] == least { rows[slots.1] += 1 }
            if rows[slots.2] == least { rows[slots.2] += 1 }
            if rows[slots.3] == least { rows[slots.3] += 1 }
        }
        additions += 1
        if additions >= period {
            additions /= 2
            for index in rows.indices { rows[index] >>= 1 }
        }
    }
}
