// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import HTTPTypes
import Hoard
import HoardHTTP
import HoardHTTPTestSupport
import HoardTesting
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5))) struct NetworkTaskTests {
    private static let request = NetworkRequest(.get, "http://example.com/")

    /// Counts the results that a handler gets, and lets a test wait for the first.
    private final class Results<Value: Sendable>: Sendable {
        private let results = Mutex<[Result<Value, NetworkError>]>([])
        private let hasCome = Gate()

        var all: [Result<Value, NetworkError>] { results.withLock { $0 } }

        func add(_ result: Result<Value, NetworkError>) {
            results.withLock { $0.append(result) }
            hasCome.open()
        }

        func first() async -> Result<Value, NetworkError>? {
            await hasCome.pass()
            return all.first
        }
    }

    private static func manager(_ transport: FakeTransport) -> NetworkManager {
        NetworkManager(client: CachingClient(transport: transport, cache: HTTPCache(clock: TestTime(), ticker: TestTime()), ticker: TestTime()))
    }

    @Test func handlerGetsTheResponseOnTheQueueThatWasChosen() async throws {
        let queue = DispatchQueue(label: "test")
        let isOnQueue = Atomic(false)
        let results = Results<NetworkResponse>()
        Self.manager(FakeTransport { _ in .text("hello") }).fetch(Self.request, completingOn: .queue(queue)) { result in
            dispatchPrecondition(condition: .onQueue(queue))
            isOnQueue.store(true, ordering: .relaxed)
            results.add(result)
        }
        #expect(try await String(decoding: #require(results.first()).get().body, as: UTF8.self) == "hello")
        let wasOnQueue = isOnQueue.load(ordering: .relaxed)
        #expect(wasOnQueue)
    }

    @Test func handlerGetsTheValueOnTheMainActor() async throws {
        let results = Results<[Int]>()
        Self.manager(FakeTransport { _ in .text("[1, 2]") }).fetch(Self.request, as: [Int].self, completingOn: .main) { result in
            MainActor.assumeIsolated { results.add(result) }
        }
        #expect(try await results.first()?.get() == [1, 2])
    }

    @Test func handlerGetsTheError() async throws {
        let results = Results<[Int]>()
        Self.manager(FakeTransport { _ in .text("no", status: .notFound) })
            .fetch(Self.request, as: [Int].self, completingOn: .anywhere) { results.add($0) }
        let error = await #expect(throws: NetworkError.self) { try await results.first()?.get() }
        #expect(error?.code == .notFound)
    }

    @Test func cancellingTellsTheHandlerAtOnceAndOnlyOnce() async throws {
        let transport = FakeTransport { _ in .text("late") }
        let hold = transport.hold()
        let results = Results<NetworkResponse>()
        let task = Self.manager(transport).fetch(Self.request, completingOn: .anywhere) { results.add($0) }
        await hold.arrivals(1)
        task.cancel()
        #expect(results.all.count == 1)
        let error = #expect(throws: NetworkError.self) { try results.all.first?.get() }
        #expect(error?.code == .cancelled)
        task.cancel()
        hold.release()
        #expect(try await String(decoding: Self.manager(transport).fetch(Self.request).body, as: UTF8.self) == "late")
        #expect(results.all.count == 1)
    }

    @Test func cancellingWhatIsOverDoesNothing() async throws {
        let results = Results<NetworkResponse>()
        let task = Self.manager(FakeTransport { _ in .text("hello") }).fetch(Self.request, completingOn: .anywhere) { results.add($0) }
        _ = await results.first()
        task.cancel()
        #expect(results.all.count == 1)
    }

    @Test func handlerIsCalledEvenIfNobodyKeepsTheManagerOrTheTask() async throws {
        let transport = FakeTransport { _ in .text("hello") }
        let hold = transport.hold()
        let results = Results<NetworkResponse>()
        _ = Self.manager(transport).fetch(Self.request, completingOn: .anywhere) { results.add($0) }
        await hold.arrivals(1)
        hold.release()
        #expect(try await results.first()?.get().status == .ok)
    }

    @Test func fakeIsAllThatATestNeeds() async throws {
        struct FakeNetwork: NetworkManaging {
            func fetch(_ request: NetworkRequest) async throws(NetworkError) -> NetworkResponse {
                guard request.token != nil else { throw NetworkError(.accessForbidden, "Log in first.") }
                return NetworkResponse(body: Data("7".utf8))
            }
        }
        #expect(try await FakeNetwork().fetch(NetworkRequest(.get, "http://example.com/", token: "t"), as: Int.self) == 7)
        let results = Results<Int>()
        FakeNetwork().fetch(Self.request, as: Int.self, completingOn: .anywhere) { results.add($0) }
        let error = await #expect(throws: NetworkError.self) { try await results.first()?.get() }
        #expect(error?.code == .accessForbidden)
    }
}
