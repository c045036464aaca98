// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Random numbers that are the same in every run.
struct RandomNumbers: Sendable {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 1
        return mixed(state)
    }

    /// A number from 0 to less than 1.
    mutating func nextFraction() -> Double { Double(next() >> 11) * 0x1p-53 }
}
