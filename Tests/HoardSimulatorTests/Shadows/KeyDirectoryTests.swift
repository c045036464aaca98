// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import Testing

@testable import Hoard
@testable import HoardSimulator

struct KeyDirectoryTests {
    private func hits(_ requests: [AccessRequest], _ policy: SimulationPolicy, capacity: Int, knownKeys: Int) -> Int {
        var directory = KeyDirectory(maximumCount: knownKeys)
        let replay = policy.makeReplay(capacity: capacity)
        for start in stride(from: 0, to: requests.count, by: 100) {
            replay.replay(directory.complete(Array(requests[start..<min(start + 100, requests.count)])))
        }
        return replay.hits
    }

    private func requests(seed: UInt64) -> [AccessRequest] {
        var generator = SeededGenerator(seed: seed)
        return (0..<20_000).map { step in
            let kinds: [AccessRequest.Kind] = [.read, .read, .read, .read, .read, .write, .removal, .uncacheable]
            return AccessRequest(
                key: UInt64.random(in: 0..<(Bool.random(using: &generator) ? 60 : 600), using: &generator),
                time: UInt64(step),
                lifetime: UInt64.random(in: 100...2_000, using: &generator),
                kind: kinds.randomElement(using: &generator) ?? .read
            )
        }
    }

    @Test(arguments: 0..<5 as Range<UInt64>)
    func anLRUCacheOfNoMoreKeysLosesNothing(seed: UInt64) {
        let requests = requests(seed: seed)
        let all = hits(requests, .lru, capacity: 50, knownKeys: 100_000)
        #expect(hits(requests, .lru, capacity: 50, knownKeys: 50) == all, "seed \(seed)")
        #expect(hits(requests, .lru, capacity: 50, knownKeys: 300) == all, "seed \(seed)")
        #expect(all > 1_000)
    }

    @Test(arguments: [SimulationPolicy.hoard, .s3fifo, .arc, .lirs, .gdsf, .lhd, .tinylfu])
    func anotherPolicyLosesLittle(policy: SimulationPolicy) {
        let requests = requests(seed: 7)
        let all = hits(requests, policy, capacity: 50, knownKeys: 100_000)
        let some = hits(requests, policy, capacity: 50, knownKeys: 200)
        #expect(abs(all - some) < requests.count / 30)
    }

    @Test func partsThatARequestLacksAreThoseThatWereKnownLast() {
        var directory = KeyDirectory(maximumCount: 2)
        let batch = directory.complete([
            AccessRequest(key: 1, size: 5, lifetime: 7), AccessRequest(key: 1), AccessRequest(key: 2), AccessRequest(key: 3, time: 9),
            AccessRequest(key: 1),
        ])
        // The directory forgot key 1 for key 3, and key 2 for key 1.
        #expect(batch.requests.map(\.key) == [1, 1, 2, 1, 3, 2, 1])
        #expect(batch.requests.map(\.kind) == [.read, .read, .read, .removal, .read, .removal, .read])
        #expect(batch.requests.map(\.size) == [5, 5, nil, nil, nil, nil, nil])
        #expect(batch.requests.map(\.lifetime) == [7, 7, nil, nil, nil, nil, nil])
        #expect(batch.keyNumbers == [0, 0, 1, 0, 0, 1, 1])
    }

    @Test func theRemovalOfEverythingIsOneOfEachKnownKey() {
        var directory = KeyDirectory(maximumCount: 10)
        _ = directory.complete((1...3).map { AccessRequest(key: $0) })
        let batch = directory.complete([AccessRequest(key: TraceEvent.everything, time: 4, kind: .removal)])
        #expect(batch.requests == (1...3).map { AccessRequest(key: $0, time: 4, kind: .removal) })
    }
}
