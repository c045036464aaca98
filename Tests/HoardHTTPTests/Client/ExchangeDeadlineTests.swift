// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hoard
import HoardHTTP
import HoardHTTPTestSupport
import HoardTesting
import NIOCore
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5))) struct ExchangeDeadlineTests {
    private let time = TestTime()

    private func client(_ transport: FakeTransport) -> CachingClient {
        CachingClient(transport: transport, cache: HTTPCache(clock: time, ticker: time), ticker: time)
    }

    /// A body that goes on after its first part.
    private static func endless(onDrop: @escaping @Sendable () -> Void) -> HTTPBody {
        let (stream, continuation) = AsyncStream<ByteBuffer>.makeStream()
        continuation.onTermination = { _ in onDrop() }
        continuation.yield(ByteBuffer(string: "first"))
        return HTTPBody(stream, length: nil)
    }

    private static let options = RequestOptions(timeout: .seconds(10))

    @Test func headThatDoesNotComeInTimeIsAnError() async throws {
        let transport = FakeTransport { _ in .text("late") }
        let hold = transport.hold()
        let client = client(transport)
        let reply = Task { try await client.get("http://example.com/", options: Self.options) }
        await hold.arrivals(1)
        time.advance(seconds: 9)
        time.advance(seconds: 1)
        let error = await #expect(throws: ClientError.self) { try await reply.value }
        #expect(error?.code == .deadlineExceeded)
        #expect(error?.message == "The exchange took longer than 10.0 seconds.")
        hold.release()
    }

    @Test func headThatComesInTimeIsAResponse() async throws {
        let transport = FakeTransport { _ in .text("in time") }
        let hold = transport.hold()
        let client = client(transport)
        let reply = Task { try await client.get("http://example.com/", options: Self.options) }
        await hold.arrivals(1)
        time.advance(seconds: 9)
        hold.release()
        let response = try await reply.value
        time.advance(seconds: 100)
        #expect(String(buffer: try await response.body.collect(upTo: 100)) == "in time", "What is at hand is never late.")
    }

    @Test(arguments: [Duration.zero, .seconds(-1)])
    func noTimeAtAllSendsNothing(timeout: Duration) async throws {
        let transport = FakeTransport { _ in .text("never") }
        let error = await #expect(throws: ClientError.self) {
            try await client(transport).get("http://example.com/", options: RequestOptions(timeout: timeout))
        }
        #expect(error?.code == .deadlineExceeded)
        #expect(transport.requests.isEmpty)
    }

    @Test func bodyThatDoesNotEndInTimeIsAnErrorForWhoeverWaits() async throws {
        let (body, feed) = BodyFeed.makeBody()
        let response = try await client(FakeTransport { _ in .response(HTTPResponse(status: .ok), body: body) })
            .get("http://example.com/", options: Self.options)
        let hasBegun = Gate()
        let reader = Task {
            for try await part in response.body {
                #expect(String(buffer: part) == "first")
                hasBegun.open()
            }
        }
        feed.send("first")
        await hasBegun.pass()
        time.advance(seconds: 10)
        let error = await #expect(throws: ClientError.self) { try await reader.value }
        #expect(error?.code == .deadlineExceeded)
    }

    @Test func bodyThatNobodyReadsIsDroppedWhenTheTimeIsOver() async throws {
        let isDropped = Gate()
        // Handed out once, so that only the response has it.
        let body = Mutex<HTTPBody?>(Self.endless { isDropped.open() })
        let transport = FakeTransport { _ in
            let taken = body.withLock { body in
                defer { body = nil }
                return body
            }
            return .response(HTTPResponse(status: .ok, headerFields: [.cacheControl: "no-store"]), body: taken ?? .empty)
        }
        let response = try await client(transport).get("http://example.com/", options: Self.options)
        var parts = response.body.makeAsyncIterator()
        #expect(try await parts.next() == ByteBuffer(string: "first"))
        time.advance(seconds: 10)
        await isDropped.pass()
        let error = await #expect(throws: ClientError.self) { try await parts.next() }
        #expect(error?.code == .deadlineExceeded)
    }

    @Test func bodyThatEndsInTimeIsWhole() async throws {
        let transport = FakeTransport { _ in .parts(["a", "b", "c"], length: 3, fields: [.cacheControl: "max-age=60"]) }
        let client = client(transport)
        let response = try await client.get("http://example.com/", options: Self.options)
        #expect(response.body.length == 3)
        #expect(String(buffer: try await response.body.collect(upTo: 100)) == "abc")
        await #expect(throws: TransportError.self, "A body has one reader.") { try await response.body.collect(upTo: 100) }
        time.advance(seconds: 20)
        #expect(try await client.get("http://example.com/", options: Self.options).isFromCache)
    }

    @Test func bodyThatBreaksOffThrowsTheTransportsError() async throws {
        let failure = TransportError(.connectionClosed, "It was closed.")
        let transport = FakeTransport { _ in .parts(["a"], breakingOffWith: failure) }
        let response = try await client(transport).get("http://example.com/", options: Self.options)
        let error = await #expect(throws: TransportError.self) { try await response.body.collect(upTo: 100) }
        #expect(error?.code == .connectionClosed)
    }

    @Test func trailersComeBehindTheBody() async throws {
        let trailers: HTTPFields = [.eTag: "\"1\""]
        let (body, feed) = BodyFeed.makeBody()
        let transport = FakeTransport { _ in
            .response(HTTPResponse(status: .ok, headerFields: [.cacheControl: "no-store"]), body: HTTPBody(body, length: nil, trailers: { trailers }))
        }
        let response = try await client(transport).get("http://example.com/", options: Self.options)
        feed.send("content")
        feed.finish()
        _ = try await response.body.collect(upTo: 100)
        #expect(response.body.trailers == trailers)
    }

    @Test func callerThatIsCancelledDoesNotWait() async throws {
        let transport = FakeTransport { _ in .text("late") }
        let hold = transport.hold()
        let client = client(transport)
        let reply = Task { try await client.get("http://example.com/", options: Self.options) }
        await hold.arrivals(1)
        reply.cancel()
        let error = await #expect(throws: ClientError.self) { try await reply.value }
        #expect(error?.code == .cancelled)
        hold.release()
    }

    @Test func redirectsCountForTheSameTime() async throws {
        let time = time
        let transport = FakeTransport { request in
            guard request.head.path == "/a" else { return .text("end") }
            time.advance(seconds: 6)
            return .text(status: .found, fields: [.location: "/b"])
        }
        let hold = transport.hold { $0.head.path == "/b" }
        let client = client(transport)
        let reply = Task { try await client.get("http://example.com/a", options: Self.options) }
        await hold.arrivals(1)
        time.advance(seconds: 4)
        let error = await #expect(throws: ClientError.self) { try await reply.value }
        #expect(error?.code == .deadlineExceeded)
        hold.release()
    }

    /// Others may join a GET, which therefore has a task of its own.
    @Test(arguments: [HTTPRequest.Method.get, .post])
    func priorityOfTheExchangeFollowsThatOfItsCaller(method: HTTPRequest.Method) async throws {
        guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else { return }
        let gate = Gate()
        let priority = Mutex<TaskPriority?>(nil)
        let transport = FakeTransport { _ in
            await gate.pass()
            // It is passed on by the task of the caller, which may be about to do so.
            try? await waitUntil { Task.currentPriority >= .high }
            priority.withLock { $0 = Task.currentPriority }
            return .text("hello")
        }
        let client = client(transport)
        let reply = Task(priority: .background) { try await client.send(.test(method, "/"), options: Self.options) }
        await gate.arrivals(1)
        reply.escalatePriority(to: .high)
        gate.open()
        _ = try await reply.value
        #expect(try #require(priority.withLock { $0 }) >= .high)
    }
}
