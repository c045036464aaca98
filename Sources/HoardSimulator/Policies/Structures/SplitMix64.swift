// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

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
