// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard
import HoardRedis
import HoardRedisTestSupport
import HoardTesting
import Testing

/// Keys and tags are equal as strings are, whatever their bytes: on the fake server, and on a real one where there is one.
///
/// `HOARD_PROGRAMS` asks for another number of programs than the usual 48 on each.
@Suite(.timeLimit(.minutes(30))) struct RedisStoreSpellingTests {
    private static let campaign = ProgramCampaign(defaultCount: 48)
    private let time = ManualTicker()

    private func run(_ block: UInt64, over store: RedisStore) async throws {
        // A store that has no connection yet knows nothing, and has nothing.
        _ = try await store.peekRecord(forKey: "connected")
        let stack = StoreStack([store], ticker: time)
        for seed in Self.campaign.seeds(inBlock: block) {
            if let failure = await SpellingProgram(seed: seed).failure(over: stack, time) {
                Issue.record("\(failure)")
                break
            }
        }
        await stack.close()
    }

    @Test(arguments: 0..<campaign.blockCount) func programsOnAFakeServer(block: UInt64) async throws {
        // The server lives in real time, the store's records in the test's.
        try await run(block, over: FakeRedis(ticker: MonotonicTicker()).makeStore(clock: time))
    }

    @Test(.enabled(if: RedisServer.isAvailable, "\(RedisServer.requirement)"), arguments: 0..<campaign.blockCount)
    func programsOnARealServer(block: UInt64) async throws {
        let server = try await RedisServer.shared()
        let store = try RedisStore(
            connectingTo: RedisConfiguration(address: server.address).patient,
            configuration: .init(keyPrefix: "spellings \(UInt64.random(in: .min ... .max))"),
            clock: time
        )
        try await run(block, over: store)
    }
}
