// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Hoard
import HoardHTTP
import HoardTesting
import Testing

@testable import HoardViews

/// Logging out, and other removals, while things are under way.
@Suite(.timeLimit(.minutes(5))) struct ViewClientRemovalTests {
    private let mine = ViewRequest("/account", partition: "u1")
    private let others = ViewRequest("/account", partition: "u2")

    private func identifiers(_ harness: ViewHarness) -> Set<String?> {
        Set(harness.cache?.references.map(\.partition) ?? [])
    }

    @Test(arguments: ["hash", nil])
    func loggingOutRemovesThePartitionInAllTiersAndLeavesTheOthers(hash: String?) async throws {
        let store = MemoryStore()
        let harness = ViewHarness(stores: [store])
        harness.origin["/account"] = .init(title: "balance", hash: hash)
        for request in [mine, others] { _ = try await harness.client.fetch(request) }
        try await harness.client.prefetch(ViewRequest("/next", partition: "u1"))
        await harness.http.flush()
        await harness.client.removePartition("u1")
        #expect(!identifiers(harness).contains("u1"))
        #expect(harness.client.decoded.count == 1)
        #expect(harness.client.statistics.keptPrefetches == 0)
        harness.origin.fail(with: TransportError(.cannotConnect, "No route."))
        #expect(try await harness.client.fetch(others).title == "balance")
        for client in [harness.client, harness.restarted()] {
            let error = try await #require(throws: ViewError.self) { try await client.fetch(mine) }
            #expect(error.networkError?.code == .unreachable)
        }
    }

    @Test(arguments: ["hash", nil])
    func answerThatArrivesAfterLoggingOutIsGivenButNotKept(hash: String?) async throws {
        let store = MemoryStore()
        let harness = ViewHarness(stores: [store])
        harness.origin["/account"] = .init(title: "balance", hash: hash)
        let hold = harness.transport.hold()
        let fetch = Task { try await harness.client.fetch(mine) }
        await hold.arrivals(1)
        await harness.client.removePartition("u1")
        hold.release()
        #expect(try await fetch.value.title == "balance")
        await harness.http.flush()
        #expect(harness.cache?.additions.isEmpty == true)
        #expect(harness.client.decoded.count == 0)
        #expect(harness.client.statistics.fencedResults > 0)
        harness.origin.fail(with: TransportError(.cannotConnect, "No route."))
        _ = try await #require(throws: ViewError.self) { try await harness.client.fetch(mine) }
    }

    @Test func whoComesAfterLoggingOutJoinsNothingFromBefore() async throws {
        let harness = ViewHarness()
        let hold = harness.transport.hold { $0.head.path == "/account" }
        let before = Task { try await harness.client.fetch(mine) }
        await hold.arrivals(1)
        await harness.client.removePartition("u1")
        harness.origin["/account"] = .init(title: "of the next user", hash: "2")
        let after = Task { try await harness.client.fetch(mine) }
        await hold.arrivals(2)
        hold.release()
        #expect(try await before.value.title == "/account")
        #expect(try await after.value.title == "of the next user")
        #expect(harness.cache?.references.map(\.hash) == ["2"])
    }

    @Test func loggingOutWaitsForWhatIsBeingKeptAndRemovesIt() async throws {
        let harness = ViewHarness()
        let gate = Gate()
        harness.cache?.hold(additionsAt: gate)
        let fetch = Task { try await harness.client.fetch(mine) }
        await gate.arrivals(1)
        let logout = Task { await harness.client.removePartition("u1") }
        // From here on no fetch joins the load any more: the removal has begun.
        let key = ViewFlightKey(view: try harness.client.plan(for: mine).key, purpose: .answer)
        try await waitUntil { !harness.client.flights.isLoading(key) }
        gate.open()
        await logout.value
        #expect(try await fetch.value.title == "/account")
        #expect(harness.cache?.references.isEmpty == true)
        #expect(harness.client.decoded.count == 0)
    }

    @Test func loadThatBeginsWhileLoggingOutKeepsNothing() async throws {
        let harness = ViewHarness()
        let (adding, looking) = (Gate(), Gate())
        _ = try await harness.client.fetch(mine)
        harness.time.advance(by: .seconds(60))
        // A publication of another screen holds the logout up.
        harness.cache?.hold(additionsAt: adding)
        let slow = Task { try await harness.client.fetch(ViewRequest("/slow", partition: "u1")) }
        await adding.arrivals(1)
        let logout = Task { await harness.client.removePartition("u1") }
        try await waitUntil { harness.client.flights.removalCount == 1 }
        harness.client.decoded.removeAll()
        // This one sees the old reference, which the logout has not removed yet, and would renew it.
        harness.cache?.hold(lookupsAt: looking)
        let late = Task { try await harness.client.fetch(mine) }
        await looking.arrivals(1)
        harness.cache?.hold(additionsAt: nil)
        adding.open()
        await logout.value
        looking.open()
        #expect(try await late.value.source == .renewed)
        _ = try await slow.value
        #expect(harness.cache?.references.isEmpty == true)
        #expect(harness.client.flights.removalCount == 0)
    }

    @Test(arguments: ["hash", nil])
    func loadThatAsksOnlyAfterLoggingOutLeavesNothingWithHTTPEither(hash: String?) async throws {
        let store = MemoryStore()
        let harness = ViewHarness(stores: [store])
        harness.origin["/account"] = .init(title: "balance", hash: hash)
        let gate = Gate()
        harness.cache?.hold(lookupsAt: gate)
        let fetch = Task { try await harness.client.fetch(mine) }
        await gate.arrivals(1)
        await harness.client.removePartition("u1")
        gate.open()
        #expect(try await fetch.value.title == "balance")
        await harness.http.flush()
        #expect(try await store.statistics().count == 0)
        harness.origin.fail(with: TransportError(.cannotConnect, "No route."))
        _ = try await #require(throws: ViewError.self) { try await harness.client.fetch(mine) }
    }

    @Test func prefetchesUnderWayAreGivenUp() async throws {
        var configuration = ViewClient.Configuration()
        configuration.prefetchLimits.maximumConcurrency = 1
        let harness = ViewHarness(configuration: configuration)
        let hold = harness.transport.hold()
        let prefetching = Task { await harness.client.prefetch((0..<10).map { ViewRequest("/\($0)", partition: "u1") }) }
        await hold.arrivals(1)
        try await waitUntil { harness.client.statistics.currentLoads == 10 }
        await harness.client.removePartition("u1")
        let report = await prefetching.value
        #expect(report.failedCount == 10)
        hold.release()
        try await waitUntil { harness.client.statistics.currentLoads == 0 }
        #expect(harness.requestCount == 1)
        #expect(harness.client.statistics.keptPrefetches == 0)
    }

    @Test func cancelledCallerStillRemovesEverything() async throws {
        let harness = ViewHarness()
        _ = try await harness.client.fetch(mine)
        let gate = Gate()
        let logout = Task {
            await gate.pass()
            await harness.client.removePartition("u1")
        }
        logout.cancel()
        gate.open()
        await logout.value
        #expect(harness.cache?.references.isEmpty == true)
        #expect(try await harness.client.fetch(mine).source == .network)
    }

    @Test func removingAScreenLeavesTheOthers() async throws {
        let harness = ViewHarness()
        for path in ["/a", "/b"] { _ = try await harness.client.fetch(ViewRequest(path)) }
        await harness.client.remove("/a")
        #expect(try await harness.client.fetch("/a").source == .network)
        #expect(try await harness.client.fetch("/b").source == .memory)
        await harness.client.remove("ftp://nothing/")
        #expect(harness.requestCount == 3)
    }

    @Test func removingAScreenReachesTheSensitiveCopyToo() async throws {
        let harness = ViewHarness()
        let request = ViewRequest("/a", isSensitive: true)
        _ = try await harness.client.fetch(request)
        await harness.client.remove("/a")
        #expect(try await harness.client.fetch(request).source == .network)
    }

    @Test func removingEverythingLeavesNothing() async throws {
        let harness = ViewHarness()
        for request in [mine, others, "/a"] { _ = try await harness.client.fetch(request) }
        await harness.client.removeAll()
        #expect(harness.cache?.references.isEmpty == true)
        #expect(harness.client.decoded.count == 0)
        for request in [mine, others, "/a"] { #expect(try await harness.client.fetch(request).source == .network) }
    }

    // MARK: Sensitive screens

    @Test(arguments: ["hash", nil])
    func sensitiveScreenNeverReachesAStore(hash: String?) async throws {
        let store = MemoryStore()
        let harness = ViewHarness(stores: [store])
        harness.origin["/account"] = .init(title: "balance", hash: hash)
        let request = ViewRequest("/account", partition: "u1", isSensitive: true)
        _ = try await harness.client.fetch("/home")
        await harness.http.flush()
        let before = await harness.http.storeKeys(store)
        _ = try await harness.client.fetch(request)
        #expect(try await harness.client.fetch(request).source == .memory)
        await harness.http.flush()
        #expect(await harness.http.storeKeys(store) == before)
        #expect(harness.requestCount == 2)
    }

    // MARK: At random

    /// Many callers fetch, prefetch, are cancelled and log out at the same time. In every case each caller gets
    /// an answer, no result of a user is kept after the logout, and nothing goes on afterwards.
    @Test(arguments: 0..<8)
    func nothingOfAUserIsKeptAfterTheLastLogout(round: Int) async throws {
        let seed = UInt64.random(in: .min ... .max)
        var configuration = ViewClient.Configuration()
        configuration.prefetchLimits.maximumConcurrency = 2
        let harness = ViewHarness(configuration: configuration)
        var random = SeededGenerator(seed: seed)
        for number in 0..<6 where Bool.random(using: &random) { harness.origin["/\(number)"] = .init(title: "\(number)", hash: nil) }
        var tasks: [Task<Bool, Never>] = []
        for step in 0..<200 {
            let request = ViewRequest(
                "/\(Int.random(in: 0..<6, using: &random))",
                partition: "u\(Int.random(in: 0..<2, using: &random))",
                isSensitive: Int.random(in: 0..<5, using: &random) == 0,
                revalidates: Int.random(in: 0..<5, using: &random) == 0
            )
            switch Int.random(in: 0..<20, using: &random) {
            case 0:
                tasks.append(
                    Task {
                        await harness.client.removePartition("u1"); return true
                    }
                )
            case 1:
                tasks.append(
                    Task {
                        await harness.client.remove(request); return true
                    }
                )
            case 2..<6: tasks.append(Task { (try? await harness.client.prefetch(request)) != nil })
            case 6 where !tasks.isEmpty: tasks.randomElement(using: &random)?.cancel()
            case 7: harness.time.advance(by: .seconds(30))
            default: tasks.append(Task { (try? await harness.client.fetch(request)) != nil })
            }
            if step % 10 == 9 { await Task.yield() }
        }
        await harness.client.removePartition("u1")
        for task in tasks { _ = await task.value }
        await harness.client.removePartition("u1")
        // No caller has asked since; so nothing of the user can be there.
        #expect(!identifiers(harness).contains("u1"), "seed \(seed)")
        try await waitUntil { harness.client.statistics.currentLoads == 0 }
        let statistics = harness.client.statistics
        #expect(statistics.currentWaiters == 0, "seed \(seed)")
        #expect(harness.client.flights.takenPlaceCount == 0, "seed \(seed)")
        #expect(harness.client.flights.removalCount == 0, "seed \(seed)")
        harness.origin.fail(with: TransportError(.cannotConnect, "No route."))
        for number in 0..<6 {
            for isSensitive in [false, true] {
                let request = ViewRequest("/\(number)", partition: "u1", isSensitive: isSensitive)
                let found = try? await harness.client.fetch(request)
                #expect(found == nil, "seed \(seed)")
            }
        }
    }
}

extension HTTPCache {
    /// How many records a store has.
    fileprivate func storeKeys(_ store: MemoryStore) async -> Int {
        await flush()
        return (try? await store.statistics().count) ?? -1
    }
}
