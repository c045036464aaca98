// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardTesting
import Testing

@testable import HoardDisk

@Suite struct PayloadCompressorTests {
    @Test(arguments: [512, 513, 1023, 1024, 1025, 4096, 16384, 32767, 32768, 65536, 65537, 1_000_000], [1, 6, 9])
    func textShrinksAndComesBack(byteCount: Int, level: Int) throws {
        let text = makeText(byteCount: byteCount)
        let compressed = try #require(PayloadCompressor.compress(text, contentType: "application/json", level: level))
        #expect(compressed.count < byteCount / 2)
        #expect(compressed.startIndex == 0)
        #expect(PayloadCompressor.decompress(compressed, to: byteCount) == text)
    }

    @Test func aSliceIsCompressedLikeAWhole() throws {
        let text = makeText(byteCount: 4000)
        let slice = (Data([1, 2, 3]) + text).dropFirst(3)
        #expect(PayloadCompressor.compress(slice, contentType: nil, level: 1) == PayloadCompressor.compress(text, contentType: nil, level: 1))
    }

    @Test func higherLevelsCompressMore() throws {
        let text = makeText(byteCount: 100_000)
        let fast = try #require(PayloadCompressor.compress(text, contentType: nil, level: 1))
        let small = try #require(PayloadCompressor.compress(text, contentType: nil, level: 9))
        #expect(small.count < fast.count)
    }

    @Test(arguments: [-1, 0, 10, 1000]) func levelsThatDoNotExistCountAsTheNearest(level: Int) {
        let text = makeText(byteCount: 4000)
        let nearest = PayloadCompressor.compress(text, contentType: nil, level: level < 1 ? 1 : 9)
        #expect(nearest != nil)
        #expect(PayloadCompressor.compress(text, contentType: nil, level: level) == nearest)
    }

    @Test func shortPayloadsStayAsTheyAre() {
        #expect(PayloadCompressor.compress(Data(count: 511), contentType: "text/plain", level: 1) == nil)
        #expect(PayloadCompressor.compress(Data(count: 512), contentType: "text/plain", level: 1) != nil)
        #expect(PayloadCompressor.compress(Data(), contentType: nil, level: 1) == nil)
    }

    @Test(arguments: [512, 4096, 20_000, 100_000]) func noiseStaysAsItIs(byteCount: Int) {
        #expect(PayloadCompressor.compress(makeNoise(byteCount: byteCount), contentType: nil, level: 6) == nil)
    }

    /// Zeros at the end shrink to nearly nothing and noise does not shrink, so the share of noise decides.
    @Test(arguments: [(10_000, 860, false), (10_000, 1800, true), (30_000, 2600, false), (30_000, 4400, true)])
    func anEighthMustBeSaved(byteCount: Int, zeroCount: Int, pays: Bool) throws {
        let payload = makeNoise(byteCount: byteCount - zeroCount) + Data(count: zeroCount)
        let compressed = PayloadCompressor.compress(payload, contentType: nil, level: 1)
        #expect((compressed != nil) == pays)
        if let compressed {
            #expect(compressed.count <= byteCount - byteCount / 8)
            #expect(PayloadCompressor.decompress(compressed, to: byteCount) == payload)
        }
    }

    @Test func aLargePayloadThatBeginsWithNoiseIsGivenUp() {
        let payload = makeNoise(byteCount: PayloadCompressor.trialByteCount) + Data(count: 1 << 20)
        #expect(PayloadCompressor.compress(payload, contentType: nil, level: 1) == nil)
    }

    @Test func aLargePayloadThatEndsWithNoiseIsGivenUp() {
        let payload = Data(count: PayloadCompressor.trialByteCount) + makeNoise(byteCount: 1 << 20)
        #expect(PayloadCompressor.compress(payload, contentType: nil, level: 1) == nil)
    }

    @Test func whatHasBeenCompressedIsNotCompressedAgain() {
        #expect(PayloadCompressor.compress(Data(count: 4096), contentType: "image/png", level: 1) == nil)
        #expect(PayloadCompressor.compress(Data([0x1f, 0x8b]) + Data(count: 4096), contentType: nil, level: 1) == nil)
        #expect(PayloadCompressor.compress(Data(count: 4096), contentType: "image/svg+xml", level: 1) != nil)
    }

    @Test func randomPayloadsComeBack() {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<150 {
            // Runs of one byte alternate with stretches of few different bytes. Compression pays
            // for some payloads and not for others.
            var payload = Data()
            let byteCount = Int.random(in: 0..<60_000, using: &generator)
            let variety = UInt8.random(in: 0...255, using: &generator)
            while payload.count < byteCount {
                let run = Int.random(in: 1..<400, using: &generator)
                let byte = UInt8.random(in: 0...variety, using: &generator)
                payload +=
                    Bool.random(using: &generator)
                    ? Data(repeating: byte, count: run) : Data((0..<run).map { _ in UInt8.random(in: 0...variety, using: &generator) })
            }
            guard let compressed = PayloadCompressor.compress(payload, contentType: nil, level: Int.random(in: 1...9, using: &generator))
            else { continue }
            #expect(compressed.count <= payload.count - payload.count / 8, "seed \(seed)")
            #expect(PayloadCompressor.decompress(compressed, to: payload.count) == payload, "seed \(seed)")
        }
    }
}
