// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardHTTP
import HoardNIO
import HoardNIOTestSupport
import NIOCore
import Testing

@testable import HoardTransports

@Suite(.timeLimit(.minutes(5)))
struct URLSessionTransportFailureTests {
    private let transport = URLSessionTransport()

    private func error(_ reply: RawOrigin.Reply) async throws -> TransportError? {
        var error: TransportError?
        try await withRawOrigin(reply: { _ in reply }) { origin in
            error = await #expect(throws: TransportError.self) { try await transport.send(.get(port: origin.port)).text() }
        }
        return error
    }

    @Test func refusedConnectionIsTold() async throws {
        // Nothing listens on this port, and the system never chooses it for a server of another test.
        let port = 1
        let error = await #expect(throws: TransportError.self) { try await transport.send(.get(port: port)) }
        #expect(error?.code == .cannotConnect)
        #expect(error?.mayRetry == false)
        #expect(error?.message.hasPrefix("No connection to 127.0.0.1 port \(port) could be made: ") == true)
    }

    @Test func nameThatDoesNotResolveIsTold() async throws {
        let request = HTTPRequest(method: .get, scheme: "http", authority: "host.invalid:8080", path: "/")
        let error = await #expect(throws: TransportError.self) { try await transport.send(request) }
        #expect(error?.code == .cannotConnect)
        #expect(error?.message == "No connection to host.invalid port 8080 could be made: its name does not resolve.")
    }

    @Test func originThatClosesBeforeItAnswersIsAnError() async throws {
        let error = try await error(.sendAndClose(""))
        #expect(error?.code == .connectionClosed, "\(String(describing: error?.underlyingError))")
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
    ])
    func bodyThatBreaksOffIsAnError(response: String) async throws {
        #expect(try await error(.sendAndClose(response))?.code == .connectionClosed)
    }

    @Test func originThatDoesNotAnswerTimesOut() async throws {
        var configuration = URLSessionTransport.Configuration()
        configuration.readTimeout = .seconds(1)
        let transport = try URLSessionTransport(configuration: configuration)
        try await withRawOrigin(reply: { _ in .nothing }) { origin in
            let error = await #expect(throws: TransportError.self) { try await transport.send(.get(port: origin.port)) }
            #expect(error?.code == .timedOut)
        }
    }

    @Test func certificateThatNobodyTrustsIsTold() async throws {
        try await withRawOrigin(isSecure: true, reply: { _ in .send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") }) { origin in
            let error = await #expect(throws: TransportError.self) { try await transport.send(.get(port: origin.port, scheme: "https")) }
            #expect(error?.code == .tlsFailed)
            #expect(origin.received.isEmpty)
        }
    }

    @Test func cancellingEndsTheWaitForTheHead() async throws {
        let hasCome = Signal()
        let reply: @Sendable (String) -> RawOrigin.Reply = { _ in
            hasCome.fire()
            return .nothing
        }
        try await withRawOrigin(reply: reply) { origin in
            let request = HTTPRequest.get(port: origin.port)
            let reply = Task { try await transport.send(request) }
            await hasCome.wait()
            reply.cancel()
            let error = await #expect(throws: TransportError.self) { try await reply.value }
            #expect(error?.code == .cancelled)
        }
    }

    @Test func cancellingEndsTheReading() async throws {
        try await withRawOrigin(reply: { _ in .send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc") }) { origin in
            let response = try await transport.send(.get(port: origin.port))
            let hasBegun = Signal()
            let reader = Task { for try await _ in response.body { hasBegun.fire() } }
            await hasBegun.wait()
            reader.cancel()
            let error = await #expect(throws: TransportError.self) { try await reader.value }
            #expect(error?.code == .cancelled)
        }
    }

    @Test func droppedBodyClosesTheExchange() async throws {
        let isDropped = Signal()
        let handler: HTTPServer.Handler = { _ in
            let end = EndOfLife { isDropped.fire() }
            // An origin that never pauses keeps Foundation's session on Linux so busy that it cannot be cancelled.
            let parts = Parts {
                {
                    try await Task.sleep(for: .milliseconds(1))
                    return withExtendedLifetime(end) { ByteBuffer(string: "x") }
                }
            }
            return HTTPServerResponse(head: HTTPResponse(status: .ok), body: HTTPBody(parts, length: nil))
        }
        try await withServer(handler: handler) { server in
            _ = try await transport.send(.get(port: server.port))
            await isDropped.wait()
        }
    }

    @Test func bodyIsReadOnce() async throws {
        try await withRawOrigin(reply: { _ in .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok") }) { origin in
            let response = try await transport.send(.get(port: origin.port))
            _ = try await response.text()
            let error = await #expect(throws: TransportError.self) { try await response.text() }
            #expect(error?.message == "The content of a response can be read only once.")
        }
    }

    @Test func nothingIsSentAfterTheShutdown() async throws {
        transport.shutdown()
        transport.shutdown()
        let error = await #expect(throws: TransportError.self) { try await transport.send(.get(port: 1)) }
        #expect(error?.code == .failed)
        #expect(error?.message == "The request to 127.0.0.1 port 1 was not sent because the transport has been shut down.")
    }

    @Test func bodyOutlivesItsTransport() async throws {
        try await withServer(handler: { _ in .text("content") }) { server in
            let body = try await URLSessionTransport().send(.get(port: server.port)).body
            #expect(String(buffer: try await body.collect(upTo: 100)) == "content")
        }
    }

    @Test func settingsThatMakeNoSenseAreRefused() {
        var slow = URLSessionTransport.Configuration()
        slow.readTimeout = .zero
        var narrow = URLSessionTransport.Configuration()
        narrow.maximumConnectionCountPerHost = 0
        var tight = URLSessionTransport.Configuration()
        tight.maximumBufferedBytes = 0
        var negative = URLSessionTransport.Configuration()
        negative.maximumRequestBytes = -1
        for configuration in [slow, narrow, tight, negative] {
            #expect(throws: TransportError.self) { try URLSessionTransport(configuration: configuration) }
        }
    }
}

@Suite struct SetCookieListTests {
    static let lists: [(value: String, members: [String])] = [
        ("a=b", ["a=b"]), ("a=b, c=d", ["a=b", "c=d"]), ("a=b,c=d", ["a=b", "c=d"]),
        ("a=b; Expires=Wed, 21 Oct 2099 07:28:00 GMT, c=d", ["a=b; Expires=Wed, 21 Oct 2099 07:28:00 GMT", "c=d"]),
        ("a=1,2; Path=/", ["a=1,2; Path=/"]), ("", [""]), ("a", ["a"]), ("a=b, c", ["a=b, c"]), ("a=\"x, y\", c=", ["a=\"x, y\"", "c="]),
    ]

    @Test(arguments: lists)
    func cookiesAreTakenApart(row: (value: String, members: [String])) {
        #expect(SetCookieList.members(of: row.value) == row.members)
    }
}
