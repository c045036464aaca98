// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if Images && AVIF && os(Linux)
    import CHoardImagesTestSupport
    import Foundation
    import HoardImages
    import HoardTesting
    import Testing

    @Suite struct AVIFDecodingTests {
        @Test(arguments: [(1, 1), (23, 19), (64, 3)], [false, true]) func aLosslessOneIsExact(size: (Int, Int), hasAlpha: Bool) throws {
            var generator = SeededGenerator(seed: 3)
            let picture = Picture.noise(size.0, size.1, hasAlpha: hasAlpha, using: &generator)
            #expect(Picture(try Bitmap(decoding: encodedAVIF([picture], hasAlpha: hasAlpha))) == picture)
        }

        @Test(arguments: [8, 10, 12]) func aLossyOneIsClose(depth: Int) throws {
            let picture = Picture.gradient(67, 45)
            let bitmap = try Bitmap(decoding: encodedAVIF([picture], depth: depth, isLossless: false, hasAlpha: false))
            #expect(Picture(bitmap).greatestDifference(from: picture) <= 12)
        }

        @Test func aSmallerOneIsTheAverageOfAreas() throws {
            var generator = SeededGenerator(seed: 6)
            let picture = Picture.noise(40, 30, hasAlpha: true, using: &generator)
            let bitmap = try Bitmap(decoding: encodedAVIF([picture]), maximumPixelSize: 16)
            #expect(Picture(bitmap) == picture.scaled(to: 16, 12))
        }

        @Test(arguments: [0, 1, 2, 3], [nil, 0, 1] as [Int?]) func itIsTurnedAndMirroredAsItsPropertiesSay(turns: Int, mirror: Int?) throws {
            var generator = SeededGenerator(seed: 8)
            let picture = Picture.noise(14, 9, using: &generator)
            var expected = picture
            for _ in 0..<turns { expected = expected.turned() }
            if mirror == 0 { expected = expected.flipped() }
            if mirror == 1 { expected = expected.mirrored() }
            let data = encodedAVIF([picture], turns: turns, mirror: mirror)
            #expect(Picture(try Bitmap(decoding: data)) == expected)
            let small = try Bitmap(decoding: data, maximumPixelSize: 7)
            #expect((small.width, small.height) == (expected.width > expected.height ? (7, 5) : (5, 7)))
        }

        @Test func aSequenceHasAllItsFrames() throws {
            var generator = SeededGenerator(seed: 9)
            let pictures = (0..<5).map { _ in Picture.noise(24, 16, hasAlpha: true, using: &generator) }
            let image = try AnimatedImage(decoding: encodedAVIF(pictures, milliseconds: 70))
            #expect(image.frameCount == 5 && image.playCount == nil)
            for (index, picture) in pictures.enumerated() {
                let frame = try image.frame(at: index)
                #expect(Picture(frame.bitmap) == picture && frame.duration == .milliseconds(70), "frame \(index)")
            }
            #expect(Picture(try Bitmap(decoding: encodedAVIF(pictures))) == pictures[0])
        }

        @Test func limitsOfPixelsMemoryAndFramesAreKept() throws {
            let picture = Picture.gradient(300, 200)
            let data = encodedAVIF([picture, picture, picture], isLossless: false)
            for change in [
                { $0.maximumPixelCount = 59_999 }, { $0.maximumWorkingBytes = 1 << 20 }, { $0.maximumFrameCount = 2 },
            ] as [(inout ImageLimits) -> Void] {
                var limits = ImageLimits()
                change(&limits)
                #expect(#expect(throws: ImageError.self) { try Bitmap(decoding: data, limits: limits) }?.code == .tooLarge)
            }
        }

        /// The boxes say that the picture is small, its content that it is large: libavif would decode all of it and scale it down.
        @Test func aPictureThatIsLargerThanItsBoxesSayIsRefused() throws {
            let whole = encodedAVIF([Picture.gradient(1_200, 900)], isLossless: false, hasAlpha: false)
            let sides = try #require(whole.firstRange(of: Data("ispe".utf8))).upperBound + 4
            var small = whole
            small.replaceSubrange(sides..<sides + 8, with: Data.bigEndian(40, bytes: 4) + Data.bigEndian(30, bytes: 4))
            #expect(#expect(throws: ImageError.self) { try Bitmap(decoding: small) }?.code == .damaged)
            #expect(try Bitmap(decoding: whole).width == 1_200)
        }

        /// Each tile has a decoder of its own, of about 1 MiB.
        @Test func tilesCountAsMemoryHoweverTheLengthOfTheirListIsWritten() throws {
            let tiles = (0..<6).map { _ in Picture.gradient(64, 64) }
            let data = encodedAVIF(tiles, isLossless: false, hasAlpha: false, isGrid: true)
            for data in [data, data.wideningItemList()] {
                #expect(try Bitmap(decoding: data).width == 384)
                var limits = ImageLimits()
                limits.maximumWorkingBytes = 12 << 20
                #expect(#expect(throws: ImageError.self) { try Bitmap(decoding: data, limits: limits) }?.code == .tooLarge)
                limits.maximumWorkingBytes = 18 << 20
                #expect(throws: Never.self) { try Bitmap(decoding: data, limits: limits) }
            }
        }
    }
#endif
