// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting

@testable import Hoard

extension InterleavingRun {
    /// A configuration of stores that the cache soon gives up.
    static func stackConfiguration(using generator: inout SeededGenerator) -> StoreStack.Configuration {
        StoreStack.Configuration(
            deadline: Int.random(in: 0..<8, using: &generator) == 0 ? nil : .seconds(1),
            failuresToOpen: Int.random(in: 1...4, using: &generator),
            maximumOpenFor: .seconds(8),
            maximumJournalCount: Int.random(in: 0..<4, using: &generator) == 0 ? Int.random(in: 0...2, using: &generator) : 100
        )
    }

    /// The names of one cache or several over the same stores. One of them may have none.
    static func cacheNames(using generator: inout SeededGenerator) -> [String?] {
        let count = [1, 1, 2, 3][Int.random(in: 0..<4, using: &generator)]
        return Array(["cache", "caches", nil].shuffled(using: &generator).prefix(count))
    }

    /// A cache whose memory is so small that its stores are read all the time.
    static func cache(
        named name: String?,
        over stack: StoreStack,
        isAlone: Bool,
        time: ManualTicker,
        using generator: inout SeededGenerator
    ) -> TieredCache<String, Int> {
        let numbers = Shared(SeededGenerator(seed: generator.next()))
        return TieredCache(
            name: name,
            configuration: .init(maximumCount: Int.random(in: 0...2, using: &generator), policy: policy(using: &generator)),
            stack: stack,
            ownsStack: isAlone && name == nil,
            codec: .json,
            recordKey: { RecordKey(canonical: $0) },
            keyOfRecord: { $0.description },
            clock: time,
            ticker: time,
            observer: nil,
            random: { numbers.update { Double.random(in: 0..<1, using: &$0) } },
            onEvent: { _ in }
        )
    }

    /// A valid random policy.
    private static func policy(using generator: inout SeededGenerator) -> CachePolicy {
        func sometimes(_ duration: Duration) -> Duration? { Int.random(in: 0..<3, using: &generator) == 0 ? duration : nil }
        var policy = CachePolicy(freshFor: Bool.random(using: &generator) ? nil : sometimes(.seconds(4)) ?? .seconds(1_000))
        policy.staleWhileRevalidate = sometimes(.seconds(5)) ?? .zero
        policy.staleIfError = sometimes(.seconds(20)) ?? .zero
        policy.staleFor = sometimes(.seconds(20)) ?? .zero
        policy.retryAfterFailure = sometimes(.seconds(1)) ?? .zero
        policy.negativeFor = sometimes(.seconds(3)) ?? .zero
        policy.hardTimeout = sometimes(.seconds(1))
        if policy.staleIfError > .zero || policy.staleWhileRevalidate > .zero { policy.softTimeout = sometimes(.milliseconds(300)) }
        if policy.freshFor != nil {
            policy.jitter = sometimes(.seconds(2)) ?? .zero
            if sometimes(.zero) != nil { policy.earlyRefresh = .atFraction(0.5) }
        }
        if sometimes(.zero) != nil { policy.storeWriting = .behind }
        return policy
    }

    /// A policy for one call: that of the cache, or one that skips tiers or writes in another way.
    func callPolicy(using generator: inout SeededGenerator) -> CachePolicy? {
        switch Int.random(in: 0..<10, using: &generator) {
        case 0: cache.policy.with { $0.skipping = .init(rawValue: UInt8.random(in: 0..<16, using: &generator)) }
        case 1: cache.policy.with { $0.storeWriting = .behind }
        case 2: cache.policy
        default: nil
        }
    }
}
