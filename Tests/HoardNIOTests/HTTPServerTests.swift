// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardHTTP
import HoardNIO
import HoardNIOTestSupport
import HoardTesting
import NIOCore
import Testing

@Suite(.timeLimit(.minutes(5)))
struct HTTPServerTests {
    @Test func handlerSeesTheRequestAsItWasSent() async throws {
        let handler: HTTPServer.Handler = { request in
            let fields = request.head.headerFields.map { "\($0.name.rawName)=\($0.value)" }.joined(separator: "&")
            let target = "\(request.head.scheme ?? "") \(request.head.authority ?? "") \(request.head.path ?? "")"
            return .text("\(request.head.method.rawValue) \(target) \(request.version) \(request.remoteAddress) \(fields)")
        }
        try await withServer(handler: handler) { server in
            let client = try await RawClient.connect(port: server.port)
            try await client.send("GET /a%20b?c=d HTTP/1.1\r\nhOsT: example.com:81\r\nX-One: 1\r\nAccept: a\r\nx-one: 2\r\n\r\n")
            let response = try await client.receiveResponse()
            #expect(response.status == 200)
            #expect(response.content == "GET http example.com:81 /a%20b?c=d HTTP/1.1 127.0.0.1 X-One=1&Accept=a&x-one=2")
        }
    }

    @Test func connectionIsKeptForMoreRequests() async throws {
        try await withServer(handler: { .text($0.head.path ?? "") }) { server in
            let client = try await RawClient.connect(port: server.port)
            for number in 1...5 {
                try await client.send("GET /\(number) HTTP/1.1\r\nHost: a\r\n\r\n")
                let response = try await client.receiveResponse()
                #expect(response.content == "/\(number)")
                #expect(response["connection"] == nil)
            }
            #expect(server.connectionCount == 1)
        }
    }

    @Test func pipelinedRequestsAreAnsweredInTheirOrder() async throws {
        let door = Signal()
        let begun = Counter()
        let handler: HTTPServer.Handler = { request in
            begun.add()
            if request.head.path == "/0" { await door.wait() }
            let body = try? await request.body.collect(upTo: 100)
            return .text("\(request.head.path ?? "") \(body.map { String(buffer: $0) } ?? "")")
        }
        try await withServer(handler: handler) { server in
            let client = try await RawClient.connect(port: server.port)
            let count = 200
            let requests = (0..<count).map { number in
                number % 2 == 0
                    ? "GET /\(number) HTTP/1.1\r\nHost: a\r\n\r\n"
                    : "POST /\(number) HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nbody"
            }
            try await client.send(requests.joined())
            await begun.wait(for: 1)
            #expect(begun.value == 1)
            door.fire()
            for number in 0..<count {
                let response = try await client.receiveResponse()
                #expect(response.content == "/\(number) \(number % 2 == 0 ? "" : "body")")
            }
        }
    }

    @Test func requestThatArrivesByteByByteIsUnderstood() async throws {
        try await withServer(handler: { .text($0.head.path ?? "") }) { server in
            let client = try await RawClient.connect(port: server.port)
            for byte in "GET /slow HTTP/1.1\r\nHost: a\r\n\r\n" {
                try await client.send(String(byte))
            }
            #expect(try await client.receiveResponse().content == "/slow")
        }
    }

    @Test func connectionIsClosedWhenTheClientAsksForIt() async throws {
        try await withServer(handler: { _ in .text("bye") }) { server in
            let client = try await RawClient.connect(port: server.port)
            try await client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n")
            let all = try await client.receiveUntilClosed()
            #expect(all.hasSuffix("\r\n\r\nbye"))
            #expect(all.contains("\r\nConnection: close\r\n"))
            #expect(all.ranges(of: "HTTP/1.1 200 OK").count == 1)
        }
    }

    @Test func connectionIsClosedWhenTheHandlerAsksForIt() async throws {
        try await withServer(handler: { _ in .text("bye", .ok, [.connection: "foo, Close"]) }) { server in
            let client = try await RawClient.connect(port: server.port)
            try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            let all = try await client.receiveUntilClosed()
            #expect(RawResponse(head: all)["connection"] == "close")
        }
    }

    @Test func oldClientGetsOneResponsePerConnection() async throws {
        try await withServer(handler: { request in .text("\(request.version) \(request.head.authority ?? "none")") }) { server in
            let client = try await RawClient.connect(port: server.port)
            try await client.send("GET / HTTP/1.0\r\n\r\n")
            let all = try await client.receiveUntilClosed()
            #expect(all.hasSuffix("\r\n\r\nHTTP/1.0 none"))
            #expect(RawResponse(head: all)["connection"] == "close")
        }
    }

    @Test func oldClientMayKeepTheConnection() async throws {
        try await withServer(handler: { .text($0.head.path ?? "") }) { server in
            let client = try await RawClient.connect(port: server.port)
            for number in 1...3 {
                try await client.send("GET /\(number) HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
                let response = try await client.receiveResponse()
                #expect(response.content == "/\(number)")
                #expect(response["connection"] == "keep-alive")
            }
        }
    }

    @Test func offerToUpgradeIsIgnoredAndTheConnectionClosed() async throws {
        try await withServer(handler: { _ in .text("plain") }) { server in
            let client = try await RawClient.connect(port: server.port)
            try await client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAA\r\n\r\n")
            let all = try await client.receiveUntilClosed()
            #expect(all.hasSuffix("\r\n\r\nplain"))
            #expect(RawResponse(head: all)["connection"] == "close")
        }
    }

    @Test func clientThatClosesItsSideStillGetsItsResponses() async throws {
        try await withServer(handler: { .text($0.head.path ?? "") }) { server in
            let client = try await RawClient.connect(port: server.port)
            try await client.send("GET /1 HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n")
            try await client.closeOutput()
            #expect(try await client.receiveResponse().content == "/1")
            #expect(try await client.receiveResponse().content == "/2")
            #expect(try await client.receiveUntilClosed().isEmpty)
        }
    }

    @Test func clientThatClosesItsSideGetsAResponseThatTakesTime() async throws {
        let begun = Signal()
        let door = Signal()
        let handler: HTTPServer.Handler = { request in
            let body = try? await request.body.collect(upTo: 100)
            begun.fire()
            await door.wait()
            return Task.isCancelled ? .text("cancelled") : .text(body.map { String(buffer: $0) } ?? "no content")
        }
        try await withServer(handler: handler) { server in
            let client = try await RawClient.connect(port: server.port)
            try await client.send("POST /1 HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello")
            try await client.closeOutput()
            await begun.wait()
            // Another connection's request is answered behind the end of this one's input.
            let other = try await RawClient.connect(port: server.port)
            try await other.send("\r\n")
            door.fire()
            #expect(try await client.receiveResponse().content == "hello")
            #expect(try await client.receiveUntilClosed().isEmpty)
            try await other.close()
        }
    }

    @Test func handlerIsCancelledWhenTheClientGoesAway() async throws {
        let begun = Signal()
        let cancelled = Signal()
        let handler: HTTPServer.Handler = { _ in
            begun.fire()
            await waitForCancellation()
            cancelled.fire()
            return .text("too late")
        }
        try await withServer(handler: handler) { server in
            let client = try await RawClient.connect(port: server.port)
            try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            await begun.wait()
            try await client.close()
            await cancelled.wait()
        }
    }

    @Test func streamOfAResponseIsDroppedWhenTheClientGoesAway() async throws {
        let dropped = Signal()
        let handler: HTTPServer.Handler = { _ in
            let parts = Parts {
                var isFirst = true
                return {
                    if isFirst {
                        isFirst = false
                        return ByteBuffer(string: "first")
                    }
                    await waitForCancellation()
                    dropped.fire()
                    throw CancellationError()
                }
            }
            return HTTPServerResponse(head: HTTPResponse(status: .ok), body: HTTPBody(parts, length: nil))
        }
        try await withServer(handler: handler) { server in
            let client = try await RawClient.connect(port: server.port)
            try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            _ = try await client.receive(through: "first")
            try await client.close()
            await dropped.wait()
        }
    }

    @Test func expectationIsMetWhenTheHandlerAsksForTheContent() async throws {
        let door = Signal()
        let handler: HTTPServer.Handler = { request in
            await door.wait()
            let body = try? await request.body.collect(upTo: 100)
            return .text(body.map { String(buffer: $0) } ?? "none")
        }
        try await withServer(handler: handler) { server in
            let client = try await RawClient.connect(port: server.port)
            try await client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n")
            door.fire()
            #expect(try await client.receive(through: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
            try await client.send("hello")
            let response = try await client.receiveResponse()
            #expect(response.content == "hello")
            #expect(response["connection"] == nil)
        }
    }

    /// An empty list expects nothing: [RFC 9110 §5.6.1](https://www.rfc-editor.org/rfc/rfc9110#section-5.6.1).
    @Test(arguments: ["Expect:", "Expect: \t", "Expect:\r\nexpect: "])
    func emptyExpectationIsNone(_ lines: String) async throws {
        let handler: HTTPServer.Handler = { request in
            // So that the client knows that it was not refused.
            await request.sendInterimResponse(HTTPResponse(status: .init(code: 103)))
            return .text((try? await request.body.collect(upTo: 100)).map { String(buffer: $0) } ?? "none")
        }
        try await withServer(handler: handler) { server in
            let client = try await RawClient.connect(port: server.port)
            try await client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\(lines)\r\n\r\n")
            #expect(try await client.receive(through: "\r\n\r\n").hasPrefix("HTTP/1.1 103"))
            try await client.send("hello")
            let response = try await client.receiveResponse()
            #expect(response.status == 200)
            #expect(response.content == "hello")
            #expect(response["connection"] == nil)
        }
    }

    @Test func emptyExpectationBesideAnotherChangesNothing() async throws {
        let handler: HTTPServer.Handler = { request in .text((try? await request.body.collect(upTo: 100)).map { String(buffer: $0) } ?? "none") }
        try await withServer(handler: handler) { server in
            let client = try await RawClient.connect(port: server.port)
            try await client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect:\r\nExpect: 100-continue\r\nExpect:\r\n\r\n")
            #expect(try await client.receive(through: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
            try await client.send("hello")
            #expect(try await client.receiveResponse().content == "hello")
        }
    }

    @Test func expectationIsNotMetIfTheHandlerDoesNotAskForTheContent() async throws {
        try await withServer(handler: { _ in .text("no", .forbidden) }) { server in
            let client = try await RawClient.connect(port: server.port)
            try await client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n")
            let all = try await client.receiveUntilClosed()
            #expect(all.hasPrefix("HTTP/1.1 403 Forbidden\r\n"))
            #expect(all.contains("\r\nConnection: close\r\n"))
        }
    }
}
