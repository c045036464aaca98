// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardHTTP
import HoardHTTPTestSupport
import HoardTesting
import NIOCore
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5))) struct RepeatingTransportTests {
    /// An origin that loses the first `lossCount` requests.
    private static func client(losing lossCount: Int, mayRetry: Bool = true) -> (client: CachingClient, transport: FakeTransport) {
        let losses = Losses(lossCount)
        let transport = FakeTransport { _ in
            guard losses.next() else { return .text("answer") }
            return .failure(TransportError(.connectionClosed, "The connection was closed.", mayRetry: mayRetry))
        }
        return (CachingClient(transport: transport), transport)
    }

    @Test(arguments: [HTTPRequest.Method.get, .head, .put, .delete, .options])
    func idempotentRequestThatWasLostIsSentOnceMore(method: HTTPRequest.Method) async throws {
        let (client, transport) = Self.client(losing: 1)
        let content = method == .put ? "content" : ""
        let response = try await client.send(.test(method, "/a"), body: HTTPBody(content))
        #expect(response.head.status == .ok)
        #expect(transport.requests.count == 2)
        #expect(transport.requests.map { String(buffer: $0.body) } == [content, content])
    }

    @Test(arguments: [HTTPRequest.Method.post, .patch, .connect])
    func otherRequestIsNot(method: HTTPRequest.Method) async throws {
        let (client, transport) = Self.client(losing: 1)
        let error = await #expect(throws: ClientError.self) { try await client.send(.test(method, "/a")) }
        #expect(error?.code == .connectionClosed)
        #expect(transport.requests.count == 1)
    }

    @Test func itIsSentTwiceAtMost() async throws {
        let (client, transport) = Self.client(losing: 3)
        await #expect(throws: ClientError.self) { try await client.get("http://example.com/") }
        #expect(transport.requests.count == 2)
    }

    @Test func failureOfANewConnectionIsAFailure() async throws {
        let (client, transport) = Self.client(losing: 1, mayRetry: false)
        await #expect(throws: ClientError.self) { try await client.get("http://example.com/") }
        #expect(transport.requests.count == 1)
    }

    @Test func streamedContentIsNotSentAgain() async throws {
        let (client, transport) = Self.client(losing: 1)
        let (body, feed) = BodyFeed.makeBody()
        feed.finish()
        await #expect(throws: ClientError.self) { try await client.send(.test(.put, "/a"), body: body) }
        #expect(transport.requests.count == 1)
    }

    @Test func nothingIsSentAgainIfNotAskedFor() async throws {
        let (client, transport) = Self.client(losing: 1)
        var options = RequestOptions()
        options.repeatsLostRequests = false
        await #expect(throws: ClientError.self) { try await client.get("http://example.com/", options: options) }
        #expect(transport.requests.count == 1)
    }
}

private final class Losses: Sendable {
    private let count: Mutex<Int>

    init(_ count: Int) {
        self.count = Mutex(count)
    }

    func next() -> Bool {
        count.withLock { count in
            count -= 1
            return count >= 0
        }
    }
}
