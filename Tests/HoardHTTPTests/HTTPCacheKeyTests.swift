// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard
import HoardHTTP
import HoardHTTPTestSupport
import Testing

@Suite struct HTTPCacheKeyTests {
    static let keys: [HTTPCacheKey] = [
        HTTPCacheKey(scope: "http-private", targetURI: "http://example.com/"),
        HTTPCacheKey(scope: "http-private", targetURI: "http://example.com/", variant: ""),
        HTTPCacheKey(scope: "http-private", targetURI: "http://example.com/", variant: "ff\naccept\n00"),
        HTTPCacheKey(scope: "http-private", targetURI: "http://example.com/", variant: "\n\n"),
        HTTPCacheKey(scope: "http-private 0a", targetURI: "http://example.com/"),
        HTTPCacheKey(scope: "http-shared", targetURI: "http://example.com/?a=b&c"),
        HTTPCacheKey(scope: "http-shared", targetURI: ""),
        HTTPCacheKey(scope: "http-shared", targetURI: "", variant: "http://example.com/"),
    ]

    @Test(arguments: keys)
    func keyComesBackFromItsRecordKey(key: HTTPCacheKey) {
        #expect(HTTPCacheKey(recordKey: key.recordKey) == key)
    }

    @Test func differentKeysHaveDifferentRecordKeys() {
        #expect(Set(Self.keys.map(\.recordKey)).count == Self.keys.count)
    }

    @Test func randomKeysAreNeverTakenForEachOther() {
        let seed = UInt64.random(in: 0 ... .max)
        var random = RandomSource(seed: seed)
        var keysByRecordKey: [RecordKey: HTTPCacheKey] = [:]
        // Few letters, so that parts run into each other often if they can.
        func part(_ letters: [String]) -> String { (0..<random.int(0...3)).map { _ in random.pick(letters) }.joined() }
        for _ in 1...5_000 {
            let key = HTTPCacheKey(
                scope: "http-" + part(["a", " ", "/"]),
                targetURI: part(["a", " ", "/"]),
                variant: random.once(in: 2) ? nil : part(["a", "\n", " "])
            )
            #expect(HTTPCacheKey(recordKey: key.recordKey) == key, "seed \(seed)")
            if let other = keysByRecordKey.updateValue(key, forKey: key.recordKey) { #expect(other == key, "seed \(seed)") }
        }
        #expect(keysByRecordKey.count > 100)
    }

    @Test(arguments: [
        RecordKey(""), RecordKey("http-private"), RecordKey("user\n42"), RecordKey("HTTP-private\nhttp://example.com/"),
        RecordKey(bytes: Array("http-private\n".utf8) + [0xFF]), RecordKey(bytes: [0]), RecordKey("\nhttp-private\nx"),
    ])
    func recordKeyOfSomethingElseIsNoKey(recordKey: RecordKey) {
        #expect(HTTPCacheKey(recordKey: recordKey) == nil)
    }
}
