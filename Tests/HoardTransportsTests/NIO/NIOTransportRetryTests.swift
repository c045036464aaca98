// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardHTTP
import HoardNIO
import HoardNIOTestSupport
import HoardTesting
import HoardTransports
import NIOCore
import Synchronization
import Testing

/// The transport's behaviour when the origin closes a connection that is kept for later requests.
@Suite(.timeLimit(.minutes(5)))
struct NIOTransportRetryTests {
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    /// Sends a first request that succeeds, then another, which the origin answers by closing the connection after `partialReply`.
    ///
    /// - Parameter repeats: Whether the transport is asked to repeat requests that it may repeat.
    private static func second(
        _ method: HTTPRequest.Method = .get,
        body: HTTPBody = .empty,
        partialReply: String = "",
        repeats: Bool = true
    ) async throws -> (result: Result<String, any Error>, requestCount: Int) {
        let requests = Mutex<[String]>([])
        let reply: @Sendable (String) -> RawOrigin.Reply = { head in
            let count = requests.withLock { requests in
                requests.append(head)
                return requests.count
            }
            return count == 2 ? .sendAndClose(partialReply) : .send(ok)
        }
        var result: Result<String, any Error>?
        try await withRawOrigin(reply: reply) { origin in
            try await withNIOTransport { transport in
                let text = try await transport.text(.get(port: origin.port))
                #expect(text == "ok")
                var request = HTTPRequest.get(port: origin.port)
                request.method = method
                do {
                    let transport: any Transport = repeats ? RepeatingTransport(transport) : transport
                    result = .success(try await transport.send(request, body: body).text())
                } catch {
                    result = .failure(error)
                }
            }
        }
        return (try #require(result), requests.withLock { $0.count })
    }

    @Test(arguments: [HTTPRequest.Method.get, .options, .delete, .put])
    func idempotentRequestIsSentOnceMore(_ method: HTTPRequest.Method) async throws {
        let (result, requestCount) = try await Self.second(method, body: method == .put ? HTTPBody("content") : .empty)
        #expect(try result.get() == "ok")
        #expect(requestCount == 3)
    }

    @Test(arguments: [HTTPRequest.Method.post, .patch, HTTPRequest.Method("M-SEARCH")!])
    func requestThatMayHaveAnEffectIsNotRepeated(_ method: HTTPRequest.Method) async throws {
        let (result, requestCount) = try await Self.second(method)
        let error = #expect(throws: TransportError.self) { try result.get() }
        #expect(error?.code == .connectionClosed)
        #expect(requestCount == 2)
    }

    @Test func contentThatIsReadOnceIsNotSentTwice() async throws {
        let (result, requestCount) = try await Self.second(.put, body: HTTPBody(Parts.texts("content"), length: 7))
        let error = #expect(throws: TransportError.self) { try result.get() }
        #expect(error?.code == .connectionClosed)
        #expect(requestCount == 2)
    }

    @Test func lostRequestIsNotRepeatedUnlessAskedFor() async throws {
        let (result, requestCount) = try await Self.second(repeats: false)
        let error = #expect(throws: TransportError.self) { try result.get() }
        #expect(error?.code == .connectionClosed)
        #expect(error?.mayRetry == true)
        #expect(requestCount == 2)
    }

    @Test(arguments: ["H", "HTTP/1.1 103 Early Hints\r\n\r\n", "HTTP/1.1 200 OK\r\n"])
    func responseThatHasBegunIsNotAskedForAgain(_ partialReply: String) async throws {
        let (result, requestCount) = try await Self.second(partialReply: partialReply)
        let error = #expect(throws: TransportError.self) { try result.get() }
        #expect(error?.code == .connectionClosed)
        #expect(error?.mayRetry == false)
        #expect(requestCount == 2)
    }

    @Test func secondTryGoesOutOnANewConnection() async throws {
        let lost = Counter()
        let door = Signal()
        defer { door.fire() }
        let reply: @Sendable (String) -> RawOrigin.Reply = { head in
            if head.hasPrefix("POST") { return .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\no") }
            // The end of the content.
            if head.hasPrefix("0") { return .send("k") }
            guard head.hasPrefix("GET /lost") else { return .send(Self.ok) }
            lost.add()
            return lost.value == 1 ? .sendAndClose("") : .send(Self.ok)
        }
        try await withRawOrigin(reply: reply) { origin in
            try await withNIOTransport { transport in
                let body = HTTPBody(
                    Parts {
                        {
                            await door.wait()
                            return nil
                        }
                    },
                    length: nil
                )
                let first = try await transport.send(.post(port: origin.port), body: body)
                let second = try await transport.text(.get(port: origin.port))
                door.fire()
                let texts = [try await first.text(), second]
                #expect(texts == ["ok", "ok"])
                // Two connections are kept now.
                #expect(origin.received.count == 2)
                let third = try await RepeatingTransport(transport).text(.get("/lost", port: origin.port))
                #expect(third == "ok")
                #expect(origin.received.count == 3)
            }
        }
    }

    @Test func requestIsRepeatedOnlyOnce() async throws {
        let count = Counter()
        let reply: @Sendable (String) -> RawOrigin.Reply = { _ in
            count.add()
            return count.value == 1 ? .send(Self.ok) : .sendAndClose("")
        }
        try await withRawOrigin(reply: reply) { origin in
            try await withNIOTransport { transport in
                let text = try await transport.text(.get(port: origin.port))
                #expect(text == "ok")
                let error = await #expect(throws: TransportError.self) { try await RepeatingTransport(transport).text(.get(port: origin.port)) }
                #expect(error?.code == .connectionClosed)
                #expect(count.value == 3)
            }
        }
    }

    @Test func connectionThatWasClosedWhileIdleDoesNotMatter() async throws {
        let server = try await HTTPServer.start { _ in .text("ok") }
        try await withNIOTransport { transport in
            let text = try await transport.text(.get(port: server.port))
            #expect(text == "ok")
            await server.shutdown(gracePeriod: .zero)
            let error = await #expect(throws: TransportError.self) { try await RepeatingTransport(transport).text(.get(port: server.port)) }
            // Whether the transport knew of the end already or not.
            #expect(error?.code == .cannotConnect)
        }
    }
}
