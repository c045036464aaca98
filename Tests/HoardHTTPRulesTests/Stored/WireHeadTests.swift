// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardHTTPTestSupport
import HoardTesting
import Testing

@testable import HoardHTTP

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite struct WireHeadTests {
    private static let date: HTTPFields = [.date: "Tue, 14 Nov 2023 22:13:20 GMT"]

    @Test func headIsWrittenAsItWillBeSent() throws {
        var fields: HTTPFields = [.contentType: "text/plain", .contentLength: "5"]
        fields.append(HTTPField(name: .date, value: "Tue, 14 Nov 2023 22:13:20 GMT"))
        let head = try #require(WireHead(HTTPResponse(status: .ok, headerFields: fields)))
        let text = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\nDate: Tue, 14 Nov 2023 22:13:20 GMT\r\n"
        #expect(head.withUnsafeBytes { String(decoding: $0, as: UTF8.self) } == text)
        #expect(head.contentLength == 5)
        #expect(head.fields == fields)
    }

    @Test(
        arguments: [
            ("Age", "5"), ("Connection", "x"), ("Keep-Alive", "x"), ("Trailer", "x"), ("Transfer-Encoding", "gzip"), ("Content-Length", "05"),
            ("Content-Length", "-1"), ("Content-Length", "1, 1"), ("Content-Length", "4294967295"), ("X", "é"), ("X", "\u{7F}"),
        ])
    func fieldsThatServersChangeForbidTheForm(_ name: String, _ value: String) throws {
        var fields = Self.date
        fields.append(HTTPField(name: try #require(HTTPField.Name(name)), lenientValue: Array(value.utf8)))
        #expect(WireHead(HTTPResponse(status: .ok, headerFields: fields)) == nil)
    }

    @Test func statusesWithoutContentAndHeadsWithoutDateHaveNoSuchForm() {
        for code in [204, 205, 206, 304, 299] { #expect(WireHead(HTTPResponse(status: .init(code: code), headerFields: Self.date)) == nil) }
        #expect(WireHead(HTTPResponse(status: .ok)) == nil)
        #expect(WireHead(HTTPResponse(status: .init(code: 299, reasonPhrase: "Odd"), headerFields: Self.date)) != nil)
        var twice = Self.date
        for _ in 0..<2 { twice.append(HTTPField(name: .contentLength, value: "5")) }
        #expect(WireHead(HTTPResponse(status: .ok, headerFields: twice)) == nil)
    }

    @Test func whatThePolicyHasAddedIsNotSent() throws {
        var fields = Self.date
        fields.append(HTTPField(name: .hoardPolicy, value: "max-age=60"))
        let head = try #require(WireHead(HTTPResponse(status: .ok, headerFields: fields)))
        #expect(head.fields == fields)
        #expect(head.withUnsafeBytes { String(decoding: $0, as: UTF8.self) } == "HTTP/1.1 200 OK\r\nDate: Tue, 14 Nov 2023 22:13:20 GMT\r\n")
        fields.append(HTTPField(name: .server, value: "x"))
        #expect(WireHead(HTTPResponse(status: .ok, headerFields: fields)) == nil)
    }

    @Test func storedHeadsAreReadBackAsTheyWere() {
        let seed = UInt64.random(in: 0..<1_000_000)
        var generator = SeededGenerator(seed: seed)
        let names = ["Date", "X-A", "x-a", "Content-Type", "Set-Cookie", "Age", "ETag", "Content-Length", "Vary", "Hoard-Policy"].compactMap {
            HTTPField.Name($0)
        }
        let values = ["", "a", " a ", "a:b", "5", "\t", "\"x\"", "Tue, 14 Nov 2023 22:13:20 GMT", "é", "a, b"]
        let rules = HTTPCacheRules(mode: .shared)
        for _ in 0..<2_000 {
            var head = HTTPResponse(
                status: Bool.random(using: &generator) ? .ok : .init(code: 200, reasonPhrase: Bool.random(using: &generator) ? "" : "x")
            )
            for _ in 0..<Int.random(in: 0...6, using: &generator) {
                guard let name = names.randomElement(using: &generator), let value = values.randomElement(using: &generator) else { continue }
                head.headerFields.append(HTTPField(name: name, lenientValue: Array(value.utf8)))
            }
            let date = Date(timeIntervalSince1970: 1_700_000_000)
            let stored = StoredResponse(head: head, requestTime: date, responseTime: date, rules: rules)
            #expect(stored.head == head, "seed \(seed)")
            #expect(stored.head.headerFields.map(\.name.rawName) == head.headerFields.map(\.name.rawName), "seed \(seed)")
            #expect(stored.head.status.reasonPhrase == head.status.reasonPhrase)
            head.headerFields[.age] = nil
            head.headerFields[.hoardPolicy] = nil
            #expect(stored.headWithoutAge == head, "seed \(seed)")
            #expect(stored.validators == Validators(of: head.headerFields))
        }
    }
}
