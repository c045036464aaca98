// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hoard
import HoardHTTP
import HoardNIO
import HoardNIOTestSupport
import NIOCore
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite(.timeLimit(.minutes(5)))
struct HTTPServerFramingTests {
    private static func get(_ response: HTTPServerResponse, _ request: String = "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n") async throws
        -> String
    {
        let all = Box("")
        try await withServer(handler: { _ in response }) { server in
            let client = try await RawClient.connect(port: server.port)
            try await client.send(request)
            all.value = try await client.receiveUntilClosed()
        }
        return all.value
    }

    @Test func knownLengthReplacesWhatTheHandlerSaid() async throws {
        let all = try await Self.get(.text("hello", .ok, [.contentLength: "99", .transferEncoding: "chunked", .eTag: "\"1\""]))
        let response = RawResponse(head: all)
        #expect(response["content-length"] == "5")
        #expect(response["transfer-encoding"] == nil)
        #expect(response["etag"] == "\"1\"")
        #expect(all.hasSuffix("\r\n\r\nhello"))
    }

    @Test func unknownLengthIsChunked() async throws {
        let body = HTTPBody(Parts.texts("hello", "", " world"), length: nil)
        let all = try await Self.get(HTTPServerResponse(head: HTTPResponse(status: .ok, headerFields: [.contentLength: "99"]), body: body))
        #expect(RawResponse(head: all)["content-length"] == nil)
        #expect(RawResponse(head: all)["transfer-encoding"] == "chunked")
        #expect(all.hasSuffix("\r\n\r\n5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n"))
    }

    @Test func unknownLengthEndsWithTheConnectionForAnOldClient() async throws {
        let response = HTTPServerResponse(head: HTTPResponse(status: .ok), body: HTTPBody(Parts.texts("hello", " world"), length: nil))
        let all = try await Self.get(response, "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
        #expect(RawResponse(head: all)["transfer-encoding"] == nil)
        #expect(RawResponse(head: all)["connection"] == "close")
        #expect(all.hasSuffix("\r\n\r\nhello world"))
    }

    @Test func streamOfKnownLengthIsNotChunked() async throws {
        let response = HTTPServerResponse(head: HTTPResponse(status: .ok), body: HTTPBody(Parts.texts("hello", " world"), length: 11))
        let all = try await Self.get(response)
        #expect(RawResponse(head: all)["content-length"] == "11")
        #expect(all.hasSuffix("\r\n\r\nhello world"))
    }

    @Test func responseToHeadKeepsItsLengthAndHasNoContent() async throws {
        let request = "HEAD / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
        let all = try await Self.get(.text("hello", .ok, [.contentLength: "1234"]), request)
        #expect(RawResponse(head: all)["content-length"] == "1234")
        #expect(all.hasSuffix("\r\n\r\n"))
        #expect(RawResponse(head: try await Self.get(.text("hello"), request))["content-length"] == nil)
    }

    @Test func notModifiedKeepsItsLengthAndHasNoContent() async throws {
        let all = try await Self.get(.text("", .notModified, [.contentLength: "1234", .eTag: "\"1\""]))
        #expect(RawResponse(head: all)["content-length"] == "1234")
        #expect(RawResponse(head: all)["transfer-encoding"] == nil)
        #expect(all.hasSuffix("\r\n\r\n"))
    }

    @Test func statusWithoutContentHasNoLength() async throws {
        let all = try await Self.get(.text("hello", .noContent, [.contentLength: "5"]))
        #expect(RawResponse(head: all)["content-length"] == nil)
        #expect(RawResponse(head: all)["transfer-encoding"] == nil)
        #expect(all.hasSuffix("\r\n\r\n"))
    }

    @Test func interimResponseBecomesAServerError() async throws {
        let all = try await Self.get(.text("", .init(code: 103)))
        #expect(all.hasPrefix("HTTP/1.1 500 Internal Server Error\r\n"))
    }

    @Test func dateIsAddedOnlyIfAbsent() async throws {
        struct FixedClock: WallClock {
            func now() -> Date { Date(timeIntervalSince1970: 784_111_777) }
        }
        for given in [nil, "Tue, 15 Nov 1994 08:12:31 GMT"] {
            let fields: HTTPFields = given.map { [.date: $0] } ?? [:]
            let server = try await HTTPServer.start(clock: FixedClock()) { _ in .text("", .ok, fields) }
            let client = try await RawClient.connect(port: server.port)
            try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try await client.receiveResponse()["date"] == given ?? "Sun, 06 Nov 1994 08:49:37 GMT")
            await server.shutdown(gracePeriod: .zero)
        }
    }

    @Test(arguments: [(length: 12, ["hello", " world"]), (length: 10, ["hello", " world"]), (length: 5, ["hello", " "]), (length: 1, [])])
    func bodyThatIsNotAsLongAsAnnouncedIsSeenToBeCutOff(_ length: Int, _ texts: [String]) async throws {
        let parts = Parts {
            var rest = texts[...]
            return { rest.popFirst().map { ByteBuffer(string: $0) } }
        }
        let all = try await Self.get(
            HTTPServerResponse(head: HTTPResponse(status: .ok), body: HTTPBody(parts, length: length)),
            "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
        )
        #expect(RawResponse(head: all)["content-length"] == "\(length)")
        let content = all.split(separator: "\r\n\r\n", maxSplits: 1).dropFirst().first ?? ""
        #expect(content.utf8.count < length)
    }

    @Test func emptyBodyThatIsNotEmptyGetsNoResponse() async throws {
        let body = HTTPBody(Parts.texts("surprise"), length: 0)
        #expect(try await Self.get(HTTPServerResponse(head: HTTPResponse(status: .ok), body: body)).isEmpty)
    }

    @Test func failingChunkedBodyLacksItsLastChunk() async throws {
        let body = HTTPBody(Parts.texts("hello", failing: TestFailure()), length: nil)
        let all = try await Self.get(HTTPServerResponse(head: HTTPResponse(status: .ok), body: body), "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(all.hasSuffix("\r\n\r\n5\r\nhello\r\n"))
    }

    @Test func failingBodyThatTheConnectionWouldEndResetsIt() async throws {
        let door = Signal()
        let parts = Parts {
            var isFirst = true
            return {
                if isFirst {
                    isFirst = false
                    return ByteBuffer(string: "hello")
                }
                await door.wait()
                throw TestFailure()
            }
        }
        try await withServer(handler: { _ in HTTPServerResponse(head: HTTPResponse(status: .ok), body: HTTPBody(parts, length: nil)) }) { server in
            let client = try await RawClient.connect(port: server.port)
            try await client.send("GET / HTTP/1.0\r\n\r\n")
            _ = try await client.receive(through: "\r\n\r\nhello")
            door.fire()
            await #expect(throws: IOError.self) { try await client.receiveUntilClosed() }
        }
    }
}

/// A variable that closures can share within one task.
final class Box<Value> {
    var value: Value

    init(_ value: Value) {
        self.value = value
    }
}
