// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Hoard
import HoardHTTP
import HoardTesting
import Synchronization
import Testing

@testable import HoardViews

@Suite(.timeLimit(.minutes(5))) struct ViewClientPrefetchTests {
    private func waiters(_ count: Int, _ harness: ViewHarness, _ path: String) async throws {
        let key = ViewFlightKey(view: try harness.client.plan(for: ViewRequest(path)).key, purpose: .answer)
        try await waitUntil { harness.client.flights.waiterCount(for: key) == count }
    }

    // MARK: One request

    @Test(arguments: ["max-age=60", "no-store", "no-cache", ""])
    func oneHundredScreensThatArePrefetchedAndThenFetchedAreAskedForOnceEach(directives: String) async throws {
        let harness = ViewHarness()
        let paths = (0..<100).map { "/screens/\($0)" }
        for (number, path) in paths.enumerated() {
            // Every other one by the hash protocol, the rest by HTTP alone.
            harness.origin[path] = .init(title: path, hash: number % 2 == 0 ? "h\(number)" : nil)
            harness.origin[path].fields = directives.isEmpty ? [:] : [.cacheControl: directives]
        }
        let report = await harness.client.prefetch(paths.map { ViewRequest($0) })
        #expect(report.fetchedCount == 100)
        #expect(report.usedCount == 0)
        try await withThrowingTaskGroup(of: FetchedView.self) { group in
            for path in paths { group.addTask { try await harness.client.fetch(ViewRequest(path)) } }
            for try await view in group { #expect(view.source == .prefetched) }
        }
        for path in paths { #expect(harness.requestCount(path: path) == 1) }
        #expect(harness.requestCount == 100)
        #expect(harness.coder.decodeCount == 100)
        #expect(report.usedCount == 100)
        #expect(report.unusedCount == 0)
        let statistics = harness.client.statistics
        #expect(statistics.prefetchedUses == 100)
        #expect(statistics.currentLoads == 0)
        #expect(statistics.currentWaiters == 0)
        #expect(statistics.keptPrefetches == 0)
        #expect(statistics.keptPrefetchBytes == 0)
    }

    @Test func oneHundredScreensThatAreFetchedWhileTheyArePrefetchedAreAskedForOnceEach() async throws {
        let harness = ViewHarness()
        let paths = (0..<100).map { "/screens/\($0)" }
        let prefetching = Task { await harness.client.prefetch(paths.map { ViewRequest($0) }) }
        try await withThrowingTaskGroup(of: String?.self) { group in
            for path in paths { group.addTask { try await harness.client.fetch(ViewRequest(path)).title } }
            var titles: Set<String> = []
            for try await title in group { if let title { titles.insert(title) } }
            #expect(titles == Set(paths))
        }
        let report = await prefetching.value
        #expect(report.failedCount == 0)
        #expect(report.skippedCount == 0)
        for path in paths { #expect(harness.requestCount(path: path) == 1) }
    }

    @Test func prefetchOfWhatIsKeptSendsNothing() async throws {
        let harness = ViewHarness()
        _ = try await harness.client.fetch("/a")
        let prefetch = try await harness.client.prefetch("/a")
        #expect(prefetch.outcome == .alreadyKept)
        #expect(prefetch.use == .pending)
        #expect(try await harness.client.fetch("/a").source == .prefetched)
        #expect(prefetch.use == .used)
        #expect(harness.requestCount == 1)
    }

    @Test func secondPrefetchFindsTheFirst() async throws {
        let harness = ViewHarness()
        harness.origin["/a"].fields = [.cacheControl: "no-store"]
        let first = try await harness.client.prefetch("/a")
        let second = try await harness.client.prefetch("/a")
        #expect(first.outcome == .fetched)
        #expect(second.outcome == .alreadyKept)
        #expect(second.byteCount == first.byteCount && first.byteCount > 0)
        _ = try await harness.client.fetch("/a")
        #expect(first.use == .used && second.use == .used)
        #expect(harness.requestCount == 1)
    }

    @Test func prefetchThatFetchesHaveJoinedIsUsed() async throws {
        let harness = ViewHarness()
        let hold = harness.transport.hold()
        let prefetch = Task { try await harness.client.prefetch("/a") }
        await hold.arrivals(1)
        let fetch = Task { try await harness.client.fetch("/a") }
        try await waiters(2, harness, "/a")
        hold.release()
        _ = try await fetch.value
        let report = try await prefetch.value
        #expect(report.use == .used)
        #expect(harness.client.statistics.keptPrefetches == 0)
        #expect(harness.requestCount == 1)
    }

    @Test func fetchThatJoinsAPrefetchAndLeavesDoesNotUseItUp() async throws {
        let harness = ViewHarness()
        harness.origin["/a"].fields = [.cacheControl: "no-store"]
        let hold = harness.transport.hold()
        let prefetch = Task { try await harness.client.prefetch("/a") }
        await hold.arrivals(1)
        let fetch = Task { try await harness.client.fetch("/a") }
        try await waiters(2, harness, "/a")
        fetch.cancel()
        _ = await fetch.result
        hold.release()
        let handle = try await prefetch.value
        #expect(handle.use == .pending)
        #expect(try await harness.client.fetch("/a").source == .prefetched)
        #expect(handle.use == .used)
        #expect(harness.requestCount == 1)
    }

    @Test func prefetchThatTheServerConfirmsIsRenewed() async throws {
        let harness = ViewHarness()
        _ = try await harness.client.fetch("/a")
        harness.time.advance(by: .seconds(60))
        let report = await harness.client.prefetch(["/a"])
        #expect(report.renewedCount == 1 && report.fetchedCount == 0)
        harness.time.advance(by: .seconds(60))
        #expect(report.unusedCount == 1)
        #expect(report.wastedBytes == 0)
    }

    // MARK: For how long

    @Test func resultIsKeptForTheStatedTimeAndNotLonger() async throws {
        let harness = ViewHarness()
        for path in ["/a", "/b"] { harness.origin[path].fields = [.cacheControl: "no-store"] }
        let options = PrefetchOptions(keepsFor: .seconds(10))
        let first = try await harness.client.prefetch("/a", options: options)
        let second = try await harness.client.prefetch("/b", options: options)
        harness.time.advance(by: .milliseconds(9_999))
        #expect(try await harness.client.fetch("/a").source == .prefetched)
        #expect(second.use == .pending)
        harness.time.advance(by: .milliseconds(1))
        #expect(second.use == .unused)
        #expect(try await harness.client.fetch("/b").source == .network)
        #expect(first.use == .used)
        #expect(second.use == .unused)
        #expect(harness.requestCount == 3)
        #expect(harness.client.statistics.unusedPrefetches == 1)
    }

    @Test func resultAnswersOneFetch() async throws {
        let harness = ViewHarness()
        harness.origin["/a"].fields = [.cacheControl: "no-store"]
        try await harness.client.prefetch("/a")
        #expect(try await harness.client.fetch("/a").source == .prefetched)
        #expect(try await harness.client.fetch("/a").source == .network)
    }

    @Test func reportSaysWhatWasOfUse() async throws {
        let harness = ViewHarness()
        harness.origin["/gone"].status = .gone
        _ = try await harness.client.fetch("/here")
        let report = await harness.client.prefetch(["/a", "/b", "/gone", "/here", "/here?2"])
        #expect(report.results.count == 5)
        #expect(report.fetchedCount == 3)
        #expect(report.alreadyKeptCount == 1)
        #expect(report.failedCount == 1)
        #expect(report.skippedCount == 0)
        _ = try await harness.client.fetch("/a")
        #expect(report.usedCount == 1)
        #expect(report.unusedCount == 0)
        harness.time.advance(by: .seconds(60))
        #expect(report.unusedCount == 3)
        #expect(report.wastedBytes == #"{"title": "/b"}"#.utf8.count + #"{"title": "/here?2"}"#.utf8.count)
    }

    @Test(arguments: [0, 1, 2, 3, 10, 1_000], [false, true])
    func resultsAreInTheOrderOfTheRequests(_ count: Int, _ hasFetchedBefore: Bool) async throws {
        var configuration = ViewClient.Configuration()
        configuration.prefetchLimits.maximumCount = max(count, 1)
        let harness = ViewHarness(configuration: configuration)
        let paths = (0..<count).map { "/\($0)" }
        for path in paths.enumerated().filter({ $0.offset % 3 == 1 }).map(\.element) { harness.origin[path].status = .gone }
        if hasFetchedBefore { _ = try await harness.client.fetch("/before") }
        let report = await harness.client.prefetch(paths.lazy.map { ViewRequest($0) }, options: PrefetchOptions())
        try #require(report.results.count == count)
        for (number, result) in report.results.enumerated() {
            switch result {
            case .success(let prefetch):
                #expect(number % 3 != 1 && prefetch.outcome == .fetched)
                #expect(prefetch.url == "http://example.com/\(number)")
            case .failure(let error): #expect(number % 3 == 1 && error.code == .network)
            }
        }
        #expect(report.failedCount == (count + 1) / 3)
    }

    // MARK: Limits

    @Test func noMoreRequestsAreSentAtTheSameTimeThanAllowed() async throws {
        var configuration = ViewClient.Configuration()
        configuration.prefetchLimits.maximumConcurrency = 3
        let running = Mutex((now: 0, most: 0))
        let time = ManualTicker()
        let transport = FakeTransport { _ in
            running.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
            for _ in 0..<5 { await Task.yield() }
            running.withLock { $0.now -= 1 }
            return .text(#"{"title": "a"}"#)
        }
        let client = ViewClient(
            dependencies: .init(
                urlBuilder: URLBuilder(baseURL: URL(string: "http://example.com")),
                client: CachingClient(transport: transport, cache: HTTPCache(clock: time, ticker: time), ticker: time),
                coder: CountingCoder()
            ),
            configuration: configuration,
            clock: time,
            ticker: time
        )
        let report = await client.prefetch((0..<50).map { ViewRequest("/\($0)") })
        #expect(report.fetchedCount == 50)
        #expect(running.withLock { $0.most } <= 3)
        #expect(transport.requests.count == 50)
    }

    @Test func fetchDoesNotWaitForTheTurnOfThePrefetchThatItJoins() async throws {
        var configuration = ViewClient.Configuration()
        configuration.prefetchLimits.maximumConcurrency = 1
        let harness = ViewHarness(configuration: configuration)
        let hold = harness.transport.hold { $0.head.path == "/slow" }
        let slow = Task { try await harness.client.prefetch("/slow") }
        await hold.arrivals(1)
        let waiting = Task { try await harness.client.prefetch("/a") }
        try await waiters(1, harness, "/a")
        #expect(harness.requestCount == 1)
        #expect(try await harness.client.fetch("/a").title == "/a")
        #expect(try await waiting.value.use == .used)
        hold.release()
        _ = try await slow.value
        #expect(harness.requestCount == 2)
    }

    @Test func prefetchThatAFetchJoinsGivesItsPlaceToTheNext() async throws {
        var configuration = ViewClient.Configuration()
        configuration.prefetchLimits.maximumConcurrency = 1
        let harness = ViewHarness(configuration: configuration)
        let hold = harness.transport.hold { $0.head.path == "/slow" }
        let slow = Task { try await harness.client.prefetch("/slow") }
        await hold.arrivals(1)
        let next = Task { try await harness.client.prefetch("/next") }
        try await waiters(1, harness, "/next")
        let fetch = Task { try await harness.client.fetch("/slow") }
        #expect(try await next.value.outcome == .fetched)
        hold.release()
        _ = try await fetch.value
        _ = try await slow.value
    }

    @Test func prefetchThatLeavesTheQueueSendsNothing() async throws {
        var configuration = ViewClient.Configuration()
        configuration.prefetchLimits.maximumConcurrency = 1
        let harness = ViewHarness(configuration: configuration)
        let hold = harness.transport.hold { $0.head.path == "/slow" }
        let slow = Task { try await harness.client.prefetch("/slow") }
        await hold.arrivals(1)
        let waiting = Task { try await harness.client.prefetch("/a") }
        try await waiters(1, harness, "/a")
        waiting.cancel()
        let error = await #expect(throws: ViewError.self) { try await waiting.value }
        #expect(error?.code == .cancelled)
        hold.release()
        _ = try await slow.value
        #expect(harness.requestCount(path: "/a") == 0)
        #expect(harness.client.statistics.currentLoads == 0)
    }

    @Test func revalidatingPrefetchThatIsSkippedLeavesTheScreenOfAnEarlierOne() async throws {
        var configuration = ViewClient.Configuration()
        configuration.prefetchLimits.maximumCount = 1
        let harness = ViewHarness(configuration: configuration)
        let earlier = try await harness.client.prefetch("/a")
        let hold = harness.transport.hold()
        let other = Task { try await harness.client.prefetch("/b") }
        await hold.arrivals(1)
        #expect(try await harness.client.prefetch(ViewRequest("/a", revalidates: true)).outcome == .skippedTooMany)
        #expect(earlier.use == .pending)
        #expect(try await harness.client.fetch("/a").source == .prefetched)
        hold.release()
        _ = try await other.value
    }

    @Test func prefetchesBeyondTheCountAreSkipped() async throws {
        var configuration = ViewClient.Configuration()
        configuration.prefetchLimits.maximumCount = 2
        configuration.prefetchLimits.maximumConcurrency = 1
        let harness = ViewHarness(configuration: configuration)
        let hold = harness.transport.hold()
        let tasks = ["/a", "/b"].map { path in Task { try await harness.client.prefetch(ViewRequest(path)) } }
        for path in ["/a", "/b"] { try await waiters(1, harness, path) }
        let skipped = try await harness.client.prefetch("/c")
        #expect(skipped.outcome == .skippedTooMany)
        #expect(skipped.use == .unused)
        // A prefetch that joins does not count as a further one, and a fetch is never refused.
        let joining = Task { try await harness.client.prefetch("/a") }
        try await waiters(2, harness, "/a")
        let fetch = Task { try await harness.client.fetch("/c") }
        try await waiters(1, harness, "/c")
        hold.release()
        for task in tasks + [joining] { #expect(try await task.value.outcome == .fetched) }
        _ = try await fetch.value
        #expect(harness.client.statistics.skippedPrefetches == 1)
    }

    @Test func oldestResultsGoWhenThereAreTooManyBytes() async throws {
        var configuration = ViewClient.Configuration()
        let size = #"{"title": "/a"}"#.utf8.count
        configuration.prefetchLimits.maximumBytes = 2 * size + 1
        let harness = ViewHarness(configuration: configuration)
        var prefetches: [Prefetch] = []
        for path in ["/a", "/b", "/c"] {
            harness.origin[path].fields = [.cacheControl: "no-store"]
            prefetches.append(try await harness.client.prefetch(ViewRequest(path)))
        }
        #expect(prefetches.map(\.use) == [.unused, .pending, .pending])
        #expect(harness.client.statistics.keptPrefetchBytes == 2 * size)
        #expect(try await harness.client.fetch("/c").source == .prefetched)
        #expect(try await harness.client.fetch("/a").source == .network)
    }

    @Test func responseThatIsTooLongForAPrefetchIsGivenUpButNotForAFetch() async throws {
        let harness = ViewHarness()
        let options = PrefetchOptions(maximumResponseBytes: 5)
        let prefetch = try await harness.client.prefetch("/a", options: options)
        #expect(prefetch.outcome == .skippedTooLarge)
        #expect(try await harness.client.fetch("/a").title == "/a")
        let hold = harness.transport.hold { $0.head.path == "/b" }
        let joined = Task { try await harness.client.prefetch("/b", options: options) }
        await hold.arrivals(1)
        let fetch = Task { try await harness.client.fetch("/b") }
        try await waiters(2, harness, "/b")
        hold.release()
        #expect(try await fetch.value.title == "/b")
        #expect(try await joined.value.use == .used)
    }

    @Test func nothingIsPrefetchedWhenDataIsSavedUnlessThePrefetchInsists() async throws {
        let saves = Mutex(true)
        var configuration = ViewClient.Configuration()
        configuration.prefetchLimits.savesData = { saves.withLock { $0 } }
        let harness = ViewHarness(configuration: configuration)
        #expect(try await harness.client.prefetch("/a").outcome == .skippedToSaveData)
        #expect(try await harness.client.fetch("/a").title == "/a")
        #expect(try await harness.client.prefetch("/b", options: PrefetchOptions(ignoresDataSaving: true)).outcome == .fetched)
        saves.withLock { $0 = false }
        #expect(try await harness.client.prefetch("/c").outcome == .fetched)
    }

    @Test func postIsNotPrefetched() async throws {
        let harness = ViewHarness()
        let prefetch = try await harness.client.prefetch(ViewRequest("/a", additionalData: .init(method: .post)))
        #expect(prefetch.outcome == .notRepeatable)
        #expect(harness.requestCount == 0)
    }

    @Test func prefetchThatFailsKeepsNothingAndTheNextFetchAsksAgain() async throws {
        let harness = ViewHarness()
        harness.origin.fail(with: TransportError(.cannotConnect, "No route."))
        let error = try await #require(throws: ViewError.self) { try await harness.client.prefetch("/a") }
        #expect(error.networkError?.code == .unreachable)
        harness.origin.fail(with: nil)
        #expect(try await harness.client.fetch("/a").source == .network)
    }

    @Test func staleScreenThatStandsInIsNotKeptForTheFetchThatIsExpected() async throws {
        let harness = ViewHarness()
        _ = try await harness.client.fetch("/a")
        harness.time.advance(by: .seconds(60))
        harness.origin.fail(with: TransportError(.cannotConnect, "No route."))
        let prefetch = try await harness.client.prefetch("/a")
        #expect(prefetch.use == .unused)
        #expect(prefetch.outcome == .standIn)
        harness.origin.fail(with: nil)
        #expect(try await harness.client.fetch("/a").source == .renewed)
    }
}
