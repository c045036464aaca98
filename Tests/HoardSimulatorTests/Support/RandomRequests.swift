// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting

@testable import HoardSimulator

/// Requests of several kinds in turns, as real access traces have them: popular keys, loops, scans, and pairs.
func randomRequests(count: Int, keyCount: UInt64, seed: UInt64) -> [UInt64] {
    var generator = SeededGenerator(seed: seed)
    var requests: [UInt64] = []
    var scan = keyCount
    while requests.count < count {
        let length = UInt64.random(in: 5...60, using: &generator)
        switch Int.random(in: 0..<4, using: &generator) {
        case 0:
            for _ in 0..<length {
                requests.append(UInt64.random(in: 0..<UInt64.random(in: 1...keyCount, using: &generator), using: &generator))
            }
        case 1:
            let period = UInt64.random(in: 1...keyCount, using: &generator)
            for step in 0..<length { requests.append(step % period) }
        case 2:
            for _ in 0..<length / 4 {
                requests.append(scan)
                scan += 1
            }
        default:
            for _ in 0..<length / 2 {
                let key = UInt64.random(in: 0..<keyCount, using: &generator)
                requests += [key, key]
            }
        }
    }
    return Array(requests.prefix(count))
}

/// The place of each request's next request for the same key, found in the slow way.
func nextUses(of requests: [UInt64]) -> [UInt32] {
    requests.indices.map { place in
        requests[(place + 1)...].firstIndex(of: requests[place]).map(UInt32.init) ?? .max
    }
}

/// A request for an object of this size.
struct SizedKey {
    let key: UInt64
    let size: Int
}

/// Requests of the same kinds for objects of different sizes, most of them small. One request in twenty brings another size for its key.
func randomSizedRequests(count: Int, keyCount: UInt64, largestSize: Int, seed: UInt64) -> [SizedKey] {
    var generator = SeededGenerator(seed: seed &+ 77)
    var sizes: [UInt64: Int] = [:]
    return randomRequests(count: count, keyCount: keyCount, seed: seed).map { key in
        if sizes[key] == nil || Int.random(in: 0..<20, using: &generator) == 0 {
            let most = Int.random(in: 1...largestSize, using: &generator)
            // One in forty is far larger.
            sizes[key] = Int.random(in: 1...most, using: &generator) * (Int.random(in: 0..<40, using: &generator) == 0 ? 50 : 1)
        }
        return SizedKey(key: key, size: sizes[key] ?? 1)
    }
}

extension Replaying {
    /// Replays requests that have only a key.
    func replay(keys: [UInt64]) { replay(RequestBatch(keys.map { AccessRequest(key: $0) })) }
}

/// Requests and changes with sizes, times, lifetimes and costs, of which some are left out at random.
func randomFullRequests(count: Int, seed: UInt64) -> [AccessRequest] {
    var generator = SeededGenerator(seed: seed &+ 99)
    var time: UInt64 = 0
    return randomSizedRequests(count: count, keyCount: 60, largestSize: 60, seed: seed).map { sized in
        time += UInt64.random(in: 0..<12, using: &generator)
        var request = AccessRequest(key: sized.key, size: sized.size, time: time)
        request.lifetime = sized.key % 3 == 0 ? nil : UInt64.random(in: 1...1500, using: &generator)
        request.cost = UInt32.random(in: 0...90_000, using: &generator)
        switch Int.random(in: 0..<40, using: &generator) {
        case 0: request.kind = .write
        case 1: request.kind = .removal
        case 2: request.kind = .uncacheable
        case 3: request.size = nil
        case 4: request.lifetime = nil
        case 5: request.cost = nil
        case 6: request.time = nil
        default: break
        }
        return request
    }
}
