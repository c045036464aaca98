// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import HoardDisk
import HoardTesting
import Synchronization
import Testing

/// The examples of `docs/guides/from-dictionaries.md`, run.
@Suite(.timeLimit(.minutes(1))) struct FromDictionariesGuideExamples {
    struct Profile: Codable, Equatable {
        let name: String
        var visits = 0
    }

    struct Article: Codable, Equatable {
        let title: String
    }

    /// A server that counts its requests and answers when the test says so.
    actor Server {
        private(set) var requestCount = 0
        private let gate: Gate?

        init(gate: Gate? = nil) { self.gate = gate }

        func profile(_ id: String) async throws -> Profile {
            requestCount += 1
            let profile = Profile(name: "\(id) of request \(requestCount)")
            await gate?.pass()
            return profile
        }
    }

    private let directory = FileManager.default.temporaryDirectory.appendingPathComponent("hoard-guide-\(UUID().uuidString)").path

    final class Profiles: Sendable {
        private let profiles = Mutex<[String: Profile]>([:])
        private let server: Server

        init(server: Server) { self.server = server }

        func profile(_ id: String) async throws -> Profile {
            if let profile = profiles.withLock({ $0[id] }) { return profile }
            let profile = try await server.profile(id)
            profiles.withLock { $0[id] = profile }
            return profile
        }

        func forget(_ id: String) {
            profiles.withLock { $0[id] = nil }
        }
    }

    @Test func beforeEachCallerLoadsAndALateLoadUndoesARemoval() async throws {
        let gate = Gate()
        let server = Server(gate: gate)
        let profiles = Profiles(server: server)
        async let first = profiles.profile("42")
        async let second = profiles.profile("42")
        await gate.arrivals(2)
        profiles.forget("42")
        gate.open()
        let loaded = try await [first, second]
        #expect(await server.requestCount == 2)
        #expect(loaded.contains(try await profiles.profile("42")), "What was loaded before the removal is there.")
        #expect(await server.requestCount == 2)
    }

    @Test func afterOneCallerLoadsAndARemovalHolds() async throws {
        let gate = Gate()
        let server = Server(gate: gate)
        let id = "42"

        let profiles = Cache<String, Profile>(maximumCount: 10_000)
        async let early = profiles.value(forKey: id) { id in try await server.profile(id) }
        await gate.arrivals(1)
        profiles.removeValue(forKey: id)
        gate.open()
        #expect(try await early.name == "42 of request 1")
        #expect(profiles.peek(id) == nil, "What was loaded before the removal is not kept.")

        let profile = try await profiles.value(forKey: id) { id in try await server.profile(id) }
        #expect(try await profiles.value(forKey: id) { id in try await server.profile(id) } == profile)
        #expect(await server.requestCount == 2)
    }

    @Test func idiomsOfDictionaries() {
        let guest = Profile(name: "guest")

        let profiles = Cache<String, Profile>(maximumCount: 10_000)
        profiles["guest"] = guest
        profiles.insertIfAbsent(guest, forKey: "guest")
        profiles.update(forKey: "guest") { old in
            var profile = old ?? guest
            profile.visits += 1
            return profile
        }
        profiles.removeValue(forKey: "guest") { $0.visits > 100 }
        profiles.forEach { id, profile in print(id, profile.visits) }

        #expect(profiles["guest"]?.visits == 1)
        #expect(profiles.keys == ["guest"] && profiles.count == 1)
    }

    @Test func tagsTakeThePlaceOfFilters() {
        let profile = Profile(name: "Ada")

        let profiles = Cache<String, Profile>(maximumCount: 10_000)
        profiles.insert(profile, forKey: "42", tags: ["team-7"])
        profiles.removeValues(taggedWith: "team-7")

        #expect(profiles.count == 0)
    }

    @Test func aCacheLikeSundells() {
        let (time, article) = (ManualTicker(), Article(title: "Caching"))

        let articles = Cache<Int, Article>(maximumCount: 50, expiration: .afterWrite(.seconds(12 * 60 * 60)), ticker: time)
        articles.insert(article, forKey: 7)

        #expect(articles[7] == article)
        time.advance(by: .seconds(12 * 60 * 60))
        #expect(articles[7] == nil)
    }

    @Test func aCacheIsSavedToAFile() throws {
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let (path, article) = (directory + "/articles", Article(title: "Caching"))
        let articles = Cache<Int, Article>(maximumCount: 50)
        articles.insert(article, forKey: 7)

        try articles.save(to: path)  // atomic, checksummed
        let restored = Cache<Int, Article>(maximumCount: 50)
        try restored.restore(from: path)  // what has not expired meanwhile

        #expect(restored[7] == article)
    }

    @Test func aCacheLikeCachyr() async throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let article = Article(title: "Caching")

        let disk = try DiskStore(configuration: .init(directory: directory, maximumBytes: 64 << 20))
        let articles = TieredCache<String, Article>(
            configuration: .init(maximumCount: 500, freshFor: .seconds(600)),
            stores: [disk],
            codec: .json
        )
        await articles.insert(article, forKey: "intro", policy: CachePolicy(freshFor: .seconds(10)))
        let found = await articles.value(forKey: "intro")
        await articles.removeValue(forKey: "intro")

        #expect(found == article)
        #expect(await articles.value(forKey: "intro") == nil)
        await articles.close()
    }
}
