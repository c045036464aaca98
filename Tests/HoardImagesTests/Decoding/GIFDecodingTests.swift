// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if Images && GIF && os(Linux)
    import CHoardImagesTestSupport
    import Foundation
    import HoardImages
    import HoardTesting
    import Testing

    @Suite struct GIFDecodingTests {
        private static func noise(_ count: Int, using generator: inout SeededGenerator) -> [UInt8] {
            (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
        }

        @Test(arguments: [(1, 1), (23, 19), (3, 64)], [false, true]) func aStillOneIsExact(size: (Int, Int), isInterlaced: Bool) throws {
            var generator = SeededGenerator(seed: 4)
            let palette = Self.noise(768, using: &generator)
            let indices = Self.noise(size.0 * size.1, using: &generator)
            let frame = GIFFrame(width: size.0, height: size.1, transparent: 9, isInterlaced: isInterlaced, indices: indices)
            let bitmap = try Bitmap(decoding: encodedGIF(width: size.0, height: size.1, palette: palette, frames: [frame]))
            let expected = Picture(width: size.0, height: size.1) { x, y in
                let index = Int(indices[y * size.0 + x])
                return index == 9 ? [0, 0, 0, 0] : Array(palette[index * 3..<index * 3 + 3]) + [255]
            }
            #expect(Picture(bitmap) == expected)
        }

        @Test func aSmallerOneIsTheAverageOfAreas() throws {
            var generator = SeededGenerator(seed: 5)
            let data = encodedGIF(
                width: 40,
                height: 30,
                palette: Self.noise(768, using: &generator),
                frames: [.init(width: 40, height: 30, transparent: 9, indices: Self.noise(1_200, using: &generator))]
            )
            let bitmap = try Bitmap(decoding: data, maximumPixelSize: 16)
            #expect(Picture(bitmap) == Picture(try Bitmap(decoding: data)).scaled(to: 16, 12))
        }

        /// Frames lie over each other, and are taken away, as a plain canvas says.
        @Test func framesAreTheWholePictureEachTime() throws {
            let seed = UInt64.random(in: .min ... .max)
            var generator = SeededGenerator(seed: seed)
            for _ in 0..<60 {
                let palette = Self.noise(768, using: &generator)
                let frames = (0..<Int.random(in: 1...8, using: &generator)).map { _ in
                    let (width, height) = (Int.random(in: 1...24, using: &generator), Int.random(in: 1...24, using: &generator))
                    return GIFFrame(
                        // Some frames lie outside the screen in part, or altogether.
                        x: Int.random(in: 0...22, using: &generator),
                        y: Int.random(in: 0...16, using: &generator),
                        width: width,
                        height: height,
                        delay: Int.random(in: 0...20, using: &generator),
                        disposal: Int.random(in: 0...3, using: &generator),
                        transparent: Bool.random(using: &generator) ? UInt8.random(in: 0...255, using: &generator) : nil,
                        isInterlaced: Bool.random(using: &generator),
                        indices: (0..<width * height).map { _ in UInt8.random(in: 0...5, using: &generator) }
                    )
                }
                let image = try AnimatedImage(decoding: encodedGIF(width: 20, height: 15, palette: palette, repeats: 4, frames: frames))
                #expect(image.frameCount == frames.count && image.playCount == 5, "seed \(seed)")
                var canvas = GIFCanvas(width: 20, height: 15, palette: palette)
                for (index, frame) in frames.enumerated() {
                    canvas.show(frame)
                    let shown = try image.frame(at: index)
                    #expect(Picture(shown.bitmap) == canvas.picture, "seed \(seed), frame \(index)")
                    #expect(shown.duration == .milliseconds(frame.delay > 1 ? frame.delay * 10 : 100))
                }
            }
        }

        @Test(arguments: [(nil, 1), (0, nil), (1, 2), (65_535, 65_536)] as [(Int?, Int?)]) func roundsAreThoseOfTheFile(repeats: Int?, plays: Int?)
            throws
        {
            let data = encodedGIF(
                width: 1,
                height: 1,
                palette: .init(repeating: 1, count: 768),
                repeats: repeats,
                frames: [.init(width: 1, height: 1, indices: [1]), .init(width: 1, height: 1, indices: [2])]
            )
            #expect(try AnimatedImage(decoding: data).playCount == plays)
        }

        @Test func limitsOfPixelsMemoryAndFramesAreKept() throws {
            let frame = GIFFrame(width: 300, height: 200, indices: .init(repeating: 1, count: 60_000))
            let data = encodedGIF(width: 300, height: 200, palette: .init(repeating: 1, count: 768), frames: [frame, frame, frame])
            for change in [
                { $0.maximumPixelCount = 59_999 }, { $0.maximumWorkingBytes = 400_000 }, { $0.maximumFrameCount = 2 },
            ] as [(inout ImageLimits) -> Void] {
                var limits = ImageLimits()
                change(&limits)
                #expect(#expect(throws: ImageError.self) { try Bitmap(decoding: data, limits: limits) }?.code == .tooLarge)
            }
        }

        /// The screen is small, and a frame is not.
        @Test func aFrameBeyondTheLimitOfPixelsIsRefused() throws {
            let frame = GIFFrame(width: 300, height: 200, indices: .init(repeating: 1, count: 60_000))
            let data = encodedGIF(width: 1, height: 1, palette: .init(repeating: 1, count: 768), frames: [frame])
            #expect(try Bitmap(decoding: data).width == 1)
            var limits = ImageLimits()
            limits.maximumPixelCount = 59_999
            #expect(#expect(throws: ImageError.self) { try Bitmap(decoding: data, limits: limits) }?.code == .tooLarge)
        }

        @Test func aFileWithoutAPictureIsDamaged() {
            let header = Data("GIF89a".utf8) + Data([4, 0, 4, 0, 0, 0, 0])
            for data in [Data("GIF89a".utf8), header, header + Data([0x3B]), header + Data([0x21, 0xFE, 1, 65, 0, 0x3B])] {
                #expect(#expect(throws: ImageError.self) { try Bitmap(decoding: data) }?.code == .damaged)
            }
        }
    }

    /// The plainest way to show a GIF.
    private struct GIFCanvas {
        let palette: [UInt8]
        var picture: Picture
        var saved: Picture
        var last: GIFFrame?

        init(width: Int, height: Int, palette: [UInt8]) {
            self.palette = palette
            picture = Picture(width: width, height: height) { _, _ in [0, 0, 0, 0] }
            saved = picture
        }

        mutating func show(_ frame: GIFFrame) {
            if let last, last.disposal == 2 { change(last) { _ in [0, 0, 0, 0] } }
            if let last, last.disposal == 3 { picture = saved }
            saved = picture
            let palette = palette
            change(frame) { $0 == frame.transparent ? nil : Array(palette[Int($0) * 3..<Int($0) * 3 + 3]) + [255] }
            last = frame
        }

        private mutating func change(_ frame: GIFFrame, _ pixel: (UInt8) -> [UInt8]?) {
            for y in 0..<frame.height where frame.y + y < picture.height {
                for x in 0..<frame.width where frame.x + x < picture.width {
                    let start = ((frame.y + y) * picture.width + frame.x + x) * 4
                    if let pixel = pixel(frame.indices[y * frame.width + x]) { picture.pixels.replaceSubrange(start..<start + 4, with: pixel) }
                }
            }
        }
    }
#endif
