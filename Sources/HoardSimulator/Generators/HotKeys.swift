// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// A set of keys that are drawn again and again. With a skew of 1 all are equally likely; the larger it is, the more the first ones are.
struct HotKeys: KeyStream {
    private let space: UInt64
    private let size: Int
    private let skew: Int
    private var generation: UInt64 = 0

    init(space: UInt64, size: Int, skew: Int) {
        self.space = space
        self.size = size
        self.skew = skew
    }

    mutating func next(_ random: inout SplitMix64) -> UInt64 {
        let unit = random.unit()
        var place = unit
        for _ in 1..<max(2, skew) where skew > 1 { place *= unit }
        return space + generation << 32 + UInt64(min(size - 1, Int(place * Double(size))))
    }

    /// Takes another set of the same size, with no key of the old one.
    mutating func replace() { generation += 1 }
}

/// Keys that come one after the other, and then again from the first one.
struct LoopKeys: KeyStream {
    private let space: UInt64
    private let size: Int
    private var position = 0

    init(space: UInt64, size: Int) {
        self.space = space
        self.size = size
    }

    mutating func next(_ random: inout SplitMix64) -> UInt64 {
        position = position + 1 < size ? position + 1 : 0
        return space + UInt64(position)
    }
}

/// Keys that come once.
struct OneShotKeys: KeyStream {
    private var last: UInt64

    init(space: UInt64) { last = space }

    mutating func next(_ random: inout SplitMix64) -> UInt64 {
        last += 1
        return last
    }
}
