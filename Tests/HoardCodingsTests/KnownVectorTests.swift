// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HoardCodings

/// Data that other programs have made from the sentence.
private let gzipOfPython = """
    1f8b08000000000002037354c8c84f2c4a51c82c564854282ec92f4a55c84f5328cf482c51c84dac54484a55284fcc2b494d51484c4fccccd3012a4257afc70500
    8b88e4ea44000000
    """
private let gzipWithName = """
    1f8b0808d61c0a6b00036e616d652e747874007354c8c84f2c4a51c82c564854282ec92f4a55c84f5328cf482c51c84dac54484a55284fcc2b494d51484c4fccccd3
    012a4257afc705008b88e4ea44000000
    """
private let deflateOfPython = """
    78da7354c8c84f2c4a51c82c564854282ec92f4a55c84f5328cf482c51c84dac54484a55284fcc2b494d51484c4fccccd3012a4257afc70500202f16f1
    """
private let rawDeflateOfPython = "7354c8c84f2c4a51c82c564854282ec92f4a55c84f5328cf482c51c84dac54484a55284fcc2b494d51484c4fccccd3012a4257afc70500"
private let deflateWithDictionary = """
    78f90634020f7354c800510a99c50a890ac525f945a90af9690ae51989250ab989950a49a90ae5897925a9290a89e98999793a4045e8eaf5b800202f16f1
    """
private let brotliOfNode = "1b4300681c076eac3348bf82504d7558509adc54407b4b10b23970c8017b87b698ae1e78c852be54d8487edab3e122442a1df88ed7480c0df02e6700"
private let brotliWithLargeWindow = """
    115a0c01a0711cb8b1ce20fd0a4235d5614169725301ed2d41c8e6c02107ec1dda62ba7ae0214bf9526123f969cf868b10a974e03b5e233134c0bb9c01
    """
private let zstandardOfTool = """
    28b52ffd2444ad010032030b11c0eb66524c0ead10229c35ce1beb98630140dc219d9bfb70d39991b81d799fcc458d4a77f95ec7a7aee911010031670505c557c177
    """
private let zstandardWithoutChecksum = """
    28b52ffd0068ad010032030b11c0eb66524c0ead10229c35ce1beb98630140dc219d9bfb70d39991b81d799fcc458d4a77f95ec7a7aee911010031670505
    """

@Suite("ContentDecoder, data of other programs", .timeLimit(.minutes(5)))
struct KnownVectorTests {
    @Test(arguments: [
        (gzipOfPython, ContentCoding.gzip), (gzipWithName, .gzip), (deflateOfPython, .deflate), (rawDeflateOfPython, .deflate),
        (brotliOfNode, .brotli),
        (zstandardOfTool, .zstandard), (zstandardWithoutChecksum, .zstandard),
    ])
    func theSentenceIsRead(digits: String, coding: ContentCoding) throws {
        guard ContentCoding.available.contains(coding) else { return }
        for seed in 0...10 as ClosedRange<UInt64> {
            let result = decode(bytes(digits), [coding], numbers: seed == 0 ? nil : SeededNumbers(seed: seed))
            #expect(result.error == nil, "seed \(seed)")
            #expect(result.bytes == sentence, "seed \(seed)")
        }
    }

    @Test func deflateWithoutAFrameMayBeCutAnywhereToo() {
        let encoded = bytes(rawDeflateOfPython)
        for length in 0..<encoded.count {
            #expect(decode(Array(encoded.prefix(length)), [.deflate]).error?.code == .truncated)
        }
        #expect(decode(encoded + [0], [.deflate]).error?.code == .trailingData)
        // An empty text: a last block of fixed codes, and its end.
        #expect(decode([3, 0], [.deflate]).error == nil)
        // A stored block.
        #expect(decode([1, 2, 0, 0xfd, 0xff, 0x68, 0x69], [.deflate]).bytes == Array("hi".utf8))
    }

    @Test func deflateWithADictionaryThatNobodyHasIsAnError() {
        #expect(decode(bytes(deflateWithDictionary), [.deflate]).error?.code == .corrupt)
    }

    @Test func severalMembersOfGzipAreOneText() throws {
        let member = bytes(gzipOfPython)
        let empty = try encode([], [.gzip])
        for numbers in [nil, SeededNumbers(seed: 1), SeededNumbers(seed: 2)] {
            let result = decode(member + empty + bytes(gzipWithName) + empty, [.gzip], numbers: numbers)
            #expect(result.error == nil)
            #expect(result.bytes == sentence + sentence)
        }
    }

    @Test func zerosMayFollowGzip() {
        let padded = bytes(gzipOfPython) + Array(repeating: 0, count: 70_000)
        let result = decode(padded, [.gzip], numbers: SeededNumbers(seed: 4))
        #expect(result.error == nil)
        #expect(result.bytes == sentence)
        #expect(decode(padded + [7], [.gzip]).error?.code == .trailingData)
    }

    #if Brotli && os(Linux)
        @Test func aLargeWindowOfBrotliIsRefused() {
            #expect(decode(bytes(brotliWithLargeWindow), [.brotli]).error?.code == .windowTooLarge)
        }
    #endif

    #if Zstandard && os(Linux)
        @Test func severalFramesOfZstandardAreOneTextAndSomeAreSkipped() {
            let frame = bytes(zstandardOfTool)
            let skipped: [UInt8] = [0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3]
            for numbers in [nil, SeededNumbers(seed: 1), SeededNumbers(seed: 2)] {
                let result = decode(skipped + frame + skipped + bytes(zstandardWithoutChecksum) + skipped, [.zstandard], numbers: numbers)
                #expect(result.error == nil)
                #expect(result.bytes == sentence + sentence)
            }
        }

        @Test func zstandardMayHaveAWindowOfEightMebibytesAndNoMore() {
            // An empty frame whose header asks for a window of 2ⁿ bytes.
            func frame(windowLog: UInt8) -> [UInt8] { [0x28, 0xb5, 0x2f, 0xfd, 0x00, (windowLog - 10) << 3, 0x01, 0x00, 0x00] }
            #expect(decode(frame(windowLog: 23), [.zstandard]).error == nil)
            let error = decode(frame(windowLog: 24), [.zstandard]).error
            #expect(error?.code == .windowTooLarge)
            #expect(error?.message.contains("more than 8 MiB") == true)
            // This is one eighth more than 8 MiB.
            #expect(decode([0x28, 0xb5, 0x2f, 0xfd, 0x00, 13 << 3 | 1, 0x01, 0x00, 0x00], [.zstandard]).error?.code == .windowTooLarge)
        }
    #endif
}
