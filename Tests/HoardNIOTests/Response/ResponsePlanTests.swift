// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardHTTP
import HoardNIOTestSupport
import NIOHTTP1
import Testing

@testable import HoardNIO

@Suite struct ResponsePlanTests {
    private static func plan(
        _ status: HTTPResponse.Status = .ok,
        _ fields: HTTPFields = [:],
        body: HTTPBody = .empty,
        to method: HTTPRequest.Method = .get,
        version: HTTPVersion = .http1_1,
        keepsAlive: Bool = true
    ) -> ResponsePlan {
        let request = HTTPServerRequest(
            head: HTTPRequest(method: method, scheme: "http", authority: "a", path: "/"),
            version: version,
            remoteAddress: "192.0.2.1"
        )
        let response = HTTPServerResponse(head: HTTPResponse(status: status, headerFields: fields), body: body)
        return ResponsePlan(response, to: request, keepsAlive: keepsAlive, date: "D")
    }

    private static func fields(_ plan: ResponsePlan) -> [String] { plan.head.headers.map { "\($0.name): \($0.value)" } }

    private static let stream = HTTPBody(Parts.texts("x"), length: nil)

    @Test func lengthReplacesTheOneGivenWhereItStood() {
        let plan = Self.plan(.ok, [.eTag: "e", .contentLength: "9", .server: "s", .contentLength: "8"], body: HTTPBody("hello"))
        #expect(Self.fields(plan) == ["ETag: e", "Content-Length: 5", "Server: s", "Date: D"])
        #expect(plan.content == .bytes(5))
    }

    @Test func unknownLengthIsChunkedForNewClientsOnly() {
        #expect(Self.plan(body: Self.stream).content == .chunked)
        #expect(Self.fields(Self.plan(body: Self.stream)) == ["Transfer-Encoding: chunked", "Date: D"])
        let old = Self.plan(body: Self.stream, version: .http1_0)
        #expect(old.content == .untilClose)
        #expect(Self.fields(old) == ["Date: D", "Connection: close"])
        #expect(old.head.version == .http1_1)
    }

    @Test func fieldsOfTheConnectionAreTheServersOwn() throws {
        let keepAlive = try #require(HTTPField.Name("Keep-Alive"))
        let fields: HTTPFields = [.connection: "keep-alive, X", .transferEncoding: "gzip", keepAlive: "timeout=5", .date: "given"]
        #expect(Self.fields(Self.plan(.ok, fields)) == ["Date: given", "Content-Length: 0"])
    }

    @Test(arguments: ["close", "Close", "x, close", "close,x"])
    func handlerMayCloseTheConnection(_ value: String) {
        #expect(Self.plan(.ok, [.connection: value]).head.headers["connection"] == ["close"])
    }

    @Test func connectionIsClosedIfTheRequestDoesNotKeepIt() {
        #expect(Self.plan(keepsAlive: false).head.headers["connection"] == ["close"])
        #expect(Self.plan(version: .http1_0).head.headers["connection"] == ["keep-alive"])
        #expect(Self.plan().head.headers["connection"].isEmpty)
    }

    @Test func headAndNotModifiedKeepTheLengthGiven() {
        for plan in [
            Self.plan(.ok, [.contentLength: "7"], body: HTTPBody("hello"), to: .head),
            Self.plan(.notModified, [.contentLength: "7"], body: Self.stream),
        ] {
            #expect(plan.content == .none)
            #expect(Self.fields(plan) == ["Content-Length: 7", "Date: D"])
        }
        #expect(Self.fields(Self.plan(.ok, [:], body: HTTPBody("hello"), to: .head)) == ["Date: D"])
    }

    @Test(arguments: ["x", "-1", "1, 2", ""])
    func lengthThatIsNoneIsNotSent(_ length: String) {
        #expect(Self.fields(Self.plan(.notModified, [.contentLength: length])) == ["Date: D"])
    }

    @Test func statusesWithoutContentHaveNone() {
        #expect(Self.plan(.noContent, [.contentLength: "5"], body: HTTPBody("hello")).content == .none)
        #expect(Self.fields(Self.plan(.noContent, [.contentLength: "5"], body: HTTPBody("hello"))) == ["Date: D"])
        #expect(Self.plan(.resetContent, body: HTTPBody("hello")).content == .none)
        #expect(Self.fields(Self.plan(.resetContent, body: HTTPBody("hello"))) == ["Content-Length: 0", "Date: D"])
    }

    @Test(arguments: [0, 100, 101, 103, 199])
    func statusThatIsNotFinalBecomesAnError(_ code: Int) {
        let plan = Self.plan(.init(code: code))
        #expect(plan.head.status == .internalServerError)
        #expect(plan.content != .none)
    }

    @Test func reasonIsKept() {
        #expect(Self.plan(.init(code: 404, reasonPhrase: "Gone Fishing")).head.status.reasonPhrase == "Gone Fishing")
    }
}
