// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if Images && os(Linux)
    import HoardImages
    import HoardTesting
    import Testing

    @Suite struct BitmapScalingTests {
        private static func randomSide(using generator: inout SeededGenerator) -> Int {
            Int.random(in: 0..<4, using: &generator) == 0 ? 1 : Int.random(in: 1...40, using: &generator)
        }

        @Test(arguments: 0..<60) func everyPixelIsTheExactAverageOfTheAreaItCovers(round: Int) throws {
            let seed = UInt64.random(in: .min ... .max)
            var generator = SeededGenerator(seed: seed)
            let picture = Picture.noise(
                Self.randomSide(using: &generator),
                Self.randomSide(using: &generator),
                hasAlpha: round % 2 == 0,
                using: &generator
            )
            let (width, height) = (Self.randomSide(using: &generator), Self.randomSide(using: &generator))
            let fitted = try picture.bitmap().applying([.fitted(width: width, height: height)])
            #expect(Picture(fitted) == picture.scaled(to: fitted.width, fitted.height), "seed \(seed)")
            #expect(fitted.width <= max(1, width) && fitted.height <= max(1, height), "seed \(seed)")
            #expect(
                fitted.width == min(width, picture.width) || fitted.height == min(height, picture.height),
                "seed \(seed): neither side is as long as it may be"
            )
        }

        @Test(arguments: 0..<60) func aFilledBoxIsTheMiddleOfThePictureThatCoversIt(round: Int) throws {
            let seed = UInt64.random(in: .min ... .max)
            var generator = SeededGenerator(seed: seed)
            let picture = Picture.noise(
                Self.randomSide(using: &generator),
                Self.randomSide(using: &generator),
                hasAlpha: round % 2 == 0,
                using: &generator
            )
            let width = Int.random(in: 1...picture.width, using: &generator)
            let height = Int.random(in: 1...picture.height, using: &generator)
            let filled = try picture.bitmap().applying([.filled(width: width, height: height)])
            #expect(filled.width == width && filled.height == height, "seed \(seed)")

            let scale = max(Double(width) / Double(picture.width), Double(height) / Double(picture.height))
            let covering = picture.scaled(
                to: Int((Double(picture.width) * scale + 1e-9).rounded()),
                Int((Double(picture.height) * scale + 1e-9).rounded())
            )
            let (left, top) = ((covering.width - width) / 2, (covering.height - height) / 2)
            let expected = Picture(width: width, height: height) { x, y in covering[left + x, top + y] }
            #expect(Picture(filled) == expected, "seed \(seed)")
        }

        @Test(arguments: [
            (400, 300, 100, 100, 100, 75), (300, 400, 100, 100, 75, 100), (400, 300, 1000, 30, 40, 30), (1000, 1, 10, 10, 10, 1),
            (3, 3, 100, 100, 3, 3), (7, 3, 0, -5, 1, 1), (5, 4, .max, 2, 3, 2), (5, 4, .max, .max, 5, 4), (1, 1, 1, 1, 1, 1),
        ])
        func aFittedPictureKeepsItsProportions(
            width: Int,
            height: Int,
            boxWidth: Int,
            boxHeight: Int,
            expectedWidth: Int,
            expectedHeight: Int
        ) throws {
            let bitmap = try Picture.gradient(width, height).bitmap().applying([.fitted(width: boxWidth, height: boxHeight)])
            #expect(bitmap.width == expectedWidth)
            #expect(bitmap.height == expectedHeight)
        }

        @Test(arguments: [
            (400, 300, 100, 100, 100, 100), (400, 300, 40, 300, 40, 300), (100, 50, 200, 10, 100, 5), (100, 50, 10, 200, 3, 50),
            (3, 3, 100, 100, 3, 3), (30, 20, 100, 100, 20, 20), (7, 3, 0, -5, 1, 1), (50, 40, .max, 1, 50, 1),
            (50, 40, 1, .max, 1, 40), (50, 40, .max, .max, 40, 40), (1, 1, 3, 2, 1, 1), (2, 2, .max, .max, 2, 2),
        ])
        func aFilledPictureHasTheProportionsOfTheBox(
            width: Int,
            height: Int,
            boxWidth: Int,
            boxHeight: Int,
            expectedWidth: Int,
            expectedHeight: Int
        ) throws {
            let bitmap = try Picture.gradient(width, height).bitmap().applying([.filled(width: boxWidth, height: boxHeight)])
            #expect(bitmap.width == expectedWidth)
            #expect(bitmap.height == expectedHeight)
        }

        @Test func transparentPixelsDoNotColourTheirNeighbours() throws {
            let picture = Picture(width: 2, height: 1) { x, _ in x == 0 ? [200, 100, 50, 255] : [0, 255, 0, 0] }
            let bitmap = try picture.bitmap().applying([.fitted(width: 1, height: 1)])
            #expect(bitmap[0, 0] == Bitmap.Pixel(red: 200, green: 100, blue: 50, alpha: 128))
        }

        @Test func aPictureThatFitsKeepsItsPixelsEvenWhereNothingIsSeen() throws {
            let bitmap = try Picture(width: 2, height: 2) { x, y in [UInt8(x), UInt8(y), 9, 0] }.bitmap()
            #expect(try bitmap.applying([.fitted(width: 2, height: 2), .filled(width: 2, height: 2)]) == bitmap)
        }
    }
#endif
