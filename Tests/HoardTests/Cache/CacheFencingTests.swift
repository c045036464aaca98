// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTestSupport
import HoardTesting
import Synchronization
import Testing

@testable import Hoard

/// A load that began before a write or a removal of its key does not publish its value.
@Suite(.timeLimit(.minutes(5))) struct CacheFencingTests {
    private let cache = Cache<String, Int>(maximumCount: 10)

    /// The changes of a key while it is being loaded, and the state of the cache afterwards.
    enum Interruption: CaseIterable {
        case insert, insertExpired, removeValue, subscriptRemoval, removeAll
    }

    private func interrupt(_ interruption: Interruption) -> Int? {
        switch interruption {
        case .insert: cache.insert(100, forKey: "a")
        case .insertExpired: cache.insert(100, forKey: "a", expiresAfter: .zero)
        case .removeValue: cache.removeValue(forKey: "a")
        case .subscriptRemoval: cache["a"] = nil
        case .removeAll: cache.removeAll()
        }
        return interruption == .insert ? 100 : nil
    }

    @Test(arguments: Interruption.allCases)
    func loadThatBeganBeforeAChangeReturnsItsValueButDoesNotPublishIt(_ interruption: Interruption) async throws {
        let gate = Gate()
        async let loaded = cache.value(forKey: "a") { _ in
            await gate.pass()
            return 1
        }
        await gate.arrivals(1)
        let expected = interrupt(interruption)
        gate.open()
        #expect(try await loaded == 1)
        #expect(cache.peek("a") == expected)
        #expect(cache.statistics.loads == 1)
        #expect(cache.statistics.fencedLoads == 1)
    }

    @Test(arguments: [Interruption.removeValue, .subscriptRemoval, .removeAll])
    func callersAfterARemovalDoNotJoinTheLoadThatBeganBeforeIt(_ interruption: Interruption) async throws {
        let gate = Gate()
        async let early = cache.value(forKey: "a") { _ in
            await gate.pass()
            return 1
        }
        await gate.arrivals(1)
        _ = interrupt(interruption)
        #expect(try await cache.value(forKey: "a") { _ in 2 } == 2)
        gate.open()
        #expect(try await early == 1)
        #expect(cache.peek("a") == 2)
    }

    @Test func valueThatIsWrittenBeforeTheLoadBeginsStays() async throws {
        let executor = HeldExecutor()
        defer { executor.release() }
        let single = TaskPlacement.$executor.withValue(executor) { Task { [cache] in try await cache.value(forKey: "a") { _ in 1 } } }
        let several = TaskPlacement.$executor.withValue(executor) {
            Task { [cache] in try await cache.values(forKeys: ["b", "c"]) { keys in Dictionary(uniqueKeysWithValues: keys.map { ($0, 2) }) } }
        }
        try await waitUntil { cache.flights.flightCount == 3 }
        cache.insert(100, forKey: "a")
        cache.insert(200, forKey: "b")
        executor.release()
        #expect(try await single.value == 100)
        #expect(try await several.value == ["b": 200, "c": 2])
        #expect(cache.peek("a") == 100 && cache.peek("b") == 200 && cache.peek("c") == 2)
        #expect(cache.statistics.loads == 1)
        #expect(cache.openFenceCount == 0)
    }

    @Test func changesOfOtherKeysDoNotMatter() async throws {
        let gate = Gate()
        async let loaded = cache.value(forKey: "a") { _ in
            await gate.pass()
            return 1
        }
        await gate.arrivals(1)
        cache.insert(2, forKey: "b")
        cache.removeValue(forKey: "c")
        gate.open()
        _ = try await loaded
        #expect(cache.peek("a") == 1)
        #expect(cache.statistics.fencedLoads == 0)
    }

    @Test func loadThatFailsLeavesTheValueWrittenMeanwhile() async throws {
        let gate = Gate()
        async let failure = error {
            try await cache.value(forKey: "a") { _ in
                await gate.pass()
                throw TestError()
            }
        }
        await gate.arrivals(1)
        cache.insert(2, forKey: "a")
        gate.open()
        #expect(await failure is TestError)
        #expect(cache.peek("a") == 2)
    }

    @Test func fencesAreForgottenWhenLoadsEnd() async throws {
        _ = try await cache.value(forKey: "a") { _ in 1 }
        _ = await error { try await cache.value(forKey: "b") { _ in throw TestError() } }
        #expect(cache.openFenceCount == 0)
    }
}
