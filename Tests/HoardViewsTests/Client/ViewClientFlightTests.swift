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

/// The waiters of each load, and the effect of cancelling them.
@Suite(.timeLimit(.minutes(5))) struct ViewClientFlightTests {
    private func key(_ harness: ViewHarness, _ request: ViewRequest) throws -> ViewFlightKey {
        ViewFlightKey(view: try harness.client.plan(for: request).key, purpose: .answer)
    }

    /// Waits until so many callers wait for a screen.
    private func waiters(_ count: Int, _ harness: ViewHarness, _ request: ViewRequest = "/home") async throws {
        let key = try key(harness, request)
        try await waitUntil { harness.client.flights.waiterCount(for: key) == count }
    }

    private func expectNothingGoesOn(_ harness: ViewHarness, sourceLocation: SourceLocation = #_sourceLocation) {
        let statistics = harness.client.statistics
        #expect(statistics.currentLoads == 0, sourceLocation: sourceLocation)
        #expect(statistics.currentWaiters == 0, sourceLocation: sourceLocation)
    }

    @Test func fetchesOfTheSameScreenShareOneRequest() async throws {
        let harness = ViewHarness()
        let hold = harness.transport.hold()
        let tasks = (0..<20).map { _ in Task { try await harness.client.fetch("/home").title } }
        await hold.arrivals(1)
        try await waiters(20, harness)
        hold.release()
        for task in tasks { #expect(try await task.value == "/home") }
        #expect(harness.requestCount == 1)
        #expect(harness.coder.decodeCount == 1)
        #expect(harness.client.statistics.joins == 19)
        expectNothingGoesOn(harness)
    }

    @Test func fetchesInAnyFormShareOneRequest() async throws {
        let harness = ViewHarness()
        let hold = harness.transport.hold()
        let results = Mutex(0)
        let done = Gate()
        let prefetch = Task { try await harness.client.prefetch("/home") }
        try await waiters(1, harness)
        let fetch = Task { try await harness.client.fetch("/home") }
        harness.client.fetch(url: "/home", completingOn: .anywhere) { result in
            if (try? result.get()) != nil { results.withLock { $0 += 1 } }
            done.open()
        }
        harness.client.prefetch(url: "/home")
        try await waiters(4, harness)
        hold.release()
        _ = try await fetch.value
        #expect(try await prefetch.value.use == .used)
        await done.pass()
        #expect(results.withLock { $0 } == 1)
        #expect(harness.requestCount == 1)
    }

    @Test func errorGoesToAllWhoWait() async throws {
        let harness = ViewHarness()
        harness.origin["/home"].status = .notFound
        harness.origin["/home"].fields = [.cacheControl: "no-store"]
        let hold = harness.transport.hold()
        let tasks = (0..<5).map { _ in Task { try await harness.client.fetch("/home") } }
        try await waiters(5, harness)
        hold.release()
        for task in tasks {
            let error = await #expect(throws: ViewError.self) { try await task.value }
            #expect(error?.statusCode == 404)
        }
        expectNothingGoesOn(harness)
        harness.origin["/home"].status = .ok
        #expect(try await harness.client.fetch("/home").title == "/home")
    }

    @Test func cancellingOneWaiterLeavesTheOthersServed() async throws {
        let harness = ViewHarness()
        let hold = harness.transport.hold()
        let tasks = (0..<5).map { _ in Task { try await harness.client.fetch("/home").title } }
        try await waiters(5, harness)
        // They wait for a load whose request may not have arrived yet.
        await hold.arrivals(1)
        // The task that has begun the load is among them, whichever it is.
        for task in tasks.dropLast() {
            task.cancel()
            let error = await #expect(throws: ViewError.self) { try await task.value }
            #expect(error?.code == .cancelled)
        }
        #expect(hold.heldCount == 1)
        hold.release()
        #expect(try await tasks[4].value == "/home")
        #expect(harness.requestCount == 1)
        #expect(harness.client.statistics.cancellations == 4)
        expectNothingGoesOn(harness)
    }

    @Test func requestIsCancelledWhenTheLastWaiterHasLeft() async throws {
        let harness = ViewHarness()
        let cancelled = Gate()
        let arrived = Gate()
        let transport = FakeTransport { _ in
            await withTaskCancellationHandler {
                arrived.open()
                await cancelled.pass()
            } onCancel: {
                cancelled.open()
            }
            return .text(#"{"title": "late"}"#)
        }
        var dependencies = harness.client.dependencies
        dependencies.client = CachingClient(transport: transport, cache: harness.http, ticker: harness.time)
        let client = ViewClient(dependencies: dependencies, clock: harness.time, ticker: harness.time)
        let tasks = (0..<2).map { _ in Task { try await client.fetch("/home") } }
        await arrived.pass()
        for task in tasks { task.cancel() }
        for task in tasks { _ = await task.result }
        // The origin saw its request cancelled: nothing else opens the gate.
        await cancelled.pass()
        #expect(client.statistics.cancellations == 2)
    }

    @Test func fetchAfterACancelledOneBeginsAnew() async throws {
        let harness = ViewHarness()
        let hold = harness.transport.hold { $0.head.path == "/home" }
        let task = Task { try await harness.client.fetch("/home") }
        await hold.arrivals(1)
        task.cancel()
        _ = await task.result
        hold.release()
        #expect(try await harness.client.fetch("/home").title == "/home")
        #expect(harness.requestCount == 2)
    }

    @Test func callerThatIsCancelledBeforeItBeginsSendsNothing() async throws {
        let harness = ViewHarness()
        let gate = Gate()
        let task = Task {
            await gate.pass()
            return try await harness.client.fetch("/home")
        }
        task.cancel()
        gate.open()
        let error = await #expect(throws: ViewError.self) { try await task.value }
        #expect(error?.code == .cancelled)
        #expect(harness.requestCount == 0)
        expectNothingGoesOn(harness)
    }

    @Test func cancelledPostIsCancelled() async throws {
        let harness = ViewHarness()
        let hold = harness.transport.hold()
        let task = Task { try await harness.client.fetch(ViewRequest("/a", additionalData: .init(method: .post))) }
        await hold.arrivals(1)
        task.cancel()
        let error = await #expect(throws: ViewError.self) { try await task.value }
        #expect(error?.code == .cancelled)
        hold.release()
    }

    @Test func resultThatIsBeingKeptIsKeptEvenIfAllLeave() async throws {
        let harness = ViewHarness()
        let gate = Gate()
        harness.cache?.hold(additionsAt: gate)
        let task = Task { try await harness.client.fetch("/home") }
        await gate.arrivals(1)
        task.cancel()
        _ = await task.result
        // A fetch that comes now joins the load whose result is being kept.
        let next = Task { try await harness.client.fetch("/home") }
        try await waiters(1, harness)
        gate.open()
        #expect(try await next.value.title == "/home")
        #expect(harness.cache?.references.count == 1)
        #expect(harness.requestCount == 1)
        expectNothingGoesOn(harness)
    }

    @Test func fetchThatJoinsAPrefetchRaisesItsPriority() async throws {
        let harness = ViewHarness()
        let gate = Gate()
        // The lookup stands between the start of the load and the decoding.
        harness.cache?.hold(lookupsAt: gate)
        await harness.cache?.addToCache(
            .init(
                identifier: try harness.client.plan(for: "/home").key.identifier,
                data: Data(#"{"title": "kept"}"#.utf8),
                hash: "1",
                timeOfCreation: harness.time.now()
            )
        )
        var options = PrefetchOptions()
        options.priority = .background
        let prefetch = Task(priority: .background) { try await harness.client.prefetch("/home", options: options) }
        await gate.arrivals(1)
        let fetch = Task(priority: .high) { try await harness.client.fetch("/home") }
        try await waiters(2, harness)
        gate.open()
        #expect(try await fetch.value.title == "kept")
        #expect(try await prefetch.value.use == .used)
        let priority = try #require(harness.coder.decodePriorities.first)
        #expect(priority >= .high)
    }

    @Test func noClientIsHeldWhenNothingGoesOn() async throws {
        weak var client: ViewClient?
        weak var cache: SpyCacheManager?
        do {
            let harness = ViewHarness()
            (client, cache) = (harness.client, harness.cache)
            #expect(await harness.client.prefetch((0..<20).map { ViewRequest("/\($0)") }).fetchedCount == 20)
            let hold = harness.transport.hold()
            let tasks = (0..<20).map { number in Task { try await harness.client.fetch(ViewRequest("/new/\(number)")) } }
            await hold.arrivals(20)
            for task in tasks { task.cancel() }
            for task in tasks { _ = await task.result }
            hold.release()
            for number in 0..<20 { _ = try await harness.client.fetch(ViewRequest("/\(number)")) }
            await harness.client.removeAll()
            // The cancelled loads end by themselves.
            try await waitUntil { harness.client.statistics.currentLoads == 0 }
            expectNothingGoesOn(harness)
        }
        // A task that has just ended may still let go of its references.
        try await waitUntil { client == nil && cache == nil }
    }
}
