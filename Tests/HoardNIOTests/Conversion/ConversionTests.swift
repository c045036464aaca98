// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardNIO
import NIOHTTP1
import Testing

@testable import HoardWire

@Suite struct ConversionTests {
    @Test func fieldsKeepOrderSpellingAndRepetition() throws {
        let headers: HTTPHeaders = ["B": "1", "x-ODD": "2", "b": "3", "Set-Cookie": "a, b", "Empty": "", "SET-COOKIE": "c\t\u{E9}"]
        let fields = try #require(HTTPFields(headers))
        #expect(fields.map(\.name.rawName) == ["B", "x-ODD", "b", "Set-Cookie", "Empty", "SET-COOKIE"])
        #expect(fields.map(\.value) == ["1", "2", "3", "a, b", "", "c\t\u{E9}"])
        #expect(HTTPHeaders(fields).map { "\($0.name): \($0.value)" } == headers.map { "\($0.name): \($0.value)" })
    }

    @Test(arguments: [
        ("a b", "x"), ("", "x"), (":path", "x"), ("a\u{E9}", "x"), ("a", "x\ny"), ("a", "x\ry"), ("a", "\0"), ("a", "\u{7F}"), ("a", "x\r "),
        ("a", " \u{0} "),
    ])
    func fieldsThatHTTPDoesNotAllowAreRefused(_ name: String, _ value: String) {
        #expect(HTTPFields(HTTPHeaders([(name, value)])) == nil)
    }

    /// RFC 9112 §5.1.
    @Test(arguments: [(" x", "x"), ("x ", "x"), ("\t x y\t ", "x y"), (" \t", ""), ("", ""), ("\u{E9} ", "\u{E9}")])
    func whitespaceAroundAValueDoesNotBelongToIt(_ line: String, _ value: String) throws {
        #expect(try #require(HTTPFields(HTTPHeaders([("a", line)]))).map(\.value) == [value])
    }

    @Test(arguments: ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH", "CONNECT", "PURGE", "M-SEARCH", "get", "X"])
    func methodsKeepTheirName(_ name: String) throws {
        let method = try #require(HTTPRequest.Method(HTTPMethod(rawValue: name)))
        #expect(method.rawValue == name)
        #expect(HTTPMethod(method).rawValue == name)
    }

    @Test func methodThatIsNoTokenIsRefused() {
        #expect(HTTPRequest.Method(HTTPMethod.RAW(value: "A B")) == nil)
        #expect(HTTPRequest.Method(HTTPMethod.RAW(value: "")) == nil)
    }

    @Test(arguments: [(200, "OK"), (200, "Fine"), (404, "Not Found"), (299, "Odd"), (999, ""), (100, "Continue")])
    func statusKeepsCodeAndReason(_ code: Int, _ reason: String) throws {
        let status = try #require(HTTPResponse.Status(.custom(code: UInt(code), reasonPhrase: reason)))
        #expect(status.code == code)
        #expect(status.reasonPhrase == reason)
        let back = HTTPResponseStatus(status)
        #expect(back.code == UInt(code))
        #expect(back.reasonPhrase == reason)
    }

    @Test func statusWithoutAReasonGetsTheUsualOne() {
        #expect(HTTPResponseStatus(HTTPResponse.Status(code: 404)).reasonPhrase == "Not Found")
        #expect(HTTPResponseStatus(HTTPResponse.Status(code: 404)) == .notFound)
    }

    @Test(arguments: [0, 99, 1_000, 70_000])
    func statusWithoutThreeDigitsIsRefused(_ code: Int) {
        #expect(HTTPResponse.Status(.custom(code: UInt(code), reasonPhrase: "")) == nil)
    }
}
