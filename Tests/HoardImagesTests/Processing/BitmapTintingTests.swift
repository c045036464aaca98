// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if Images && os(Linux)
    import HoardImages
    import HoardTesting
    import Testing

    @Suite struct BitmapTintingTests {
        @Test func anOpaqueColourReplacesTheColoursAndKeepsTheAlpha() throws {
            var generator = SeededGenerator(seed: 7)
            let icon = Picture.noise(9, 6, hasAlpha: true, using: &generator)
            let tinted = Picture(try icon.bitmap().applying([.tinted(red: 1, green: 2, blue: 3)]))
            let expected = Picture(width: 9, height: 6) { x, y in
                let pixel = icon[x, y]
                return pixel[3] == 0 ? pixel : [1, 2, 3, pixel[3]]
            }
            #expect(tinted == expected)
        }

        @Test func aColourIsMixedInByItsAlpha() throws {
            let seed = UInt64.random(in: .min ... .max)
            var generator = SeededGenerator(seed: seed)
            for _ in 0..<50 {
                let picture = Picture.noise(4, 4, hasAlpha: true, using: &generator)
                let colour = (0..<4).map { _ in UInt8.random(in: 0...255, using: &generator) }
                let pixel = Bitmap.Pixel(red: colour[0], green: colour[1], blue: colour[2], alpha: colour[3])
                let tinted = Picture(try picture.bitmap().applying([.tinted(pixel)]))
                let share = Double(colour[3]) / 255
                let expected = Picture(width: 4, height: 4) { x, y in
                    let own = picture[x, y]
                    guard own[3] > 0 else { return own }
                    return (0..<3).map { UInt8((Double(own[$0]) * (1 - share) + Double(colour[$0]) * share).rounded()) } + [own[3]]
                }
                #expect(tinted == expected, "seed \(seed)")
            }
        }

        @Test func transparentPixelsStayAsTheyAre() throws {
            let picture = Picture(width: 2, height: 1) { x, _ in [40, 50, 60, x == 0 ? 0 : 1] }
            let tinted = Picture(try picture.bitmap().applying([.tinted(red: 255, green: 0, blue: 0)]))
            #expect(tinted.pixels == [40, 50, 60, 0, 255, 0, 0, 1])
        }

        @Test func aTransparentColourChangesNothing() throws {
            let bitmap = try Picture.gradient(4, 3).bitmap()
            #expect(try bitmap.applying([.tinted(red: 255, green: 0, blue: 0, alpha: 0)]) == bitmap)
        }
    }
#endif
