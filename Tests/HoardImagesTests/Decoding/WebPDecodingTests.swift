// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if Images && WebP && os(Linux)
    import CHoardImagesTestSupport
    import Foundation
    import HoardImages
    import HoardTesting
    import Testing

    @Suite struct WebPDecodingTests {
        @Test(arguments: [(1, 1), (23, 19), (64, 3)], [false, true]) func aLosslessOneIsExact(size: (Int, Int), hasAlpha: Bool) throws {
            var generator = SeededGenerator(seed: 3)
            let picture = Picture.noise(size.0, size.1, hasAlpha: hasAlpha, using: &generator)
            #expect(Picture(try Bitmap(decoding: picture.webP())) == picture)
        }

        @Test func aLossyOneIsClose() throws {
            let picture = Picture.gradient(67, 45)
            #expect(Picture(try Bitmap(decoding: picture.webP(quality: 95))).greatestDifference(from: picture) <= 12)
        }

        @Test(arguments: [nil, 90] as [Float?]) func aSmallerOneIsTheAverageOfAreas(quality: Float?) throws {
            let picture = Picture.gradient(80, 60)
            let bitmap = try Bitmap(decoding: picture.webP(quality: quality), maximumPixelSize: 20)
            #expect((bitmap.width, bitmap.height) == (20, 15))
            #expect(Picture(bitmap).greatestDifference(from: picture.scaled(to: 20, 15)) <= 14)
        }

        @Test func coloursOfTransparentPixelsDoNotCount() throws {
            // Black stripes, and between them a white that is not seen.
            let picture = Picture(width: 80, height: 60) { x, _ in x % 2 == 0 ? [0, 0, 0, 255] : [255, 255, 255, 0] }
            let bitmap = try Bitmap(decoding: picture.webP(quality: 100), maximumPixelSize: 20)
            #expect(stride(from: 0, to: bitmap.pixels.count, by: 4).allSatisfy { bitmap.pixels[$0] < 60 })
        }

        @Test func limitsOfPixelsAndMemoryAreKept() throws {
            let data = Picture.gradient(300, 200).webP()
            var limits = ImageLimits()
            limits.maximumPixelCount = 59_999
            #expect(#expect(throws: ImageError.self) { try Bitmap(decoding: data, limits: limits) }?.code == .tooLarge)
            limits = ImageLimits()
            limits.maximumWorkingBytes = 1 << 20
            #expect(#expect(throws: ImageError.self) { try Bitmap(decoding: data, limits: limits) }?.code == .tooLarge)
        }

        /// Frames lie over each other as a plain canvas says.
        @Test func framesAreTheWholePictureEachTime() throws {
            let seed = UInt64.random(in: .min ... .max)
            var generator = SeededGenerator(seed: seed)
            for _ in 0..<20 {
                let frames = (0..<Int.random(in: 1...6, using: &generator)).map { _ in
                    let (width, height) = (Int.random(in: 1...20, using: &generator), Int.random(in: 1...15, using: &generator))
                    return WebPFrame(
                        x: Int.random(in: 0...(24 - width) / 2, using: &generator) * 2,
                        y: Int.random(in: 0...(18 - height) / 2, using: &generator) * 2,
                        picture: Picture.noise(width, height, hasAlpha: Bool.random(using: &generator), using: &generator),
                        milliseconds: Int.random(in: 0...300, using: &generator),
                        isDisposed: Bool.random(using: &generator)
                    )
                }
                let image = try AnimatedImage(decoding: encodedWebP(width: 24, height: 18, plays: 3, frames: frames))
                #expect(image.frameCount == frames.count && image.playCount == 3, "seed \(seed)")
                var canvas = Picture(width: 24, height: 18) { _, _ in [0, 0, 0, 0] }
                for (index, frame) in frames.enumerated() {
                    if index > 0, frames[index - 1].isDisposed { canvas.draw(nil, frames[index - 1]) }
                    canvas.draw(frame.picture, frame)
                    let shown = try image.frame(at: index)
                    #expect(Picture(shown.bitmap).looksLike(canvas), "seed \(seed), frame \(index)")
                    #expect(shown.duration == .milliseconds(frame.milliseconds > 10 ? frame.milliseconds : 100))
                }
            }
        }
    }

    extension Picture {
        /// Puts a picture, or nothing, into a frame's place.
        fileprivate mutating func draw(_ picture: Picture?, _ frame: WebPFrame) {
            for y in 0..<frame.picture.height {
                for x in 0..<frame.picture.width {
                    let start = ((frame.y + y) * width + frame.x + x) * 4
                    pixels.replaceSubrange(start..<start + 4, with: picture?[x, y] ?? [0, 0, 0, 0])
                }
            }
        }

        /// Whether both are the same but for the colours of pixels that are not seen.
        fileprivate func looksLike(_ other: Picture) -> Bool {
            guard width == other.width, height == other.height else { return false }
            return (0..<width * height).allSatisfy { index in
                let (own, others) = (pixels[index * 4..<index * 4 + 4], other.pixels[index * 4..<index * 4 + 4])
                return own == others || (own.last == 0 && others.last == 0)
            }
        }
    }
#endif
