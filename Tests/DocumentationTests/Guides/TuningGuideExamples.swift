// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import HoardDisk
import HoardSimulator
import HoardTesting
import Testing

/// The examples of `docs/guides/tuning.md`, run.
@Suite struct TuningGuideExamples {
    struct User: Codable, Equatable {
        let id: String
    }

    actor Database {
        private(set) var queryCount = 0

        func user(_ id: String) throws -> User {
            queryCount += 1
            return User(id: id)
        }
    }

    @Test func aCacheTellsWhatItDid() {
        let books = Cache<String, String>(maximumCount: 100)
        for number in 0..<200 { books["isbn-\(number)"] = "Book \(number)" }
        for number in 150..<200 { _ = books.value(forKey: "isbn-\(number)") }

        let statistics = books.statistics
        print("hit ratio", statistics.hitRatio)
        print("evicted", statistics.evictions, "expired", statistics.expirations, "refused", statistics.refusals)
        print(books.explain("isbn-199"))

        #expect(statistics.hitRatio > 0 && statistics.hitRatio <= 1)
        #expect(statistics.evictions == 100 && statistics.expirations == 0 && statistics.refusals == 0)
        #expect(books.count == 100)
    }

    @Test func theRatioOfNowIsThatOfADifference() {
        let books = Cache<String, String>(maximumCount: 100)
        let before = books.statistics
        books["isbn-1"] = "Book 1"
        _ = books["isbn-1"]
        _ = books["isbn-2"]

        let now = books.statistics
        let hits = now.hits + now.negativeHits - before.hits - before.negativeHits
        let misses = now.misses - before.misses
        print("hit ratio of the last minute", Double(hits) / Double(max(1, hits + misses)))

        #expect(hits == 1 && misses == 1)
    }

    @Test func theSizeChangesWhileTheCacheIsInUse() {
        let books = Cache<String, String>(maximumCount: 10_000)
        for number in 0..<10_000 { books["isbn-\(number)"] = "Book \(number)" }

        books.resize(maximumCount: 20_000)

        #expect(books.count == 10_000 && books.maximumCount == 20_000)
        #expect(books.configuration.maximumCount == 10_000)
    }

    @Test func entriesMayWeighTheirBytes() {
        let pages = Cache<String, Data>(
            configuration: .init(maximumWeight: 64 << 20, weigher: { key, page in key.utf8.count + page.count + 100 })
        )
        pages.insert(Data(count: 1_000), forKey: "/a")
        print(pages.totalWeight)

        #expect(pages.totalWeight == 1_102)
        pages.insert(Data(count: 64 << 20), forKey: "/large")
        #expect(pages.statistics.refusals == 1 && !pages.contains("/large"))
        pages.insert(Data(count: 10), forKey: "/pinned", weight: 0)
        #expect("\(pages.explain("/pinned"))".contains("in pinned"))
    }

    @Test func hitsOrBytes() {
        let files = Cache<String, Data>(
            configuration: .init(maximumWeight: 1 << 30, weigher: { _, file in file.count }, favouring: .bytes)
        )

        #expect(files.configuration.favouring == .bytes)
    }

    @Test func expiry() async throws {
        let time = ManualTicker()
        let sessions = Cache<String, Int>(configuration: .init(maximumCount: 1_000, expiration: .afterAccess(.seconds(1_800))), ticker: time)
        let prices = Cache<String, Int>(
            configuration: .init(maximumCount: 1_000, expiration: .afterWrite(.seconds(60)), refreshAfterWrite: .seconds(45)),
            ticker: time
        )
        prices.insert(5, forKey: "tea", expiresAfter: .seconds(10))

        sessions["a"] = 1
        prices["coffee"] = 7
        time.advance(by: .seconds(10))
        #expect(prices["tea"] == nil && prices["coffee"] == 7)
        time.advance(by: .seconds(1_000))
        #expect(sessions["a"] == 1 && prices["coffee"] == nil)
        time.advance(by: .seconds(1_000))
        #expect(sessions["a"] == 1, "the read put the end off")
    }

    @Test func aPolicyDecidesWhatAnOutageCosts() async throws {
        let (time, database) = (ManualTicker(), Database())
        let store = FaultyStore(MemoryStore(clock: time), ticker: time)

        var policy = CachePolicy(freshFor: .seconds(60))
        policy.jitter = .seconds(6)  // entries that were written together do not end together
        policy.staleWhileRevalidate = .seconds(30)  // readers do not wait for the next load
        policy.staleIfError = .seconds(3_600)  // an outage of an hour is hidden
        policy.softTimeout = .milliseconds(200)  // a slow source is hidden, too
        policy.negativeFor = .seconds(10)  // what does not exist is asked for every ten seconds
        try policy.validate()

        let stores = StoreStack([store], configuration: .init(deadline: .milliseconds(250), failuresToOpen: 5))
        let users = TieredCache<String, User>(
            name: "users",
            configuration: .init(maximumCount: 10_000, policy: policy),
            stores: stores,
            codec: .json,
            clock: time,
            ticker: time
        )
        let user = try await users.value(forKey: "42") { id in try await database.user(id) }

        let statistics = users.statistics
        let hits = statistics.memoryHits + statistics.storeHits + statistics.staleHits + statistics.negativeHits
        print("answered without a load", Double(hits) / Double(max(1, hits + statistics.misses)))
        print("by a store", statistics.storeHits, "stale", statistics.staleHits, "loads", statistics.loads, "failed", statistics.loadFailures)

        #expect(user.id == "42" && statistics.loads == 1 && statistics.misses == 1)
        time.advance(by: .seconds(70))
        #expect(try await users.value(forKey: "42") { id in try await database.user(id) }.id == "42")
        #expect(users.statistics.staleHits == 1)
    }

    @Test func aDiskStoreTellsWhatItHolds() async throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("hoard-tuning-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: directory) }

        let disk = try DiskStore(configuration: .init(directory: directory, maximumBytes: 10 << 30, writeMode: .behind))
        let statistics = try await disk.statistics()
        print(statistics.count, "records,", statistics.bytes, "of", statistics.maximumBytes ?? 0, "bytes,", statistics.evictions, "evicted")
        let use = try await disk.storageUse()
        print(use.totalByteCount, "bytes of the disk for", use.chargedByteCount, "that are charged")

        #expect(statistics.count == 0 && statistics.maximumBytes == 10 << 30 && use.totalByteCount > 0)
        await disk.close()
    }

    @Test func shadowsTellWhatAnotherSizeWouldDo() throws {
        let users = Cache<Int, Int>(maximumCount: 1_000)
        var generator = SeededGenerator(seed: 7)

        let simulation = try ShadowSimulation(
            [.init(.hoard, .count(500)), .init(.hoard, .count(2_000)), .init(.lru, .count(1_000))],
            sample: 1
        )
        users.recordAccesses(with: simulation.recorder)

        for _ in 0..<20_000 {
            let key = Int(pow(Double.random(in: 0..<1, using: &generator), 3) * 4_000)
            if users.value(forKey: key) == nil { users.insert(key, forKey: key) }
        }

        users.recordAccesses(with: nil)
        simulation.finish()
        print("real", simulation.statistics.hitRatio)
        for result in simulation.statistics.shadows { print(result.shadow.policy, result.hitRatio) }

        let ratios = simulation.statistics.shadows.map(\.hitRatio)
        #expect(simulation.statistics.requests > 10_000)
        #expect(ratios[0] < simulation.statistics.hitRatio && simulation.statistics.hitRatio < ratios[1])
    }

    @Test func aRecordingIsReplayedLater() throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("hoard-tuning-\(UUID().uuidString).trace").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let users = Cache<String, Int>(maximumCount: 100)

        let recorder = try CacheTraceRecorder(path: path)
        users.recordAccesses(with: recorder)
        // … an hour later
        users.recordAccesses(with: nil)
        try recorder.finish()

        #expect(FileManager.default.fileExists(atPath: path))
    }
}
