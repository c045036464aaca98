// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTestSupport
import HoardTesting
import Testing

@testable import Hoard

/// User code that calls the cache back, from every place in which the cache runs such code.
@Suite(.timeLimit(.minutes(5))) struct CacheReentrancyTests {
    @Test func weigherMayCallTheCache() {
        let holder = Shared<Cache<String, Int>?>(nil)
        let cache = Cache<String, Int>(maximumWeight: 100) { key, value in
            guard let cache = holder.value, key != "inner" else { return 1 }
            cache.insert(value, forKey: "inner")
            return 1 + (cache.value(forKey: "inner") ?? 0)
        }
        holder.update { $0 = cache }
        cache.insert(3, forKey: "outer")
        #expect(cache.totalWeight == 5)
        #expect(cache.peek("inner") == 3)
        holder.update { $0 = nil }
    }

    @Test func loaderMayChangeTheCache() async throws {
        let cache = Cache<String, Int>(maximumCount: 10)
        let value = try await cache.value(forKey: "a") { [cache] key in
            cache.insert(2, forKey: "b")
            cache.insert(3, forKey: key)
            cache.removeExpired()
            return (cache.value(forKey: "b") ?? 0) + (cache.value(forKey: key) ?? 0)
        }
        #expect(value == 5)
        #expect(cache.peek("a") == 3, "the loader's own write is the newer one")
    }

    @Test func deinitialisersMayCallTheCacheHoweverTheirValueLeaves() {
        // A value's deinitialiser runs at every way out of the cache; each calls the cache back and must find it unlocked.
        let ticker = ManualTicker()
        let cache = Cache<Int, Witness>(maximumCount: 2, ticker: ticker)
        let callbacks = Counter()
        func witness() -> Witness {
            Witness { [weak cache] _ in
                guard let cache else { return }
                callbacks.increment()
                _ = cache.peek(1)
                _ = cache.value(forKey: 100)
                cache.removeValue(forKey: 101)
                cache.removeExpired()
                _ = cache.statistics
            }
        }
        cache.insert(witness(), forKey: 1)
        cache.insert(witness(), forKey: 1)
        #expect(callbacks.value == 1, "replaced")
        cache.insert(witness(), forKey: 2)
        cache.insert(witness(), forKey: 3)
        #expect(callbacks.value == 2, "evicted")
        cache.removeValue(forKey: 3)
        #expect(callbacks.value == 3, "removed")
        cache.insert(witness(), forKey: 4, expiresAfter: .seconds(1))
        ticker.advance(by: .seconds(1))
        _ = cache.value(forKey: 4)
        #expect(callbacks.value == 4, "expired at a read")
        cache.insert(witness(), forKey: 5, expiresAfter: .seconds(1))
        ticker.advance(by: .seconds(1))
        cache.removeExpired()
        #expect(callbacks.value == 5, "reclaimed")
        cache.insert(witness(), forKey: 6, expiresAfter: .zero)
        #expect(callbacks.value == 6, "refused")
        cache.insert(witness(), forKey: 7, expiresAfter: .seconds(1))
        ticker.advance(by: .seconds(1))
        #expect(cache.removeValue(forKey: 7) == nil)
        #expect(callbacks.value == 7, "removed when expired")
        cache.insert(witness(), forKey: 8)
        let held = cache.count
        cache.removeAll()
        #expect(callbacks.value == 7 + held, "all removed")
    }

    /// An error that tells when it is released.
    private final class WitnessError: Error {
        private let onRelease: @Sendable () -> Void

        init(onRelease: @escaping @Sendable () -> Void) { self.onRelease = onRelease }

        deinit { onRelease() }
    }

    @Test func keptErrorsAreReleasedOutsideTheLockHoweverTheyLeave() {
        let ticker = ManualTicker()
        let cache = Cache<Int, Int>(maximumCount: 2, ticker: ticker)
        let releases = Counter()
        func keepError(forKey key: Int) {
            let hash = cache.hasher(key)
            let fence = cache.cells.withShard(for: hash) { $0.openFence(forKey: key) }
            let error = WitnessError { [weak cache] in if cache?.allLocksAreFree ?? false { releases.increment() } }
            cache.publish(.failure(error, expiresAfter: .seconds(1)), forKey: key, hash: hash, fence: fence)
        }
        keepError(forKey: 1)
        keepError(forKey: 1)
        #expect(releases.value == 1, "replaced")
        keepError(forKey: 2)
        keepError(forKey: 3)
        #expect(releases.value == 2, "evicted")
        cache.removeValue(forKey: 3)
        #expect(releases.value == 3, "removed")
        ticker.advance(by: .seconds(1))
        cache.removeExpired()
        #expect(releases.value == 4, "reclaimed")
        keepError(forKey: 4)
        ticker.advance(by: .seconds(1))
        #expect(cache.value(forKey: 4) == nil)
        #expect(releases.value == 5, "expired at a read")
        keepError(forKey: 5)
        cache.removeAll()
        #expect(releases.value == 6, "all removed")
    }

    @Test func valueThatIsFencedIsReleasedOutsideTheLock() async throws {
        let cache = Cache<Int, Witness>(maximumCount: 2)
        let released = Counter()
        let gate = Gate()
        let load = Task {
            _ = try await cache.value(forKey: 1) { [cache] _ in
                await gate.pass()
                return Witness { _ in
                    _ = cache.statistics
                    released.increment()
                }
            }
        }
        await gate.arrivals(1)
        cache.removeValue(forKey: 1)
        gate.open()
        try await load.value
        #expect(cache.statistics.fencedLoads == 1)
        try await waitUntil { released.value == 1 }
    }

    @Test func valueWhoseReleaseInsertsAnotherValueEndsSomewhere() {
        let cache = Cache<Int, Witness>(maximumCount: 1)
        @Sendable func witness(_ number: Int) -> Witness {
            Witness(number) { [weak cache] number in
                if number < 100 { cache?.insert(witness(number + 1), forKey: number + 1) }
            }
        }
        cache.insert(witness(0), forKey: 0)
        cache.removeValue(forKey: 0)
        #expect(cache.count == 1)
        cache.removeAll()
        #expect(cache.peek(2)?.number == 2)
    }
}
