// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HoardSimulator

@Suite("Policies", .timeLimit(.minutes(5)))
struct PolicyTests {
    /// The hits of requests written as letters: `x` for a hit, `.` for a miss.
    private func pattern(_ policy: some ReplacementPolicy, _ requests: String) -> String {
        var policy = policy
        return String(requests.utf8.map { policy.access(UInt64($0)) ? "x" : "." })
    }

    @Test func lruEvictsTheLeastRecentlyUsedKey() {
        #expect(pattern(LRUPolicy(capacity: 2), "ABACAB") == "..x.x.")
    }

    @Test func fifoEvictsTheOldestKeyThoughItWasUsed() {
        #expect(pattern(FIFOPolicy(capacity: 2), "ABACAB") == "..x...")
        #expect(pattern(FIFOPolicy(capacity: 2), "ABACBA") == "..x.x.")
    }

    @Test func clockSparesAUsedKeyOnceForEachUseUpToThree() {
        #expect(pattern(ClockPolicy(capacity: 2), "ABACA") == "..x.x")
        // A has three uses at most, so it survives three rounds of the hand and leaves in the fourth.
        #expect(pattern(ClockPolicy(capacity: 2), "AAAAAAABCDEFA") == ".xxxxxx......")
        #expect(pattern(ClockPolicy(capacity: 2), "AAAABCDEA") == ".xxx....x")
    }

    @Test func sieveSparesAUsedKeyAndGoesOnFromThere() {
        // At D, the hand passes A and evicts B. At B, it evicts C. At E, it evicts D, which comes
        // next, and not A, which is the oldest.
        #expect(pattern(SievePolicy(capacity: 3), "ABCADBAEBA") == "...x..x.xx")
    }

    @Test func s3fifoTakesAKeyThatCameBackIntoTheMainQueue() {
        #expect(pattern(S3FIFOPolicy(capacity: 3), "ABCDABCA") == ".....xxx")
    }

    @Test func arcMovesItsBorderWithEachReturn() {
        #expect(pattern(ARCPolicy(capacity: 2), "AABCBCAC") == ".x...x.x")
    }

    @Test func lirsPrefersKeysWithShortTimesBetweenUses() {
        #expect(pattern(LIRSPolicy(capacity: 3), "ABCDABCCBDA") == "....xx.xx..")
    }

    @Test func theOptimalPolicyLetsTheFarthestNextUseGo() {
        func optimal(_ requests: String, capacity: Int) -> String {
            pattern(OptimalPolicy(capacity: capacity, nextUses: nextUses(of: requests.utf8.map(UInt64.init))), requests)
        }
        #expect(optimal("ABCABC", capacity: 2) == "...xx.")
        #expect(optimal("ABCABC", capacity: 3) == "...xxx")
        // The optimal policy does not even take B in.
        #expect(optimal("ABACADAB", capacity: 1) == "..x.x.x.")
    }

    @Test func theHoardPolicyIsTheCacheOfThisPackage() {
        let replay = SimulationPolicy.hoard.makeReplay(capacity: 3)
        replay.replay(keys: [1, 2, 3, 1, 2, 3])
        #expect(replay.hits == 3)
        #expect(replay.count == 3)
    }

    @Test(arguments: SimulationPolicy.all.filter { $0.canCount(bytes: false) }, [1, 2, 3, 5, 10, 64])
    func noPolicyEverHoldsMoreThanItsCapacity(policy: SimulationPolicy, capacity: Int) {
        for seed in UInt64(0)..<3 {
            let requests = randomRequests(count: 600, keyCount: 40, seed: seed)
            let replay = policy.makeReplay(capacity: capacity, nextUses: nextUses(of: requests))
            for request in requests {
                replay.replay(keys: [request])
                guard replay.count > capacity else { continue }
                Issue.record("\(policy) holds \(replay.count) keys at capacity \(capacity), seed \(seed)")
                return
            }
        }
    }

    @Test(arguments: SimulationPolicy.all.filter { $0.canCount(bytes: false) })
    func aCacheThatHoldsAllKeysMissesEachOnce(policy: SimulationPolicy) {
        let requests = randomRequests(count: 500, keyCount: 20, seed: 1)
        let keyCount = Set(requests).count
        // S3-FIFO, Merlin, ARC and LIRS part the cache, but fill all of it before they evict.
        let replay = policy.makeReplay(capacity: keyCount + 1, nextUses: nextUses(of: requests))
        replay.replay(keys: requests)
        #expect(replay.hits == requests.count - keyCount)
    }

    @Test func keysMayBeAnyNumber() {
        for policy in SimulationPolicy.all where policy.canCount(bytes: false) {
            let requests: [UInt64] = [.max, 0, .max - 1, .max, 0, .max - 1]
            let replay = policy.makeReplay(capacity: 4, nextUses: nextUses(of: requests))
            replay.replay(keys: requests)
            #expect(replay.hits == 3, "\(policy)")
        }
    }
}

@Suite("OptimalPolicy", .timeLimit(.minutes(5)))
struct OptimalPolicyTests {
    /// The most hits that any decisions can give, found by a search through all.
    private func bestHits(_ requests: ArraySlice<UInt64>, held: Set<UInt64>, capacity: Int) -> Int {
        guard let key = requests.first else { return 0 }
        let rest = requests.dropFirst()
        if held.contains(key) { return 1 + bestHits(rest, held: held, capacity: capacity) }
        var best = bestHits(rest, held: held, capacity: capacity)
        if held.count < capacity {
            best = max(best, bestHits(rest, held: held.union([key]), capacity: capacity))
        } else {
            for victim in held {
                best = max(best, bestHits(rest, held: held.subtracting([victim]).union([key]), capacity: capacity))
            }
        }
        return best
    }

    private func optimalHits(_ requests: [UInt64], capacity: Int) -> Int {
        let replay = SimulationPolicy.opt.makeReplay(capacity: capacity, nextUses: nextUses(of: requests))
        replay.replay(keys: requests)
        return replay.hits
    }

    @Test func noDecisionsBringMoreHits() {
        for seed in UInt64(0)..<40 {
            for capacity in 1...3 {
                let requests = randomRequests(count: 9, keyCount: 5, seed: seed)
                let best = bestHits(requests[...], held: [], capacity: capacity)
                #expect(optimalHits(requests, capacity: capacity) == best, "capacity \(capacity), seed \(seed)")
            }
        }
    }

    @Test(arguments: SimulationPolicy.all.filter { $0.canCount(bytes: false) })
    func noPolicyHasMoreHits(policy: SimulationPolicy) {
        for seed in UInt64(100)..<108 {
            for capacity in [1, 4, 15] {
                let requests = randomRequests(count: 400, keyCount: 30, seed: seed)
                let replay = policy.makeReplay(capacity: capacity, nextUses: nextUses(of: requests))
                replay.replay(keys: requests)
                #expect(replay.hits <= optimalHits(requests, capacity: capacity), "capacity \(capacity), seed \(seed)")
            }
        }
    }

    @Test func aLargerCacheNeverHasFewerHits() {
        let requests = randomRequests(count: 800, keyCount: 50, seed: 7)
        let hits = (1...60).map { optimalHits(requests, capacity: $0) }
        #expect(zip(hits, hits.dropFirst()).allSatisfy { $0 <= $1 })
    }
}
