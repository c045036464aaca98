// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The best policy that knows the future. On a miss with a full cache, it gives up the key whose next use is the farthest, be it one of the cache or
/// the newcomer itself.
///
/// Belady: A Study of Replacement Algorithms for a Virtual-Storage Computer, IBM Systems Journal 5(2), 1966; with bypass.
///
/// It holds no keys, but the places of their next uses: a request is a hit if its own place is among them.
struct OptimalPolicy: ReplacementPolicy {
    private let capacity: Int
    private let nextUses: [UInt32]
    private var held: PlaceSet
    private var place = 0

    /// - Parameter nextUses: For each request, the place of the next one for the same key, or ``AccessTrace/never``.
    init(capacity: Int, nextUses: [UInt32]) {
        self.capacity = capacity
        self.nextUses = nextUses
        self.held = PlaceSet(places: nextUses.count)
    }

    /// The number of keys in the cache that will be used again. It keeps none of the others.
    var count: Int { held.count }

    /// The key is not looked at: the requests are those that ``nextUses`` was made of.
    mutating func access(_ key: UInt64, size: Int) -> Bool {
        let isHit = held.remove(place)
        let nextUse = nextUses[place]
        place += 1
        if nextUse != AccessTrace.never {
            held.insert(Int(nextUse))
            if held.count > capacity, let farthest = held.last { held.remove(farthest) }
        }
        return isHit
    }

    /// Removes nothing: uses after an object has expired are not among ``nextUses``.
    func remove(_ key: UInt64) -> Bool { false }

    mutating func passBy() { place += 1 }
}

/// A set of numbers below a limit, which finds its largest: bits, and above them bits that say which words have any.
struct PlaceSet: Sendable {
    /// The lowest level has a bit for each number; each other one a bit for each word of the level below. The highest has one word.
    private var levels: [[UInt64]] = []
    private(set) var count = 0

    init(places: Int) {
        var bits = places
        repeat {
            bits = (bits + 63) / 64
            levels.append(Array(repeating: 0, count: max(1, bits)))
        } while bits > 1
    }

    /// The largest number. O(log *n*), with a base of 64.
    var last: Int? {
        guard count > 0 else { return nil }
        var position = 0
        for words in levels.reversed() {
            position = position << 6 | (63 - words[position].leadingZeroBitCount)
        }
        return position
    }

    /// Adds a number that is not in the set.
    mutating func insert(_ number: Int) {
        count += 1
        var position = number
        for level in levels.indices {
            let isFirstOfWord = levels[level][position >> 6] == 0
            levels[level][position >> 6] |= 1 << UInt64(position & 63)
            guard isFirstOfWord else { return }
            position >>= 6
        }
    }

    /// Removes a number, and says whether it was there.
    @discardableResult
    mutating func remove(_ number: Int) -> Bool {
        guard levels[0][number >> 6] & (1 << UInt64(number & 63)) != 0 else { return false }
        count -= 1
        var position = number
        for level in levels.indices {
            levels[level][position >> 6] &= ~(1 << UInt64(position & 63))
            guard levels[level][position >> 6] == 0 else { break }
            position >>= 6
        }
        return true
    }
}
