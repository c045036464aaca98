// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if Images && os(Linux)
    import Foundation
    import HoardImages
    import HoardTesting
    import Testing

    @Suite struct ScalingTests {
        @Test(arguments: 0..<60) func everyPixelIsTheExactAverageOfTheAreaItCovers(round: Int) throws {
            let seed = UInt64.random(in: .min ... .max)
            var generator = SeededGenerator(seed: seed)
            let picture = Picture.noise(
                Int.random(in: 1...40, using: &generator),
                Int.random(in: 1...40, using: &generator),
                hasAlpha: round % 2 == 0,
                using: &generator
            )
            let size = Int.random(in: 1...max(picture.width, picture.height), using: &generator)
            let bitmap = try Bitmap(decoding: picture.png(), maximumPixelSize: size)
            #expect(Picture(bitmap) == picture.scaled(to: bitmap.width, bitmap.height), "seed \(seed)")
            #expect(max(bitmap.width, bitmap.height) == size, "seed \(seed)")
        }

        /// Both ways of scaling an interlaced picture: by sums if the destination is small, by the whole picture if it is not.
        @Test(arguments: 0..<60) func interlacedPicturesAreScaledToTheSamePixels(round: Int) throws {
            let seed = UInt64.random(in: .min ... .max)
            var generator = SeededGenerator(seed: seed)
            let picture = Picture.noise(
                Int.random(in: 1...40, using: &generator),
                Int.random(in: 1...40, using: &generator),
                hasAlpha: true,
                using: &generator
            )
            let longer = max(picture.width, picture.height)
            let size = Int.random(in: 1...(round % 2 == 0 ? max(1, longer / 4) : longer), using: &generator)
            let scaled = try Bitmap(decoding: picture.png(isInterlaced: true), maximumPixelSize: size)
            #expect(Picture(scaled) == picture.scaled(to: scaled.width, scaled.height), "seed \(seed)")
        }

        @Test(arguments: [
            (400, 300, 100, 100, 75), (300, 400, 100, 75, 100), (1000, 1, 10, 10, 1), (3, 3, 100, 3, 3), (8, 8, 8, 8, 8), (7, 3, 0, 1, 1),
            (9, 5, -4, 1, 1),
        ])
        func theLongerSideGetsTheLengthThatIsEnough(width: Int, height: Int, maximum: Int, expectedWidth: Int, expectedHeight: Int) throws {
            let bitmap = try Bitmap(decoding: Picture.gradient(width, height).png(), maximumPixelSize: maximum)
            #expect(bitmap.width == expectedWidth)
            #expect(bitmap.height == expectedHeight)
        }

        @Test func transparentPixelsDoNotColourTheirNeighbours() throws {
            let picture = Picture(width: 2, height: 1) { x, _ in x == 0 ? [200, 100, 50, 255] : [0, 255, 0, 0] }
            let bitmap = try Bitmap(decoding: picture.png(), maximumPixelSize: 1)
            #expect(bitmap[0, 0] == Bitmap.Pixel(red: 200, green: 100, blue: 50, alpha: 128))
        }

        /// Every scale of the cosine transform, and sizes in between.
        @Test(arguments: [1, 5, 10, 16, 20, 30, 40, 50, 60, 79, 80], [false, true]) func aScaledJPEGIsCloseToTheAverage(
            size: Int,
            isProgressive: Bool
        ) throws {
            let picture = Picture.gradient(80, 64)
            let bitmap = try Bitmap(decoding: picture.jpeg(isProgressive: isProgressive), maximumPixelSize: size)
            #expect(max(bitmap.width, bitmap.height) == size)
            #expect(Picture(bitmap).greatestDifference(from: picture.scaled(to: bitmap.width, bitmap.height)) <= 6)
        }
    }
#endif
