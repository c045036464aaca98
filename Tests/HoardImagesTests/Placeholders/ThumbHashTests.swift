// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import Testing

@testable import HoardImages

@Suite struct ThumbHashTests {
    private func bitmap(_ width: Int, _ height: Int, _ pixel: (_ x: Int, _ y: Int) -> [Int]) throws -> Bitmap {
        let pixels = (0..<height).flatMap { y in (0..<width).flatMap { x in pixel(x, y).map { UInt8($0) } } }
        return try #require(Bitmap(width: width, height: height, pixels: pixels))
    }

    private func pattern(_ width: Int, _ height: Int, hasAlpha: Bool) throws -> Bitmap {
        try bitmap(width, height) { x, y in
            let alpha = hasAlpha ? (x * y * 13 + x * 31 + 40) % 256 : 255
            return [(x * 37 + y * 59 + x * y * 11) % 256, (x * x * 3 + y * 23) % 256, (x * 5 + y * y * 7 + 90) % 256, alpha]
        }
    }

    private func gradient(_ width: Int, _ height: Int) throws -> Bitmap {
        try bitmap(width, height) { x, y in
            let blue = 220 - (x * x + y * y) * 200 / (width * width + height * height)
            return [20 + x * 200 / width, 30 + y * 150 / height + x * 50 / width, blue, 255]
        }
    }

    private func uniform(_ width: Int, _ height: Int, _ pixel: [Int]) throws -> Bitmap {
        try bitmap(width, height) { _, _ in pixel }
    }

    /// The greatest difference of any channel.
    private func difference(_ first: Bitmap, _ second: Bitmap) -> Int {
        guard (first.width, first.height) == (second.width, second.height) else { return 255 }
        return zip(first.pixels, second.pixels).map { abs(Int($0) - Int($1)) }.max() ?? 0
    }

    // The hashes are those of thumbhash-python 1.0.1 and of fast-thumbhash 1.0.0 (both on PyPI) for the same pixels. No coefficient lies near the middle between
    // two levels, as many do in smooth pictures, where the last bit of a cosine decides.

    @Test(arguments: [
        (20, 30, "4AcCDQJghEeUlWmysEY0g/zQg3+9"), (32, 32, "4PcBDwBDlYZXZHa3afZBy2NT6Qt2Ds8A"), (45, 20, "4AcCE4IYVoeXWHoJ9DlFj8w="),
        (9, 47, "4AcCCQKmQYVlalYHS/u2ePs="),
    ])
    func aPatternHasTheHashThatOtherProgramsGiveIt(width: Int, height: Int, text: String) throws {
        #expect(ThumbHash(try pattern(width, height, hasAlpha: false)).base64EncodedString == text)
    }

    @Test(arguments: [
        (20, 30, "oAeCCwIHgGeUq3Lo8od/myADmLWkeXI="), (32, 32, "oPeBBQAHBYqEM+bswJug95A9MFaIZ3Z7hQ=="),
        (45, 20, "3/eBCoAHCnTDO8TyaJRPbwRSlLlnhGk="), (9, 47, "4AeCAQIX1GR09mNb85+6/gEhlnmIh3g="),
    ])
    func aPatternWithAlphaHasTheHashThatOtherProgramsGiveIt(width: Int, height: Int, text: String) throws {
        #expect(ThumbHash(try pattern(width, height, hasAlpha: true)).base64EncodedString == text)
    }

    /// The pixels are those that thumbhash-python 1.0.1 gives for the same hash: the first, the one right below the middle, the last.
    @Test(arguments: [
        ("4eYJVRBwd4eIaHd3iHd3d4FwCfeH", 23, 32, [[0, 17, 214, 255], [113, 129, 179, 255], [209, 226, 45, 255]]),
        ("4fYFc5BSd3dwd3h4kIUI+Ig=", 32, 14, [[39, 27, 211, 255], [111, 131, 182, 255], [224, 211, 19, 255]]),
        ("4PcBDwBDlYZXZHa3afZBy2NT6Qt2Ds8A", 32, 32, [[126, 130, 132, 255], [125, 129, 135, 255], [127, 131, 130, 255]]),
        ("oAeCCwIHgGeUq3Lo8od/myADmLWkeXI=", 19, 32, [[140, 119, 130, 119], [119, 127, 143, 119], [144, 123, 121, 119]]),
    ])
    func aHashIsDecodedAsOtherProgramsDecodeIt(text: String, width: Int, height: Int, pixels: [[UInt8]]) throws {
        let picture = try #require(ThumbHash(base64Encoded: text)).bitmap()
        #expect((picture.width, picture.height) == (width, height))
        let places = [(0, 0), (width / 2, height / 2), (width - 1, height - 1)]
        for ((x, y), expected) in zip(places, pixels) {
            let pixel = picture[x, y]
            for (value, other) in zip([pixel.red, pixel.green, pixel.blue, pixel.alpha], expected) { #expect(abs(Int(value) - Int(other)) <= 1) }
        }
    }

    @Test(arguments: [[0, 0, 0], [255, 255, 255], [200, 30, 90], [12, 240, 0], [0, 0, 255]], [(40, 40), (1, 1), (7, 7), (300, 21), (1, 500)])
    func aUniformPictureIsThatColour(color: [Int], size: (Int, Int)) throws {
        let hash = ThumbHash(try uniform(size.0, size.1, color + [255]))
        let average = hash.averageColor
        // The averages have 6 bits each.
        for (value, expected) in zip([average.red, average.green, average.blue], color) { #expect(abs(Int(value) - expected) <= 8) }
        #expect(average.alpha == 255)
        #expect(!hash.hasAlpha)
        // The format measures waves on shorter sides that these cannot have.
        guard min(size.0, size.1) >= 7 else { return }
        let picture = hash.bitmap()
        for y in 0..<picture.height {
            for x in 0..<picture.width where picture[x, y] != average { Issue.record("The pixel \(x), \(y) is \(picture[x, y]), not \(average).") }
        }
    }

    @Test(arguments: [(40, 40, 1.0), (70, 20, 3.5), (30, 70, 3.0 / 7), (700, 100, 7.0), (1, 1_000, 1.0 / 7), (1_000, 1, 7.0), (1, 1, 1.0)])
    func theAspectRatioIsAboutThePictures(width: Int, height: Int, ratio: Double) throws {
        let hash = ThumbHash(try uniform(width, height, [9, 99, 199, 255]))
        #expect(hash.approximateAspectRatio == ratio)
        let picture = hash.bitmap(maximumPixelSize: 70)
        #expect(max(picture.width, picture.height) == 70)
        #expect(abs(Double(picture.width) - min(70, 70 * ratio)) <= 0.5)
    }

    @Test(arguments: [(Int.min, 1), (0, 1), (1, 1), (32, 32), (256, 256), (Int.max, 256)])
    func theSizeOfThePictureIsLimited(asked: Int, longer: Int) throws {
        let picture = ThumbHash(try gradient(70, 10)).bitmap(maximumPixelSize: asked)
        #expect((picture.width, picture.height) == (longer, max(1, (longer + 3) / 7)))
    }

    @Test func aTransparentPictureStaysTransparent() throws {
        let hash = ThumbHash(try uniform(20, 10, [255, 0, 0, 0]))
        #expect(hash.hasAlpha)
        #expect(hash.averageColor.alpha == 0)
        #expect(hash.bitmap().pixels.enumerated().allSatisfy { $0.offset % 4 != 3 || $0.element == 0 })
        #expect(hash == ThumbHash(try uniform(20, 10, [0, 255, 9, 0])))
    }

    @Test func transparentPixelsDoNotColourTheOthers() throws {
        let hash = ThumbHash(try bitmap(300, 200) { x, _ in x < 150 ? [250, 250, 250, 255] : [0, 0, 0, 0] })
        let picture = hash.bitmap()
        #expect(picture[4, 10].alpha > 220)
        #expect(picture[27, 10].alpha < 35)
        #expect(picture[4, 10].red > 240)
        #expect(picture[27, 10].red > 240)
    }

    @Test(arguments: [(32, 32), (64, 64), (450, 200), (90, 470)])
    func aGradientIsCloseToThePictureScaledDown(width: Int, height: Int) throws {
        let picture = try gradient(width, height)
        let decoded = ThumbHash(picture).bitmap()
        #expect(difference(decoded, picture.scaled(to: decoded.size)) <= 48)
    }

    @Test func base64IsReadWithAndWithoutPadding() throws {
        for hasAlpha in [false, true] {
            for (width, height) in [(10, 10), (10, 20), (20, 10), (10, 30), (10, 70)] {
                let hash = ThumbHash(try pattern(width, height, hasAlpha: hasAlpha))
                let text = hash.base64EncodedString
                #expect(ThumbHash(base64Encoded: text) == hash)
                #expect(ThumbHash(text) == hash)
                #expect(String(hash) == text)
                #expect(ThumbHash(base64Encoded: String(text.prefix { $0 != "=" })) == hash)
                #expect(ThumbHash(bytes: hash.bytes) == hash)
                #expect(ThumbHash(bytes: hash.bytes + [0]) == nil)
                for length in 0..<hash.bytes.count { #expect(ThumbHash(bytes: Array(hash.bytes.prefix(length))) == nil) }
            }
        }
        for text in ["", "=", "no hash", "3OcRJYB4d3h", "äöü€"] { #expect(ThumbHash(base64Encoded: text) == nil) }
    }

    @Test func aShapeWithoutWavesIsNone() throws {
        var bytes = ThumbHash(try pattern(30, 20, hasAlpha: false)).bytes
        bytes[3] &= ~7
        #expect(ThumbHashLayout(header: bytes) == nil)
        for count in 0..<40 { #expect(ThumbHash(bytes: Array(bytes.prefix(5)) + Array(repeating: 0, count: count)) == nil) }
    }

    @Test func randomBytesAreRefusedOrDecoded() throws {
        let seed = UInt64.random(in: .min ... .max)
        print("randomBytesAreRefusedOrDecoded: seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        var decodedCount = 0
        for number in 0..<20_000 {
            var bytes = (0..<Int.random(in: 0...40, using: &generator)).map { _ in UInt8.random(in: 0...255, using: &generator) }
            // Half of them have the length that they announce.
            if number.isMultiple(of: 2), let layout = ThumbHashLayout(header: bytes) {
                bytes = (0..<layout.byteCount).map { $0 < bytes.count ? bytes[$0] : UInt8.random(in: 0...255, using: &generator) }
            }
            guard let hash = ThumbHash(bytes: bytes) else { continue }
            decodedCount += 1
            let size = number % 500 == 0 ? 256 : Int.random(in: 1...8, using: &generator)
            let picture = hash.bitmap(maximumPixelSize: size)
            #expect(max(picture.width, picture.height) == size, "seed \(seed)")
            #expect(picture.pixels.count == picture.width * picture.height * 4, "seed \(seed)")
            #expect((1.0 / 7...7).contains(hash.approximateAspectRatio), "seed \(seed)")
            _ = hash.averageColor
            #expect(hash.hasAlpha || picture.pixels.enumerated().allSatisfy { $0.offset % 4 != 3 || $0.element == 255 }, "seed \(seed)")
        }
        #expect(decodedCount > 5_000, "seed \(seed)")
    }
}
