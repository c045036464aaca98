// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if Images && os(Linux)
    import Foundation
    import HoardImages
    import HoardTesting
    import Testing

    @Suite struct PNGDecodingTests {
        /// Packs samples of 1, 2, 4, 8 or 16 bits into rows as PNG has them.
        private func packed(_ samples: [Int], perRow: Int, depth: Int) -> [UInt8] {
            stride(from: 0, to: samples.count, by: perRow).flatMap { start -> [UInt8] in
                let row = samples[start..<start + perRow]
                if depth == 16 { return row.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] } }
                var bytes = [UInt8](repeating: 0, count: (perRow * depth + 7) / 8)
                for (index, sample) in row.enumerated() {
                    let bit = index * depth
                    bytes[bit / 8] |= UInt8(sample << (8 - depth - bit % 8))
                }
                return bytes
            }
        }

        /// A sample of so many bits as one of 8.
        private func widened(_ sample: Int, depth: Int) -> UInt8 {
            let maximum = (1 << depth) - 1
            return UInt8((sample * 255 + maximum / 2) / maximum)
        }

        @Test(arguments: [1, 2, 4, 8, 16], [false, true]) func grayOfEveryDepthIsWidenedToEightBits(depth: Int, isInterlaced: Bool) throws {
            let seed = UInt64.random(in: .min ... .max)
            var generator = SeededGenerator(seed: seed)
            let (width, height) = (13, 11)
            let samples = (0..<width * height).map { _ in Int.random(in: 0..<1 << depth, using: &generator) }
            let rows = packed(samples, perRow: width, depth: depth)
            let data = encodedPNG(width: width, height: height, depth: depth, colorType: 0, isInterlaced: isInterlaced, rows: rows)
            let expected = Picture(width: width, height: height) { x, y in
                let gray = widened(samples[y * width + x], depth: depth)
                return [gray, gray, gray, 255]
            }
            #expect(Picture(try Bitmap(decoding: data)) == expected, "seed \(seed)")
        }

        @Test(arguments: [1, 2, 4, 8], [false, true]) func palettesOfEveryDepthAreLookedUpWithTheirAlpha(depth: Int, isInterlaced: Bool) throws {
            let seed = UInt64.random(in: .min ... .max)
            var generator = SeededGenerator(seed: seed)
            let (width, height, count) = (21, 9, 1 << depth)
            let palette = (0..<count * 3).map { _ in UInt8.random(in: 0...255, using: &generator) }
            let alpha = (0..<count / 2).map { _ in UInt8.random(in: 0...255, using: &generator) }
            let indices = (0..<width * height).map { _ in Int.random(in: 0..<count, using: &generator) }
            let data = encodedPNG(
                width: width,
                height: height,
                depth: depth,
                colorType: 3,
                isInterlaced: isInterlaced,
                palette: palette,
                paletteAlpha: alpha,
                rows: packed(indices, perRow: width, depth: depth)
            )
            let expected = Picture(width: width, height: height) { x, y in
                let index = indices[y * width + x]
                return Array(palette[index * 3..<index * 3 + 3]) + [index < alpha.count ? alpha[index] : 255]
            }
            #expect(Picture(try Bitmap(decoding: data)) == expected, "seed \(seed)")
        }

        @Test(arguments: [(2, 3), (4, 2), (6, 4)], [8, 16]) func coloursAndAlphaOfBothDepthsAreRead(kind: (colorType: Int, channels: Int), depth: Int)
            throws
        {
            let seed = UInt64.random(in: .min ... .max)
            var generator = SeededGenerator(seed: seed)
            let (width, height) = (17, 5)
            let samples = (0..<width * height * kind.channels).map { _ in Int.random(in: 0..<1 << depth, using: &generator) }
            let rows = packed(samples, perRow: width * kind.channels, depth: depth)
            let data = encodedPNG(width: width, height: height, depth: depth, colorType: kind.colorType, rows: rows)
            let expected = Picture(width: width, height: height) { x, y in
                let start = (y * width + x) * kind.channels
                let pixel = samples[start..<start + kind.channels].map { widened($0, depth: depth) }
                return switch kind.channels {
                case 2: [pixel[0], pixel[0], pixel[0], pixel[1]]
                case 3: pixel + [255]
                default: pixel
                }
            }
            #expect(Picture(try Bitmap(decoding: data)) == expected, "seed \(seed)")
        }

        @Test func aTransparentColourHasNoAlpha() throws {
            let data = encodedPNG(width: 2, height: 1, depth: 8, colorType: 2, transparent: [1, 2, 3], rows: [1, 2, 3, 4, 5, 6])
            let bitmap = try Bitmap(decoding: data)
            #expect(bitmap[0, 0].alpha == 0)
            #expect(bitmap[1, 0] == Bitmap.Pixel(red: 4, green: 5, blue: 6))
        }

        @Test func aTransparentGrayHasNoAlpha() throws {
            let data = encodedPNG(width: 2, height: 1, depth: 8, colorType: 0, transparent: [9], rows: [9, 8])
            let bitmap = try Bitmap(decoding: data)
            #expect(bitmap[0, 0].alpha == 0)
            #expect(bitmap[1, 0] == Bitmap.Pixel(red: 8, green: 8, blue: 8))
        }

        /// Few columns or rows leave some of the seven passes empty.
        @Test(arguments: 1...9, 1...9) func interlacedPicturesOfEverySmallSizeAreWhole(width: Int, height: Int) throws {
            var generator = SeededGenerator(seed: UInt64(width * 100 + height))
            let picture = Picture.noise(width, height, hasAlpha: true, using: &generator)
            #expect(Picture(try Bitmap(decoding: picture.png(isInterlaced: true))) == picture)
        }

        @Test func chunksThatDoNotChangeThePixelsAreSkipped() throws {
            let picture = Picture.gradient(6, 4)
            let data = picture.png()
                .insertingChunk("tEXt", Data("Title\0a picture".utf8))
                .insertingChunk("gAMA", .bigEndian(45_455, bytes: 4))
                .insertingChunk("prVt", Data(repeating: 7, count: 100))
            #expect(Picture(try Bitmap(decoding: data)) == picture)
        }
    }
#endif
