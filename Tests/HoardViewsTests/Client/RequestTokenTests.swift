// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import HTTPTypes
import Hoard
import HoardHTTP
import HoardTesting
import Synchronization
import Testing

@testable import HoardViews

@Suite(.timeLimit(.minutes(5))) struct RequestTokenTests {
    /// Counts the results that a handler gets, and lets a test wait for the first.
    private final class Results<Value: Sendable>: Sendable {
        private let results = Mutex<[Result<Value, ViewError>]>([])
        private let hasCome = Gate()

        var all: [Result<Value, ViewError>] { results.withLock { $0 } }

        func add(_ result: Result<Value, ViewError>) {
            results.withLock { $0.append(result) }
            hasCome.open()
        }

        func first() async -> Result<Value, ViewError>? {
            await hasCome.pass()
            return all.first
        }
    }

    @Test func handlerGetsTheComponentOnTheQueueThatWasChosen() async throws {
        let harness = ViewHarness()
        let queue = DispatchQueue(label: "test")
        let results = Results<any ServerDrivenComponent>()
        // The second time the screen is in memory: the handler still runs on its queue.
        for _ in 0..<2 {
            let done = Gate()
            harness.client.fetch(url: "/home", completingOn: .queue(queue)) { result in
                dispatchPrecondition(condition: .onQueue(queue))
                results.add(result)
                done.open()
            }
            await done.pass()
        }
        #expect(try results.all.map { try $0.get() as? TestScreen } == [TestScreen(title: "/home"), TestScreen(title: "/home")])
        #expect(harness.requestCount == 1)
    }

    @Test func handlerGetsTheViewOnTheMainActor() async throws {
        let harness = ViewHarness()
        let results = Results<FetchedView>()
        harness.client.fetch("/home", completingOn: .main) { result in MainActor.assumeIsolated { results.add(result) } }
        #expect(try await results.first()?.get().source == .network)
    }

    @Test func handlerGetsTheError() async throws {
        let harness = ViewHarness()
        let results = Results<any ServerDrivenComponent>()
        harness.client.fetch(url: "ftp://example.com/", completingOn: .anywhere) { results.add($0) }
        let error = await #expect(throws: ViewError.self) { try await results.first()?.get() }
        #expect(error?.code == .urlBuilder)
    }

    @Test func cancellingTellsTheHandlerAtOnceAndOnlyOnceAndLeavesOthersServed() async throws {
        let harness = ViewHarness()
        let hold = harness.transport.hold()
        let (cancelled, served) = (Results<FetchedView>(), Results<FetchedView>())
        let token = harness.client.fetch("/home", completingOn: .anywhere) { cancelled.add($0) }
        harness.client.fetch("/home", completingOn: .anywhere) { served.add($0) }
        await hold.arrivals(1)
        try await waitUntil { harness.client.statistics.currentWaiters == 2 }
        token.cancel()
        #expect(cancelled.all.count == 1)
        let error = #expect(throws: ViewError.self) { try cancelled.all.first?.get() }
        #expect(error?.code == .cancelled)
        token.cancel()
        hold.release()
        #expect(try await served.first()?.get().title == "/home")
        #expect(cancelled.all.count == 1)
        #expect(served.all.count == 1)
        #expect(harness.requestCount == 1)
    }

    @Test func cancellingWhatIsOverDoesNothing() async throws {
        let harness = ViewHarness()
        let results = Results<FetchedView>()
        let token = harness.client.fetch("/home", completingOn: .anywhere) { results.add($0) }
        _ = await results.first()
        token.cancel()
        #expect(results.all.count == 1)
    }

    @Test func handlerIsCalledEvenIfNobodyKeepsTheClientOrTheToken() async throws {
        let results = Results<FetchedView>()
        let hold: FakeTransport.Hold
        do {
            let harness = ViewHarness()
            hold = harness.transport.hold()
            _ = harness.client.fetch("/home", completingOn: .anywhere) { results.add($0) }
        }
        await hold.arrivals(1)
        hold.release()
        #expect(try await results.first()?.get().title == "/home")
    }

    @Test func prefetchCanBeCancelled() async throws {
        let harness = ViewHarness()
        let hold = harness.transport.hold()
        let token = harness.client.prefetch(url: "/home")
        await hold.arrivals(1)
        token.cancel()
        try await waitUntil { harness.client.statistics.currentLoads == 0 }
        hold.release()
        #expect(harness.client.statistics.keptPrefetches == 0)
        #expect(try await harness.client.fetch("/home").source == .network)
    }

    @Test func prefetchTellsItsHandlerWhatWasDone() async throws {
        let harness = ViewHarness()
        let results = Results<Prefetch>()
        harness.client.prefetch("/home", completingOn: .anywhere) { results.add($0) }
        let prefetch = try #require(try await results.first()?.get())
        #expect(prefetch.outcome == .fetched)
        #expect(prefetch.url == "http://example.com/home")
        _ = try await harness.client.fetch("/home")
        #expect(prefetch.use == .used)
    }

    @Test func eachOfManyHandlersIsCalledOnce() async throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        let harness = ViewHarness()
        let calls = Mutex([Int](repeating: 0, count: 300))
        var tokens: [RequestToken] = []
        for number in 0..<300 {
            let path = "/\(Int.random(in: 0..<5, using: &random))"
            tokens.append(
                harness.client.fetch(ViewRequest(path), completingOn: .anywhere) { _ in calls.withLock { $0[number] += 1 } }
            )
            if Bool.random(using: &random) { tokens.randomElement(using: &random)?.cancel() }
            if number % 20 == 0 { harness.time.advance(by: .seconds(61)) }
        }
        try await waitUntil { calls.withLock { $0.allSatisfy { $0 > 0 } } }
        try await waitUntil { harness.client.statistics.currentLoads == 0 }
        #expect(calls.withLock { $0.allSatisfy { $0 == 1 } }, "seed \(seed)")
    }

    @Test func fakeIsAllThatATestNeeds() async throws {
        struct FakeViews: ViewClientProtocol {
            func fetch(_ request: ViewRequest) async throws(ViewError) -> FetchedView {
                FetchedView(component: TestScreen(title: request.path), source: .network, url: request.path)
            }

            func prefetch(_ request: ViewRequest, options: PrefetchOptions) async throws(ViewError) -> Prefetch {
                Prefetch(url: request.path, outcome: .skippedToSaveData)
            }
        }
        #expect(try await FakeViews().fetch("/a").title == "/a")
        #expect(try await FakeViews().prefetch("/a").use == .unused)
        let results = Results<any ServerDrivenComponent>()
        FakeViews().fetch(url: "/a", completingOn: .anywhere) { results.add($0) }
        #expect(try await (results.first()?.get() as? TestScreen)?.title == "/a")
    }
}
