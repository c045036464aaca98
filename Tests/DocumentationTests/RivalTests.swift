// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Hoard
import HoardHTTP
import HoardTesting
import HoardTestingServer
import HoardTransports
import Synchronization
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The facts about `NSCache`, `URLCache`, and a dictionary with a lock that the README names, each beside Hoard.
@Suite(.timeLimit(.minutes(2))) struct RivalTests {
    // Apple's systems have another Foundation, and the README says nothing about that.
    #if os(Linux)
        @Test func aFullNSCacheEvictsTheNewcomer() {
            let rival = NSCache<NSNumber, NSNumber>()
            rival.countLimit = 100
            for number in 0..<200 {
                rival.setObject(NSNumber(value: number), forKey: NSNumber(value: number))
                // The newest key is the one that is asked for most.
                for _ in 0..<3 { _ = rival.object(forKey: NSNumber(value: number)) }
            }
            #expect((0..<100).allSatisfy { rival.object(forKey: NSNumber(value: $0)) != nil })
            #expect((100..<200).allSatisfy { rival.object(forKey: NSNumber(value: $0)) == nil })
        }

        @Test func aURLCacheStoresNoResponse() async throws {
            let origin = try await FakeOrigin.start { _, _ in .init("hello", fields: [.cacheControl: "max-age=60"]) }
            let url = try #require(URL(string: origin.url))
            let configuration = URLSessionConfiguration.default
            let rival = URLCache(memoryCapacity: 1 << 24, diskCapacity: 0, diskPath: nil)
            configuration.urlCache = rival
            let session = URLSession(configuration: configuration)
            for _ in 0..<2 { _ = try await session.data(from: url) }
            #expect(origin.requests.count == 2)
            #expect(rival.cachedResponse(for: URLRequest(url: url)) == nil)
            session.finishTasksAndInvalidate()
            await origin.stop()
        }
    #endif

    @Test func aFullCacheKeepsWhatIsUsed() {
        let cache = Cache<Int, Int>(maximumCount: 100)
        for number in 0..<100 { cache[number] = number }
        for _ in 0..<10 {
            for number in 1_000..<1_010 {
                if cache.value(forKey: number) == nil { cache[number] = number }
            }
        }
        #expect((1_000..<1_010).allSatisfy { cache.peek($0) != nil })
        #expect(cache.count <= 100)
    }

    @Test func aSessionOverHoardAsksOnce() async throws {
        let origin = try await FakeOrigin.start { _, _ in .init("hello", fields: [.cacheControl: "max-age=60"]) }
        let url = try #require(URL(string: origin.url))
        let session = URLSession(configuration: .hoard(cache: HTTPCache()))
        for _ in 0..<2 { _ = try await session.data(from: url) }
        #expect(origin.requests.count == 1)
        session.finishTasksAndInvalidate()
        await origin.stop()
    }

    /// A cache as a programmer writes it in an afternoon.
    final class LockedDictionary: Sendable {
        private let values = Mutex<[String: Int]>([:])

        func set(_ value: Int, forKey key: String) { values.withLock { $0[key] = value } }

        func value(forKey key: String, load: @Sendable () async -> Int) async -> Int {
            if let value = values.withLock({ $0[key] }) { return value }
            let value = await load()
            set(value, forKey: key)
            return value
        }
    }

    @Test func aHundredCallersOfADictionaryMakeAHundredQueries() async {
        let (rival, queries, gate) = (LockedDictionary(), Shared(0), Gate())
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<100 {
                group.addTask {
                    _ = await rival.value(forKey: "42") {
                        queries.update { $0 += 1 }
                        await gate.pass()
                        return 1
                    }
                }
            }
            await gate.arrivals(100)
            gate.open()
        }
        #expect(queries.value == 100)
    }

    @Test func aHundredCallersOfACacheMakeOneQuery() async throws {
        let (cache, queries, gate) = (Cache<String, Int>(maximumCount: 10), Shared(0), Gate())
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<100 {
                group.addTask {
                    try await cache.value(forKey: "42") { _ in
                        queries.update { $0 += 1 }
                        await gate.pass()
                        return 1
                    }
                }
            }
            await gate.arrivals(1)
            gate.open()
            for try await value in group { #expect(value == 1) }
        }
        #expect(queries.value == 1)
    }

    @Test func aSlowQueryOverwritesANewerValueOfADictionary() async {
        let (rival, gate) = (LockedDictionary(), Gate())
        async let older = rival.value(forKey: "42") {
            await gate.pass()
            return 1
        }
        await gate.arrivals(1)
        rival.set(2, forKey: "42")
        gate.open()
        #expect(await older == 1)
        #expect(await rival.value(forKey: "42") { 3 } == 1, "the newer value is lost")
    }

    @Test func aSlowQueryNeverOverwritesANewerValueOfACache() async throws {
        let (cache, gate) = (Cache<String, Int>(maximumCount: 10), Gate())
        async let older = cache.value(forKey: "42") { _ in
            await gate.pass()
            return 1
        }
        await gate.arrivals(1)
        cache["42"] = 2
        gate.open()
        _ = try await older
        #expect(cache.peek("42") == 2)
    }
}
