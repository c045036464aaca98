// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// An endless sequence of keys, drawn with the random numbers it is given.
protocol KeyStream: Sendable {
    mutating func next(_ random: inout SplitMix64) -> UInt64
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
