// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if Images && os(Linux)
    import HoardImages
    import HoardTesting
    import Testing

    @Suite struct BitmapRoundingTests {
        /// How many of 16 × 16 samples of a pixel lie inside, in the plainest way. Lengths in 32ths of a pixel; the radius is half of `diameter`.
        private static func share(_ x: Int, _ y: Int, _ width: Int, _ height: Int, diameter: Int) -> Int {
            let radius = 16 * diameter
            func distance(_ position: Int, _ length: Int) -> Int { max(0, radius - position, position - (32 * length - radius)) }
            var count = 0
            for sampleY in 0..<16 {
                for sampleX in 0..<16 {
                    let across = distance(32 * x + 2 * sampleX + 1, width)
                    let down = distance(32 * y + 2 * sampleY + 1, height)
                    if across * across + down * down <= radius * radius { count += 1 }
                }
            }
            return count
        }

        private static func expected(_ picture: Picture, diameter: Int) -> Picture {
            Picture(width: picture.width, height: picture.height) { x, y in
                var pixel = picture[x, y]
                let share = share(x, y, picture.width, picture.height, diameter: diameter)
                guard share < 256 else { return pixel }
                pixel[3] = UInt8((Int(pixel[3]) * share + 128) / 256)
                return pixel[3] == 0 ? [0, 0, 0, 0] : pixel
            }
        }

        @Test(arguments: 0..<40) func everyPixelKeepsAsMuchAlphaAsLiesInside(round: Int) throws {
            let seed = UInt64.random(in: .min ... .max)
            var generator = SeededGenerator(seed: seed)
            let width = Int.random(in: 1...24, using: &generator)
            let height = Int.random(in: 1...24, using: &generator)
            let picture = Picture.noise(width, height, hasAlpha: round % 2 == 0, using: &generator)
            let radius = Int.random(in: 0...16, using: &generator)
            let rounded = try picture.bitmap().applying([.rounded(radius: radius)])
            #expect(
                Picture(rounded) == Self.expected(picture, diameter: min(2 * radius, width, height)),
                "seed \(seed), \(width) × \(height), radius \(radius)"
            )
        }

        @Test(arguments: [(1, 1, 1), (8, 8, 3), (9, 5, 2), (5, 9, 100), (7, 7, 4), (40, 1, 2), (31, 30, 15)])
        func cornersAreMirrorImages(width: Int, height: Int, radius: Int) throws {
            let plain = Picture(width: width, height: height) { _, _ in [10, 20, 30, 255] }
            let rounded = Picture(try plain.bitmap().applying([.rounded(radius: radius)]))
            #expect(rounded != plain)
            #expect(rounded == rounded.oriented(2))
            #expect(rounded == rounded.oriented(4))
            if width == height { #expect(rounded == rounded.oriented(5)) }
        }

        @Test(arguments: [1, 2, 3, 10, 11, 64, 301]) func aCircleHasTheAreaOfACircle(side: Int) throws {
            let circle = try Picture(width: side, height: side) { _, _ in [9, 9, 9, 255] }.bitmap().applying([.circle])
            var area = 0.0
            for y in 0..<side { for x in 0..<side { area += Double(circle[x, y].alpha) / 255 } }
            let expected = Double.pi * Double(side * side) / 4
            // Only the pixels on the edge are sampled, so that the error grows with its length.
            #expect(abs(area - expected) <= 0.01 * Double.pi * Double(side), "\(area) instead of \(expected)")
        }

        @Test func aCircleIsCutFromTheMiddle() throws {
            let picture = Picture.gradient(40, 21)
            let circle = Picture(try picture.bitmap().applying([.circle]))
            let square = Picture(width: 21, height: 21) { x, y in picture[x + 9, y] }
            #expect(circle == Self.expected(square, diameter: 21))
            #expect(circle[0, 0] == [0, 0, 0, 0])
            #expect(circle[10, 10] == picture[19, 10])
        }

        @Test(arguments: [0, -1, .min]) func withoutARadiusNothingChanges(radius: Int) throws {
            let bitmap = try Picture.gradient(4, 3).bitmap()
            #expect(try bitmap.applying([.rounded(radius: radius)]) == bitmap)
        }

        @Test func theLargestRadiusIsHalfOfTheShorterSide() throws {
            let bitmap = try Picture.gradient(12, 7).bitmap()
            let largest = try bitmap.applying([.rounded(radius: 4)])
            #expect(try bitmap.applying([.rounded(radius: .max)]) == largest)
            #expect(try bitmap.applying([.rounded(radius: 3)]) != largest)
        }
    }
#endif
