// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// An endless sequence of keys, drawn with the random numbers it is given.
protocol KeyStream: Sendable {
    mutating func next(_ random: inout SplitMix64) -> UInt64
}

/// A small random number generator that gives the same numbers for the same seed, on every platform (Steele, Lea and Flood 2014).
struct SplitMix64: RandomNumberGenerator, Sendable {
    var state: UInt64

    mutating func next() -> UInt64 {
        defer { state &+= 0x9e37_79b9_7f4a_7c15 }
        return mixed(state)
    }

    /// A number from 0 to 1, without 1.
    mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }

    mutating func number(in range: ClosedRange<Double>) -> Double { range.lowerBound + (range.upperBound - range.lowerBound) * unit() }

    /// A number from 0 up to `bound`, which is left out.
    mutating func number(below bound: Int) -> Int {
        Int(truncatingIfNeeded: next().multipliedFullWidth(by: UInt64(max(1, bound))).high)
    }

    mutating func element<Element>(of elements: [Element]) -> Element { elements[number(below: elements.count)] }
}

/// The source from which the families draw the shape of a trace.
struct TraceShape {
    /// The number of keys of the cache that the trace is made for.
    var capacity: Int
    /// The number of accesses of the trace.
    var length: Int
    var random: SplitMix64
    private var spaces: UInt64 = 0

    init(capacity: Int, length: Int, random: SplitMix64) {
        self.capacity = capacity
        self.length = length
        self.random = random
    }

    /// A share of the capacity in keys, at least 1.
    func keys(_ share: Double) -> Int { max(1, Int(share * Double(capacity))) }

    /// The first key of a space of 2⁴⁰ keys that no other stream has.
    mutating func keySpace() -> UInt64 {
        spaces += 1
        return spaces << 40
    }

    mutating func number(in range: ClosedRange<Double>) -> Double { random.number(in: range) }

    mutating func element<Element>(of elements: [Element]) -> Element { random.element(of: elements) }
}
