// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import Testing

@testable import HoardProxy

@Suite("TrafficHistory")
struct TrafficHistoryTests {
    private func totals(requests: Int, latency: Int = 1_000) -> TrafficHistory.Totals {
        var totals = TrafficHistory.Totals()
        for _ in 0..<requests {
            totals.traffic.add(report(bytes: 10))
            totals.latencies.record(latency)
        }
        return totals
    }

    @Test func aWindowHoldsWhatHappenedInIt() {
        var history = TrafficHistory(period: 1_000, capacity: 3, now: 0, date: 50)
        #expect(history.nextEnd == 1_000)
        let early = history.advance(to: 999, date: 50, totals(requests: 1))
        let first = history.advance(to: 1_000, date: 51, totals(requests: 2))
        #expect(!early && first)
        #expect(history.nextEnd == 2_000)
        let second = history.advance(to: 2_000, date: 52, totals(requests: 7))
        #expect(second)
        let points = history.points(at: 2_500, totals(requests: 8))
        #expect(points.map(\.requests) == [2, 5, 1])
        #expect(points.map(\.hits) == [2, 5, 1])
        #expect(points.map(\.bytes) == [20, 50, 10])
        #expect(points.map(\.time) == [50, 51, 52])
        #expect(points.allSatisfy { $0.p50 == 1 && $0.p99 == 1 })
    }

    @Test func onlyTheLastWindowsAreKept() {
        var history = TrafficHistory(period: 10, capacity: 4, now: 0, date: 0)
        for step in 1...11 { _ = history.advance(to: Int64(step) * 10, date: Double(step), totals(requests: step)) }
        #expect(history.points(at: 110, totals(requests: 11)).map(\.time) == [7, 8, 9, 10, 11])
    }

    @Test func aWindowThatIsClosedLateIsLonger() {
        var history = TrafficHistory(period: 5_000_000_000, capacity: 4, now: 0, date: 0)
        _ = history.advance(to: 12_500_000_000, date: 12.5, totals(requests: 1))
        let points = history.points(at: 13_000_000_000, totals(requests: 1))
        #expect(points.map(\.seconds) == [12.5, 0.5])
        #expect(points.map(\.requests) == [1, 0])
    }
}
