// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Goes round the keys and evicts the first one whose counter is 0; counts the others down on its way. A hit counts up, to 3.
///
/// Corbató: A Paging Experiment with the Multics System, MIT Project MAC, 1968, in the variant with two bits that
/// Smith: Sequentiality and Prefetching in Database Systems, ACM TODS 3(3), 1978, calls a generalized clock.
struct ClockPolicy: ReplacementPolicy {
    private static let maximum: UInt8 = 3

    private let capacity: Int
    private var slots = KeySlots()
    private var counters: [UInt8] = []
    private var hand = 0

    init(capacity: Int) {
        self.capacity = capacity
    }

    var count: Int { slots.count }

    mutating func access(_ key: UInt64) -> Bool {
        if let slot = slots.slot(of: key) {
            counters[slot] = min(counters[slot] + 1, Self.maximum)
            return true
        }
        if slots.count < capacity {
            _ = slots.insert(key)
            counters.append(0)
            return false
        }
        while counters[hand] > 0 {
            counters[hand] -= 1
            advance()
        }
        slots.replaceKey(in: hand, with: key)
        advance()
        return false
    }

    private mutating func advance() {
        hand = hand + 1 == capacity ? 0 : hand + 1
    }
}
