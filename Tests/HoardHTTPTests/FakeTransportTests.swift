// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardHTTP
import HoardHTTPTestSupport
import HoardTesting
import NIOCore
import Testing

@Suite(.timeLimit(.minutes(5))) struct FakeTransportTests {
    @Test func requestsAreRecordedWithTheirContentInTheOrderOfTheirArrival() async throws {
        let transport = FakeTransport { _ in .text() }
        let (body, feed) = BodyFeed.makeBody()
        feed.send("one ")
        feed.send("two")
        feed.finish()
        _ = try await transport.send(.test(.put, "/a"), body: body)
        _ = try await transport.send(.test(.get, "/b"), body: .empty)
        #expect(
            transport.requests == [
                .init(head: .test(.put, "/a"), body: ByteBuffer(string: "one two")),
                .init(head: .test(.get, "/b"), body: ByteBuffer()),
            ]
        )
    }

    @Test func handlerAnswersTheRequestThatCame() async throws {
        let transport = FakeTransport { request in .text("\(request.head.path ?? "") \(String(buffer: request.body))", status: .created) }
        let response = try await transport.send(.test(.post, "/a"), body: HTTPBody("x"))
        #expect(response.head.status == .created)
        #expect(String(buffer: try await response.body.collect(upTo: 100)) == "/a x")
    }

    @Test func failureIsThrown() async throws {
        let transport = FakeTransport(failingWith: TransportError(.timedOut, "Too slow."))
        let error = await #expect(throws: TransportError.self) { try await transport.send(.test(), body: .empty) }
        #expect(error?.code == .timedOut)
        #expect(transport.requests.count == 1)
    }

    @Test func requestWhoseContentBreaksOffDoesNotArrive() async throws {
        let transport = FakeTransport { _ in .text() }
        let (body, feed) = BodyFeed.makeBody()
        feed.send("one")
        feed.breakOff(with: TransportError(.connectionClosed, "Closed."))
        let error = await #expect(throws: TransportError.self) { try await transport.send(.test(.put), body: body) }
        #expect(error?.code == .failed)
        #expect((error?.underlyingError as? TransportError)?.code == .connectionClosed)
        #expect(transport.requests.isEmpty)
    }

    @Test func partsArriveOneByOneAndMayBreakOff() async throws {
        let transport = FakeTransport { _ in .parts(["a", "b"], length: 7, breakingOffWith: TransportError(.connectionClosed, "Closed.")) }
        let body = try await transport.send(.test(), body: .empty).body
        #expect(body.length == 7)
        #expect(body.bytesAtHand == nil)
        var parts = body.makeAsyncIterator()
        #expect(try await parts.next() == ByteBuffer(string: "a"))
        #expect(try await parts.next() == ByteBuffer(string: "b"))
        await #expect(throws: TransportError.self) { try await parts.next() }
        #expect(try await parts.next() == nil)
    }

    // MARK: Holding

    @Test func answerIsMadeAtOnceAndHeldUntilItIsReleased() async throws {
        let transport = FakeTransport { request in .text(request.head.path ?? "") }
        let hold = transport.hold { $0.head.path == "/held" }
        let held = Task { try await transport.send(.test(.get, "/held"), body: .empty).head.status }
        await hold.arrivals(1)
        #expect(hold.heldCount == 1)
        // Other requests pass.
        _ = try await transport.send(.test(.get, "/other"), body: .empty)
        hold.release()
        #expect(try await held.value == .ok)
        #expect(hold.heldCount == 0)
        // A hold that has been released keeps nothing back, and releasing it again does nothing.
        hold.release()
        _ = try await transport.send(.test(.get, "/held"), body: .empty)
        await hold.arrivals(2)
    }

    @Test func requestThatIsCancelledDuringAHoldFails() async throws {
        let transport = FakeTransport { _ in .text() }
        let hold = transport.hold()
        let tasks = (1...2).map { _ in Task { try await transport.send(.test(), body: .empty).head.status } }
        await hold.arrivals(2)
        tasks[0].cancel()
        let error = await #expect(throws: TransportError.self) { try await tasks[0].value }
        #expect(error?.code == .cancelled)
        #expect(hold.heldCount == 1)
        hold.release()
        #expect(try await tasks[1].value == .ok)
    }

    @Test func waitingForArrivalsEndsWhenTheTaskIsCancelled() async {
        let hold = FakeTransport { _ in .text() }.hold()
        let waiting = Task { await hold.arrivals(1) }
        waiting.cancel()
        await waiting.value
        #expect(hold.heldCount == 0)
    }

    @Test func answerPassesEveryHoldThatIsMeantForIt() async throws {
        let transport = FakeTransport { _ in .text() }
        let (first, second) = (transport.hold(), transport.hold())
        let held = Task { try await transport.send(.test(), body: .empty).head.status }
        await first.arrivals(1)
        #expect(second.heldCount == 0)
        first.release()
        await second.arrivals(1)
        second.release()
        #expect(try await held.value == .ok)
    }

    // MARK: Feeding

    @Test func partsThatNobodyHasReadYetAreKept() async throws {
        let (body, feed) = BodyFeed.makeBody()
        feed.send("a")
        feed.send("b")
        feed.finish()
        #expect(String(buffer: try await body.collect(upTo: 2)) == "ab")
        #expect(!feed.isAbandoned)
    }

    @Test func feedNoticesThatItsBodyHasBeenDropped() async throws {
        let feed = {
            let (body, feed) = BodyFeed.makeBody()
            #expect(body.length == nil)
            return feed
        }()
        #expect(feed.isAbandoned)
    }

    @Test func readerThatIsCancelledSeesTheEnd() async throws {
        let (body, feed) = BodyFeed.makeBody()
        let reader = Task {
            var parts = body.makeAsyncIterator()
            return try await parts.next()
        }
        reader.cancel()
        #expect(try await reader.value == nil)
        #expect(feed.isAbandoned)
    }
}
