// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import Testing

@testable import HoardSimulator

@Suite("HitRatioHistory", .timeLimit(.minutes(5)))
struct HitRatioHistoryTests {
    @Test(arguments: [0, 1, 255, 256, 257, 5000])
    func windowsHaveAllBatchesInOrder(batches: Int) throws {
        var history = HitRatioHistory(capacity: 10)
        for batch in 0..<batches {
            history.add(requests: 100, hits: batch % 100, by: .lru)
            history.add(requests: 100, hits: 50, by: .hoard)
        }
        let windows = history.windows(of: .lru)
        #expect(windows.count <= 256 && windows.count >= min(batches, 128))
        #expect(history.windows(of: .hoard).map(\.requests) == windows.map(\.requests))
        #expect(Set(windows.dropLast().map(\.requests)).count <= 1)
        var batch = 0
        for window in windows {
            let length = window.requests / 100
            #expect(window.hits == (batch..<batch + length).reduce(0) { $0 + $1 % 100 })
            batch += length
        }
        #expect(batch == batches)
    }

    @Test func policiesAreInTheOrderInWhichTheyCame() {
        var history = HitRatioHistory(capacity: 10)
        for policy in [SimulationPolicy.opt, .lru, .opt] { history.add(requests: 4, hits: 1, by: policy) }
        #expect(history.policies == [.opt, .lru])
        #expect(history.windows(of: .opt).map(\.hitRatio) == [0.25, 0.25])
        #expect(history.windows(of: .arc).isEmpty)
    }
}
