// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HoardCodings

@Suite("ContentDecoder, damage", .timeLimit(.minutes(5)))
struct DamageTests {
    @Test(arguments: ContentCoding.available)
    func dataThatIsCutAnywhereIsAnErrorAtItsEnd(coding: ContentCoding) throws {
        var numbers = SeededNumbers(seed: 3)
        let encoded = try encode(sentence + randomContent(upTo: 3000, using: &numbers), [coding])
        for length in 0..<encoded.count {
            #expect(decode(Array(encoded.prefix(length)), [coding]).error?.code == .truncated, "cut at \(length)")
        }
    }

    @Test func dataThatIsCutInsideAnotherCodingIsAnError() throws {
        let cut = try encode(Array(encode(sentence, [.gzip]).dropLast(1)), [.deflate])
        #expect(decode(cut, [.gzip, .deflate]).error?.code == .truncated)
        let empty = try encode([], [.deflate])
        #expect(decode(empty, [.gzip, .deflate]).error?.code == .truncated)
    }

    @Test(arguments: ContentCoding.available)
    func eachDamagedBitIsAnErrorOrStaysWithinTheLimits(coding: ContentCoding) throws {
        let limits = ContentDecoder.Limits(maximumBytes: 1 << 20, maximumRatio: 2000, ratioFloor: 1 << 16)
        let encoded = try encode(sentence + Array("and once more, as all hoards are: a hoard.".utf8), [coding])
        var undetected = 0
        for bit in 0..<encoded.count * 8 {
            var damaged = encoded
            damaged[bit / 8] ^= 1 << UInt8(bit % 8)
            let result = decode(damaged, [coding], limits: limits)
            #expect(result.bytes.count <= limits.maximumBytes)
            if result.error == nil { undetected += 1 }
        }
        // Some bits mean nothing to a decoder: in a header of gzip the time, the system, the effort and the mark of
        // text, and the padding at the end of the blocks.
        if ContentCoding.checked.contains(coding) { #expect(undetected <= 6 * 8 + 1 + 7) }
    }

    @Test(arguments: ContentCoding.checked)
    func aDamagedChecksumIsAnError(coding: ContentCoding) throws {
        let encoded = try encode(sentence, [coding])
        let trailer = coding == .gzip ? 8 : 4
        for position in encoded.count - trailer..<encoded.count {
            var damaged = encoded
            damaged[position] ^= 0x10
            #expect(decode(damaged, [coding]).error?.code == .corrupt)
        }
    }

    @Test(arguments: ContentCoding.available, 1...30 as ClosedRange<UInt64>)
    func nonsenseIsAnErrorOrStaysWithinTheLimits(coding: ContentCoding, seed: UInt64) throws {
        var numbers = SeededNumbers(seed: seed)
        let limits = ContentDecoder.Limits(maximumBytes: 1 << 20)
        var content = try encode(randomContent(upTo: 20_000, using: &numbers), [coding])
        for _ in 0..<Int.random(in: 1...40, using: &numbers) {
            content[Int.random(in: 0..<content.count, using: &numbers)] = .random(in: .min ... .max, using: &numbers)
        }
        let result = decode(content, [coding], limits: limits, numbers: numbers)
        #expect(result.bytes.count <= limits.maximumBytes, "seed \(seed)")
        let noise = (0..<1000).map { _ in UInt8.random(in: .min ... .max, using: &numbers) }
        #expect(decode(noise, [coding], limits: limits).bytes.count <= limits.maximumBytes, "seed \(seed)")
    }

    @Test(arguments: ContentCoding.available)
    func anythingAfterTheEndIsAnError(coding: ContentCoding) throws {
        let encoded = try encode(sentence, [coding])
        for garbage in [[1], Array("garbage".utf8), [0, 0, 1]] as [[UInt8]] {
            for numbers in [nil, SeededNumbers(seed: 8)] {
                let result = decode(encoded + garbage, [coding], numbers: numbers)
                #expect(result.error?.code == .trailingData, "\(garbage)")
                #expect(result.bytes == sentence)
            }
        }
    }

    #if Zstandard && os(Linux)
        @Test func aBadBeginningOfZstandardIsDamageHoweverItIsCut() {
            for numbers in [nil] + (1...10).map({ SeededNumbers(seed: $0) }) {
                #expect(decode([0x28, 0xb5, 0x2f, 0, 0, 0, 0, 0], [.zstandard], numbers: numbers).error?.code == .corrupt)
            }
        }
    #endif

    @Test func anErrorIsFinalUntilAReset() throws {
        let decoder = try ContentDecoder(codings: [.gzip])
        let garbage = Array("garbage".utf8)
        for _ in 0..<2 {
            let error = #expect(throws: CodingError.self) { try garbage.withUnsafeBytes { try decoder.decode($0) { _ in } } }
            #expect(error?.code == .corrupt)
        }
        #expect(throws: CodingError.self) { try decoder.finish() }
        try decoder.reset()
        #expect(decode(try encode(sentence, [.gzip]), with: decoder).bytes == sentence)
        #expect(throws: CodingError.self) { try decoder.finish() }
    }

    @Test func anErrorOfTheReceiverIsPassedOnAndFinal() throws {
        let decoder = try ContentDecoder(codings: [.gzip, .gzip])
        let encoded = try encode(sentence, [.gzip, .gzip])
        for _ in 0..<2 {
            let error = #expect(throws: CodingError.self) {
                try encoded.withUnsafeBytes {
                    try decoder.decode($0) { _ throws(CodingError) in throw CodingError(.receiverStopped, "The client has gone.") }
                }
            }
            #expect(error?.code == .receiverStopped)
        }
    }
}
