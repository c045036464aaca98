// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardTesting
import Testing

@testable import Hoard

/// Keys with poor hashes and keys with expensive comparison.
@Suite(.timeLimit(.minutes(5))) struct CacheHashingTests {
    private struct Colliding: Hashable, Sendable {
        let number: Int
        func hash(into hasher: inout Hasher) { hasher.combine(0) }
    }

    @Test func keysThatAllCollideStayCorrect() {
        // The keys all fall to one shard. A cache that is limited by weight has no other shard.
        let cache = Cache<Colliding, Int>(configuration: .init(maximumWeight: 2_000))
        for number in 0..<2_000 { cache.insert(number, forKey: Colliding(number: number)) }
        #expect(cache.count == 2_000)
        #expect((0..<2_000).allSatisfy { cache.value(forKey: Colliding(number: $0)) == $0 })
        for number in stride(from: 0, to: 2_000, by: 2) { cache.removeValue(forKey: Colliding(number: number)) }
        #expect((0..<2_000).allSatisfy { cache.contains(Colliding(number: $0)) == ($0 % 2 == 1) })
        #expect(cache.count == 1_000)
    }

    @Test func collidingKeysAreEvictedOneByOne() {
        let cache = Cache<Colliding, Int>(maximumCount: 50)
        for number in 0..<300 {
            cache.insert(number, forKey: Colliding(number: number))
            #expect(cache.peek(Colliding(number: number)) == number)
        }
        #expect(cache.count == 50)
        #expect((0..<300).allSatisfy { [nil, $0].contains(cache.peek(Colliding(number: $0))) })
        cache.checkInvariants()
    }

    @Test func collidingKeysKeepTimesAndTagsApart() {
        let ticker = ManualTicker()
        let cache = Cache<Colliding, Int>(maximumCount: 100, ticker: ticker)
        for number in 0..<100 {
            cache.insert(number, forKey: Colliding(number: number), expiresAfter: .seconds(number + 1), tags: ["\(number % 2)"])
        }
        #expect(cache.removeValues(taggedWith: "0") == 50)
        ticker.advance(by: .seconds(51))
        cache.removeExpired()
        #expect((0..<100).allSatisfy { cache.contains(Colliding(number: $0)) == ($0 % 2 == 1 && $0 > 50) })
        cache.checkInvariants()
    }

    /// Long texts that differ at the end: comparing them costs as much as hashing them.
    @Test func keysThatAreExpensiveToCompareAreFound() {
        final class Text: Hashable, Sendable {
            let text: String
            let comparisons: Counter
            init(_ number: Int, _ comparisons: Counter) {
                text = String(repeating: "x", count: 10_000) + "\(number)"
                self.comparisons = comparisons
            }
            func hash(into hasher: inout Hasher) { hasher.combine(text) }
            static func == (left: Text, right: Text) -> Bool {
                left.comparisons.increment()
                return left.text == right.text
            }
        }
        let comparisons = Counter()
        let cache = Cache<Text, Int>(maximumCount: 1_000)
        for number in 0..<300 { cache.insert(number, forKey: Text(number, comparisons)) }
        for number in 0..<300 { #expect(cache.value(forKey: Text(number, comparisons)) == number) }
        #expect(comparisons.value < 900, "hashes tell almost all keys apart")
    }

    @Test(
        arguments: [
            ("é", "e\u{301}"), ("가", "\u{1100}\u{1161}"), ("Å", "A\u{30A}"), ("\u{212B}", "A\u{30A}"), ("\u{212A}", "K"), ("\u{37E}", ";"),
            ("a\u{1FEF}b", "a`b"), ("\u{1FEF}\u{37E}\u{212A}", "`;K"), ("\u{1E69}", "s\u{307}\u{323}"),
            ("long text with 16 bytes: \u{212A}", "long text with 16 bytes: K"),
        ]
    )
    func canonicallyEquivalentStringsAreOneKey(_ left: String, _ right: String) {
        #expect(left == right)
        for _ in 0..<20 {
            let cache = Cache<String, Int>(maximumCount: 65_536)
            cache.insert(1, forKey: left)
            #expect(cache.value(forKey: right) == 1)
            cache.insert(2, forKey: right)
            #expect(cache.count == 1)
            #expect(cache.removeValue(forKey: left) == 2)
        }
    }

    @Test func stringsOfEveryLengthAndStorageAreFound() {
        let cache = Cache<String, Int>(maximumCount: 4_096)
        for length in 0..<200 { cache.insert(length, forKey: String(repeating: "k", count: length)) }
        for length in 0..<200 {
            let text = "prefix" + String(repeating: "k", count: length) + "suffix"
            #expect(cache.peek(String(text.dropFirst(6).dropLast(6))) == length, "cut out of another string")
            #expect(cache.peek(String(decoding: Array(repeating: UInt8(ascii: "k"), count: length), as: UTF8.self)) == length)
        }
        cache.insert(-1, forKey: "\0")
        #expect(cache.peek("") == 0)
        #expect(cache.peek("\0\0") == nil)
    }

    @Test func integersOfEveryWidthAreFound() {
        func check<Key: FixedWidthInteger & Sendable>(_: Key.Type) {
            let cache = Cache<Key, Int>(maximumCount: 4_096)
            let keys = Set([Key.min, .max, 0, 1, 2, Key.max / 2, Key.max - 1])
            for (number, key) in keys.sorted().enumerated() { cache.insert(number, forKey: key) }
            for (number, key) in keys.sorted().enumerated() { #expect(cache.value(forKey: key) == number) }
            #expect(cache.count == keys.count)
            cache.checkInvariants()
        }
        check(Int.self)
        check(UInt.self)
        check(Int64.self)
        check(UInt64.self)
        check(Int32.self)
        check(UInt32.self)
        check(Int16.self)
        check(UInt8.self)
    }

    @Test func keysWithoutContentAndLargeValuesWork() {
        struct Nothing: Hashable, Sendable {}
        let single = Cache<Nothing, Nothing>(maximumCount: 3)
        single.insert(Nothing(), forKey: Nothing())
        #expect(single.value(forKey: Nothing()) != nil)
        #expect(single.count == 1)
        typealias Large = SIMD64<UInt8>
        let cache = Cache<UInt8, Large>(maximumCount: 40)
        for key in UInt8(0)..<40 { cache.insert(Large(repeating: key), forKey: key) }
        #expect((UInt8(0)..<40).allSatisfy { cache.value(forKey: $0) == Large(repeating: $0) })
    }
}
