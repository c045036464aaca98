// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTestSupport
import HoardTesting
import Testing

@testable import Hoard

@Suite(.timeLimit(.minutes(5))) struct CacheBulkLoadingTests {
    private let cache = Cache<Int, Int>(maximumCount: 100, ticker: ManualTicker())
    private let gate = Gate()

    @Test func allMissingKeysAreLoadedInOneCall() async throws {
        cache.insert(10, forKey: 1)
        let calls = Shared<[[Int]]>([])
        let values = try await cache.values(forKeys: [3, 1, 2]) { missing in
            calls.update { $0.append(missing) }
            return [2: 20, 3: 30]
        }
        #expect(values == [1: 10, 2: 20, 3: 30])
        #expect(calls.value == [[3, 2]])
        #expect(cache.peek(2) == 20)
        var expected = CacheStatistics()
        expected.hits = 1
        expected.misses = 2
        expected.loads = 2
        expected.insertions = 3
        #expect(cache.statistics == expected)
    }

    @Test func nothingIsLoadedIfNothingIsMissing() async throws {
        cache.insert(1, forKey: 1)
        for keys in [[], [1], [1, 1]] {
            let values = try await cache.values(forKeys: keys) { _ in
                Issue.record("nothing is missing")
                return [:]
            }
            #expect(values == (keys.isEmpty ? [:] : [1: 1]))
        }
        #expect(cache.statistics.hits == 2)
    }

    @Test func keyGivenTwiceIsAskedOnce() async throws {
        let values = try await cache.values(forKeys: [5, 5, 6, 5]) { missing in
            #expect(missing == [5, 6])
            return [5: 50, 6: 60]
        }
        #expect(values == [5: 50, 6: 60])
        #expect(cache.statistics.misses == 2)
    }

    @Test func keysThatAreNotMentionedAreNotRemembered() async throws {
        let values = try await cache.values(forKeys: [1, 2]) { _ in [1: 10, 99: 990] }
        #expect(values == [1: 10])
        #expect(cache.count == 1)
        #expect(!cache.contains(99), "what was not asked for is ignored")
        #expect(try await cache.values(forKeys: [2]) { _ in [2: 20] } == [2: 20])
        #expect(cache.openFenceCount == 0)
    }

    @Test func keysWithANegativeEntryAreLeftOut() async throws {
        _ = try await cache.valueIfExists(forKey: 1) { _ in .absent(expiresAfter: .seconds(60)) }
        let values = try await cache.values(forKeys: [1, 2]) { missing in
            #expect(missing == [2])
            return [2: 20]
        }
        #expect(values == [2: 20])
        #expect(cache.statistics.negativeHits == 1)
    }

    @Test func errorReachesTheCallerAndNothingIsKept() async throws {
        let failure = await error { try await cache.values(forKeys: [1, 2]) { _ in throw TestError(number: 4) } }
        #expect(failure as? TestError == TestError(number: 4))
        #expect(cache.count == 0)
        #expect(cache.statistics.loadFailures == 2)
        #expect(cache.openFenceCount == 0)
        #expect(cache.flights.flightCount == 0)
    }

    // MARK: Together with other loads

    @Test func singleCallersJoinABulkLoad() async throws {
        async let bulk = cache.values(forKeys: [1, 2]) { [gate] _ in
            await gate.pass()
            return [1: 10, 2: 20]
        }
        await gate.arrivals(1)
        async let single = cache.value(forKey: 2) { _ in
            Issue.record("somebody loads this key already")
            return 0
        }
        try await waitUntil { cache.flights.waiterCount(for: 2) == 2 }
        gate.open()
        #expect(try await bulk == [1: 10, 2: 20])
        #expect(try await single == 20)
        #expect(cache.statistics.loads == 2)
    }

    @Test func bulkLoadsJoinSingleLoadsAndEachOther() async throws {
        async let single = cache.value(forKey: 1) { [gate] _ in
            await gate.pass()
            return 10
        }
        await gate.arrivals(1)
        async let first = cache.values(forKeys: [1, 2, 3]) { [gate] missing in
            #expect(missing == [2, 3])
            await gate.pass()
            return [2: 20, 3: 30]
        }
        await gate.arrivals(2)
        async let second = cache.values(forKeys: [4, 3, 1]) { [gate] missing in
            #expect(missing == [4])
            await gate.pass()
            return [4: 40]
        }
        await gate.arrivals(3)
        gate.open()
        #expect(try await single == 10)
        #expect(try await first == [1: 10, 2: 20, 3: 30])
        #expect(try await second == [1: 10, 3: 30, 4: 40])
        #expect(cache.statistics.loads == 4)
        #expect(cache.flights.flightCount == 0)
    }

    @Test func callersOfKeysThatABulkLoadDoesNotMentionLoadThemselves() async throws {
        async let bulk = cache.values(forKeys: [1, 2, 3]) { [gate] _ in
            await gate.pass()
            return [1: 10]
        }
        await gate.arrivals(1)
        async let single = cache.value(forKey: 2) { _ in 21 }
        async let other = cache.values(forKeys: [1, 3]) { missing in
            #expect(missing == [3])
            return [3: 31]
        }
        try await waitUntil { cache.flights.waiterCount(for: 2) == 2 && cache.flights.waiterCount(for: 3) == 2 }
        gate.open()
        #expect(try await bulk == [1: 10])
        #expect(try await single == 21)
        #expect(try await other == [1: 10, 3: 31])
    }

    @Test func errorOfALoadThatWasJoinedEndsTheBulkCallOnly() async throws {
        async let single = error {
            try await cache.value(forKey: 1) { [gate] _ in
                await gate.pass()
                throw TestError(number: 1)
            }
        }
        await gate.arrivals(1)
        let bulkGate = Gate()
        let wasCancelled = Shared(false)
        async let bulk = error {
            try await cache.values(forKeys: [1, 2]) { _ in
                await bulkGate.pass()
                wasCancelled.update { $0 = Task.isCancelled }
                return [2: 20]
            }
        }
        await bulkGate.arrivals(1)
        gate.open()
        #expect(await single as? TestError == TestError(number: 1))
        #expect(await bulk as? TestError == TestError(number: 1))
        bulkGate.open()
        try await waitUntil { cache.flights.flightCount == 0 }
        #expect(wasCancelled.value, "nobody waits for the rest any more")
    }

    // MARK: Fences

    @Test func writesDuringABulkLoadFenceOnlyTheirKeys() async throws {
        async let bulk = cache.values(forKeys: [1, 2, 3]) { [gate] _ in
            await gate.pass()
            return [1: 10, 2: 20, 3: 30]
        }
        await gate.arrivals(1)
        cache.insert(-1, forKey: 1)
        cache.removeValue(forKey: 2)
        gate.open()
        #expect(try await bulk == [1: 10, 2: 20, 3: 30])
        #expect(cache.peek(1) == -1)
        #expect(!cache.contains(2))
        #expect(cache.peek(3) == 30)
        #expect(cache.statistics.fencedLoads == 2)
        #expect(cache.openFenceCount == 0)
    }

    @Test func callersAfterAWriteDoNotJoinTheBulkLoad() async throws {
        async let bulk = cache.values(forKeys: [1, 2]) { [gate] _ in
            await gate.pass()
            return [1: 10, 2: 20]
        }
        await gate.arrivals(1)
        cache.removeValue(forKey: 1)
        #expect(try await cache.values(forKeys: [1]) { _ in [1: 11] } == [1: 11])
        gate.open()
        #expect(try await bulk == [1: 10, 2: 20])
        #expect(cache.peek(1) == 11)
        #expect(cache.peek(2) == 20)
    }
}
