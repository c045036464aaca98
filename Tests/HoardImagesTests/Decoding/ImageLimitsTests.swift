// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if Images && os(Linux)
    import Foundation
    import HoardImages
    import Testing

    @Suite struct ImageLimitsTests {
        private func code(of data: Data, maximumPixelSize: Int? = nil, _ change: (inout ImageLimits) -> Void = { _ in }) -> ImageError.Code? {
            var limits = ImageLimits()
            change(&limits)
            do {
                _ = try Bitmap(decoding: data, maximumPixelSize: maximumPixelSize, limits: limits)
                return nil
            } catch {
                return error.code
            }
        }

        @Test func aPictureWithMorePixelsThanAllowedIsRefused() {
            for data in [Picture.gradient(20, 10).png(), Picture.gradient(20, 10).jpeg()] {
                #expect(code(of: data) { $0.maximumPixelCount = 199 } == .tooLarge)
                #expect(code(of: data, maximumPixelSize: 1) { $0.maximumPixelCount = 199 } == .tooLarge)
                #expect(code(of: data) { $0.maximumPixelCount = 200 } == nil)
                #expect(code(of: data) { $0.maximumPixelCount = -1 } == .tooLarge)
            }
        }

        @Test func aFewBytesThatAnnounceAGiganticPictureAreRefused() {
            #expect(code(of: Picture.gradient(1, 1).png().claimingSize(50_000, 50_000)) == .tooLarge)
            #expect(code(of: Picture.gradient(1, 1).png().claimingSize(0x7fff_ffff, 0x7fff_ffff)) == .tooLarge)
            #expect(code(of: Picture.gradient(1, 1).png().claimingSize(0x7fff_ffff, 1)) == .tooLarge)
            #expect(code(of: Picture.gradient(1, 1).png(isInterlaced: true).claimingSize(60_000, 60_000), maximumPixelSize: 10) == .tooLarge)
            #expect(code(of: Picture.gradient(1, 1).jpeg().claimingJPEGSize(65_000, 65_000), maximumPixelSize: 10) == .tooLarge)
        }

        /// A hundred million rows of one pixel would take minutes.
        @Test func aSideOfMoreThanAMillionPixelsIsRefused() {
            #expect(code(of: Picture.gradient(1, 1).png().claimingSize(1, 1_000_001)) == .tooLarge)
            #expect(code(of: Picture.gradient(1, 1).png().claimingSize(1_000_001, 1)) == .tooLarge)
            #expect(code(of: Picture.gradient(1, 1).png().claimingSize(1, 1_000_000)) == .damaged)
        }

        /// This holds without a limit too: sums over areas must not overflow.
        @Test func noLimitAllowsMoreThanCanBeSummedUp() {
            let unlimited: (inout ImageLimits) -> Void = { limits in
                limits.maximumPixelCount = .max
                limits.maximumWorkingBytes = .max
            }
            #expect(code(of: Picture.gradient(1, 1).png().claimingSize(0x7fff_ffff, 0x7fff_ffff), maximumPixelSize: 1, unlimited) == .tooLarge)
        }

        @Test func sidesOfNoPixelsAreDamage() {
            #expect(code(of: Picture.gradient(1, 1).png().claimingSize(0, 1)) == .damaged)
            #expect(code(of: Picture.gradient(1, 1).jpeg().claimingJPEGSize(0, 1)) == .damaged)
            #expect(code(of: Picture.gradient(1, 1).jpeg().claimingJPEGSize(1, 0)) != nil)
        }

        @Test func aPictureThatTakesMoreMemoryThanAllowedIsRefusedUnlessItIsScaledDown() {
            let picture = Picture.gradient(500, 500)
            for data in [picture.png(), picture.jpeg()] {
                #expect(code(of: data) { $0.maximumWorkingBytes = 400_000 } == .tooLarge)
                #expect(code(of: data, maximumPixelSize: 50) { $0.maximumWorkingBytes = 400_000 } == nil)
            }
        }

        @Test func coefficientsOfAProgressiveJPEGCountAsMemory() {
            let data = Picture.gradient(500, 500).jpeg(isProgressive: true)
            #expect(code(of: data, maximumPixelSize: 50) { $0.maximumWorkingBytes = 400_000 } == .tooLarge)
            #expect(code(of: data, maximumPixelSize: 50) { $0.maximumWorkingBytes = 4_000_000 } == nil)
        }

        @Test func aWindowOfTheDecompressorCountsAsMemory() {
            #expect(code(of: Picture.gradient(8, 8).png()) { $0.maximumWorkingBytes = 5_000 } == .tooLarge)
            #expect(code(of: Picture.gradient(8, 8).png()) { $0.maximumWorkingBytes = 0 } == .tooLarge)
        }

        @Test func aFileWithMoreBytesThanAllowedIsRefused() {
            let data = Picture.gradient(8, 8).png()
            #expect(code(of: data) { $0.maximumEncodedBytes = data.count - 1 } == .tooLarge)
            #expect(code(of: data) { $0.maximumEncodedBytes = data.count } == nil)
        }

        @Test func aJPEGWithMoreScansThanAllowedIsRefused() {
            let data = Picture.gradient(64, 64).jpeg(isProgressive: true)
            #expect(code(of: data) { $0.maximumScanCount = 3 } == .tooLarge)
            #expect(code(of: data) == nil)
        }

        /// The same scan again and again, each as much work as the whole picture.
        @Test func aJPEGThatRepeatsItsScansIsRefused() throws {
            let data = Picture.gradient(64, 64).jpeg(isProgressive: true)
            // The first scan has the averages of blocks, and can be read at any time.
            let start = try #require(data.firstRange(of: Data([0xFF, 0xDA]))).lowerBound
            let end = try #require(data[(start + 2)...].firstRange(of: Data([0xFF, 0xC4]))).lowerBound
            func repeated(_ times: Int) -> Data { data.prefix(end) + Data((0..<times).flatMap { _ in data[start..<end] }) + data.dropFirst(end) }
            #expect(code(of: repeated(10)) == nil)
            #expect(code(of: repeated(200)) == .tooLarge)
        }

        @Test(arguments: ["zTXt", "iCCP", "iTXt"]) func compressedChunksAreNotUnpacked(name: String) throws {
            let picture = Picture.gradient(4, 4)
            let zeros = compressedZeros(200 << 20)
            let head = name == "iTXt" ? Data("bomb\0\u{1}\0\0\0".utf8) : Data("bomb\0\0".utf8)
            let data = picture.png().insertingChunk(name, head + zeros)
            var limits = ImageLimits()
            limits.maximumWorkingBytes = 1 << 20
            #expect(Picture(try Bitmap(decoding: data, limits: limits)) == picture)
        }

        @Test func manyChunksTakeNoMemory() throws {
            let picture = Picture.gradient(4, 4)
            let text = Data.chunk("tEXt", Data("k\0v".utf8))
            let data = Data(picture.png().prefix(33)) + Data((0..<50_000).flatMap { _ in text }) + picture.png().dropFirst(33)
            var limits = ImageLimits()
            limits.maximumWorkingBytes = 1 << 20
            #expect(Picture(try Bitmap(decoding: data, limits: limits)) == picture)
        }
    }
#endif
