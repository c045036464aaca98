// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import Testing

@testable import Hoard

@Suite struct CacheUTF8ReadingTests {
    private let ticker = ManualTicker()

    private func value(_ bytes: [UInt8], in cache: Cache<String, Int>) -> Int? {
        cache.value(forUTF8Key: bytes.span)
    }

    @Test func exampleOfTheDocumentationHolds() {
        let cache = Cache<String, Int>(maximumCount: 100)
        cache.insert(1, forKey: "one")
        let line = Array("GET one".utf8)
        let value = cache.value(forUTF8Key: line.span.extracting(4...))
        #expect(value == 1)
    }

    @Test func keysOfEveryLengthAreFound() {
        let cache = Cache<String, Int>(maximumCount: 1_000)
        for length in 0...70 {
            let key = String(repeating: "k", count: length)
            cache.insert(length, forKey: key)
            let bytes = Array(key.utf8)
            #expect(value(bytes, in: cache) == length)
            for position in bytes.indices {
                var other = bytes
                other[position] ^= 1
                #expect(value(other, in: cache) == nil, "another byte at \(position) of \(length)")
            }
        }
    }

    /// Compares by the bytes alone, so that no two hashes have to meet.
    @Test func everyByteIsCompared() {
        for length in 0...70 {
            let bytes = Array(repeating: UInt8(ascii: "k"), count: length)
            let key = String(decoding: bytes, as: UTF8.self)
            #expect(bytes.withUnsafeBufferPointer { key.isEqual(toASCII: $0) })
            for position in bytes.indices {
                for bit in 0..<7 {
                    var other = bytes
                    other[position] ^= 1 << UInt8(bit)
                    #expect(!other.withUnsafeBufferPointer { key.isEqual(toASCII: $0) }, "bit \(bit) at \(position) of \(length)")
                }
            }
        }
    }

    @Test func stringsThatAreEquivalentAreTheSameKey() {
        let cache = Cache<String, Int>(maximumCount: 100)
        for (number, pair) in [("K\u{212A};", "KK\u{37E}"), ("caf\u{E9}", "cafe\u{301}"), ("\u{212B}", "A\u{30A}"), ("\u{1FEF}", "`")].enumerated() {
            for (one, other) in [(pair.0, pair.1), (pair.1, pair.0)] {
                cache.insert(number, forKey: one)
                #expect(value(Array(one.utf8), in: cache) == number)
                #expect(value(Array(other.utf8), in: cache) == number)
                #expect(value(Array("x\(other)".utf8), in: cache) == nil)
                cache.removeValue(forKey: one)
            }
        }
    }

    @Test func bytesThatAreNoTextAreNoKey() {
        let cache = Cache<String, Int>(maximumCount: 100)
        cache.insert(1, forKey: "\u{FFFD}")
        let before = cache.statistics
        for bytes: [UInt8] in [[0xFF], [0xC3], [0x61, 0x80], [0xED, 0xA0, 0x80], [0xC0, 0x80]] { #expect(value(bytes, in: cache) == nil) }
        #expect(cache.statistics == before)
        #expect(value(Array("\u{FFFD}".utf8), in: cache) == 1)
    }

    /// Does the same to two caches, and reads one by strings and the other by bytes.
    @Test(arguments: 0..<UInt64(20))
    func readingByBytesIsReadingByStrings(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let configuration = Cache<String, Int>.Configuration(
            maximumCount: 40,
            expiration: seed % 2 == 0 ? .afterWrite(.seconds(10)) : .never,
            variableExpiration: seed % 3 > 0
                ? nil : .init(afterWrite: { _, _ in .seconds(8) }, afterRead: { _, _, left in left.map { $0 + .seconds(1) } })
        )
        let byString = Cache<String, Int>(configuration: configuration, ticker: ticker, hasher: .fixed(seed))
        let byBytes = Cache<String, Int>(configuration: configuration, ticker: ticker, hasher: .fixed(seed))
        let pieces = ["a", "b", "K", "\u{212A}", "\u{E9}", "e\u{301}", "12345678", ";"]
        for step in 0..<3_000 {
            let key = (0..<Int.random(in: 0...3, using: &random)).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<3:
                byString.insert(step, forKey: key)
                byBytes.insert(step, forKey: key)
            case 3:
                for cache in [byString, byBytes] { _ = try await cache.valueIfExists(forKey: key) { _ in .absent(expiresAfter: .seconds(5)) } }
            case 4: ticker.advance(by: .milliseconds(Int.random(in: 0..<1_500, using: &random)))
            default: #expect(value(Array(key.utf8), in: byBytes) == byString.value(forKey: key), "seed \(seed), step \(step), key \(key)")
            }
        }
        #expect(byBytes.statistics == byString.statistics)
        #expect(byBytes.statistics.hits > 100)
        byBytes.checkInvariants()
    }
}
