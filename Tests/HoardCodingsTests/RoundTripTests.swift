// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HoardCodings

@Suite("Encoding and decoding", .timeLimit(.minutes(5)))
struct RoundTripTests {
    @Test(arguments: ContentCoding.available, 1...12 as ClosedRange<UInt64>)
    func contentComesBackHoweverItIsCut(coding: ContentCoding, seed: UInt64) throws {
        var numbers = SeededNumbers(seed: seed)
        let content = randomContent(upTo: [100, 10_000, 400_000][Int(seed % 3)], using: &numbers)
        let level = seed.isMultiple(of: 4) ? Int.random(in: -1...7, using: &numbers) : nil
        let encoded = try encode(content, [coding], level: level, numbers: numbers)
        let decoded = decode(encoded, [coding], numbers: numbers)
        #expect(decoded.error == nil, "seed \(seed)")
        #expect(decoded.bytes == content, "seed \(seed)")
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func nestedCodingsComeBackInTheOrderOfTheField(seed: UInt64) throws {
        var numbers = SeededNumbers(seed: seed)
        let content = randomContent(upTo: 200_000, using: &numbers)
        let codings = (0..<Int.random(in: 0...4, using: &numbers)).compactMap { _ in ContentCoding.available.randomElement(using: &numbers) }
        let decoded = decode(try encode(content, codings, numbers: numbers), codings, numbers: numbers)
        #expect(decoded.error == nil, "seed \(seed), \(codings)")
        #expect(decoded.bytes == content, "seed \(seed), \(codings)")
    }

    @Test(arguments: ContentCoding.available)
    func bytesComeBackOneByOne(coding: ContentCoding) throws {
        var numbers = SeededNumbers(seed: 5)
        let content = randomContent(upTo: 20_000, using: &numbers)
        let encoded = try encode(content, [coding])
        let decoder = try ContentDecoder(codings: [coding])
        var output: [UInt8] = []
        for byte in encoded {
            try withUnsafeBytes(of: byte) { byte throws(CodingError) in try decoder.decode(byte) { output += $0 } }
        }
        try decoder.finish()
        #expect(output == content)
    }

    @Test(arguments: ContentCoding.available)
    func emptyPartsChangeNothing(coding: ContentCoding) throws {
        var numbers = SeededNumbers(seed: 6)
        let content = (0..<100_000).map { _ in UInt8.random(in: 0...9, using: &numbers) }
        let encoded = try encode(content, [coding])
        let decoder = try ContentDecoder(codings: [coding])
        var output: [UInt8] = []
        for part in [encoded[..<1_000], encoded[1_000...]] {
            try Array(part).withUnsafeBytes { try decoder.decode($0) { output += $0 } }
            for _ in 0..<50 { try decoder.decode(UnsafeRawBufferPointer(start: nil, count: 0)) { output += $0 } }
        }
        try decoder.finish()
        #expect(output == content)
    }

    @Test(arguments: ContentCoding.available)
    func emptyContentComesBack(coding: ContentCoding) throws {
        let encoded = try encode([], [coding])
        #expect(!encoded.isEmpty)
        let decoded = decode(encoded, [coding])
        #expect(decoded.error == nil)
        #expect(decoded.bytes.isEmpty)
    }

    @Test(arguments: ContentCoding.available)
    func outputThatFillsTheMemoryOfAStepExactlyIsWhole(coding: ContentCoding) throws {
        for count in [65_535, 65_536, 65_537, 131_072, 196_608] {
            var numbers = SeededNumbers(seed: UInt64(count))
            let content = (0..<count).map { _ in UInt8.random(in: 0...9, using: &numbers) }
            let decoded = decode(try encode(content, [coding]), [coding])
            #expect(decoded.error == nil, "\(count) bytes")
            #expect(decoded.bytes == content, "\(count) bytes")
        }
    }

    @Test(arguments: ContentCoding.available)
    func everyLevelIsReadable(coding: ContentCoding) throws {
        let content = Array(repeating: sentence, count: 200).flatMap { $0 }
        for level in [Int.min, coding.levels.lowerBound, coding.defaultLevel, coding.levels.upperBound, Int.max] {
            let encoded = try encode(content, [coding], level: level)
            #expect(encoded.count < content.count / 10)
            #expect(decode(encoded, [coding]).bytes == content, "level \(level)")
        }
    }

    @Test(arguments: ContentCoding.available)
    func theSameContentMakesTheSameOutputAlsoAfterAReset(coding: ContentCoding) throws {
        let first = try encode(sentence, [coding])
        #expect(try encode(sentence, [coding]) == first)
        let encoder = try ContentEncoder(coding: coding)
        for _ in 0..<3 {
            var output: [UInt8] = []
            try sentence.withUnsafeBytes { try encoder.encode($0) { output += $0 } }
            try encoder.finish { output += $0 }
            #expect(output == first)
            #expect(throws: CodingError.self) { try encoder.finish { output += $0 } }
            try encoder.reset()
        }
    }

    @Test(arguments: ContentCoding.available)
    func aDecoderIsUsedAgainAfterAReset(coding: ContentCoding) throws {
        let encoded = try encode(sentence, [coding, coding])
        let decoder = try ContentDecoder(codings: [coding, coding])
        for _ in 0..<3 {
            #expect(decode(encoded, with: decoder).bytes == sentence)
            try decoder.reset()
            #expect(decode(Array(encoded.dropLast(9)), with: decoder).error?.code == .truncated)
            try decoder.reset()
        }
    }

    @Test func gzipSaysNothingOfTimeAndSystem() throws {
        #expect(Array(try encode(sentence, [.gzip]).prefix(10)) == [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255])
    }
}
