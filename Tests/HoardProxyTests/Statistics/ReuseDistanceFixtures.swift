// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardTesting

@testable import HoardProxy
@testable import HoardSimulator

/// Requests with the popularity of Zipf's law.
func zipfRequests(count: Int, keyCount: Int, exponent: Double, seed: UInt64) -> [UInt64] {
    var generator = SeededGenerator(seed: seed)
    var cumulative: [Double] = []
    for rank in 1...keyCount { cumulative.append((cumulative.last ?? 0) + 1 / pow(Double(rank), exponent)) }
    let total = cumulative.last ?? 1
    return (0..<count).map { _ in
        let place = Double.random(in: 0..<total, using: &generator)
        var (low, high) = (0, keyCount - 1)
        while low < high {
            let middle = (low + high) / 2
            if cumulative[middle] > place { high = middle } else { low = middle + 1 }
        }
        return UInt64(low)
    }
}

/// How often an LRU cache of each number of objects misses, by the simulator.
func exactMissRatios(of requests: [UInt64], counts: [Int]) -> [Double] {
    counts.map { count in
        let replay = SimulationPolicy.lru.makeReplay(capacity: count)
        replay.replay(RequestBatch(requests.map { AccessRequest(key: $0) }))
        return 1 - Double(replay.hits) / Double(requests.count)
    }
}

/// Feeds requests for objects to a sampler, as a proxy would that begins with an empty cache. An object is a miss at its first request.
///
/// - Parameter salt: Decides which objects are sampled.
func feed(_ requests: [UInt64], to sampler: inout ReuseDistanceSampler, salt: UInt64 = 0, bytes: (UInt64) -> Int = { _ in 1 }) {
    var seen: Set<UInt64> = []
    var misses = 0
    for key in requests {
        let isFirst = seen.insert(key).inserted
        if isFirst { misses += 1 }
        sampler.add(ObjectAccess(hash: spread(key ^ salt), bytes: bytes(key), isMiss: isFirst))
    }
    sampler.count(requests: requests.count, misses: misses)
}

/// Sizes from 1 on, four for each doubling.
func sizes(upTo greatest: Int) -> [Int] {
    var sizes: [Int] = []
    var size = 1.0
    while size <= Double(greatest) {
        if Int(size) > sizes.last ?? 0 { sizes.append(Int(size)) }
        size *= 1.189_207_115
    }
    return sizes
}

func meanAbsoluteError(_ first: [Double], _ second: [Double]) -> Double {
    zip(first, second).reduce(0) { $0 + abs($1.0 - $1.1) } / Double(max(1, first.count))
}
