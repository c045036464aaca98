// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardHTTPTestSupport
import HoardTesting
import Testing

@testable import HoardHTTP

@Suite struct QueryContentTests {
    /// A question has the same key whether its request was parsed or not.
    @Test func contentByItsBytesIsAskedForTheSame() {
        let seed = UInt64.random(in: 0..<1_000_000)
        var generator = SeededGenerator(seed: seed)
        let types = ["application/json", "Application/JSON", "application/json; charset=utf-8", "a/b+json", "text/plain", "a/b;c=D", ""]
        let contents = [#"{"a": 1}"#, #"{"a":1}"#, #" { "a" : [ 1 , 2 ] } "#, "select *", "", "{\"é\": 1}", "{ // comment\n}", "\u{0}\u{1}"]
        var digests: [String: Set<String>] = [:]
        for _ in 0..<500 {
            let type = types[Int.random(in: 0..<types.count, using: &generator)]
            let content = contents[Int.random(in: 0..<contents.count, using: &generator)]
            var request = HTTPRequest(method: .query, scheme: "https", authority: "example.com", path: "/")
            if !type.isEmpty { request.headerFields[.contentType] = type }
            let parsed = Array(content.utf8).withUnsafeBytes { QueryContent(request, $0).digest }
            let byBytes = Array(type.utf8).withUnsafeBytes { type in Array(content.utf8).withUnsafeBytes { QueryContent(type: type, $0).digest } }
            #expect(parsed == byBytes, "seed \(seed): \(type), \(content.debugDescription)")
            digests[parsed, default: []].insert(content.filter { $0 != " " })
        }
        #expect(digests.values.allSatisfy { $0.count == 1 }, "No two questions share one.")
    }
}
