// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardTestSupport
import HoardTesting
import Testing

@testable import Hoard

/// The purpose of the cache: many callers at once, and an origin that is away for an hour.
@Suite(.timeLimit(.minutes(5))) struct TieredCacheStormTests {
    @Test func tenThousandCallersOfAColdKeyMakeOneReadAndOneLoad() async throws {
        let count = 10_000
        let fixture = CachePolicyFixture(policy: CachePolicy(freshFor: .seconds(60)))
        let cache = fixture.cache
        let (read, load) = (fixture.store.hold(.record), fixture.origin.hold())
        let values = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<count { group.addTask { try await cache.value(forKey: "a", load: fixture.load) } }
            await read.arrivals(1)
            try await waitUntil { cache.waiterCount(for: "a") == count }
            read.open()
            try await waitUntil { cache.waiterCount(for: "a") == count }
            load.open()
            return try await group.reduce(into: [Int]()) { $0.append($1) }
        }
        #expect(values.count == count)
        #expect(values.allSatisfy { $0 == 1 })
        #expect(fixture.origin.callCount() == 1)
        #expect(fixture.store.callCount(.record) == 1)
        #expect(fixture.store.callCount(.insert) == 1)
        fixture.expectRequests([.loaded: count])
        #expect(cache.statistics.loads == 1)
    }

    @Test func tenThousandCallersWithNobodyHoldingTheDoorMakeOneLoad() async throws {
        let fixture = CachePolicyFixture(policy: CachePolicy(freshFor: .seconds(60)))
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<10_000 { group.addTask { try await fixture.cache.value(forKey: "a", load: fixture.load) } }
            for try await value in group { #expect(value == 1) }
        }
        #expect(fixture.origin.callCount() == 1)
        #expect(fixture.observer.results.values.reduce(0, +) == 10_000)
    }

    @Test func tenThousandCallersOfAStaleKeyAskAFailingOriginOnce() async throws {
        let fixture = CachePolicyFixture(policy: CachePolicy(freshFor: .seconds(10)).with { $0.staleIfError = .seconds(60) })
        _ = try await fixture.lookup()
        fixture.time.advance(by: .seconds(10))
        fixture.origin.fail()
        try await withThrowingTaskGroup(of: Lookup<Int>.self) { group in
            for _ in 0..<10_000 { group.addTask { try await fixture.lookup() } }
            for try await found in group { #expect(found.value == 1 && !found.isFresh) }
        }
        #expect(fixture.origin.callCount() == 2)
        fixture.expectRequests([.loaded: 1, .stale: 10_000])
    }

    /// The way in which the hour without an origin is spent.
    struct Outage: Sendable, CustomTestStringConvertible {
        var keyCount: Int
        var callersPerKey = 1
        var staleWhileRevalidate = Duration.zero
        /// The number of seconds after which memory is emptied each time.
        var evictionInterval: Int?
        var testDescription: String {
            "\(keyCount) keys, \(callersPerKey) callers each, SWR \(staleWhileRevalidate), evictions \(evictionInterval ?? 0)"
        }
    }

    @Test(arguments: [
        Outage(keyCount: 1), Outage(keyCount: 1, callersPerKey: 8), Outage(keyCount: 30), Outage(keyCount: 5, evictionInterval: 7),
        Outage(keyCount: 5, staleWhileRevalidate: .seconds(600)),
        Outage(keyCount: 3, callersPerKey: 3, staleWhileRevalidate: .seconds(3_600), evictionInterval: 45),
    ])
    func originThatFailsForAnHourIsNotNoticedByCallersNorOverrun(_ outage: Outage) async throws {
        let policy = CachePolicy(freshFor: .seconds(60)).with {
            $0.staleWhileRevalidate = outage.staleWhileRevalidate
            $0.staleIfError = .seconds(3_600)
            $0.retryAfterFailure = .seconds(30)
        }
        let fixture = CachePolicyFixture(policy: policy)
        let (cache, time) = (fixture.cache, fixture.time)
        let keys = (0..<outage.keyCount).map { "key \($0)" }
        let failingCalls = Shared<[String: [Int64]]>([:])
        let isDown = Shared(false)
        let load: @Sendable (String) async throws -> Int = { [origin = fixture.origin] key in
            let value = try await origin.value(forKey: key)
            guard !isDown.value else {
                failingCalls.update { $0[key, default: []].append(time.nanoseconds()) }
                throw TestError()
            }
            return value
        }
        func ask() async throws -> [Lookup<Int>] {
            let lookups = try await withThrowingTaskGroup(of: Lookup<Int>.self) { group in
                for key in keys {
                    for _ in 0..<outage.callersPerKey { group.addTask { try await cache.lookup(forKey: key, load: load) } }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            try await fixture.settle()
            return lookups
        }
        _ = try await ask()
        isDown.update { $0 = true }
        for second in 1...3_600 {
            time.advance(by: .seconds(1))
            if let interval = outage.evictionInterval, second % interval == 0 { fixture.evict() }
            // If any caller fails, this throws and ends the test.
            let isRight = try await ask().allSatisfy { $0.value == 1 && $0.isFresh == (second < 60) }
            if !isRight { Issue.record("The answers at \(second) s are wrong.") }
        }
        for key in keys {
            let calls = failingCalls.value[key, default: []]
            #expect(calls.first == 60_000_000_000)
            let gaps: [Int64] = zip(calls, calls.dropFirst()).map { earlier, later in later - earlier }
            #expect(gaps.allSatisfy { $0 >= 30_000_000_000 })
            // The origin is tried every 30 s from 60 s to 3,600 s, so the cache tries it again in time, too.
            #expect(calls.count == 119)
        }
        // The origin is back. Values are fresh at the latest when the cache may ask it again.
        isDown.update { $0 = false }
        time.advance(by: .seconds(30))
        _ = try await ask()
        #expect(try await ask().allSatisfy { $0.isFresh && $0.value > 1 })
        // After the time of stale-if-error, callers get the error.
        isDown.update { $0 = true }
        time.advance(by: .seconds(60 + 3_599))
        #expect(try await ask().allSatisfy { !$0.isFresh })
        time.advance(by: .seconds(1))
        for key in keys { #expect(await error { try await cache.value(forKey: key, load: load) } is TestError) }
    }
}
