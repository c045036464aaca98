// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard
@_spi(Client) import HoardRedis
import HoardRedisTestSupport
import HoardTesting
import Testing

/// Keys and tags are equal as strings are, even with other bytes: on the fake server, and on a
/// real one where there is one.
///
/// `HOARD_PROGRAMS` asks for another number of programs than the usual 48 on each.
@Suite(.timeLimit(.minutes(30))) struct RedisStoreSpellingTests {
    private static let campaign = ProgramCampaign(defaultCount: 48)
    private let time = ManualTicker()

    /// - Parameter makeStore: Makes a new store for each hundred programs, because the fake server
    ///   gets slower the more it holds.
    private func run(_ block: UInt64, over makeStore: () throws -> RedisStore) async throws {
        var seeds = Array(Self.campaign.seeds(inBlock: block))[...]
        while !seeds.isEmpty {
            let store = try makeStore()
            // A store that has no connection yet knows nothing, and has nothing.
            _ = try await store.peekRecord(forKey: "connected")
            let stack = StoreStack([store], ticker: time)
            for seed in seeds.prefix(100) {
                if let failure = await SpellingProgram(seed: seed).failure(over: stack, time) {
                    Issue.record("\(failure)")
                    seeds = []
                    break
                }
            }
            await stack.close()
            seeds = seeds.dropFirst(100)
        }
    }

    @Test(arguments: 0..<campaign.blockCount) func programsOnAFakeServer(block: UInt64) async throws {
        // The server lives in real time, the store's records in the test's.
        try await run(block) { try FakeRedis(ticker: MonotonicTicker()).makeStore(clock: time) }
    }

    @Test(.enabled(if: RedisServer.isAvailable, "\(RedisServer.requirement)"), arguments: 0..<campaign.blockCount)
    func programsOnARealServer(block: UInt64) async throws {
        let server = try await RedisServer.shared()
        try await run(block) {
            try RedisStore(
                connectingTo: RedisConfiguration(address: server.address).patient,
                configuration: .init(keyPrefix: "spellings \(UInt64.random(in: .min ... .max))"),
                clock: time
            )
        }
    }
}
