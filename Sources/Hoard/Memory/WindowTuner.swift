// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Chooses the tuning of a cache while it runs.
///
/// No fixed window is right: recency decides some workloads, frequency others. Five ``ShadowCache``s with windows from 1 % to 98 % are fed with a
/// sample of the accesses, chosen by hash. After each epoch their scores decay and take in the new hits, and the best one's tuning
/// becomes the cache's, if it is better than the present one's by more than chance.
///
/// *Audit*: a small sample can lie, most of all where the hit ratio has a cliff. The cache's own hits on the sampled keys tell; a tuning
/// that does far worse in the cache than in its shadow is believed that much less.
///
/// Runs on the threads that use the cache, but never under a shard's lock and only once for many accesses.
/// Memory: the shadows hold 5 × capacity × sampling rate hashes of about 34 bytes; about 1.3 bytes for each entry of a large cache.
@usableFromInline final class WindowTuner: Sendable {
    /// A sampled access: 31 bits of hash and, in the lowest bit, whether it was a hit.
    typealias Sample = UInt32

    static let candidates: [EvictionPolicy.Tuning] = [
        .init(windowShare: 0.01, placement: .atNewest),
        .init(windowShare: 0.10),
        .init(windowShare: 0.30, windowHasSecondChance: true),
        .init(windowShare: 0.60, windowHasSecondChance: true),
        .init(windowShare: 0.98, windowHasSecondChance: true),
    ]
    static let initialChoice = 1

    /// The candidate in use. Shards read it when they evict.
    private let choice = Atomic<Int>(WindowTuner.initialChoice)
    private let state: Mutex<State?> = Mutex(nil)

    @usableFromInline init() {}

    var tuning: EvictionPolicy.Tuning { Self.candidates[choice.load(ordering: .relaxed)] }

    /// Which share of the keys is sampled, of 65,536.
    static func sampleThreshold(forCapacity capacity: Int) -> UInt16 {
        let rate = min(0.25, max(64 / Double(max(1, capacity)), 1.0 / 128))
        return UInt16(rate * 65_536)
    }

    /// The cache is full for the first time: begins to watch. Does nothing the second time.
    func start(capacity: Int) {
        state.withLock { state in
            if state == nil { state = State(capacity: capacity) }
        }
    }

    /// The cache holds many more or many fewer entries than when the tuner began to watch: begins again, with the present choice.
    func restart(capacity: Int) {
        let choice = currentChoice
        state.withLock { state in state = State(capacity: capacity, choice: choice) }
    }

    @usableFromInline func feed(_ buffer: SampleBuffer) {
        state.withLock { state in
            for number in 0..<buffer.count {
                guard let best = state?.access(buffer.samples[number]) else { continue }
                choice.store(best, ordering: .relaxed)
            }
        }
    }

    /// Index of the candidate in use. For tests.
    var currentChoice: Int { choice.load(ordering: .relaxed) }
}

extension WindowTuner {
    /// The shadows and their scores. No locks; for tests too.
    struct State: ~Copyable {
        private var shadows: [ShadowCache]
        private var scores: [Double]
        private var newHits: [Int]
        /// The cache's own hits in this epoch on the sampled keys.
        private var realHits = 0
        /// For each candidate, the cache's hits per hit of the shadow while it was in use, up to 1.
        private var credits: [Double]
        private var accesses = 0
        private let epochLength: Int
        private(set) var choice: Int

        private static let decay = 0.985
        private static let creditMemory = 0.9
        /// Credits above this are noise and change nothing.
        private static let audit = 0.7
        /// How much better than the present choice another must score.
        private static let margin = 1.03

        init(capacity: Int, choice: Int = WindowTuner.initialChoice) {
            self.choice = choice
            let rate = Double(WindowTuner.sampleThreshold(forCapacity: capacity)) / 65_536
            let shadowCapacity = max(1, Int(Double(capacity) * rate + 0.5))
            shadows = WindowTuner.candidates.map { ShadowCache(capacity: shadowCapacity, tuning: $0) }
            scores = Array(repeating: 0, count: shadows.count)
            newHits = Array(repeating: 0, count: shadows.count)
            credits = Array(repeating: 1, count: shadows.count)
            epochLength = max(100, shadowCapacity)
        }

        deinit {
            for shadow in shadows { shadow.deallocate() }
        }

        /// Takes in one access. Returns the candidate to use when another one has become the best.
        mutating func access(_ sample: Sample) -> Int? {
            accesses += 1
            realHits += Int(sample & 1)
            for candidate in shadows.indices where shadows[candidate].access(sample & ~1) { newHits[candidate] += 1 }
            return accesses < epochLength ? nil : endEpoch()
        }

        private mutating func endEpoch() -> Int? {
            if newHits[choice] > 0 {
                let credit = min(1, Double(realHits) / Double(newHits[choice]))
                credits[choice] = Self.creditMemory * credits[choice] + (1 - Self.creditMemory) * credit
            }
            var best = choice
            var bestScore = 0.0
            for candidate in scores.indices {
                scores[candidate] = Self.decay * scores[candidate] + Double(newHits[candidate])
                newHits[candidate] = 0
                let credit = credits[candidate] < Self.audit ? credits[candidate] : 1
                var score = scores[candidate] * credit
                if candidate == choice { score *= Self.margin }
                if score > bestScore { (best, bestScore) = (candidate, score) }
            }
            accesses = 0
            realHits = 0
            guard best != choice else { return nil }
            choice = best
            return best
        }

        /// Checks all shadows. For tests.
        func checkInvariants() {
            for shadow in shadows { shadow.checkInvariants() }
        }
    }
}
