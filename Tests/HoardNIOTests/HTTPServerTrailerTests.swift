// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hoard
import HoardHTTP
import HoardNIO
import HoardNIOTestSupport
import NIOCore
import Testing

@Suite(.timeLimit(.minutes(5)))
struct HTTPServerTrailerTests {
    /// All that a client receives if a body has these fields behind it.
    private static func receive(
        _ trailers: HTTPFields?,
        length: Int? = nil,
        _ request: String = "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
    ) async throws -> String {
        let all = Box("")
        let handler: HTTPServer.Handler = { _ in
            let body = HTTPBody(Parts.texts("he", "llo"), length: length) { trailers }
            return HTTPServerResponse(head: HTTPResponse(status: .ok, headerFields: [.trailer: "X"]), body: body)
        }
        try await withServer(handler: handler) { server in
            let client = try await RawClient.connect(port: server.port)
            try await client.send(request)
            all.value = try await client.receiveUntilClosed()
        }
        return all.value
    }

    @Test func fieldsAreSentBehindChunks() async throws {
        let name = try #require(HTTPField.Name("x-SUM"))
        let all = try await Self.receive([name: "1", .eTag: "\"a\""])
        #expect(all.hasSuffix("2\r\nhe\r\n3\r\nllo\r\n0\r\nx-SUM: 1\r\nETag: \"a\"\r\n\r\n"))
        #expect(!all.lowercased().contains("trailer:"))
    }

    @Test(arguments: [nil, [:]] as [HTTPFields?])
    func bodyWithoutFieldsBehindItEndsAsUsual(_ trailers: HTTPFields?) async throws {
        #expect(try await Self.receive(trailers).hasSuffix("3\r\nllo\r\n0\r\n\r\n"))
    }

    @Test func fieldsThatWouldComeTooLateAreDropped() async throws {
        var trailers: HTTPFields = [
            .transferEncoding: "chunked", .contentLength: "5", .cacheControl: "max-age=1", .setCookie: "a=b", .authorization: "x",
            .contentType: "text/html", .contentEncoding: "gzip", .contentRange: "bytes 0-1/2", .trailer: "X", .connection: "close", .age: "1",
            .vary: "*",
            .location: "/", .ifNoneMatch: "*", .date: "now", .expires: "0",
        ]
        #expect(try await Self.receive(trailers).hasSuffix("3\r\nllo\r\n0\r\n\r\n"))
        trailers[.server] = "kept"
        #expect(try await Self.receive(trailers).hasSuffix("3\r\nllo\r\n0\r\nServer: kept\r\n\r\n"))
    }

    @Test func valueCannotEndTheMessage() async throws {
        #expect(try await Self.receive([.server: "a\r\n\r\nHTTP/1.1 200 OK"]).hasSuffix("0\r\nServer: a    HTTP/1.1 200 OK\r\n\r\n"))
    }

    @Test func bodyWithALengthHasNone() async throws {
        #expect(try await Self.receive([.server: "x"], length: 5).hasSuffix("\r\n\r\nhello"))
    }

    @Test func oldClientGetsNone() async throws {
        #expect(try await Self.receive([.server: "x"], length: nil, "GET / HTTP/1.0\r\n\r\n").hasSuffix("\r\n\r\nhello"))
    }
}
