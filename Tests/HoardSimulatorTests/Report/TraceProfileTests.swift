// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import Testing

@testable import HoardSimulator

@Suite("TraceProfile", .timeLimit(.minutes(5)))
struct TraceProfileTests {
    private func profile(_ requests: [AccessRequest]) -> TraceProfile {
        var profile = TraceProfile(name: "test")
        profile.add(requests)
        return profile
    }

    /// Requests with sizes and times that stay the same or grow.
    private func randomTrace(seed: UInt64) -> [AccessRequest] {
        var generator = SeededGenerator(seed: seed)
        var time: UInt64 = 0
        return randomRequests(count: 2500, keyCount: 150, seed: seed).map { key in
            time += UInt64.random(in: 0...90, using: &generator)
            return AccessRequest(key: key, size: Int.random(in: 0...5000, using: &generator), time: time)
        }
    }

    @Test(arguments: UInt64(0)..<8)
    func sumsAgreeWithPlainComputation(seed: UInt64) {
        let requests = randomTrace(seed: seed)
        let profile = profile(requests)
        let byKey = Dictionary(grouping: requests, by: \.key)
        let once = byKey.values.count { $0.count == 1 }
        let count = Double(requests.count)
        let bytes = requests.reduce(0) { $0 + ($1.size ?? 0) }
        let firstBytes = byKey.values.reduce(0) { $0 + ($1.first?.size ?? 0) }
        #expect(profile.requestCount == requests.count && profile.keyCount == byKey.count, "seed \(seed)")
        #expect(profile.compulsoryMissRatio == Double(byKey.count) / count, "seed \(seed)")
        #expect(profile.requestedBytes == bytes && profile.compulsoryMissBytes == firstBytes, "seed \(seed)")
        #expect(profile.distinctBytes == byKey.values.reduce(0) { $0 + ($1.compactMap(\.size).max() ?? 0) }, "seed \(seed)")
        #expect(profile.shareOfKeysSeenOnce == Double(once) / Double(byKey.count), "seed \(seed)")
        #expect(profile.shareOfRequestsSeenOnce == Double(once) / count, "seed \(seed)")
        #expect(profile.meanSize == Double(bytes) / count, "seed \(seed)")
        #expect(profile.duration == (requests.last?.time ?? 0) - (requests.first?.time ?? 0), "seed \(seed)")
        #expect(profile.requestSizes.total == requests.count && profile.keySizes.total == byKey.count, "seed \(seed)")
        #expect(profile.reuseDistances.histogram.total == requests.count - byKey.count, "seed \(seed)")
    }

    @Test(arguments: UInt64(0)..<8)
    func reuseTimesAndTheWorkingSetAgreeWithPlainComputation(seed: UInt64) {
        let requests = randomTrace(seed: seed)
        let profile = profile(requests)
        let start = requests.first?.time ?? 0
        var last: [UInt64: UInt64] = [:]
        var times = PowerHistogram()
        let moments = requests.map { ($0.key, ($0.time ?? 0) - start) }
        for (key, time) in moments {
            if let last = last.updateValue(time, forKey: key) { times.add(time - last) }
        }
        #expect(profile.reuseTimes == times, "seed \(seed)")
        let length = profile.workingSet.length
        let windows = Dictionary(grouping: moments) { $0.1 / length }
        #expect(profile.workingSet.windows.count <= 256 && profile.workingSet.windows.count > 100, "seed \(seed)")
        for window in profile.workingSet.windows {
            let expected = windows[window.start / length] ?? []
            #expect(window.requests == expected.count && window.keys == Set(expected.map(\.0)).count, "seed \(seed), at \(window.start)")
        }
        #expect(profile.workingSet.windows.reduce(0) { $0 + $1.newKeys } == profile.keyCount, "seed \(seed)")
    }

    @Test func withoutTimesRequestsAreCounted() {
        let profile = profile([1, 2, 2, 1].map { AccessRequest(key: $0) })
        #expect(!profile.hasTimes && profile.duration == nil && profile.meanSize == nil)
        #expect(profile.reuseTimes.bins.map(\.lower) == [1, 2])
        #expect(profile.workingSet.windows.map(\.keys) == [1, 1, 1, 1])
    }

    @Test func aTimeThatGoesBackCountsAsTheLatestOne() {
        let profile = profile([100, 700, 300, 50, 800].map { AccessRequest(key: 1, time: $0) })
        #expect(profile.duration == 700)
        #expect(profile.reuseTimes.bins.map(\.count).reduce(0, +) == 4)
    }

    @Test func theLatestOfTimesHasAWindow() {
        let profile = profile([0, .max - 1].map { AccessRequest(key: 1, time: $0) })
        #expect(profile.workingSet.windows.count <= 256)
        #expect(profile.workingSet.windows.reduce(0) { $0 + $1.requests } == 2)
    }

    @Test func aRequestWithoutASizeHasTheLastOneOfItsKey() {
        let profile = profile([AccessRequest(key: 1), AccessRequest(key: 1, size: 70), AccessRequest(key: 1), AccessRequest(key: 2)])
        #expect(profile.requestedBytes == 1 + 70 + 70 + 1 && profile.distinctBytes == 71)
    }

    @Test func changesAreNoRequests() {
        let profile = profile([
            AccessRequest(key: 1, kind: .write), AccessRequest(key: 2), AccessRequest(key: 2, kind: .removal), AccessRequest(key: 2),
        ])
        #expect(profile.requestCount == 2 && profile.keyCount == 1)
    }

    @Test func aKeyThatWasWrittenNeedNotMiss() {
        let kinds: [AccessRequest.Kind] = [.write, .read, .read]
        #expect(profile(kinds.map { AccessRequest(key: 1, kind: $0) }).compulsoryMissCount == 0)
        let later: [AccessRequest.Kind] = [.uncacheable, .write, .write, .read, .uncacheable]
        #expect(profile(later.map { AccessRequest(key: 1, kind: $0) }).compulsoryMissCount == 2)
        let sized = profile([AccessRequest(key: 1, size: 9, kind: .write), AccessRequest(key: 1)])
        #expect(sized.requestedBytes == 9 && sized.hasSizes && sized.compulsoryMissBytes == 0)
    }

    @Test func whatCannotBeKeptAlwaysMisses() {
        let kinds: [AccessRequest.Kind] = [.uncacheable, .read, .read, .uncacheable, .read]
        let profile = profile(kinds.map { AccessRequest(key: 1, size: 10, kind: $0) })
        #expect(profile.compulsoryMissCount == 3 && profile.compulsoryMissBytes == 30)
    }

    @Test func valuesAreCountedByPowersOfTwo() {
        let histogram = [0, 1, 2, 3, 4, 4, .max].reduce(into: PowerHistogram()) { $0.add($1) }
        #expect(histogram.bins.prefix(4).map(\.count) == [1, 1, 2, 2])
        #expect(histogram.bins.prefix(4).map(\.lower) == [0, 1, 2, 4])
        #expect(histogram.bins.last == PowerHistogram.Bin(lower: 1 << 63, upper: .max, count: 1))
        #expect(histogram.share(below: 4) == 4.0 / 7)
        #expect(PowerHistogram().bins.isEmpty)
    }
}
