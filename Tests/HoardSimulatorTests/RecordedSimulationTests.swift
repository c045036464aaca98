// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import HoardTesting
import Testing

@testable import HoardSimulator

/// Replays of the requests that real caches were asked for.
@Suite("Simulation of recordings", .timeLimit(.minutes(5)))
struct RecordedSimulationTests {
    let directory: TraceDirectory

    init() throws { directory = try TraceDirectory() }

    /// A number below `count`; 0 is the most frequent one, 1 half as frequent, and so on.
    private static func popular(_ count: Int, _ generator: inout SeededGenerator) -> Int {
        Int(exp(Double.random(in: 0..<log(Double(count) + 1), using: &generator))) - 1
    }

    private func simulated(_ path: String, _ policies: [SimulationPolicy], _ capacity: SimulationCapacity) async throws -> [SimulationResult] {
        try await Simulation(policies: policies, capacities: [capacity]).results(of: AccessTraceReader(path: path))
    }

    // If nothing is evicted, only the ticks of 10 ms differ. If the policy decides, two caches whose hashes have
    // different secrets are up to 0.006 apart.
    @Test(arguments: [(200_000, 0.0005), (2_000, 0.01)])
    func aReplayGivesTheHitRatioOfTheCacheThatWasRecorded(capacity: Int, tolerance: Double) async throws {
        let path = directory.path + "/some.trace"
        let time = ManualTicker()
        let recorder = try CacheTraceRecorder(path: path, ticker: time, clock: time)
        let cache = Cache<Int, Int>(maximumCount: capacity, expiration: .afterWrite(.seconds(300)), ticker: time)
        cache.recordAccesses(with: recorder)
        var generator = SeededGenerator(seed: 1)
        for step in 0..<200_000 {
            let key = Self.popular(100_000, &generator)
            if cache.value(forKey: key) == nil { cache.insert(key, forKey: key) }
            if step % 100 == 0 { cache.removeValue(forKey: Self.popular(100, &generator)) }
            if step % 10 == 0 {
                time.advance(by: .milliseconds(50))
                // The flush tells the recorder the time.
                try recorder.flush()
            }
        }
        let live = cache.statistics
        cache.recordAccesses(with: nil)
        try recorder.finish()
        let result = try #require(try await simulated(path, [.hoard], .count(capacity)).first)
        #expect(result.requests == live.hits + live.misses)
        #expect(abs(result.hitRatio - Double(live.hits) / Double(live.hits + live.misses)) < tolerance)
        #expect((result.expired ?? 0) > 0)
    }

    @Test func aReplayOfAWarmCacheBeginsWarm() async throws {
        let path = directory.path + "/some.trace"
        let cache = Cache<Int, Int>(maximumWeight: 100_000) { _, _ in 100 }
        for key in 0..<1_000 { cache.insert(key, forKey: key) }
        let recorder = try CacheTraceRecorder(path: path)
        cache.recordAccesses(with: recorder)
        for key in 0..<1_000 { #expect(cache.value(forKey: key) != nil) }
        cache.recordAccesses(with: nil)
        try recorder.finish()
        let result = try #require(try await simulated(path, [.lru], .bytes(100_000)).first)
        #expect((result.requests, result.hits) == (1_000, 1_000))
    }

    @Test(arguments: 0..<40)
    func changesDoWhatAPlainCacheDoes(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        var time: UInt64 = 0
        let requests = (0..<2_000).map { _ in
            time += UInt64.random(in: 0...3, using: &generator)
            let kinds: [AccessRequest.Kind] = [.read, .read, .read, .read, .write, .removal, .uncacheable]
            return AccessRequest(
                key: UInt64.random(in: 0..<60, using: &generator),
                size: Int.random(in: 1...9, using: &generator),
                time: time,
                lifetime: Bool.random(using: &generator) ? UInt64.random(in: 0...200, using: &generator) : nil,
                kind: kinds.randomElement(using: &generator) ?? .read
            )
        }
        for capacity in [SimulationCapacity.count(20), .bytes(100)] {
            let source = RequestSource(name: "some", requests, batchCount: 300)
            let results = try await Simulation(policies: [.lru, .opt], capacities: [capacity]).results(of: source)
            let expected = PlainLRU.hits(requests, capacity: capacity.countsBytes ? 100 : 20, countsBytes: capacity.countsBytes)
            #expect(results[0].hits == expected, "seed \(seed), \(capacity)")
            #expect(results[0].requests == requests.count { $0.kind == .read || $0.kind == .uncacheable }, "seed \(seed)")
            #expect(results[1].hits >= expected, "seed \(seed), \(capacity)")
        }
    }
}

/// LRU with changes, in the simplest implementation.
private enum PlainLRU {
    static func hits(_ requests: [AccessRequest], capacity: Int, countsBytes: Bool) -> Int {
        /// The keys, with the last used first.
        var held: [(key: UInt64, size: Int, deadline: UInt64)] = []
        var known: [UInt64: UInt64] = [:]
        var hits = 0
        for request in requests {
            let size = countsBytes ? request.size ?? 1 : 1
            if let lifetime = request.lifetime { known[request.key] = lifetime }
            let deadline = known[request.key].map { (request.time ?? 0) + $0 } ?? .max
            let index = held.firstIndex { $0.key == request.key }
            switch request.kind {
            case .removal:
                if let index { held.remove(at: index) }
                continue
            case .uncacheable: continue
            default: break
            }
            var entry = (key: request.key, size: size, deadline: deadline)
            if let index {
                let old = held.remove(at: index)
                let isExpired = old.deadline <= request.time ?? 0
                if request.kind == .read, !isExpired {
                    hits += 1
                    entry.deadline = old.deadline
                }
            }
            held.insert(entry, at: 0)
            while held.reduce(0, { $0 + $1.size }) > capacity { held.removeLast() }
        }
        return hits
    }
}
