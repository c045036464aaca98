// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard
import HoardModels
import HoardTesting

/// A server with values by key, which may be unreachable, and a cache of its values, in a time that stands still.
final class ModelFixture: Sendable {
    struct Unreachable: Error {}

    struct State: Sendable {
        var values: [String: Int] = [:]
        var isAway = false
        var loads: [String] = []
    }

    let time = ManualTicker()
    let state = Shared(State())
    /// A gate at which the server waits, if there is one.
    let gate = Shared<Gate?>(nil)
    let cache: TieredCache<String, Int>

    init(policy: CachePolicy = CachePolicy(freshFor: .seconds(60)).with { $0.staleFor = .seconds(600) }) {
        cache = TieredCache(configuration: .init(maximumCount: 100, policy: policy), stores: [], codec: .json, clock: time, ticker: time)
    }

    var loads: [String] { state.value.loads }

    func set(_ value: Int?, forKey key: String) { state.update { $0.values[key] = value } }
    func setAway(_ isAway: Bool) { state.update { $0.isAway = isAway } }

    @Sendable func load(_ key: String) async throws -> Int {
        state.update { $0.loads.append(key) }
        await gate.value?.pass()
        let state = state.value
        guard !state.isAway, let value = state.values[key] else { throw Unreachable() }
        return value
    }

    /// Lets all other work go on until `condition` holds.
    @MainActor func until(_ condition: @MainActor () -> Bool) async throws {
        while !condition() {
            try Task.checkCancellation()
            await Task.yield()
        }
    }
}
