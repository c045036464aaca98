// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import Testing

@testable import Hoard

/// One key is one key in every tier, however it is spelt.
@Suite(.timeLimit(.minutes(30))) struct TieredCacheSpellingTests {
    private static let campaign = ProgramCampaign(defaultCount: 400)
    private let time = ManualTicker()

    private func run(_ block: UInt64, over store: any RecordStore) async {
        let stack = StoreStack([store], ticker: time)
        for seed in Self.campaign.seeds(inBlock: block) {
            if let failure = await SpellingProgram(seed: seed).failure(over: stack, time) {
                Issue.record("\(failure)")
                break
            }
        }
        await stack.close()
    }

    @Test(arguments: 0..<campaign.blockCount) func programsOverAMemoryStore(block: UInt64) async {
        await run(block, over: MemoryStore(maximumCount: 1_000, clock: time))
    }

    @Test(arguments: 0..<campaign.blockCount) func programsOverASharedStore(block: UInt64) async {
        await run(block, over: SharedMemoryStore(clock: time, ticker: time).connect())
    }

    @Test func zerosAreOneKey() async {
        let store = MemoryStore(maximumCount: 10)
        let cache = TieredCache<Double, Int>(configuration: .init(maximumCount: 10), stores: [store], codec: .json, ticker: time)
        await cache.insert(1, forKey: 0.0)
        await cache.insert(2, forKey: -0.0)
        let other = TieredCache<Double, Int>(configuration: .init(maximumCount: 10), stores: [store], codec: .json, ticker: time)
        #expect(await other.value(forKey: 0.0) == 2)
        await cache.removeValue(forKey: 0.0)
        let last = TieredCache<Double, Int>(configuration: .init(maximumCount: 10), stores: [store], codec: .json, ticker: time)
        #expect(await last.value(forKey: -0.0) == nil)
    }
}
