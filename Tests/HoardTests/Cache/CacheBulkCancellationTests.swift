// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTestSupport
import HoardTesting
import Synchronization
import Testing

@testable import Hoard

/// Bulk loads whose callers leave, and bulk loads inside loads.
@Suite(.timeLimit(.minutes(5))) struct CacheBulkCancellationTests {
    private let cache = Cache<Int, Int>(maximumCount: 100)
    private let gate = Gate()

    @Test func oneOfSeveralCallersLeavesAtOnceAndTheLoadGoesOn() async throws {
        let leaver = Task { [cache, gate] in
            try await cache.values(forKeys: [1, 2]) { _ in
                await gate.pass()
                #expect(!Task.isCancelled)
                return [1: 10, 2: 20]
            }
        }
        await gate.arrivals(1)
        async let stayer = cache.value(forKey: 2) { _ in 0 }
        try await waitUntil { cache.flights.waiterCount(for: 2) == 2 }
        leaver.cancel()
        #expect(await error { try await leaver.value } is CancellationError)
        #expect(cache.flights.waiterCount(for: 2) == 1)
        gate.open()
        #expect(try await stayer == 20)
        #expect(cache.peek(1) == 10)
    }

    @Test func loadIsCancelledWhenTheLastCallerOfTheLastKeyHasLeft() async throws {
        let wasCancelled = Shared(false)
        let bulk = Task { [cache, gate] in
            try await cache.values(forKeys: [1, 2]) { _ in
                await gate.pass()
                wasCancelled.update { $0 = Task.isCancelled }
                return [1: 10, 2: 20]
            }
        }
        await gate.arrivals(1)
        let single = Task { [cache] in try await cache.value(forKey: 1) { _ in 0 } }
        try await waitUntil { cache.flights.waiterCount(for: 1) == 2 }
        bulk.cancel()
        _ = await bulk.result
        single.cancel()
        #expect(await error { try await single.value } is CancellationError)
        gate.open()
        try await waitUntil { cache.flights.flightCount == 0 }
        #expect(wasCancelled.value)
    }

    @Test func callerThatIsCancelledBeforeItComesDoesNotStartALoad() async {
        let caller = Task { [cache, gate] in
            await gate.pass()
            return try await cache.values(forKeys: [1]) { _ in
                Issue.record("nobody wants this")
                return [:]
            }
        }
        caller.cancel()
        gate.open()
        #expect(await error { try await caller.value } is CancellationError)
    }

    /// The loads end only when they are cancelled. If a caller forgot to leave one, it would run for ever.
    @Test func callerThatIsCancelledWhileItJoinsLeavesAllItsLoads() async throws {
        for number in 0..<1_500 {
            let caller = Task { [cache] in
                try await cache.values(forKeys: [number, number + 10_000]) { _ in
                    await untilCancelled()
                    throw CancellationError()
                }
            }
            for _ in 0..<(number % 4) { await Task.yield() }
            caller.cancel()
            #expect(await error { try await caller.value } is CancellationError)
        }
        try await waitUntil { cache.flights.flightCount == 0 }
        try await waitUntil { cache.openFenceCount == 0 }
    }

    // MARK: Loads inside loads

    @Test func bulkLoadThatAsksForOneOfItsKeysGetsAnError() async {
        let failure = await error {
            try await cache.values(forKeys: [1, 2]) { [cache] _ in [1: try await cache.value(forKey: 2) { _ in 0 }] }
        }
        #expect((failure as? CacheError)?.code == .recursiveLoad)
        let bulkInBulk = await error {
            try await cache.values(forKeys: [1, 2]) { [cache] _ in try await cache.values(forKeys: [3, 1]) { _ in [:] } }
        }
        #expect((bulkInBulk as? CacheError)?.code == .recursiveLoad)
        let bulkInSingle = await error {
            try await cache.value(forKey: 1) { [cache] _ in try await cache.values(forKeys: [3, 1]) { _ in [:] }.count }
        }
        #expect((bulkInSingle as? CacheError)?.code == .recursiveLoad)
        #expect(cache.count == 0)
        #expect(cache.openFenceCount == 0)
    }

    @Test func bulkLoadMayAskForOtherKeys() async throws {
        let values = try await cache.values(forKeys: [1, 2]) { [cache] missing in
            let others = try await cache.values(forKeys: missing.map { $0 + 10 }) { keys in
                Dictionary(uniqueKeysWithValues: keys.map { ($0, $0 * 10) })
            }
            return [1: others[11] ?? 0, 2: others[12] ?? 0]
        }
        #expect(values == [1: 110, 2: 120])
        #expect(cache.peek(11) == 110)
    }

    /// Two loads that come to wait for each other. The one that asks second gets an error, and both end.
    @Test(arguments: [false, true])
    func bulkAndSingleLoadThatWouldWaitForEachOtherGetAnError(_ bulkAsksFirst: Bool) async throws {
        let (bulkMayAsk, singleMayAsk) = (Gate(isOpen: bulkAsksFirst), Gate(isOpen: !bulkAsksFirst))
        let arrived = Gate()
        async let bulk = error {
            try await cache.values(forKeys: [1, 2]) { [cache] _ in
                await arrived.pass()
                await bulkMayAsk.pass()
                return [1: try await cache.value(forKey: 3) { _ in 0 }]
            }
        }
        async let single = error {
            try await cache.value(forKey: 3) { [cache] _ in
                await arrived.pass()
                await singleMayAsk.pass()
                return try await cache.values(forKeys: [2, 4]) { _ in [4: 0] }.count
            }
        }
        await arrived.arrivals(2)
        arrived.open()
        try await waitUntil { cache.flights.waiterCount(for: bulkAsksFirst ? 3 : 2) == 2 }
        bulkMayAsk.open()
        singleMayAsk.open()
        #expect((await bulk as? CacheError)?.code == .recursiveLoad)
        #expect((await single as? CacheError)?.code == .recursiveLoad)
        try await waitUntil { cache.flights.flightCount == 0 }
        #expect(cache.openFenceCount == 0)
    }

    @Test func ringOfThreeBulkLoadsGetsAnError() async throws {
        let arrived = Gate()
        let failures = await withTaskGroup(of: (any Error)?.self) { group in
            for number in 0..<3 {
                group.addTask { [cache] in
                    await error {
                        try await cache.values(forKeys: [number, number + 10]) { _ in
                            await arrived.pass()
                            return try await cache.values(forKeys: [(number + 1) % 3, number + 20]) { keys in
                                Dictionary(uniqueKeysWithValues: keys.map { ($0, 0) })
                            }
                        }
                    }
                }
            }
            await arrived.arrivals(3)
            arrived.open()
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(failures.allSatisfy { ($0 as? CacheError)?.code == .recursiveLoad })
        try await waitUntil { cache.flights.flightCount == 0 }
    }
}

/// Suspends until the task is cancelled.
private func untilCancelled() async {
    let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
    await withTaskCancellationHandler {
        for await _ in stream {}
    } onCancel: {
        continuation.finish()
    }
}
