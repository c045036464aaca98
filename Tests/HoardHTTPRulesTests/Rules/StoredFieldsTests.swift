// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardHTTP
import HoardHTTPTestSupport
import Testing

@Suite struct StoredFieldsTests {
    private func stored(_ lines: String..., mode: CacheMode = .shared) -> [String] {
        let message = fields(lines)
        return message.removingFieldsNotStored(cacheControl: CacheControl(response: message), rules: HTTPCacheRules(mode: mode)).lines
    }

    @Test(arguments: [
        "Connection: askcumewogyqias", "Keep-Alive: timeout=5", "Proxy-Connection: close", "Proxy-Authenticate: Basic",
        "Proxy-Authentication-Info: a=b",
        "Proxy-Authorization: Basic x", "TE: trailers", "Trailer: Expires", "Transfer-Encoding: chunked", "Upgrade: h2c", "UPGRADE: h2c",
    ])
    func leavesOutWhatConcernsOneConnection(line: String) {
        #expect(fields("A: 1", line, "B: 2").removingHopByHopFields().lines == ["A: 1", "B: 2"])
        #expect(stored("A: 1", line, "B: 2") == ["A: 1", "B: 2"])
    }

    @Test(arguments: [
        "Test-Header: a", "X-Test-Header: b", "Content-Foo: c", "Cache-Control: max-age=3600", "Content-Encoding: gzip", "Content-Length: 10",
        "Content-Location: /bar", "Content-MD5: N7UdGUp1E+RbVvZSTy1R8g==", "Content-Type: text/plain", "ETag: \"a\"", "Expires: 0", "Set-Cookie: a=c",
        "Set-Cookie2: a=c", "X-Frame-Options: sameorigin", "Via: 1.1 a", "Authorization: Basic x", "WWW-Authenticate: Basic", "Age: 5",
        "Warning: 110 - x",
    ])
    func keepsEverythingElse(line: String) {
        #expect(fields(line).removingHopByHopFields().lines == [line])
        #expect(stored(line) == [line])
    }

    @Test func leavesOutWhatConnectionNames() {
        let lines = ["Connection: a, B", "Connection: ,d ,close", "a: 1", "b: 2", "A: 3", "c: 4", "D: 5"]
        #expect(fields(lines).removingHopByHopFields().lines == ["c: 4"])
        #expect(stored("Connection: a, b", "a: 1", "b: 2", "c: 3") == ["c: 3"])
    }

    @Test(arguments: [
        "Cache-Control: no-cache", "Vary: A", "Expires: 0", "Date: x", "Age: 5", "ETag: \"a\"", "Last-Modified: x", "Content-Encoding: gzip",
        "Content-Type: a/b",
        "Content-Range: bytes 0-1/2", "CDN-Cache-Control: no-store", "Cache-Tag: a", "Surrogate-Key: a",
    ])
    func obeysConnectionWhenForwardingButNeverForgetsARestriction(line: String) throws {
        let name = try #require(line.split(separator: ":").first)
        let connection = "Connection: \(name), x"
        #expect(fields(connection, line, "X: 1", "Y: 2").removingHopByHopFields().lines == ["Y: 2"])
        #expect(stored(connection, line, "X: 1", "Y: 2") == [line, "Y: 2"])
    }

    @Test func leavesOutWhatNoCacheNames() {
        #expect(stored("Cache-Control: no-cache=\"a, b\"", "a: 1", "B: 2", "c: 3") == ["Cache-Control: no-cache=\"a, b\"", "c: 3"])
        #expect(stored("Cache-Control: no-cache=\"a\"", "a: 1", mode: .private) == ["Cache-Control: no-cache=\"a\""])
        #expect(stored("Cache-Control: no-cache", "a: 1") == ["Cache-Control: no-cache", "a: 1"])
    }

    @Test func leavesOutWhatPrivateNamesInASharedCacheOnly() {
        #expect(stored("Cache-Control: private=\"a\"", "a: 1", "b: 2") == ["Cache-Control: private=\"a\"", "b: 2"])
        #expect(stored("Cache-Control: private=\"a\"", "a: 1", "b: 2", mode: .private) == ["Cache-Control: private=\"a\"", "a: 1", "b: 2"])
    }

    @Test func keepsTheFieldsThatDecideWhateverTheirNames() throws {
        let rules = HTTPCacheRules(mode: .shared, targets: [try #require(HTTPField.Name("Policy"))])
        let message = fields("Policy: max-age=1, private=\"policy, x\"", "Connection: policy, y", "x: 1", "y: 2", "z: 3")
        let directives = CacheControl(inForceFor: message, rules: rules)
        #expect(
            message.removingFieldsNotStored(cacheControl: directives, rules: rules).lines == ["Policy: max-age=1, private=\"policy, x\"", "z: 3"]
        )
    }

    @Test func keepsOrderAndRepetition() {
        #expect(fields("B: 1", "A: 2", "B: 3").removingHopByHopFields().lines == ["B: 1", "A: 2", "B: 3"])
        #expect(HTTPFields().removingHopByHopFields().isEmpty)
    }

    @Test func neverKeepsAnythingThatIsNotThere() {
        var generator = TestGenerator()
        for _ in 0..<2_000 {
            var message = fields("A: 1", "B: 2", "Vary: x", "Cache-Control: no-cache=\"b\"")
            message.append(HTTPField(name: .connection, lenientValue: generator.bytes(upTo: 30, alphabet: "abvary, \"\\")))
            let kept = message.removingFieldsNotStored(cacheControl: CacheControl(response: message), rules: HTTPCacheRules(mode: .shared))
            #expect(kept.lines.contains("Vary: x"), "seed \(generator.seed)")
            #expect(!kept.lines.contains("B: 2"), "seed \(generator.seed)")
            #expect(!kept.contains(.connection), "seed \(generator.seed)")
        }
    }
}
