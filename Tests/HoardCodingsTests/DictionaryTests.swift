// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HoardCodings

@Suite("Dictionaries", .timeLimit(.minutes(5)))
struct DictionaryTests {
    @Test(arguments: ContentCoding.available.filter { !$0.hasDictionaries })
    func aCodingWithoutDictionariesSaysSo(coding: ContentCoding) {
        let error = #expect(throws: CodingError.self) { try ContentEncoder(coding: coding, dictionary: sentence) }
        #expect(error?.code == .unsupportedDictionary)
        #expect(decode([], [coding], dictionary: sentence).error?.code == .unsupportedDictionary)
    }

    #if Zstandard && os(Linux)
        @Test(arguments: 1...6 as ClosedRange<UInt64>)
        func contentComesBackWithItsDictionary(seed: UInt64) throws {
            var numbers = SeededNumbers(seed: seed)
            let dictionary = randomContent(upTo: 300_000, using: &numbers)
            let content = dictionary.prefix(1000) + randomContent(upTo: 1000, using: &numbers) + dictionary
            let encoded = try encode(Array(content), [.zstandard], dictionary: dictionary, numbers: numbers)
            let decoded = decode(encoded, [.zstandard], dictionary: dictionary, numbers: numbers)
            #expect(decoded.error == nil, "seed \(seed)")
            #expect(decoded.bytes == Array(content), "seed \(seed)")
        }

        @Test func aDictionaryMakesANewVersionShort() throws {
            var numbers = SeededNumbers(seed: 1)
            let dictionary = (0..<3_000_000).map { _ in UInt8.random(in: .min ... .max, using: &numbers) }
            var content = dictionary
            content[1_000_000] ^= 1
            let encoder = try ContentEncoder(coding: .zstandard, dictionary: dictionary)
            let decoder = try ContentDecoder(codings: [.zstandard], dictionary: dictionary)
            for _ in 0..<2 {
                var encoded: [UInt8] = []
                try content.withUnsafeBytes { try encoder.encode($0) { encoded += $0 } }
                try encoder.finish { encoded += $0 }
                #expect(encoded.count < 10_000)
                // The ratio is more than 300 to 1, and far more for pages. The bytes of the
                // dictionary count as received.
                #expect(decode(encoded, with: decoder).bytes == content)
                try encoder.reset()
                try decoder.reset()
            }
        }

        @Test func framesOneAfterTheOtherHaveTheSameDictionary() throws {
            let frame = try encode(sentence, [.zstandard], dictionary: sentence)
            #expect(frame.count < 30)
            let skipped: [UInt8] = [0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3]
            let result = decode(skipped + frame + skipped + frame, [.zstandard], dictionary: sentence)
            #expect(result.error == nil)
            #expect(result.bytes == sentence + sentence)
        }

        @Test func theWrongDictionaryIsAnError() throws {
            let frame = try encode(sentence, [.zstandard], dictionary: sentence)
            #expect(decode(frame, [.zstandard]).error?.code == .corrupt)
            #expect(decode(frame, [.zstandard], dictionary: Array(sentence.reversed())).error?.code == .corrupt)
        }

        @Test func aDictionaryIsNeverTakenForOneWithTables() throws {
            let dictionary: [UInt8] = [0x37, 0xa4, 0x30, 0xec] + sentence
            let frame = try encode(sentence, [.zstandard], dictionary: dictionary)
            #expect(decode(frame, [.zstandard], dictionary: dictionary).bytes == sentence)
        }

        @Test func dataOfTheToolIsRead() {
            let dictionary = Array("hoard is a store of what may be wanted".utf8)
            let frame = bytes("28b52ffd2444b5000068412020616761696e2c20612e0a020053cde77a1416c557c177")
            #expect(decode(frame, [.zstandard], dictionary: dictionary).bytes == sentence)
        }

        @Test func aDictionaryMakesTheWindowLonger() {
            #expect(ZstandardWindow.maximumLog(dictionary: nil) == 23)
            #expect(ZstandardWindow.maximumLog(dictionary: []) == 23)
            #expect(ZstandardWindow.maximumLog(dictionary: Array(repeating: 0, count: 8 << 20)) == 24)
            #expect(ZstandardWindow.log(level: 3, dictionary: []) == 21)
            #expect(ZstandardWindow.log(level: 3, dictionary: Array(repeating: 0, count: 3 << 20)) == 22)
        }
    #endif

    @Test func aDictionaryNeedsOneCoding() {
        #expect(decode([], [.gzip, .zstandard], dictionary: sentence).error?.code == .unsupportedDictionary)
        #expect(decode([], [], dictionary: sentence).error?.code == .unsupportedDictionary)
    }
}
