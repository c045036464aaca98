// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
@_spi(Client) import HoardRedis
import HoardRedisTestSupport
import HoardTesting
import Testing

@Suite(.enabled(if: RedisServer.isAvailable, "\(RedisServer.requirement)"), .timeLimit(.minutes(3)))
struct UnreachableServerTests {
    @Test func aServerThatIsDownFailsNobodyAndIsUsedWhenItComesBack() async throws {
        let site = try await FaultSite()
        let cache = try site.cache()
        #expect(try await cache.value(loading: "1") == "1")
        site.server.kill()
        for number in 0..<10 { #expect(try await cache.storedValue("k\(number)", loading: "loaded") == "loaded") }
        #expect(cache.health?.failures ?? 0 > 0)
        try await site.server.restart()
        try await cache.recovered()
        #expect(try await cache.storedValue("again", loading: "1") == "1")
        #expect(try await cache.storedValue("again", loading: "2") == "1")
        await site.end(cache)
    }

    @Test func theCircuitOpensAndCallersWaitNoLonger() async throws {
        let site = try await FaultSite()
        let cache = try site.cache()
        #expect(try await cache.value(loading: "1") == "1")
        site.server.kill()
        var hasOpened = false
        for number in 0..<200 where !hasOpened {
            _ = try await cache.storedValue("k\(number)", loading: "loaded")
            hasOpened = cache.health?.circuit != .closed
        }
        #expect(hasOpened)
        await site.end(cache)
    }

    @Test func callersHaveTheirValuesWhileTheServerIsPaused() async throws {
        let site = try await FaultSite()
        let cache = try site.cache(isPatient: false)
        #expect(try await cache.storedValue(loading: "1") == "1")
        site.server.pause()
        // Both come before the server is resumed. Only the deadline, which ends the waiting, makes that possible.
        // `StoreTierDeadlineTests` test when it does so.
        #expect(try await cache.storedValue(loading: "2") == "2")
        #expect(try await cache.value("other", loading: "3") == "3")
        #expect(cache.health?.failures ?? 0 > 0)
        site.server.resume()
        try await cache.recovered()
        await site.end(cache)
    }

    @Test func aRemovalThatTheServerMissedIsMadeGoodWhenItIsBack() async throws {
        let site = try await FaultSite()
        let (first, second) = (try site.cache(isDirect: false), try site.cache())
        #expect(try await first.storedValue(loading: "1", tags: ["t"]) == "1")
        #expect(try await first.storedValue("tagged", loading: "1", tags: ["t"]) == "1")
        #expect(try await second.value(loading: "x") == "1")
        #expect(try await second.value("tagged", loading: "x") == "1")
        site.proxy.refuse()
        try await waitUntil { await !first.isAnswering }
        await first.cache.removeValue(forKey: "k")
        await first.cache.removeValues(taggedWith: "t")
        #expect(first.health?.isSound == false)
        // This process keeps to it at once.
        #expect(try await first.storedValue(loading: "2") == "2")
        #expect(try await first.storedValue("tagged", loading: "2") == "2")
        site.proxy.accept()
        try await first.recovered()
        #expect(try await second.storedValue(loading: "3", tags: ["t"]) == "3")
        #expect(try await second.storedValue("tagged", loading: "3", tags: ["t"]) == "3")
        // Memory elsewhere has heard of it, too.
        #expect(try await second.value("tagged", loading: "4") == "3")
        await site.end(first, second)
    }

    @Test func aServerThatComesBackEmptyHasNothingOfBefore() async throws {
        let site = try await FaultSite()
        let (first, second) = (try site.cache(), try site.cache())
        #expect(try await first.value(loading: "1", tags: ["t"]) == "1")
        #expect(try await second.value(loading: "x", tags: ["t"]) == "1")
        try await site.server.restart()
        try await first.recovered()
        try await second.recovered()
        await first.cache.removeValues(taggedWith: "t")
        #expect(try await first.storedValue(loading: "2", tags: ["t"]) == "2")
        // A load around the time of a reconnection may be left unpublished; the value before must not be there.
        let found = try await second.storedValue(loading: "3", tags: ["t"])
        #expect(found == "2" || found == "3")
        await site.end(first, second)
    }

    @Test func memoryIsNotUsedForLongWhileThereIsNoConnection() async throws {
        let site = try await FaultSite()
        let (first, second) = (try site.cache(), try site.cache(isDirect: false, isPatient: false))
        #expect(try await first.value(loading: "1") == "1")
        // A busy machine may end its connection, and with it the values in memory, at any time.
        try await waitUntil {
            _ = try await second.value(loading: "1")
            return second.cache.memoryValue(forKey: "k") != nil
        }
        // The second is not told that its connection is of no use any more; only its heartbeat finds out.
        site.proxy.stall()
        await first.cache.removeValue(forKey: "k")
        try await waitUntil { second.cache.memoryValue(forKey: "k") == nil }
        #expect(try await second.value(loading: "2") == "2")
        // Values that it has loaded meanwhile are given up too, again and again.
        try await waitUntil { second.cache.memoryValue(forKey: "k") == nil }
        site.proxy.cut()
        site.proxy.flow()
        try await second.recovered()
        await site.end(first, second)
    }

    /// Together, the seven tests cut at every byte: each cut takes a timeout or two.
    @Test(arguments: 0..<7) func noAnswerThatIsCutAnywhereGivesAWrongValue(remainder: Int) async throws {
        let site = try await FaultSite()
        let writer = try site.cache()
        let value = String(repeating: "v", count: 90)
        #expect(try await writer.storedValue(loading: value, tags: ["t"]) == value)
        // Long enough for the greeting, and the replies to the reading of a record and its generations.
        for count in stride(from: remainder, to: 900, by: 7) {
            site.proxy.cutNextConnections(afterBytesToClient: [count])
            // It is over where an answer is cut, and may be elsewhere if the machine is busy. Either way there must be no other value.
            let reader = try site.cache(isDirect: false) { $0.commandTimeout = .milliseconds(50) }
            let found = try await reader.value(loading: "loaded")
            #expect(found == value || found == "loaded", "cut after \(count) bytes")
            await reader.close()
            // A write whose reply was cut is made good by a removal: then the record is written again.
            let kept = try await writer.storedValue(loading: value, tags: ["t"])
            #expect(kept == value || kept == "loaded", "cut after \(count) bytes")
        }
        await site.end(writer)
    }
}
