// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardTestSupport
import Testing

@testable import Hoard
@testable import HoardTesting

/// One load at a time among several caches that stand for processes.
@Suite(.timeLimit(.minutes(5))) struct TieredCacheLeasingTests {
    private let time = ManualTicker()
    private let server: SharedMemoryStore

    init() {
        server = SharedMemoryStore(clock: time, ticker: time)
    }

    private func makeCache(
        _ store: (any RecordStore)? = nil,
        lease: CachePolicy.LoadLease = .init(),
        change: (inout CachePolicy) -> Void = { _ in }
    ) -> TieredCache<String, Int> {
        var policy = CachePolicy(freshFor: .seconds(1_000))
        policy.loadLease = lease
        change(&policy)
        return TieredCache(
            configuration: .init(maximumCount: 100, policy: policy),
            stores: [store ?? server.connect()],
            codec: .json,
            clock: time,
            ticker: time
        )
    }

    private func isLeased(_ key: RecordKey) async throws -> Bool {
        let connection = server.connect()
        guard let lease = try await connection.lease(forKey: key, for: .seconds(1)) else { return true }
        try await connection.release(lease)
        return false
    }

    @Test func fourProcessesAndAThousandTasksEachLoadOnce() async throws {
        let caches = (0..<4).map { _ in makeCache() }
        let loads = Counter()
        let values = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<4_000 {
                group.addTask {
                    try await caches[number % 4].value(forKey: "a") { _ in
                        loads.increment()
                        for _ in 0..<100 { await Task.yield() }
                        return 42
                    }
                }
            }
            return try await group.reduce(into: [Int: Int]()) { $0[$1, default: 0] += 1 }
        }
        #expect(values == [42: 4_000])
        #expect(loads.value == 1)
        #expect(caches.reduce(0) { $0 + $1.statistics.loadsByOthers } <= 3)
    }

    @Test(arguments: 0..<10 as Range<UInt64>)
    func manyKeysAreLoadedOnceEachInAnyOrder(seed: UInt64) async throws {
        let loads = Shared<[String: Int]>([:])
        try await SeededExecutor(seed: seed, time: time).run {
            let caches = (0..<3).map { _ in makeCache() }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<90 {
                    let key = "\(number / 3 % 10)"
                    group.addTask {
                        let value = try await caches[number % 3].value(forKey: key) { _ in
                            loads.update { $0[key, default: 0] += 1 }
                            try await time.sleep(until: time.nanoseconds() + 100_000_000)
                            return 1
                        }
                        #expect(value == 1)
                    }
                }
                try await group.waitForAll()
            }
        }
        #expect(loads.value.count == 10)
        #expect(loads.value.allSatisfy { $0.value == 1 }, "seed \(seed)")
    }

    @Test func withoutTheOptionEachLoadsForItself() async throws {
        let caches = (0..<2).map { _ in makeCache { $0.loadLease = nil } }
        let gate = Gate()
        let loads = Counter()
        let load: @Sendable (String) async throws -> Int = { _ in
            await gate.pass()
            return loads.increment()
        }
        async let first = caches[0].value(forKey: "a", load: load)
        async let second = caches[1].value(forKey: "a", load: load)
        await gate.arrivals(2)
        gate.open()
        _ = try await (first, second)
        #expect(loads.value == 2)
        #expect(server.grantedLeaseCount == 0)
    }

    @Test func whoWaitsGetsWhatTheOtherHasLoaded() async throws {
        let (cache, other) = (makeCache(), makeCache())
        let gate = Gate()
        async let loaded = other.value(forKey: "a") { _ in
            await gate.pass()
            return 1
        }
        await gate.arrivals(1)
        async let waited = cache.lookup(forKey: "a") { _ in
            Issue.record("It is loaded by the other.")
            return 2
        }
        try await waitUntil { server.waiterCount == 1 }
        gate.open()
        #expect(try await loaded == 1)
        let lookup = try await waited
        #expect(lookup.value == 1)
        #expect(lookup.tier == .store("shared"))
        #expect(cache.statistics.loadsByOthers == 1)
        #expect(cache.statistics.loads == 0)
        try await waitUntil { try await !isLeased("a") }
    }

    @Test func leaseIsRenewedWhileTheLoadGoesOn() async throws {
        let (cache, other) = (makeCache(lease: .init(duration: .seconds(6), maximumWait: .seconds(1_000))), makeCache())
        let gate = Gate()
        async let loaded = cache.value(forKey: "a") { _ in
            await gate.pass()
            return 1
        }
        // The gate also opens when something goes wrong. Otherwise the test would wait for the load for ever.
        defer { gate.open() }
        await gate.arrivals(1)
        let connection = server.connect()
        for _ in 0..<30 {
            // Waits until the next renewal is planned. The sleeps do not show it: a call that has ended leaves
            // a short sleep, which may end then too. A call under way has a deadline after one second, so
            // renewals are planned for another time.
            try await waitUntil { cache.tiers[0].deadlines.nextDeadline == time.nanoseconds() + 2_000_000_000 }
            let renewals = server.renewalCount
            time.advance(by: .seconds(2))
            try await waitUntil { server.renewalCount > renewals }
            #expect(try await connection.lease(forKey: "a", for: .seconds(1)) == nil)
        }
        gate.open()
        #expect(try await loaded == 1)
        try await waitUntil { try await !isLeased("a") }
        #expect(await other.value(forKey: "a") == 1)
    }

    @Test func renewalsAndReturnsOfLeasesAreTold() async throws {
        let observer = CallObserver()
        let store = server.connect()
        let tier = StoreTier(store: store, configuration: .init(), ticker: time, observer: observer) { _ in }
        guard case .granted(let lease) = await tier.lease(forKey: "a", for: .seconds(6), in: store) else {
            Issue.record("The lease was not granted.")
            return
        }
        let held = HeldLease(lease, for: .seconds(6), in: store, of: tier)
        time.advance(by: .seconds(2))
        try await waitUntil { observer.calls.count == 2 }
        held.release()
        try await waitUntil { observer.calls.count == 3 }
        #expect(observer.calls == ["lease 1 done", "lease 1 done", "lease 1 done"])
    }

    @Test func deathOfTheHolderLetsTheNextLoad() async throws {
        let dead = server.connect()
        #expect(try await dead.lease(forKey: "a", for: .seconds(5)) != nil)
        let cache = makeCache(lease: .init(duration: .seconds(5), maximumWait: .seconds(100)))
        let start = time.nanoseconds()
        async let loaded = cache.value(forKey: "a") { _ in 1 }
        try await waitUntil { server.waiterCount == 1 }
        try await passWaits { server.waiterCount == 0 && cache.statistics.loads == 1 }
        #expect(try await loaded == 1)
        let waited = time.nanoseconds() - start
        // The cache looks four times in the time of a lease.
        #expect(waited >= 5_000_000_000 && waited <= 6_250_000_000, "It waited for \(waited) ns.")
    }

    /// Lets the time of each wait for the other process pass until the condition holds. No time
    /// passes while a process is at work.
    private func passWaits(until condition: () -> Bool) async throws {
        try await waitUntil {
            if condition() { return true }
            let now = time.nanoseconds()
            if server.waiterCount > 0, let end = server.deadlines.nextDeadline, end > now { time.advance(by: .nanoseconds(end - now)) }
            return false
        }
    }

    @Test func aBoundEndsTheWait() async throws {
        let slow = server.connect()
        #expect(try await slow.lease(forKey: "a", for: .seconds(1_000)) != nil)
        let cache = makeCache(lease: .init(duration: .seconds(5), maximumWait: .seconds(2)))
        let start = time.nanoseconds()
        async let loaded = cache.value(forKey: "a") { _ in 1 }
        try await passWaits { cache.statistics.loads == 1 }
        #expect(try await loaded == 1)
        #expect(time.nanoseconds() - start == 2_000_000_000)
        #expect(try await isLeased("a"), "the lease of the other is left alone")
    }

    @Test func failedLoadGivesTheLeaseBackAndTheNextLoads() async throws {
        let (cache, other) = (makeCache(), makeCache())
        let gate = Gate()
        async let failed = error {
            try await other.value(forKey: "a") { _ in
                await gate.pass()
                throw TestError()
            }
        }
        await gate.arrivals(1)
        async let waited = cache.value(forKey: "a") { _ in 2 }
        try await waitUntil { server.waiterCount == 1 }
        gate.open()
        #expect(await failed is TestError)
        #expect(try await waited == 2)
        #expect(server.grantedLeaseCount == 2)
    }

    @Test func cancelledLoadGivesTheLeaseBack() async throws {
        let cache = makeCache()
        let gate = Gate()
        let task = Task {
            try await cache.value(forKey: "a") { _ in
                await gate.pass()
                try Task.checkCancellation()
                return 1
            }
        }
        await gate.arrivals(1)
        task.cancel()
        gate.open()
        #expect(await error { try await task.value } is CancellationError)
        try await waitUntil { try await !isLeased("a") }
    }

    @Test func callerThatIsCancelledWhileItWaitsLeavesNothingBehind() async throws {
        let holder = server.connect()
        #expect(try await holder.lease(forKey: "a", for: .seconds(1_000)) != nil)
        let cache = makeCache()
        let task = Task { try await cache.value(forKey: "a") { _ in 1 } }
        try await waitUntil { server.waiterCount == 1 }
        task.cancel()
        #expect(await error { try await task.value } is CancellationError)
        try await waitUntil { server.waiterCount == 0 && cache.loads.flightCount == 0 }
        #expect(cache.statistics.loadFailures == 0)
    }

    @Test func hardTimeoutEndsTheCallerNotTheWait() async throws {
        let holder = server.connect()
        let lease = try #require(try await holder.lease(forKey: "a", for: .seconds(1_000)))
        let cache = makeCache { $0.hardTimeout = .seconds(1) }
        async let thrown = error { try await cache.value(forKey: "a") { _ in 1 } }
        try await waitUntil { server.waiterCount == 1 }
        time.advance(by: .seconds(1))
        #expect((await thrown as? CacheError)?.code == .timedOut)
        try await holder.release(lease)
        try await waitUntil { cache.memoryLookup(forKey: "a")?.value == 1 }
    }

    @Test func staleValueIsServedWhileAnotherProcessRefreshes() async throws {
        let change: (inout CachePolicy) -> Void = { policy in
            policy.freshFor = .seconds(10)
            policy.staleWhileRevalidate = .seconds(1_000)
        }
        let (cache, other) = (makeCache(change: change), makeCache(change: change))
        await other.insert(1, forKey: "a")
        #expect(await cache.value(forKey: "a") == 1)
        time.advance(by: .seconds(20))
        let gate = Gate()
        let loads = Counter()
        let load: @Sendable (String) async throws -> Int = { _ in
            loads.increment()
            await gate.pass()
            return 2
        }
        #expect(try await other.value(forKey: "a", load: load) == 1)
        await gate.arrivals(1)
        #expect(try await cache.value(forKey: "a", load: load) == 1)
        #expect(try await cache.value(forKey: "a", load: load) == 1)
        try await waitUntil { server.waiterCount == 1 }
        gate.open()
        try await waitUntil { cache.loads.flightCount == 0 && other.loads.flightCount == 0 }
        #expect(try await cache.value(forKey: "a", load: load) == 2)
        #expect(loads.value == 1)
    }

    @Test func storeThatFailsIsDoneWithout() async throws {
        let store = server.connect()
        store.disconnect()
        let cache = makeCache(store)
        #expect(try await cache.value(forKey: "a") { _ in 1 } == 1)
        #expect(server.grantedLeaseCount == 0)
    }

    @Test func callsThatSkipTheStoresDoWithout() async throws {
        let cache = makeCache()
        let policy = cache.policy.with { $0.skipping = .reads }
        #expect(try await cache.value(forKey: "a", policy: policy) { _ in 1 } == 1)
        #expect(server.grantedLeaseCount == 0)
    }

    @Test func leaseIsHeldUntilTheStoresHaveWhatIsWrittenBehind() async throws {
        let cache = makeCache { $0.storeWriting = .behind }
        #expect(try await cache.value(forKey: "a") { _ in 1 } == 1)
        await cache.flush()
        try await waitUntil { try await !isLeased("a") }
        #expect(try await server.connect().record(forKey: "a") != nil)
    }

    @Test func leaseThatIsGrantedTooLateIsGivenBack() async throws {
        let store = LateLeaser(server.connect())
        let cache = makeCache(store)
        let loading = Task { try await cache.value(forKey: "a") { _ in 1 } }
        await store.gate.arrivals(1)
        time.advance(by: .seconds(1))
        #expect(try await loading.value == 1)
        #expect(try await isLeased("a"))
        store.gate.open()
        try await waitUntil { try await !isLeased("a") }
    }

    @Test func leaseThatWouldRunOutAtOnceIsHeldForTheShortestTime() async throws {
        let cache = makeCache()
        let policy = cache.policy.with { $0.loadLease = .init(duration: .zero) }
        let gate = Gate()
        let loading = Task {
            try await cache.value(forKey: "a", policy: policy) { _ in
                await gate.pass()
                return 1
            }
        }
        await gate.arrivals(1)
        #expect(try await isLeased("a"))
        #expect(server.renewalCount == 0, "it is not renewed while time stands still")
        gate.open()
        #expect(try await loading.value == 1)
    }

    @Test func settingsThatMakeNoSenseAreRefused() {
        var policy = CachePolicy()
        policy.loadLease = .init(duration: .milliseconds(1))
        #expect(policy.problem?.contains("loadLease") ?? false)
        policy.loadLease = .init()
        #expect(policy.problem == nil)
    }
}
