// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import Testing

@testable import HoardSimulator

@Suite("ReuseDistances", .timeLimit(.minutes(5)))
struct ReuseDistancesTests {
    /// The distances of requests for known keys. They come from a list of all keys in the order
    /// of their last requests.
    private func naiveDistances(_ requests: [UInt64]) -> [Int] {
        var recent: [UInt64] = []
        return requests.compactMap { key in
            let place = recent.firstIndex(of: key)
            if let place { recent.remove(at: place) }
            recent.insert(key, at: 0)
            return place.map { $0 + 1 }
        }
    }

    private func histogram(_ values: some Sequence<Int>) -> PowerHistogram {
        values.reduce(into: PowerHistogram()) { $0.add(UInt64($1)) }
    }

    private func distances(_ requests: [UInt64], maximumKeys: Int) -> ReuseDistances {
        var numbers: [UInt64: Int] = [:]
        return requests.reduce(into: ReuseDistances(maximumKeys: maximumKeys)) { distances, key in
            let number = numbers[key, default: numbers.count]
            numbers[key] = number
            distances.add(key, number: number)
        }
    }

    @Test(arguments: UInt64(0)..<12)
    func distancesAgreeWithAListOfRecentKeys(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let requests = randomRequests(count: 3000, keyCount: UInt64.random(in: 1...300, using: &generator), seed: seed)
        // The number of keys is so great that none is left out, and the number of places so small
        // that they are made anew many times.
        let found = distances(requests, maximumKeys: Set(requests).count)
        #expect(found.halvings == 0, "seed \(seed)")
        #expect(found.histogram == histogram(naiveDistances(requests)), "seed \(seed)")
    }

    @Test(arguments: UInt64(0)..<8)
    func aDistanceIsTheSmallestLRUCacheThatHits(seed: UInt64) {
        let requests = randomRequests(count: 2000, keyCount: 200, seed: seed)
        let found = distances(requests, maximumKeys: 4096)
        for capacity in [1, 3, 7, 63, 127] {
            var lru = LRUPolicy(capacity: capacity)
            let hits = requests.count { lru.access($0, size: 1) }
            let below = found.histogram.bins.filter { $0.upper <= UInt64(capacity) + 1 }.reduce(0) { $0 + $1.count }
            #expect(below == hits, "seed \(seed), capacity \(capacity)")
        }
    }

    @Test(arguments: UInt64(0)..<6)
    func halvingTheKeysKeepsTheSharesOfDistances(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let offset = generator.next()
        let requests = (0..<60_000).map { _ in offset &+ UInt64.random(in: 0..<4000, using: &generator) }
        let (exact, sampled) = (distances(requests, maximumKeys: 4000), distances(requests, maximumKeys: 500))
        #expect(exact.halvings == 0 && sampled.halvings >= 3, "seed \(seed)")
        let ratio = Double(sampled.histogram.total) / Double(exact.histogram.total)
        #expect((0.75...1.25).contains(ratio), "seed \(seed): \(ratio)")
        for bound in [UInt64(512), 1024, 2048, 4096, 8192] {
            let (expected, found) = (exact.histogram.share(below: bound), sampled.histogram.share(below: bound))
            #expect(abs(expected - found) < 0.06, "seed \(seed), below \(bound): \(found) instead of \(expected)")
        }
    }

    @Test(arguments: UInt64(0)..<6)
    func livePlacesAgreeWithASet(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let capacity = Int.random(in: 1...700, using: &generator)
        let count = Int.random(in: 0...capacity, using: &generator)
        var places = LivePlaces(count: count, capacity: capacity)
        var model = Set(0..<count)
        for _ in 0..<600 {
            let place = Int.random(in: 0..<capacity, using: &generator)
            #expect(places.contains(place) == model.contains(place), "seed \(seed)")
            #expect(places.count(above: place) == model.count { $0 > place }, "seed \(seed)")
            if model.remove(place) != nil {
                places.remove(place)
            } else {
                places.insert(place)
                model.insert(place)
            }
            #expect(places.count == model.count, "seed \(seed)")
        }
    }
}
