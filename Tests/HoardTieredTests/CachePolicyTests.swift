// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard
import Testing

@Suite struct CachePolicyTests {
    @Test func defaultPolicyIsValidAndForgivesNothing() throws {
        let policy = CachePolicy(freshFor: .seconds(60))
        try policy.validate()
        #expect(policy.staleIfError == .zero && policy.staleWhileRevalidate == .zero && policy.negativeFor == .zero)
        #expect(policy.softTimeout == nil && policy.hardTimeout == nil && policy.skipping.isEmpty && policy.storeWriting == .through)
        #expect(policy.retryAfterFailure == .seconds(30))
    }

    @Test(arguments: [
        (
            CachePolicy(freshFor: .seconds(1)).with {
                $0.staleIfError = .seconds(1)
                $0.softTimeout = .seconds(2)
                $0.hardTimeout = .seconds(1)
            }, ["softTimeout", "hardTimeout"]
        ),
        (CachePolicy(freshFor: .seconds(1)).with { $0.softTimeout = .seconds(2) }, ["softTimeout", "staleIfError"]),
        (CachePolicy(freshFor: .seconds(1)).with { $0.earlyRefresh = .atFraction(1) }, ["earlyRefresh"]),
        (CachePolicy(freshFor: .seconds(1)).with { $0.earlyRefresh = .atFraction(.nan) }, ["earlyRefresh"]),
        (CachePolicy(freshFor: .seconds(1)).with { $0.earlyRefresh = .probabilistic(beta: 0) }, ["earlyRefresh"]),
        (CachePolicy().with { $0.earlyRefresh = .atFraction(0.5) }, ["earlyRefresh", "freshFor"]),
    ])
    func whatDoesNotGoTogetherIsNamed(policy: CachePolicy, names: [String]) {
        let error = #expect(throws: CacheError.self) { try policy.validate() }
        #expect(error?.code == .invalidPolicy)
        for name in names { #expect(error?.message.contains(name) ?? false) }
    }

    @Test func copyWithChangesLeavesTheOriginalAlone() {
        let policy = CachePolicy(freshFor: .seconds(60))
        let other = policy.with { $0.skipping = .reads }
        #expect(policy.skipping.isEmpty)
        #expect(other.skipping == [.memoryReads, .storeReads])
        #expect(other.freshFor == .seconds(60))
    }

    @Test func cacheRefusesAPolicyThatContradictsItself() async {
        await #expect(processExitsWith: .failure) {
            _ = TieredCache<String, Int>.Configuration(maximumCount: 1, policy: CachePolicy().with { $0.earlyRefresh = .atFraction(2) })
        }
    }

    @Test(arguments: [Duration.seconds(-1), .seconds(Int64.min), .nanoseconds(-1)])
    func negativeDurationsCountAsZero(_ negative: Duration) async throws {
        let policy = CachePolicy(freshFor: negative).with { policy in
            for path in [
                \.staleWhileRevalidate, \.staleIfError, \.staleFor, \.retryAfterFailure, \.jitter, \.negativeFor,
            ] as [WritableKeyPath<CachePolicy, Duration>] {
                policy[keyPath: path] = negative
            }
            policy.hardTimeout = negative
            policy.loadLease = CachePolicy.LoadLease(maximumWait: negative)
        }
        try policy.validate()
        try policy.with {
            $0.softTimeout = negative
            $0.staleIfError = .seconds(1)
        }.validate()
        // With a timeout of zero, no load would end in time.
        let cache = TieredFixture(policy: policy.with { $0.hardTimeout = nil }).cache
        for number in 0..<3 {
            // The cache loads a value each time if it is fresh for no time.
            #expect(try await cache.value(forKey: "a") { _ in number } == number)
        }
        // The cache remembers the absence for no time, and tries again after no time.
        for _ in 0..<2 {
            #expect(try await cache.valueIfExists(forKey: "b") { _ in .absent() } == nil)
            await #expect(throws: (any Error).self) { try await cache.value(forKey: "c") { _ -> Int in throw CacheError(.timedOut, "") } }
        }
        #expect(cache.statistics.loads == 5)
        #expect(cache.statistics.loadFailures == 2)
    }
}
