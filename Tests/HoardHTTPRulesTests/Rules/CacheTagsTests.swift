// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardHTTP
import HoardHTTPTestSupport
import Testing

@Suite struct CacheTagsTests {
    private func tags(_ lines: String...) -> Set<String>? { CacheTags.usableTags(in: fields(lines)) }

    @Test(
        arguments: [
            (["Cache-Tag: a"], ["a"]), (["Cache-Tag: a,b , c"], ["a", "b", "c"]), (["Cache-Tag: a", "cache-tag: b"], ["a", "b"]),
            (["Cache-Tag: ,, a,"], ["a"]),
            (["Cache-Tag: two words, b"], ["two words", "b"]), (["Surrogate-Key: a b  c"], ["a", "b", "c"]),
            (["Surrogate-Key: a,b c"], ["a,b", "c"]),
            (["Surrogate-Key: a\tb"], ["a", "b"]), (["Cache-Tag: a", "Surrogate-Key: b"], ["a", "b"]), (["Cache-Tag: A, a"], ["A", "a"]),
            (["Cache-Tag:"], []),
            ([], []), (["Cache-Tag: \u{E9}"], ["\u{E9}"]), (["Cache-Tag: a, a", "Surrogate-Key: a"], ["a"]), (["Other: a"], []),
            (["Cache-Tag: \"a,b\""], ["\"a", "b\""]),
        ] as [([String], Set<String>)]
    )
    func readsBothFields(lines: [String], expected: Set<String>) {
        #expect(CacheTags.usableTags(in: fields(lines)) == expected)
        #expect(CacheTags.tags(in: fields(lines)) == expected)
    }

    @Test func refusesTagsThatAreTooLong() {
        let longest = String(repeating: "a", count: CacheTags.maximumBytes)
        #expect(tags("Cache-Tag: \(longest)") == [longest])
        #expect(tags("Surrogate-Key: \(longest)") == [longest])
        #expect(tags("Cache-Tag: b, \(longest)a") == nil)
        #expect(tags("Surrogate-Key: b \(longest)a") == nil)
        #expect(CacheTags.tags(in: fields("Cache-Tag: b, \(longest)a")).isEmpty)
    }

    @Test func refusesTooManyTags() {
        func many(_ count: Int) -> String { (0..<count).map { "t\($0)" }.joined(separator: ",") }
        #expect(tags("Cache-Tag: \(many(1_000))")?.count == 1_000)
        #expect(tags("Cache-Tag: \(many(1_001))") == nil)
        #expect(tags("Cache-Tag: \(many(1_000))", "Surrogate-Key: t0 t1")?.count == 1_000)
        #expect(tags("Cache-Tag: \(many(1_000))", "Surrogate-Key: other") == nil)
    }

    @Test(arguments: [[0x01], [0x61, 0x1B], [0x7F], [0xFF], [0xC3], [0x61, 0x09, 0x62]] as [[UInt8]])
    func refusesControlCharactersAndWhatIsNoText(bytes: [UInt8]) {
        var message = HTTPFields()
        message.append(HTTPField(name: .cacheTag, lenientValue: bytes))
        #expect(CacheTags.usableTags(in: message) == nil)
    }

    @Test func keepsResponsesThatCouldNotBeRemovedOutOfTheCache() {
        let message = response(200, "Cache-Control: max-age=60", "Cache-Tag: " + String(repeating: "a", count: 2_000))
        let rules = HTTPCacheRules(mode: .shared)
        let freshness = ResponseFreshness(of: message, requestTime: newYear2026, responseTime: newYear2026, rules: rules)
        #expect(Storability(of: message, to: request(), freshness: freshness, rules: rules) == .notStorable(.tags))
    }

    @Test func survivesRandomBytes() {
        var generator = TestGenerator()
        for _ in 0..<3_000 {
            var message = HTTPFields()
            message.append(HTTPField(name: .cacheTag, lenientValue: generator.bytes(upTo: 30, alphabet: "ab, ")))
            message.append(HTTPField(name: .surrogateKey, lenientValue: generator.bytes(upTo: 30, alphabet: "ab, ")))
            for tag in CacheTags.tags(in: message) { #expect(!tag.isEmpty && tag.utf8.allSatisfy { $0 >= 0x20 }, "seed \(generator.seed)") }
        }
    }
}
