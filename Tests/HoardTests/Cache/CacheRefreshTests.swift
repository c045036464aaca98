// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTestSupport
import HoardTesting
import Testing

@testable import Hoard

/// Values that are loaded again in the background while readers still get them.
@Suite(.timeLimit(.minutes(5))) struct CacheRefreshTests {
    private let ticker = ManualTicker()
    private let cache: Cache<String, Int>
    private let gate = Gate()
    private let loads = Counter()

    init() {
        cache = Cache(
            configuration: .init(maximumCount: 10, expiration: .afterWrite(.seconds(100)), refreshAfterWrite: .seconds(10)),
            ticker: ticker
        )
        cache.insert(1, forKey: "a")
    }

    /// Reads with a loader that waits at the gate and then returns a number.
    private func read(loading new: Int = 2) async throws -> Int {
        try await cache.value(forKey: "a") { [gate, loads] _ in
            loads.increment()
            await gate.pass()
            return new
        }
    }

    @Test func youngValueIsNotRefreshed() async throws {
        ticker.advance(by: .seconds(10) - .nanoseconds(1))
        #expect(try await read() == 1)
        #expect(cache.flights.flightCount == 0)
        #expect(cache.statistics.refreshes == 0)
    }

    @Test func valueThatIsWrittenBeforeTheRefreshBeginsStays() async throws {
        ticker.advance(by: .seconds(10))
        let executor = HeldExecutor()
        defer { executor.release() }
        #expect(try await TaskPlacement.$executor.withValue(executor) { try await read() } == 1)
        #expect(cache.flights.flightCount == 1)
        cache.insert(9, forKey: "a")
        gate.open()
        executor.release()
        try await waitUntil { cache.flights.flightCount == 0 }
        #expect(cache.peek("a") == 9)
        #expect(loads.value == 0)
        #expect(cache.statistics.refreshes == 0)
    }

    @Test func firstStaleReaderStartsOneLoadAndGetsTheOldValue() async throws {
        ticker.advance(by: .seconds(10))
        for _ in 0..<20 { #expect(try await read() == 1) }
        await gate.arrivals(1)
        for _ in 0..<20 { #expect(try await read() == 1) }
        #expect(cache.explain("a").isLoading)
        #expect(cache.flights.waiterCount(for: "a") == 1, "the other readers wait for nothing, not even in the background")
        gate.open()
        try await waitUntil { cache.flights.flightCount == 0 }
        #expect(cache.peek("a") == 2)
        #expect(loads.value == 1)
        let statistics = cache.statistics
        #expect(statistics.refreshes == 1)
        #expect(statistics.loads == 1)
        #expect(statistics.hits == 40)
        #expect(statistics.misses == 0)
    }

    /// Some readers find the old value stale, but try to start a load only after another reader's load
    /// has ended. They must not load again.
    @Test func loadThatEndsQuicklyIsNotStartedOnceForEachReader() async throws {
        gate.open()
        for round in 1...200 {
            ticker.advance(by: .seconds(10))
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        for _ in 0..<5 { _ = try? await read(loading: round) }
                    }
                }
            }
            try await waitUntil { cache.flights.flightCount == 0 }
            #expect(cache.peek("a") == round)
            #expect(cache.statistics.refreshes == round)
        }
        #expect(loads.value == 200)
    }

    @Test func refreshedValueHasANewLife() async throws {
        gate.open()
        ticker.advance(by: .seconds(90))
        _ = try await read()
        try await waitUntil { cache.peek("a") == 2 }
        ticker.advance(by: .seconds(9))
        try await waitUntil { cache.flights.flightCount == 0 }
        #expect(try await read(loading: 3) == 2)
        #expect(cache.statistics.refreshes == 1)
        ticker.advance(by: .seconds(90))
        #expect(cache.peek("a") == 2)
        ticker.advance(by: .seconds(1))
        #expect(cache.peek("a") == nil)
    }

    @Test func expiredValueIsLoadedInTheForeground() async throws {
        gate.open()
        ticker.advance(by: .seconds(100))
        #expect(try await read() == 2)
        #expect(cache.statistics.refreshes == 0)
        #expect(cache.statistics.misses == 1)
    }

    @Test func failingRefreshKeepsTheOldValueAndTheNextReaderTriesAgain() async throws {
        ticker.advance(by: .seconds(10))
        for attempt in 1...3 {
            #expect(try await cache.value(forKey: "a") { _ in throw TestError() } == 1)
            try await waitUntil { cache.statistics.loadFailures == attempt && cache.flights.flightCount == 0 }
            #expect(cache.peek("a") == 1)
        }
        #expect(cache.statistics.refreshes == 3)
        gate.open()
        #expect(try await read() == 1)
        try await waitUntil { cache.peek("a") == 2 }
        #expect(cache.openFenceCount == 0)
    }

    @Test func refreshThatAWriteOvertakesIsNotPublished() async throws {
        ticker.advance(by: .seconds(10))
        #expect(try await read() == 1)
        await gate.arrivals(1)
        cache.insert(50, forKey: "a")
        gate.open()
        try await waitUntil { cache.flights.flightCount == 0 }
        #expect(cache.peek("a") == 50)
        #expect(cache.statistics.fencedLoads == 1)
    }

    @Test func refreshDoesNotBringBackWhatWasRemoved() async throws {
        ticker.advance(by: .seconds(10))
        #expect(try await read() == 1)
        await gate.arrivals(1)
        cache.removeValue(forKey: "a")
        gate.open()
        try await waitUntil { cache.flights.flightCount == 0 }
        #expect(!cache.contains("a"))
    }

    @Test func callerWhoseValueExpiresMeanwhileJoinsTheRefresh() async throws {
        ticker.advance(by: .seconds(99))
        #expect(try await read() == 1)
        await gate.arrivals(1)
        ticker.advance(by: .seconds(1))
        async let joined = read(loading: 3)
        try await waitUntil { cache.flights.waiterCount(for: "a") == 2 }
        gate.open()
        #expect(try await joined == 2)
        #expect(loads.value == 1)
    }

    @Test func readsWithoutALoaderAndPeeksStartNothing() async throws {
        ticker.advance(by: .seconds(50))
        #expect(cache.value(forKey: "a") == 1)
        #expect(cache["a"] == 1)
        #expect(cache.peek("a") == 1)
        #expect(cache.flights.flightCount == 0)
    }

    @Test func refreshMayFindThatTheValueIsGone() async throws {
        ticker.advance(by: .seconds(10))
        #expect(try await cache.valueIfExists(forKey: "a") { _ in .absent(expiresAfter: .seconds(5)) } == 1)
        try await waitUntil { cache.flights.flightCount == 0 }
        #expect(!cache.contains("a"))
        #expect(cache.explain("a").entry?.isNegative == true)
    }

    @Test func loaderInTheBackgroundMayReadItsOwnKey() async throws {
        ticker.advance(by: .seconds(10))
        let value = try await cache.value(forKey: "a") { [cache] key in
            try await cache.value(forKey: key) { _ in 100 } + 1
        }
        #expect(value == 1)
        try await waitUntil { cache.flights.flightCount == 0 }
        #expect(cache.peek("a") == 2)
    }

    @Test func refreshWorksInACacheWhoseEntriesNeverExpire() async throws {
        let cache = Cache<String, Int>(configuration: .init(maximumCount: 10, refreshAfterWrite: .seconds(10)), ticker: ticker)
        #expect(try await cache.value(forKey: "a") { _ in 1 } == 1)
        ticker.advance(by: .seconds(10_000))
        #expect(try await cache.value(forKey: "a") { _ in 2 } == 1)
        try await waitUntil { cache.peek("a") == 2 }
        #expect(cache.statistics.refreshes == 1)
        cache.checkInvariants()
    }

    @Test func refreshTimeMustBeGreaterThanZero() async {
        await #expect(processExitsWith: .failure) {
            _ = Cache<String, Int>.Configuration(maximumCount: 1, refreshAfterWrite: .zero)
        }
    }
}
