// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Hoard
import HoardHTTP
import HoardHTTPTestSupport
import HoardTesting
import NIOCore
import Synchronization
import Testing

/// Random requests through a shared cache. Each answer is compared with the origin's own answers.
@Suite(.timeLimit(.minutes(5))) struct HTTPCacheDifferentialTests {
    /// The state of the cache that an answer showed.
    private struct Tally {
        var hits = 0
        var confirmations = 0
        var changes = 0
    }

    @Test(arguments: [false, true])
    func noAnswerIsStalerThanAllowedOrOlderThanAChangeOrSomebodyElses(hasStore: Bool) async throws {
        var tally = Tally()
        for _ in 1...20 { try await run(seed: .random(in: 0 ... .max), stepCount: 150, hasStore: hasStore, &tally) }
        // The cache is of some use.
        #expect(tally.hits > 100)
        #expect(tally.confirmations > 20)
        #expect(tally.changes > 100)
    }

    private func run(seed: UInt64, stepCount: Int, hasStore: Bool, _ tally: inout Tally) async throws {
        var random = RandomSource(seed: seed)
        let time = TestTime()
        let origin = VersionedOrigin(seed: random.next(), time: time)
        let transport = FakeTransport { origin.handle($0) }
        let stores: [any RecordStore] = hasStore ? [MemoryStore(clock: time)] : []
        var harness = CacheHarness(mode: .shared, stores: stores, time: time, transport: transport)
        var leastVersions: [String: Int] = [:]
        for step in 1...stepCount {
            let place = "seed \(seed), step \(step)"
            let path = random.pick(VersionedOrigin.paths)
            switch random.int(1...20) {
            case 1...3:
                time.advance(seconds: Int64(random.int(0...25)))
            case 4:
                origin.change(path)
            case 5...7:
                tally.changes += 1
                var fields = HTTPFields()
                let other = random.pick(VersionedOrigin.paths)
                if random.once(in: 4) { fields[.expect] = "failure" }
                if random.once(in: 3) { fields[.contentLocation] = other }
                let code = try await harness.send(random.pick([.post, .put, .delete, .patch]), path, fields).code
                #expect((code < 400) == !fields.contains(.expect), "\(place)")
                guard code < 400 else { continue }
                leastVersions[path] = origin.version(of: path)
                if fields.contains(.contentLocation) { leastVersions[other] = origin.version(of: other) }
            case 8 where hasStore:
                // A restart: memory is lost, the store is not.
                await harness.cache.flush()
                harness = CacheHarness(mode: .shared, stores: stores, time: time, transport: transport)
            default:
                let fields = Self.randomFields(&random)
                let emissionCount = origin.emissionCount
                let reply = try await harness.send(random.once(in: 8) ? .head : .get, path, fields)
                let wasAsked = origin.emissionCount > emissionCount
                try check(
                    reply,
                    path,
                    fields,
                    wasAsked: wasAsked,
                    leastVersion: leastVersions[path] ?? 1,
                    origin: origin,
                    now: time.now(),
                    place,
                    &tally
                )
            }
        }
    }

    private static func randomFields(_ random: inout RandomSource) -> HTTPFields {
        var fields = HTTPFields()
        if random.once(in: 3) { fields[.authorization] = random.pick(["ann", "bob"]) }
        if random.once(in: 2) { fields[.acceptLanguage] = random.pick(["fi", "sv"]) }
        if random.once(in: 6) { fields[.cacheControl] = random.pick(["no-cache", "max-age=5", "min-fresh=10", "no-store", "only-if-cached"]) }
        if random.once(in: 12) { fields[.range] = "bytes=0-1" }
        return fields
    }

    private func check(
        _ reply: Reply,
        _ path: String,
        _ fields: HTTPFields,
        wasAsked: Bool,
        leastVersion: Int,
        origin: VersionedOrigin,
        now: Date,
        _ place: String,
        _ tally: inout Tally
    ) throws {
        if reply.code == 504 {
            #expect(fields[.cacheControl] == "only-if-cached" && !wasAsked && !reply.isFromCache, "\(place)")
            return
        }
        let number = try #require(reply.head.headerFields[VersionedOrigin.emissionName].flatMap { Int($0) }, "\(place)")
        let emission = origin.emission(number)
        let comment: Comment = "\(place): \(emission), \(fields), \(reply.cacheStatus)"
        #expect(emission.path == path, comment)
        #expect(emission.version >= leastVersion, comment)
        if reply.code == 206 {
            #expect(fields.contains(.range) && reply.text == String(path.prefix(2)), comment)
        } else if !reply.text.isEmpty {
            let words = reply.text.split(separator: " ").map(String.init)
            #expect(words.count == 4, comment)
            #expect(words[0] == path && words[1] == "\(emission.version)", comment)
            // A response for one user goes to no other unless it says that it is shared.
            if words[2] != fields[.authorization] ?? "-" {
                #expect(emission.policy.isShared && (words[2] == "-" || emission.policy.isSharedIfAuthorized), comment)
            }
            if words[3] != "-" { #expect(words[3] == fields[.acceptLanguage], comment) }
        }
        if reply.isFromCache {
            #expect(emission.policy.isShared || wasAsked, comment)
            #expect(reply.age == "\(Int(now.timeIntervalSince(emission.time)))", comment)
        }
        if wasAsked {
            #expect(number == origin.emissionCount - 1, comment)
            if reply.isFromCache { tally.confirmations += 1 }
        } else {
            tally.hits += 1
            #expect(reply.isFromCache, comment)
            #expect(now.timeIntervalSince(emission.time) < emission.policy.lifetime, comment)
            #expect(emission.user == nil || emission.policy.isSharedIfAuthorized, comment)
            #expect(!["no-cache", "no-store"].contains(fields[.cacheControl] ?? ""), comment)
            if fields[.cacheControl] == "max-age=5" { #expect(now.timeIntervalSince(emission.time) <= 5, comment) }
        }
    }

    /// The least version that may still be seen, by path.
    private final class LeastVersions: Sendable {
        private let versions = Mutex<[String: Int]>([:])

        subscript(path: String) -> Int { versions.withLock { $0[path] ?? 1 } }

        func raise(_ path: String, to version: Int) {
            versions.withLock { $0[path] = max($0[path] ?? 1, version) }
        }
    }

    @Test func concurrentRequestsNeverSeeLessThanTheLastChangeThatHadEndedWhenTheyBegan() async throws {
        let seed = UInt64.random(in: 0 ... .max)
        var random = RandomSource(seed: seed)
        let time = TestTime()
        let origin = VersionedOrigin(seed: random.next(), time: time)
        let harness = CacheHarness(mode: .shared, stores: [MemoryStore(clock: time)], time: time) { origin.handle($0) }
        let leastVersions = LeastVersions()
        var hits = 0
        for _ in 1...150 {
            time.advance(seconds: Int64(random.int(0...5)))
            let requests = (1...8).map { _ in
                (
                    method: random.once(in: 10) ? HTTPRequest.Method.post : .get,
                    path: random.pick(VersionedOrigin.paths),
                    language: random.pick(["fi", "sv"])
                )
            }
            hits += try await withThrowingTaskGroup(of: Bool.self) { group in
                for (method, path, language) in requests {
                    group.addTask {
                        let least = leastVersions[path]
                        let reply = try await harness.send(method, path, [.acceptLanguage: language])
                        if method == .post {
                            let version = try #require(Int(reply.text))
                            leastVersions.raise(path, to: version)
                        } else {
                            let version = try #require(Int(reply.text.split(separator: " ")[1]))
                            #expect(version >= least, "seed \(seed): \(path) \(reply.cacheStatus)")
                        }
                        return reply.isFromCache
                    }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
        }
        await harness.cache.flush()
        #expect(hits > 50)
        #expect(harness.openFenceCount == 0)
    }
}
