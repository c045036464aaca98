// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hoard
import HoardHTTP
import HoardNIO
import HoardNIOTestSupport
import HoardTesting
import NIOCore
import Testing

@Suite(.timeLimit(.minutes(5)))
struct HTTPServerInterimTests {
    private static let request = "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"

    private static func hint(_ code: Int = 103, _ fields: HTTPFields = [:]) -> HTTPResponse {
        HTTPResponse(status: .init(code: code, reasonPhrase: "Hint"), headerFields: fields)
    }

    /// All that a client receives.
    private static func receive(_ request: String = request, handler: @escaping HTTPServer.Handler) async throws -> String {
        let all = Box("")
        try await withServer(handler: handler) { server in
            let client = try await RawClient.connect(port: server.port)
            try await client.send(request)
            all.value = try await client.receiveUntilClosed()
        }
        return all.value
    }

    @Test func interimResponsesComeBeforeTheFinalOne() async throws {
        let link = try #require(HTTPField.Name("LINK"))
        let all = try await Self.receive { request in
            await request.sendInterimResponse(Self.hint(102))
            await request.sendInterimResponse(Self.hint(103, [link: "</a>", .init("X-A") ?? link: "1"]))
            return .text("ok")
        }
        #expect(all.hasPrefix("HTTP/1.1 102 Hint\r\n\r\nHTTP/1.1 103 Hint\r\nLINK: </a>\r\nX-A: 1\r\n\r\nHTTP/1.1 200 OK\r\n"))
        #expect(all.hasSuffix("\r\n\r\nok"))
    }

    @Test func interimResponseArrivesWhileTheFinalOneIsAwaited() async throws {
        let arrived = Signal()
        try await withServer(handler: { request in
            await request.sendInterimResponse(Self.hint())
            await arrived.wait()
            return .text("ok")
        }) { server in
            let client = try await RawClient.connect(port: server.port)
            try await client.send(Self.request)
            #expect(try await client.receive(through: "\r\n\r\n") == "HTTP/1.1 103 Hint\r\n\r\n")
            arrived.fire()
            #expect(try await client.receiveUntilClosed().hasPrefix("HTTP/1.1 200 OK\r\n"))
        }
    }

    @Test func fieldsOfTheConnectionAndOfContentAreLeftOut() async throws {
        let all = try await Self.receive { request in
            var fields: HTTPFields = [
                .connection: "close, x-private", .transferEncoding: "chunked", .contentLength: "5", .te: "x", .upgrade: "x", .trailer: "x",
            ]
            for name in ["Keep-Alive", "Proxy-Connection", "Proxy-Authenticate", "X-Private"] {
                if let name = HTTPField.Name(name) { fields.append(HTTPField(name: name, value: "x")) }
            }
            fields[.server] = "s\r\nInjected: x"
            await request.sendInterimResponse(Self.hint(103, fields))
            return .text("ok")
        }
        #expect(all.hasPrefix("HTTP/1.1 103 Hint\r\nServer: s  Injected: x\r\n\r\nHTTP/1.1 200 OK\r\n"))
    }

    @Test(arguments: [100, 101, 200, 404, 99])
    func statusThatIsNotPassedOnIsNotSent(_ code: Int) async throws {
        let all = try await Self.receive { request in
            await request.sendInterimResponse(Self.hint(code))
            return .text("ok")
        }
        #expect(all.hasPrefix("HTTP/1.1 200 OK\r\n"))
    }

    @Test func oldClientGetsNone() async throws {
        let all = try await Self.receive("GET / HTTP/1.0\r\n\r\n") { request in
            await request.sendInterimResponse(Self.hint())
            return .text("ok")
        }
        #expect(all.hasPrefix("HTTP/1.1 200 OK\r\n"))
    }

    @Test func nothingIsSentAfterTheFinalResponseHasBegun() async throws {
        let begun = Signal()
        let sent = Signal()
        let handler: HTTPServer.Handler = { request in
            let body = Parts {
                var texts = ["a", "b"][...]
                return {
                    if texts.count == 1 {
                        begun.fire()
                        await sent.wait()
                    }
                    return texts.popFirst().map { ByteBuffer(string: $0) }
                }
            }
            Task {
                await begun.wait()
                await request.sendInterimResponse(Self.hint())
                sent.fire()
            }
            return HTTPServerResponse(head: HTTPResponse(status: .ok), body: HTTPBody(body, length: 2))
        }
        let all = try await Self.receive(handler: handler)
        #expect(all.hasSuffix("\r\n\r\nab"))
        #expect(!all.contains("103"))
    }

    @Test func laterExchangeIsNotDisturbed() async throws {
        let late = Signal()
        let done = Signal()
        let count = Counter()
        try await withServer(handler: { request in
            count.add()
            if count.value == 1 {
                Task {
                    await late.wait()
                    await request.sendInterimResponse(Self.hint())
                    done.fire()
                }
            } else {
                late.fire()
                await done.wait()
            }
            return .text("ok")
        }) { server in
            let client = try await RawClient.connect(port: server.port)
            try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n" + Self.request)
            let all = try await client.receiveUntilClosed()
            #expect(!all.contains("103"))
            #expect(all.split(separator: "HTTP/1.1 200 OK\r\n", omittingEmptySubsequences: false).count == 3)
        }
    }

    @Test func clientThatHasGoneDoesNotMatter() async throws {
        let ended = Signal()
        try await withServer(handler: { request in
            await waitForCancellation()
            await request.sendInterimResponse(Self.hint())
            ended.fire()
            return .text("ok")
        }) { server in
            let client = try await RawClient.connect(port: server.port)
            try await client.send(Self.request)
            try await client.close()
            await ended.wait()
        }
    }
}
