// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import HoardDisk

@Suite struct PayloadDecompressionTests {
    private let text = makeText(byteCount: 5000)

    private func compressed() throws -> Data {
        try #require(PayloadCompressor.compress(text, contentType: nil, level: 1))
    }

    @Test func whatZlibItselfMadeIsRead() {
        #expect(PayloadCompressor.decompress(zlibCompressed(text), to: text.count) == text)
    }

    @Test func anyOtherLengthIsRefused() throws {
        let compressed = try compressed()
        for byteCount in [-1, 0, 1, text.count - 1, text.count + 1, 2 * text.count] {
            #expect(PayloadCompressor.decompress(compressed, to: byteCount) == nil, "\(byteCount) bytes")
        }
        #expect(PayloadCompressor.decompress(zlibCompressed(Data()), to: 0) == nil)
    }

    @Test func aBombIsStoppedAtTheExpectedLength() {
        let bomb = zlibCompressed(Data(count: 50 << 20))
        #expect(bomb.count < 60_000)
        #expect(PayloadCompressor.decompress(bomb, to: 1 << 20) == nil)
        #expect(PayloadCompressor.decompress(bomb, to: 50 << 20) == Data(count: 50 << 20))
    }

    @Test(arguments: [(0, 10), (-1, 10), (1033, 0), (103_200 + 1032, 100), (1 << 32, 1 << 30), (.max, .max), (1000, 1 << 32)])
    func aLengthThatTheBytesCannotYieldIsRefusedBeforeAnythingIsAllocated(byteCount: Int, compressedByteCount: Int) {
        #expect(!PayloadCompressor.canYield(byteCount, from: compressedByteCount))
    }

    @Test(arguments: [(1, 9), (1032, 1), (103_200, 100), ((1 << 32) - 1, 1 << 30), (10, 1000)])
    func aLengthThatTheBytesMayYieldIsTried(byteCount: Int, compressedByteCount: Int) {
        #expect(PayloadCompressor.canYield(byteCount, from: compressedByteCount))
    }

    @Test func anImpossibleLengthYieldsNothing() {
        #expect(PayloadCompressor.decompress(zlibCompressed(Data(count: 5000)), to: .max) == nil)
        #expect(PayloadCompressor.decompress(zlibCompressed(Data(count: 5000)), to: 4_000_000_000) == nil)
    }

    @Test func theDensestDeflateThereIsComesThrough() throws {
        // Zeros at level 9 reach 1030 to 1, just under the limit of the format.
        let zeros = Data(count: 8 << 20)
        let compressed = try #require(PayloadCompressor.compress(zeros, contentType: nil, level: 9))
        #expect(zeros.count / compressed.count > 1000)
        #expect(PayloadCompressor.decompress(compressed, to: zeros.count) == zeros)
    }

    @Test func everyTruncationIsNoticed() throws {
        let compressed = try compressed()
        for count in 0..<compressed.count {
            #expect(PayloadCompressor.decompress(compressed.prefix(count), to: text.count) == nil, "\(count) bytes")
        }
        #expect(PayloadCompressor.decompress(UnsafeRawBufferPointer(start: nil, count: 0), byteCount: 1) == nil)
    }

    @Test func bytesAfterTheEndAreNoticed() throws {
        #expect(PayloadCompressor.decompress(try compressed() + [0], to: text.count) == nil)
    }

    @Test func aFlippedBitNeverYieldsAnotherPayload() throws {
        let compressed = try compressed()
        for bit in stride(from: 0, to: compressed.count * 8, by: 5) {
            var damaged = compressed
            damaged[bit / 8] ^= 1 << UInt8(bit % 8)
            let payload = PayloadCompressor.decompress(damaged, to: text.count)
            #expect(payload == nil || payload == text, "bit \(bit)")
        }
    }

    @Test func noiseIsNeverDecompressed() {
        let seed = UInt64.random(in: .min ... .max)
        for offset in 0..<200 {
            let noise = makeNoise(byteCount: 200, seed: seed &+ UInt64(offset))
            #expect(PayloadCompressor.decompress(noise, to: 500) == nil, "seed \(seed)")
        }
    }
}
