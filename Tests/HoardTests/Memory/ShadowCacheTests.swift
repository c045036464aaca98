// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import Testing

@testable import Hoard

@Suite struct ShadowCacheTests {
    @Test(arguments: WindowTuner.candidates.indices)
    func hitsWhereAPolicyOfItsSizeHits(candidate: Int) {
        let tuning = WindowTuner.candidates[candidate]
        for (seed, capacity) in [1, 2, 16, 60, 300].enumerated() {
            var generator = SeededGenerator(seed: UInt64(seed))
            var shadow = ShadowCache(capacity: capacity, tuning: tuning)
            var fixture = PolicyFixture(maximumCount: capacity, tuning: tuning)
            defer {
                shadow.deallocate()
                fixture.deallocate()
            }
            for step in 0..<(500 + capacity * 5) {
                let range = Int.random(in: 0..<3, using: &generator) == 0 ? capacity * 5 : capacity
                let key = Int.random(in: 0..<range, using: &generator)
                let wasThere = shadow.access(PolicyFixture.hash(key))
                guard wasThere == fixture.access(key) else {
                    Issue.record("capacity \(capacity), seed \(seed), step \(step): key \(key) \(wasThere ? "was" : "was not") there")
                    return
                }
                if step % 10 == 0 { shadow.checkInvariants() }
            }
            #expect(shadow.count == capacity)
        }
    }

    @Test func hasRoomForOneHashAtLeast() {
        for capacity in [0, 1] {
            var shadow = ShadowCache(capacity: capacity, tuning: .init(windowShare: 0.1))
            defer { shadow.deallocate() }
            let wasThere = [.max, .max, 0, .max].map { shadow.access($0) }
            #expect(wasThere == [false, true, false, false])
            #expect(shadow.count == 1)
            shadow.checkInvariants()
        }
    }

    @Test func neverHoldsMoreThanItsCapacity() {
        var shadow = ShadowCache(capacity: 100, tuning: .init(windowShare: 0.3))
        defer { shadow.deallocate() }
        for key in 0..<1_000 {
            let wasThere = shadow.access(HashPattern.spread.hash(key))
            #expect(!wasThere)
            #expect(shadow.count == min(100, key + 1))
        }
        shadow.checkInvariants()
    }
}
