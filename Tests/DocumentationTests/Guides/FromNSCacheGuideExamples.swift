// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import HoardDisk
import HoardTesting
import Testing

/// The examples of `docs/guides/from-nscache.md`, run.
@Suite(.timeLimit(.minutes(1))) struct FromNSCacheGuideExamples {
    struct Profile: Codable, Equatable {
        let name: String
    }

    final class Box {
        let profile: Profile

        init(_ profile: Profile) { self.profile = profile }
    }

    /// A server that counts its requests.
    actor Server {
        private(set) var requestCount = 0

        func profile(_ id: String) throws -> Profile {
            requestCount += 1
            return Profile(name: id)
        }
    }

    private let profile = Profile(name: "Ada")
    private let directory = FileManager.default.temporaryDirectory.appendingPathComponent("hoard-guide-\(UUID().uuidString)").path

    @Test func before() {
        let profiles = NSCache<NSString, Box>()
        profiles.countLimit = 1_000
        profiles.setObject(Box(profile), forKey: "42")
        let found = profiles.object(forKey: "42")?.profile
        profiles.removeObject(forKey: "42")

        #expect(found == profile)
        #expect(profiles.object(forKey: "42") == nil)
    }

    @Test func after() {
        let profiles = Cache<String, Profile>(maximumCount: 1_000)
        profiles.insert(profile, forKey: "42")
        let found = profiles.value(forKey: "42")
        profiles.removeValue(forKey: "42")

        #expect(found == profile)
        #expect(profiles.value(forKey: "42") == nil)
    }

    @Test func aCallerLoadsAndTheOthersWaitForIt() async throws {
        let (profiles, server) = (Cache<String, Profile>(maximumCount: 1_000), Server())
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<100 {
                group.addTask {
                    let profile = try await profiles.value(forKey: "42") { id in try await server.profile(id) }
                    #expect(profile.name == "42")
                }
            }
            try await group.waitForAll()
        }
        #expect(await server.requestCount == 1)
    }

    @Test func entriesExpire() {
        let time = ManualTicker()
        let guest = Profile(name: "guest")

        let profiles = Cache<String, Profile>(maximumCount: 1_000, expiration: .afterWrite(.seconds(300)), ticker: time)
        profiles.insert(profile, forKey: "42")
        profiles.insert(guest, forKey: "guest", expiresAfter: .seconds(10))

        time.advance(by: .seconds(10))
        #expect(profiles.value(forKey: "guest") == nil)
        #expect(profiles.value(forKey: "42") == profile)
        time.advance(by: .seconds(290))
        #expect(profiles.value(forKey: "42") == nil)
    }

    @Test func entriesHaveWeights() {
        let (logo, banner) = (Data(count: 1_000), Data(count: 2_000))

        let images = Cache<String, Data>(maximumWeight: 64 << 20) { key, data in key.utf8.count + data.count }
        images.insert(logo, forKey: "logo")
        images.insert(banner, forKey: "banner", weight: 5_000)

        #expect(images.totalWeight == 1_004 + 5_000)
        images.insert(Data(count: 65 << 20), forKey: "logo")
        #expect(images.value(forKey: "logo") == nil, "What is heavier than the limit is refused, and the older value goes.")
        #expect(images.value(forKey: "banner") != nil)
    }

    @Test func aListenerHearsWhyAnEntryLeft() {
        let log = Shared<[String]>([])

        let profiles = Cache<String, Profile>(
            configuration: .init(
                maximumCount: 1,
                removalListener: { key, profile, cause in
                    if cause.wasEvicted { log.update { $0.append("\(key): \(cause)") } }
                }
            )
        )
        profiles.insert(profile, forKey: "1")
        profiles.insert(profile, forKey: "2")
        profiles.removeAll()

        #expect(log.value == ["1: size"])
    }

    @Test func theLimitHoldsAtEveryMoment() {
        let cache = Cache<Int, Int>(maximumCount: 100)
        for key in 0..<10_000 {
            cache.insert(key, forKey: key)
            #expect(cache.count <= 100)
        }
        #expect(Cache<Int, Int>(maximumCount: 0).count == 0)
        let none = Cache<Int, Int>(maximumCount: 0)
        none.insert(1, forKey: 1)
        #expect(none.value(forKey: 1) == nil)
    }

    @Test func entriesSurviveTheEndOfTheProcess() async throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let server = Server()

        let disk = try DiskStore(configuration: .init(directory: directory, maximumBytes: 64 << 20))
        let profiles = TieredCache<String, Profile>(
            configuration: .init(maximumCount: 1_000, freshFor: .seconds(300)),
            stores: [disk],
            codec: .json
        )
        let profile = try await profiles.value(forKey: "42") { id in try await server.profile(id) }

        #expect(profile.name == "42")
        await profiles.close()
        let again = TieredCache<String, Profile>(
            configuration: .init(maximumCount: 1_000, freshFor: .seconds(300)),
            stores: [try DiskStore(configuration: .init(directory: directory))],
            codec: .json
        )
        #expect(await again.value(forKey: "42") == profile)
        await again.close()
    }

    #if os(Linux)
        /// The guide's claims on NSCache on Linux.
        @Test func onLinuxNSCacheEvictsTheNewcomer() {
            let cache = NSCache<NSString, Box>()
            cache.countLimit = 2
            for key in ["1", "2", "3"] { cache.setObject(Box(profile), forKey: key as NSString) }
            #expect(["1", "2", "3"].map { cache.object(forKey: $0 as NSString) != nil } == [true, true, false])
        }
    #endif
}
