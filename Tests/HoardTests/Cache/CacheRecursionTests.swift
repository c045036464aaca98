// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTestSupport
import HoardTesting
import Synchronization
import Testing

@testable import Hoard

/// Loads that ask caches for more.
@Suite(.timeLimit(.minutes(5))) struct CacheRecursionTests {
    private let cache = Cache<Int, Int>(maximumCount: 100)
    private let other = Cache<Int, Int>(maximumCount: 100)

    private func isRecursiveLoad(_ error: (any Error)?) -> Bool {
        (error as? CacheError)?.code == .recursiveLoad
    }

    @Test func loaderMayAskForOtherKeys() async throws {
        @Sendable func sum(upTo number: Int) async throws -> Int {
            try await cache.value(forKey: number) { number in number == 0 ? 0 : try await sum(upTo: number - 1) + number }
        }
        #expect(try await sum(upTo: 50) == 1_275)
        #expect(cache.statistics.loads == 51)
        #expect(cache.peek(10) == 55)
    }

    @Test func loaderThatAsksForItsOwnKeyGetsAnError() async {
        let thrown = await error {
            try await cache.value(forKey: 1) { [cache] key in try await cache.value(forKey: key) { _ in 1 } }
        }
        #expect(isRecursiveLoad(thrown))
        #expect(cache.count == 0)
    }

    @Test func loaderThatCatchesTheErrorMayStillReturnAValue() async throws {
        let value = try await cache.value(forKey: 1) { [cache] key in
            (try? await cache.value(forKey: key) { _ in 1 }) ?? 42
        }
        #expect(value == 42)
        #expect(cache.peek(1) == 42)
    }

    @Test func recursionThroughAnotherKeyIsAnError() async {
        let thrown = await error {
            try await cache.value(forKey: 1) { [cache] _ in
                try await cache.value(forKey: 2) { _ in
                    try await cache.value(forKey: 1) { _ in 1 }
                }
            }
        }
        #expect(isRecursiveLoad(thrown))
    }

    @Test func recursionThroughAnotherCacheIsAnError() async {
        let thrown = await error {
            try await cache.value(forKey: 1) { [cache, other] key in
                try await other.value(forKey: key) { key in
                    try await cache.value(forKey: key) { _ in 1 }
                }
            }
        }
        #expect(isRecursiveLoad(thrown))
    }

    @Test func sameKeyInAnotherCacheIsNoRecursion() async throws {
        let value = try await cache.value(forKey: 1) { [other] key in
            try await other.value(forKey: key) { _ in 5 } + 1
        }
        #expect(value == 6)
    }

    @Test func recursionFromAChildTaskIsAnError() async {
        let thrown = await error {
            try await cache.value(forKey: 1) { [cache] key in
                async let value = cache.value(forKey: key) { _ in 1 }
                return try await value
            }
        }
        #expect(isRecursiveLoad(thrown))
    }

    @Test func keyThatWasRemovedByItsOwnLoaderIsStillRecursive() async {
        let thrown = await error {
            try await cache.value(forKey: 1) { [cache] key in
                cache.removeValue(forKey: key)
                return try await cache.value(forKey: key) { _ in 1 }
            }
        }
        #expect(isRecursiveLoad(thrown))
    }

    /// Each load waits for the other, although neither was started by the other.
    @Test func loadsThatWouldWaitForEachOtherGetAnError() async {
        let gate = Gate()
        @Sendable func load(_ key: Int, thenAskFor otherKey: Int) async -> (any Error)? {
            await error {
                try await cache.value(forKey: key) { [cache] _ in
                    await gate.pass()
                    return try await cache.value(forKey: otherKey) { _ in 1 }
                }
            }
        }
        async let first = load(1, thenAskFor: 2)
        async let second = load(2, thenAskFor: 1)
        await gate.arrivals(2)
        gate.open()
        let errors = await [first, second]
        #expect(errors.allSatisfy(isRecursiveLoad))
        #expect(cache.count == 0)
    }

    @Test func ringOfLoadsInTwoCachesGetsAnError() async {
        let gate = Gate()
        let caches = [cache, other]
        @Sendable func load(_ number: Int) async -> (any Error)? {
            await error {
                try await caches[number % 2].value(forKey: number) { _ in
                    await gate.pass()
                    let next = (number + 1) % 4
                    return try await caches[next % 2].value(forKey: next) { _ in 1 }
                }
            }
        }
        let errors = await withTaskGroup(of: (any Error)?.self) { group in
            for number in 0..<4 { group.addTask { await load(number) } }
            await gate.arrivals(4)
            gate.open()
            return await group.reduce(into: [(any Error)?]()) { $0.append($1) }
        }
        #expect(errors.count == 4)
        #expect(errors.allSatisfy(isRecursiveLoad))
    }

    @Test func loadsThatWaitForTheSameThirdLoadAreNoRecursion() async throws {
        let started = Gate()
        let gate = Gate()
        async let third = cache.value(forKey: 3) { _ in
            await gate.pass()
            return 3
        }
        await gate.arrivals(1)
        @Sendable func load(_ key: Int) async throws -> Int {
            try await cache.value(forKey: key) { [cache] _ in
                await started.pass()
                return try await cache.value(forKey: 3) { _ in 0 } + key
            }
        }
        async let first = load(1)
        async let second = load(2)
        await started.arrivals(2)
        started.open()
        try await waitUntil { cache.flights.waiterCount(for: 3) == 3 }
        gate.open()
        #expect(try await [first, second, third] == [4, 5, 3])
    }

    @Test func waitThatHasEndedIsForgotten() async throws {
        // The load of 1 waits for 2 and gives up; then the load of 2 may wait for 1.
        let gate = Gate()
        let secondLoad = Task {
            try await cache.value(forKey: 2) { [cache] _ in
                await gate.pass()
                return try await cache.value(forKey: 1) { _ in 0 } + 1
            }
        }
        await gate.arrivals(1)
        let hasGivenUp = Gate()
        let firstMayEnd = Gate()
        let firstLoad = Task {
            try await cache.value(forKey: 1) { [cache] _ in
                let wait = Task { try await cache.value(forKey: 2) { _ in 0 } }
                try await waitUntil { cache.flights.waiterCount(for: 2) == 2 }
                wait.cancel()
                _ = await wait.result
                await hasGivenUp.pass()
                await firstMayEnd.pass()
                return 10
            }
        }
        await hasGivenUp.arrivals(1)
        hasGivenUp.open()
        gate.open()
        try await waitUntil { cache.flights.waiterCount(for: 1) == 2 }
        firstMayEnd.open()
        #expect(try await firstLoad.value == 10)
        #expect(try await secondLoad.value == 11)
    }

    /// A task that a loader starts and leaves behind is no longer inside the load when the load has ended.
    @Test func taskThatOutlivesTheLoadMayAskForItsKey() async throws {
        let gate = Gate()
        let leftBehind = Mutex<Task<Int, any Error>?>(nil)
        _ = try await cache.value(forKey: 1) { [cache] key in
            let task = Task {
                await gate.pass()
                return try await cache.value(forKey: key) { _ in 2 }
            }
            leftBehind.withLock { $0 = task }
            return 1
        }
        cache.removeValue(forKey: 1)
        gate.open()
        let task = leftBehind.withLock { $0 }
        #expect(try await task?.value == 2)
    }
}
