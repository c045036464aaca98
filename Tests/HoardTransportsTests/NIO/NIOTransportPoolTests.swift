// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardHTTP
import HoardNIO
import HoardNIOTestSupport
import HoardTesting
import HoardTransports
import NIOCore
import Testing

@Suite(.timeLimit(.minutes(5)))
struct NIOTransportPoolTests {
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    @Test func connectionThatIsNotUsedIsClosed() async throws {
        try await withRawOrigin(reply: { _ in .send(Self.ok) }) { origin in
            try await withNIOTransport({ $0.idleTimeout = .milliseconds(20) }) { transport in
                let text = try await transport.text(.get(port: origin.port))
                #expect(text == "ok")
                await origin.closedCount.wait(for: 1)
            }
        }
    }

    @Test func noMoreIdleConnectionsAreKeptThanAllowed() async throws {
        let door = Signal()
        let begun = Counter()
        let handler: HTTPServer.Handler = { _ in
            begun.add()
            await door.wait()
            return .text("ok")
        }
        try await withServer(handler: handler) { server in
            try await withNIOTransport({ $0.maximumIdleConnectionCountPerHost = 0 }) { transport in
                let port = server.port
                async let first = transport.text(.get(port: port))
                await begun.wait(for: 1)
                door.fire()
                #expect(try await first == "ok")
                let second = try await transport.text(.get(port: port))
                #expect(second == "ok")
                #expect(begun.value == 2)
            }
        }
    }

    @Test func requestsThatWouldWaitTooManyAreRefusedAtOnce() async throws {
        let begun = Signal()
        let reply: @Sendable (String) -> RawOrigin.Reply = { _ in
            begun.fire()
            return .nothing
        }
        try await withRawOrigin(reply: reply) { origin in
            try await withNIOTransport({
                $0.maximumConnectionCountPerHost = 1
                $0.maximumWaitingCountPerHost = 0
                $0.connectTimeout = .seconds(3_600)
            }) { transport in
                let port = origin.port
                let first = Task { try await transport.send(.get(port: port), body: .empty) }
                await begun.wait()
                let error = await #expect(throws: TransportError.self) { try await transport.send(.get(port: port), body: .empty) }
                #expect(error?.code == .failed)
                #expect(error?.message.hasSuffix("was not sent because too many others wait for a connection.") == true)
                first.cancel()
                _ = await first.result
            }
        }
    }

    @Test func requestThatIsCancelledWhileItWaitsLeavesTheOthersAlone() async throws {
        let begun = Signal()
        let door = Signal()
        try await withServer(handler: { _ in
            begun.fire()
            await door.wait()
            return .text("ok")
        }) { server in
            try await withNIOTransport({ $0.maximumConnectionCountPerHost = 1 }) { transport in
                let port = server.port
                let first = Task { try await transport.text(.get(port: port)) }
                await begun.wait()
                let second = Task { try await transport.text(.get(port: port)) }
                let third = Task { try await transport.text(.get(port: port)) }
                second.cancel()
                let error = await #expect(throws: TransportError.self) { try await second.value }
                #expect(error?.code == .cancelled)
                door.fire()
                let texts = [try await first.value, try await third.value]
                #expect(texts == ["ok", "ok"])
                #expect(server.connectionCount == 1)
            }
        }
    }

    @Test func shutdownEndsExchangesInProgress() async throws {
        let begun = Signal()
        let reply: @Sendable (String) -> RawOrigin.Reply = { head in
            if head.hasPrefix("GET /body") { return .send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc") }
            begun.fire()
            return .nothing
        }
        try await withRawOrigin(reply: reply) { origin in
            try await withNIOTransport { transport in
                let port = origin.port
                let response = try await transport.send(.get("/body", port: port), body: .empty)
                let waiting = Task { try await transport.send(.get("/head", port: port), body: .empty) }
                await begun.wait()
                await transport.shutdown()
                await #expect(throws: TransportError.self) { try await waiting.value }
                await #expect(throws: TransportError.self) { try await response.text() }
                await origin.closedCount.wait(for: 2)
            }
        }
    }

    @Test func bodyOutlivesItsTransport() async throws {
        let door = Signal()
        let handler: HTTPServer.Handler = { _ in
            let parts = Parts {
                var texts = ["a", "b"][...]
                return {
                    if texts.count == 1 { await door.wait() }
                    return texts.popFirst().map { ByteBuffer(string: $0) }
                }
            }
            return HTTPServerResponse(head: HTTPResponse(status: .ok), body: HTTPBody(parts, length: nil))
        }
        try await withServer(handler: handler) { server in
            let response = try await NIOTransport().send(.get(port: server.port), body: .empty)
            door.fire()
            #expect(try await response.text() == "ab")
        }
    }

    @Test func manyRequestsAtOnceAreEachAnsweredWithTheirOwn() async throws {
        try await withServer(handler: { request in
            let body = HTTPBody(Parts.texts(request.head.path ?? "", " ", "end"), length: nil)
            return HTTPServerResponse(head: HTTPResponse(status: .ok), body: body)
        }) { server in
            try await withNIOTransport({ $0.maximumConnectionCountPerHost = 7 }) { transport in
                let port = server.port
                try await withThrowingTaskGroup { group in
                    for number in 0..<300 {
                        group.addTask {
                            if number.isMultiple(of: 10) {
                                // Some are dropped, which costs a connection.
                                _ = try await transport.send(.get("/\(number)", port: port), body: .empty)
                            } else {
                                let text = try await transport.text(.get("/\(number)", port: port))
                                #expect(text == "/\(number) end")
                            }
                        }
                    }
                    try await group.waitForAll()
                }
            }
        }
    }
}
