// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import Testing

@testable import Hoard

@Suite struct KeyHasherTests {
    private static func hasher(seed: UInt64) -> KeyHasher {
        var generator = SeededGenerator(seed: seed)
        return KeyHasher(using: &generator)
    }

    private let hasher = KeyHasherTests.hasher(seed: 1)

    // MARK: Equal keys

    /// The scalars that are canonically equivalent to an ASCII character, each with that character.
    private static let twins: [(scalar: String, ascii: String)] = [("\u{37E}", ";"), ("\u{1FEF}", "`"), ("\u{212A}", "K")]

    @Test func everyScalarThatEqualsAnASCIIStringHasItsHash() {
        let ascii = Set((UInt8(0)..<128).map { String(UnicodeScalar($0)) })
        let asciiHashes = Set(ascii.map { hasher($0) })
        #expect(asciiHashes.count == 128)
        var twins: [String] = []
        for value in UInt32(128)...0x10FFFF {
            guard let scalar = UnicodeScalar(value) else { continue }
            let string = String(scalar)
            guard let position = ascii.firstIndex(of: string) else { continue }
            twins.append(string)
            #expect(hasher(string) == hasher(ascii[position]), "U+\(String(value, radix: 16))")
        }
        #expect(twins == Self.twins.map(\.scalar))
    }

    @Test func twinsOfASCIICharactersHashAlikeInStringsOfEveryLength() {
        for length in 1...40 {
            for position in [0, 1, 7, 8, 15, 16, 17, length / 2, length - 1] where position < length {
                for (scalar, ascii) in Self.twins {
                    let (before, after) = (String(repeating: "a", count: position), String(repeating: "b", count: length - position - 1))
                    let pair = (before + scalar + after, before + ascii + after)
                    #expect(pair.0 == pair.1)
                    #expect(hasher(pair.0) == hasher(pair.1), "\(scalar) at \(position) of \(length)")
                }
            }
        }
        let all = Self.twins.map(\.scalar).joined(separator: "-")
        #expect(hasher(all) == hasher(";-`-K"))
    }

    @Test(arguments: [
        ("\u{E9}", "e\u{301}"), ("\u{D55C}", "\u{1112}\u{1161}\u{11AB}"), ("\u{212B}", "A\u{30A}"), ("\u{1E69}", "s\u{307}\u{323}"),
        ("K\u{301}", "\u{212A}\u{301}"), ("\u{226E}", "<\u{338}"), ("\u{2126}", "\u{3A9}"), (";\u{E9}", "\u{37E}e\u{301}"),
        ("\u{1FEE}", "\u{A8}\u{301}"),
    ])
    func canonicallyEquivalentStringsHashAlike(_ a: String, _ b: String) {
        #expect(a == b)
        #expect(hasher(a) == hasher(b))
        for length in [1, 6, 7, 8, 15, 16, 40] {
            let padding = String(repeating: "x", count: length)
            #expect(hasher(padding + a) == hasher(padding + b))
            #expect(hasher(a + padding) == hasher(b + padding))
        }
    }

    @Test func equalStringsHashAlikeHoweverTheyWereMade() {
        for length in 0...100 {
            let string = String((0..<length).map { Character(UnicodeScalar(UInt8($0 % 95 + 32))) })
            let cut = ("<<" + string + ">>").dropFirst(2).dropLast(2)
            var grown = ""
            grown.reserveCapacity(1_000)
            for character in string { grown.append(character) }
            #expect(hasher(String(cut)) == hasher(string))
            #expect(hasher(grown) == hasher(string))
            #expect(hasher.hashSlowly(string) == hasher(string), "the slow path agrees, length \(length)")
        }
    }

    @Test func equalKeysOfOtherTypesHashAlike() {
        struct Point: Hashable { let x: Int, y: Int }
        #expect(hasher(Point(x: 1, y: 2)) == hasher(Point(x: 1, y: 2)))
        #expect(hasher(Point(x: 1, y: 2)) != hasher(Point(x: 2, y: 1)))
        #expect(hasher(0.0) == hasher(-0.0))
        #expect(hasher([1, 2]) == hasher(Array(1...2)))
        #expect(hasher(AnyHashable(1)) == hasher(AnyHashable(1 as UInt8)))
        #expect(hasher(Substring("é")) == hasher(Substring("e\u{301}")))
        #expect(hasher(Int?.some(1)) == hasher(Int?.some(1)))
    }

    // MARK: Different keys

    @Test func differentStringsHashDifferently() {
        var hashes: Set<UInt64> = []
        var count = 0
        func insert(_ bytes: [UInt8]) {
            hashes.insert(hasher(String(decoding: bytes, as: UTF8.self)))
            count += 1
        }
        for length in 0...100 {
            if length > 0 { insert(Array(repeating: 0, count: length)) }
            insert(Array(repeating: 0x61, count: length))
            for position in 0..<length {
                var bytes = Array(repeating: UInt8(0x61), count: length)
                bytes[position] = 0x62
                insert(bytes)
                bytes[position] = 0xE9
                insert(bytes)
            }
        }
        // Bytes that are no UTF-8 become U+FFFD. The strings with them differ just as much.
        #expect(hashes.count == count)
    }

    /// The length and a byte must not cancel each other for a caller that does not know the key of the hash.
    @Test func lengthsAndBytesDoNotMakeUpForEachOther() {
        var strings: Set<String> = []
        for length in UInt8(1)...80 {
            for position in [0, 7, 8, 15, 16, 24, 32, Int(length) - 16, Int(length) - 8, Int(length) - 1] where (0..<Int(length)).contains(position) {
                for difference in UInt8(0)..<64 {
                    var bytes = Array(repeating: UInt8(0x40), count: Int(length))
                    bytes[position] = 0x40 ^ difference
                    strings.insert(String(decoding: bytes, as: UTF8.self))
                }
            }
        }
        #expect(Set(strings.map { hasher($0) }).count == strings.count)
    }

    @Test func bytesThatAreNotASCIIAreSeenAtEveryPlace() {
        for length in 1...70 {
            var bytes = Array(repeating: UInt8(0x7F), count: length)
            #expect(bytes.withUnsafeBufferPointer { hasher.hashIfASCII($0) } != nil)
            for position in 0..<length {
                bytes[position] = 0x80
                let hash = bytes.withUnsafeBufferPointer { hasher.hashIfASCII($0) }
                if hash != nil { Issue.record("byte \(position) of \(length)") }
                bytes[position] = 0x7F
            }
        }
        #expect(UnsafeBufferPointer<UInt8>(start: nil, count: 0).withContiguousStorageIfAvailable { hasher.hashIfASCII($0) } != nil)
    }

    @Test func integersOfEveryTypeHashDifferently() {
        func check<Key: FixedWidthInteger>(_ type: Key.Type) {
            let keys: [Key] = [0, 1, 2, .max, .max - 1, .min, .min + 1, .max / 2, .max / 2 + 1]
            #expect(Set(keys.map { hasher($0) }).count == Set(keys).count, "\(type)")
            #expect(keys.allSatisfy { hasher($0) == hasher($0) })
        }
        check(Int.self)
        check(UInt.self)
        check(Int64.self)
        check(UInt64.self)
        check(Int32.self)
        check(UInt32.self)
        check(Int16.self)
        check(UInt8.self)
        check(Int128.self)
    }

    @Test func hashersOfDifferentSeedsDisagree() {
        let other = Self.hasher(seed: 2)
        #expect((0..<1_000).allSatisfy { hasher($0) != other($0) })
        #expect((0..<1_000).allSatisfy { hasher("\($0)") != other("\($0)") })
        #expect(KeyHasher.random()("a") != KeyHasher.random()("a"))
    }

    // MARK: Distribution

    /// The chi-square of `count` hashes in `size` buckets: how uneven they are. It is about
    /// `size - 1` for random hashes.
    private func unevenness(of buckets: [Int]) -> Double {
        let expected = Double(buckets.reduce(0, +)) / Double(buckets.count)
        return buckets.reduce(0) { $0 + (Double($1) - expected) * (Double($1) - expected) / expected }
    }

    /// The upper 6 bits choose the shard, and the lower 32 bits choose the place in it. The
    /// bounds are seven standard deviations.
    private func expectEvenness(_ name: String, _ hashes: [UInt64]) {
        for (part, bucket, size) in [
            ("shards", { (hash: UInt64) in Int(hash >> 58) }, 64),
            ("homes", { (hash: UInt64) in Int(((hash & 0xFFFF_FFFF) * 61) >> 32) }, 61),
            ("low bytes", { (hash: UInt64) in Int(hash & 0xFF) }, 256),
            ("sample", { (hash: UInt64) in (Int(hash >> 32 & 0xFFFF) * 32) >> 16 }, 32),
        ] {
            var buckets = Array(repeating: 0, count: size)
            for hash in hashes { buckets[bucket(hash)] += 1 }
            let freedom = Double(size - 1)
            #expect(unevenness(of: buckets) < freedom + 7 * (2 * freedom).squareRoot(), "\(name), \(part)")
            let mean = Double(hashes.count) / Double(size)
            #expect(Double(buckets.max() ?? 0) < mean + 7 * mean.squareRoot(), "\(name), \(part)")
        }
    }

    @Test(arguments: UInt64(0)..<4)
    func regularKeysAreSpreadEvenly(seed: UInt64) {
        let hasher = Self.hasher(seed: seed)
        for shift in [0, 1, 3, 4, 6, 8, 12, 16, 20, 24, 32, 40, 48, 52] {
            expectEvenness("seed \(seed), stride 2^\(shift)", (0..<2_048).map { hasher($0 << shift) })
        }
        expectEvenness("seed \(seed), multiples of 1,000", (0..<2_048).map { hasher($0 * 1_000) })
        expectEvenness("seed \(seed), negative", (0..<2_048).map { hasher(-$0) })
        expectEvenness("seed \(seed), both ends", (0..<2_048).map { hasher($0 << 53 ^ $0) })
        expectEvenness("seed \(seed), Int32", (0..<2_048).map { hasher(Int32($0)) })
        expectEvenness("seed \(seed), short strings", (0..<2_048).map { hasher("\($0)") })
        expectEvenness("seed \(seed), long strings", (0..<2_048).map { hasher("https://example.com/articles/\($0)/comments") })
        expectEvenness("seed \(seed), equal bytes", (0..<2_048).map { hasher(String(repeating: "a", count: $0)) })
    }

    @Test func keysThatCollideUnderOneSeedDoNotUnderAnother() {
        let other = Self.hasher(seed: 2)
        func shardAndHome(_ hash: UInt64) -> UInt64 { (hash >> 58) << 4 | hash >> 28 & 15 }
        let numbers = (0..<60_000).filter { shardAndHome(hasher($0)) == 0 }
        #expect(numbers.count > 30)
        #expect(Set(numbers.map { shardAndHome(other($0)) }).count > numbers.count * 3 / 4)
        let strings = (0..<60_000).lazy.map { "key \($0)" }.filter { shardAndHome(hasher($0)) == 0 }
        #expect(Set(strings.map { shardAndHome(other($0)) }).count > strings.count * 3 / 4)
    }
}
