// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import HoardTesting
import Testing

@testable import HoardSimulator

@Suite("ShadowSimulation", .timeLimit(.minutes(5)))
struct ShadowSimulationTests {
    private let directory: TraceDirectory
    private let time = ManualTicker()

    init() throws { directory = try TraceDirectory() }

    private var path: String { directory.path + "/some.trace" }

    /// A number below `count`; 0 is the most frequent one, 1 half as frequent, and so on.
    private static func popular(_ count: Int, _ generator: inout SeededGenerator) -> Int {
        Int(exp(Double.random(in: 0..<log(Double(count) + 1), using: &generator))) - 1
    }

    private func recorder(sample: Double = 1) throws -> CacheTraceRecorder {
        var configuration = CacheTraceRecorder.Configuration()
        configuration.sampledShare = sample
        return try CacheTraceRecorder(path: path, configuration: configuration, ticker: time, clock: time)
    }

    /// Asks a cache for keys, and inserts those that it does not have. Hands over the recorded accesses again
    /// and again, as a running program does.
    private func use(_ cache: Cache<Int, Int>, _ recorder: CacheTraceRecorder, requests: Int, keys: Int, seed: UInt64 = 1) throws {
        var generator = SeededGenerator(seed: seed)
        for step in 1...requests {
            let key = Self.popular(keys, &generator)
            if cache.value(forKey: key) == nil { cache.insert(key, forKey: key) }
            if step % 1_000 == 0 { try recorder.flush() }
        }
    }

    // The ratio of a sample of keys is off by some hundredths, because single popular keys are in it or not. The real
    // ratio, counted at the same requests, is off by the same. The seeds choose the samples and the hashes of the
    // shadows, which differ from those of the real cache. Because of them, one of some caches chooses another window
    // for a while and is one or two points off, as two real caches are. The middle one is not.
    @Test(arguments: [1.0, 0.25, 0.0625])
    func theOwnPolicyAndSizeGiveTheHitRatioOfTheRealCache(sample: Double) throws {
        var differences: [Double] = []
        for seed in UInt64(1)...5 {
            let cache = Cache<Int, Int>(maximumCount: 8_000, hashSeed: seed)
            let simulation = try ShadowSimulation([.init(.hoard, .count(8_000))], sample: sample, ticker: time, pseudonymSeed: seed)
            cache.recordAccesses(with: simulation.recorder)
            try use(cache, simulation.recorder, requests: 100_000, keys: 100_000, seed: seed)
            let all = cache.statistics
            simulation.finish()
            let statistics = simulation.statistics
            let shadow = try #require(statistics.shadows.first)
            #expect(statistics.lost == 0)
            #expect(shadow.requests == statistics.requests)
            if sample == 1 {
                #expect((statistics.requests, statistics.hits) == (all.hits + all.misses, all.hits))
            }
            differences.append(shadow.hitRatio - statistics.hitRatio)
        }
        print("Sample \(sample): shadow minus real \(differences)")
        #expect(abs(differences.sorted()[2]) < 0.005, "\(differences)")
        #expect(differences.allSatisfy { abs($0) < 0.05 }, "\(differences)")
    }

    @Test func aShadowIsExactlyWhatASimulationOfTheRecordingSays() async throws {
        let policies: [SimulationPolicy] = [.lru, .s3fifo, .sieve, .arc]
        let recorder = try recorder(sample: 0.25)
        let simulation = try ShadowSimulation(policies.map { .init($0, .count(4_000)) }, beside: recorder, sample: 0.25)
        let cache = Cache<Int, Int>(maximumCount: 6_000, expiration: .afterWrite(.seconds(2)), ticker: time)
        for key in 0..<3_000 { cache.insert(key, forKey: key) }
        cache.recordAccesses(with: recorder)
        var generator = SeededGenerator(seed: 3)
        for step in 1...80_000 {
            let key = Self.popular(40_000, &generator)
            // The test never keeps one key in seven.
            if cache.value(forKey: key) == nil, key % 7 != 3 { cache.insert(key, forKey: key) }
            if step % 50 == 0 { cache.removeValue(forKey: Self.popular(1_000, &generator)) }
            if step % 70 == 0 { cache.insert(0, forKey: Self.popular(1_000, &generator)) }
            if step == 60_000 { cache.removeAll() }
            if step % 100 == 0 {
                time.advance(by: .milliseconds(10))
                try recorder.flush()
            }
        }
        let all = cache.statistics
        cache.recordAccesses(with: nil)
        simulation.finish()
        try recorder.finish()
        let expected = try await Simulation(policies: policies, capacities: [.count(1_000)]).results(of: AccessTraceReader(path: path))
        let statistics = simulation.statistics
        #expect(statistics.sampledShare == 0.25)
        #expect(statistics.shadows.map(\.requests) == expected.map(\.requests))
        #expect(statistics.shadows.map(\.hits) == expected.map(\.hits))
        #expect(expected.contains { $0.expired ?? 0 > 0 })
        #expect(statistics.requests > (all.hits + all.misses) / 8)
        #expect(Set(statistics.shadows.map(\.hits)).count > 1)
    }

    @Test func bytesAreScaledToo() throws {
        let cache = Cache<Int, Int>(maximumWeight: 1_600_000, ticker: time) { key, _ in 1 + key % 199 }
        let shadows: [ShadowSimulation.Shadow] = [.init(.hoard, .bytes(1_600_000)), .init(.lru, .bytes(1_600_000)), .init(.lru, .bytes(100_000))]
        let simulation = try ShadowSimulation(shadows, sample: 0.125, ticker: time)
        cache.recordAccesses(with: simulation.recorder)
        try use(cache, simulation.recorder, requests: 150_000, keys: 200_000)
        simulation.finish()
        let statistics = simulation.statistics
        let ratios = statistics.shadows.map(\.hitRatio)
        print("Real \(statistics.hitRatio), hoard, lru, lru of a sixteenth: \(ratios)")
        #expect(abs(ratios[0] - statistics.hitRatio) < 0.03)
        #expect(ratios[1] < ratios[0] + 0.03 && ratios[2] < ratios[1] - 0.05)
    }

    @Test func shadowsBeginWithWhatTheCacheHas() throws {
        let cache = Cache<Int, Int>(maximumCount: 1_000, ticker: time)
        for key in 0..<500 { cache.insert(key, forKey: key) }
        let simulation = try ShadowSimulation([.init(.lru, .count(1_000))], sample: 1, ticker: time)
        cache.recordAccesses(with: simulation.recorder)
        for key in 0..<500 { #expect(cache.value(forKey: key) == key) }
        simulation.finish()
        #expect(simulation.statistics.shadows.map(\.hits) == [500])
        #expect(simulation.statistics.hits == 500)
    }

    @Test func whatTheCacheDoesNotKeepNoShadowKeeps() throws {
        let simulation = try ShadowSimulation([.init(.lru, .count(10))], sample: 1, ticker: time)
        for _ in 0..<3 {
            simulation.recorder.record(CacheAccess(.pass), forKey: "private")
            simulation.recorder.record(CacheAccess(.miss), forKey: "not stored")
        }
        simulation.finish()
        let statistics = simulation.statistics
        #expect((statistics.requests, statistics.hits, statistics.otherHits) == (6, 0, 0))
        #expect(statistics.shadows.map(\.hits) == [0])
    }

    @Test func hitsOfStoresAndStaleOnesAreCountedApart() throws {
        let simulation = try ShadowSimulation([.init(.lru, .count(10))], sample: 1, ticker: time)
        simulation.recorder.record(CacheAccess(.hit), forKey: 1)
        simulation.recorder.record(CacheAccess(.hit, tier: 1), forKey: 1)
        simulation.recorder.record(CacheAccess(.stale), forKey: 1)
        simulation.finish()
        #expect((simulation.statistics.hits, simulation.statistics.otherHits) == (1, 2))
        // The shadow has the key from the first request on.
        #expect(simulation.statistics.shadows.map(\.hits) == [2])
    }

    @Test func aMissWaitsTenSecondsForItsWrite() throws {
        let simulation = try ShadowSimulation([.init(.lru, .count(10))], sample: 1, ticker: time)
        func pass(_ duration: Duration) throws {
            time.advance(by: duration)
            try simulation.recorder.flush()
        }
        try pass(.seconds(1))
        simulation.recorder.record(CacheAccess(.miss), forKey: 1)
        try pass(.seconds(9))
        #expect(simulation.statistics.requests == 0)
        simulation.recorder.record(CacheAccess(.write), forKey: 1)
        simulation.recorder.record(CacheAccess(.hit), forKey: 1)
        try pass(.seconds(2))
        #expect((simulation.statistics.requests, simulation.statistics.shadows[0].hits) == (1, 0))
        try pass(.seconds(10))
        #expect((simulation.statistics.requests, simulation.statistics.shadows[0].hits) == (2, 1))
        // A load that takes longer counts as a miss of a value that is not kept, and as a write.
        simulation.recorder.record(CacheAccess(.miss), forKey: 2)
        try pass(.seconds(11))
        #expect(simulation.statistics.requests == 3)
        simulation.recorder.record(CacheAccess(.write), forKey: 2)
        simulation.recorder.record(CacheAccess(.hit), forKey: 2)
        try pass(.seconds(11))
        #expect((simulation.statistics.requests, simulation.statistics.shadows[0].hits) == (4, 2))
    }

    @Test func removalsAndLifetimesReachShadows() throws {
        let simulation = try ShadowSimulation([.init(.lru, .count(10)), .init(.hoard, .count(10))], sample: 1, ticker: time)
        let cache = Cache<Int, Int>(maximumCount: 10, expiration: .afterWrite(.seconds(5)), ticker: time)
        cache.recordAccesses(with: simulation.recorder)
        func read(_ key: Int) throws {
            if cache.value(forKey: key) == nil { cache.insert(key, forKey: key) }
            time.advance(by: .milliseconds(20))
            try simulation.recorder.flush()
        }
        for _ in 0..<2 { for key in 0..<4 { try read(key) } }
        cache.removeValue(forKey: 0)
        for key in 0..<4 { try read(key) }
        cache.removeAll()
        for key in 0..<4 { try read(key) }
        time.advance(by: .seconds(5))
        try simulation.recorder.flush()
        for _ in 0..<2 { for key in 0..<4 { try read(key) } }
        simulation.finish()
        let statistics = simulation.statistics
        #expect((statistics.requests, statistics.hits) == (24, 11))
        #expect(statistics.shadows.map(\.hits) == [11, 11])
    }

    @Test func nothingIsCountedAfterTheEndAndARecordingGoesOn() throws {
        let recorder = try recorder()
        let cache = Cache<Int, Int>(maximumCount: 10, ticker: time)
        let simulation = try ShadowSimulation([.init(.lru, .count(10))], beside: recorder, sample: 1)
        cache.recordAccesses(with: recorder)
        _ = cache.value(forKey: 1)
        simulation.finish()
        _ = cache.value(forKey: 1)
        simulation.finish()
        #expect(simulation.statistics.requests == 1)
        do { _ = try ShadowSimulation([.init(.lru, .count(10))], beside: recorder, sample: 1) }
        cache.recordAccesses(with: nil)
        try recorder.finish()
        #expect(try RecordedTrace(path: path).events.map(\.kind) == [.miss, .miss])
        #expect(simulation.statistics.requests == 1)
    }

    @Test func aSimulationThatIsLetGoOfEndsThoughTheCacheIsStillRecorded() throws {
        let cache = Cache<Int, Int>(maximumCount: 10, ticker: time)
        do {
            let simulation = try ShadowSimulation([.init(.lru, .count(10))], sample: 1, ticker: time)
            cache.recordAccesses(with: simulation.recorder)
        }
        for _ in 0..<10_000 { _ = cache.value(forKey: 1) }
        cache.recordAccesses(with: nil)
        #expect(cache.statistics.misses == 10_000)
    }

    @Test func threadsThatReadAtOnceAreCountedOnce() async throws {
        let simulation = try ShadowSimulation([.init(.lru, .count(4_096)), .init(.hoard, .count(8_192))], sample: 1)
        let cache = Cache<Int, Int>(maximumCount: 4_096)
        cache.recordAccesses(with: simulation.recorder)
        await withTaskGroup { group in
            for task in 0..<4 {
                group.addTask {
                    for step in 0..<20_000 {
                        let key = (step &* 31 + task) % 8_192
                        if cache.value(forKey: key) == nil { cache.insert(key, forKey: key) }
                        if step % 5_000 == 0 { _ = simulation.statistics }
                    }
                }
            }
        }
        let all = cache.statistics
        cache.recordAccesses(with: nil)
        simulation.finish()
        let statistics = simulation.statistics
        #expect((statistics.requests, statistics.hits, statistics.lost) == (all.hits + all.misses, all.hits, 0))
        #expect(statistics.shadows.map(\.requests) == [80_000, 80_000])
        #expect(statistics.shadows[1].hits > 0)
    }

    @Test func aFileMayHaveASmallerSampleThanShadows() throws {
        var configuration = CacheTraceRecorder.Configuration()
        configuration.sampledShare = 0.1
        let recorder = try CacheTraceRecorder(path: path, configuration: configuration, listenedShare: 0.5, ticker: time, clock: time)
        let wide = try ShadowSimulation([.init(.lru, .count(10))], beside: recorder, sample: 0.9)
        let narrow = try ShadowSimulation([.init(.lru, .count(10))], beside: recorder, sample: 0.2)
        #expect(wide.statistics.sampledShare == 0.5)
        for key in 0..<20_000 { recorder.record(CacheAccess(.pass), forKey: key) }
        for simulation in [wide, narrow] { simulation.finish() }
        try recorder.finish()
        let trace = try RecordedTrace(path: path)
        let share = Double(try #require(trace.header).sampledKeys) / 65_536
        #expect((0.1...0.1003).contains(share))
        #expect((1_800...2_200).contains(trace.events.count))
        #expect((9_500...10_500).contains(wide.statistics.requests))
        #expect((3_700...4_300).contains(narrow.statistics.requests))
    }

    @Test(arguments: [
        (ShadowSimulation.Shadow(.opt, .count(10)), ShadowSimulationError.Code.unsupportedPolicy), (.init(.pfooL, .bytes(10)), .unsupportedPolicy),
        (.init(.arc, .bytes(10)), .unsupportedPolicy), (.init(.adaptsize, .count(10)), .unsupportedPolicy),
        (.init(.lru, .percent(10)), .unsupportedCapacity), (.init(.lru, .count(100_000_000)), .unsupportedCapacity),
    ])
    func whatCannotBeSimulatedIsRefused(shadow: ShadowSimulation.Shadow, code: ShadowSimulationError.Code) {
        let error = #expect(throws: ShadowSimulationError.self) { try ShadowSimulation([shadow]) }
        #expect(error?.code == code)
    }

    @Test func samplesAndNumbersOutOfRangeAreRefused() {
        for sample in [0, -1, 1.1, .nan] {
            #expect(throws: ShadowSimulationError.self) { try ShadowSimulation([.init(.lru, .count(10))], sample: sample) }
        }
        let many = Array(repeating: ShadowSimulation.Shadow(.lru, .count(10)), count: ShadowSimulation.maximumCount + 1)
        #expect(throws: ShadowSimulationError.self) { try ShadowSimulation(many) }
    }
}
