// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardTesting
import Synchronization
import Testing

@testable import Hoard

/// Values that come from outside the cache. The caller opens a fence before it gets them, and publishes them with it.
@Suite(.timeLimit(.minutes(5))) struct TieredCachePublishingTests {
    private let fixture = TieredFixture()
    private var cache: TieredCache<String, Int> { fixture.cache }

    private func cached(_ value: Int, tags: Set<String> = []) -> CachedValue<Int> {
        CachedValue(value, created: fixture.time.now(), freshUntil: nil, staleUntil: .forever, tags: tags)
    }

    @Test func publicationThatSkipsMemoryReachesTheStoresAndRemovesWhatMemoryHas() async throws {
        await cache.insert(1, forKey: "a")
        #expect(await cache.publish(cached(2), forKey: "a", fence: cache.openFence(forKey: "a"), skipping: .memoryWrites))
        #expect(cache.memoryValue(forKey: "a") == nil)
        #expect(try await fixture.stored("a", in: fixture.lowerBase) == 2)
        #expect(await cache.value(forKey: "a") == 2)
    }

    @Test func brokenFenceKeepsItsOwnerFromPublishingAndLeavesEverythingElse() async throws {
        await cache.insert(1, forKey: "a")
        let fence = cache.openFence(forKey: "a")
        cache.breakFences(forKey: "a")
        #expect(!cache.isIntact(fence))
        #expect(await !cache.publish(cached(2), forKey: "a", fence: fence))
        #expect(await cache.value(forKey: "a") == 1)
        let later = cache.openFence(forKey: "a")
        #expect(await cache.publish(cached(3), forKey: "a", fence: later))
        #expect(await cache.value(forKey: "a") == 3)
    }

    @Test func fenceKnowsWhichTagsHaveBeenInvalidatedSince() async {
        let fence = cache.openFence(forKey: "a")
        await cache.removeValues(taggedWith: "t")
        #expect(cache.isIntact(fence, tags: ["u"]))
        #expect(!cache.isIntact(fence, tags: ["t", "u"]))
        cache.closeFence(fence)
    }

    /// Two writers of a key may reach the queue of writes behind in another order than they reach memory.
    @Test func ofOneKeyInABatchTheNewestValueIsWritten() async throws {
        let policy = cache.policy.with { $0.storeWriting = .behind }
        let terms = cache.newTerms(policy)
        func publication(_ value: Int) -> TieredCache<String, Int>.Publication? {
            let fence = cache.openFence(forKey: "a", .none)
            return cache.publishToMemory(.init(key: "a", fence: fence, value: value, terms: terms, policy: policy), isLoad: false)
        }
        let older = try #require(publication(1))
        let newer = try #require(publication(2))
        await cache.spread([newer, older], isLoad: false)
        await cache.flush()
        #expect(try await fixture.stored("a", in: fixture.lowerBase) == 2)
        #expect(cache.memoryValue(forKey: "a") == 2)
        #expect(cache.fences.withLock { $0.isEmpty })
    }
}
