// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if Images && os(Linux)
    import Foundation
    import HoardImages
    import HoardTesting
    import Testing

    @testable import HoardImages

    @Suite struct OrientationTests {
        @Test(arguments: 1...8, [false, true]) func aJPEGIsTurnedAsItAsks(orientation: Int, isBigEndian: Bool) throws {
            let picture = Picture.gradient(24, 8)
            let exif = Data("Exif\0\0".utf8) + Data.exif(orientation: orientation, isBigEndian: isBigEndian)
            let bitmap = try Bitmap(decoding: picture.jpeg().insertingSegment(0xE1, exif))
            #expect(Picture(bitmap).greatestDifference(from: picture.oriented(orientation)) <= 6)
        }

        @Test(arguments: 1...8, [false, true]) func aPNGIsTurnedAsItAsks(orientation: Int, isInterlaced: Bool) throws {
            var generator = SeededGenerator(seed: UInt64(orientation))
            let picture = Picture.noise(11, 6, hasAlpha: true, using: &generator)
            let data = picture.png(isInterlaced: isInterlaced).insertingChunk("eXIf", .exif(orientation: orientation))
            #expect(Picture(try Bitmap(decoding: data)) == picture.oriented(orientation))
            for size in [3, 7] {
                let scaled = try Bitmap(decoding: data, maximumPixelSize: size)
                let upright = try Bitmap(decoding: picture.png(), maximumPixelSize: size)
                #expect(Picture(scaled) == Picture(upright).oriented(orientation))
            }
        }

        #if WebP
            @Test(arguments: 1...8, [false, true]) func aWebPIsTurnedAsItAsks(orientation: Int, hasPrefix: Bool) throws {
                var generator = SeededGenerator(seed: UInt64(orientation))
                let picture = Picture.noise(11, 6, hasAlpha: true, using: &generator)
                let exif = (hasPrefix ? Data("Exif\0\0".utf8) : Data()) + Data.exif(orientation: orientation, isBigEndian: hasPrefix)
                let data = picture.webP().appendingRIFFChunk("EXIF", exif, width: 11, height: 6)
                #expect(Picture(try Bitmap(decoding: data)) == picture.oriented(orientation))
            }
        #endif

        @Test func otherSegmentsBeforeTheOrientationArePassedOver() throws {
            let exif = Data("Exif\0\0".utf8) + Data.exif(orientation: 6)
            let data = Picture.gradient(24, 8).jpeg()
                .insertingSegment(0xE1, exif)
                .insertingSegment(0xE1, Data("http://ns.adobe.com/xap/1.0/\0<x/>".utf8))
                .insertingSegment(0xFE, Data("a comment".utf8))
            #expect(try Bitmap(decoding: data).width == 8)
        }

        @Test(arguments: [0, 9, 65_535]) func orientationsThatDoNotExistAreIgnored(orientation: Int) throws {
            let exif = Data("Exif\0\0".utf8) + Data.exif(orientation: orientation)
            #expect(try Bitmap(decoding: Picture.gradient(24, 8).jpeg().insertingSegment(0xE1, exif)).width == 24)
        }

        @Test func damagedDirectoriesAreIgnored() {
            let seed = UInt64.random(in: .min ... .max)
            var generator = SeededGenerator(seed: seed)
            let file = Data([0xFF, 0xD8, 0xFF, 0xE1, 0, 60]) + Data("Exif\0\0".utf8) + Data.exif(orientation: 6)
            for _ in 0..<5_000 {
                var damaged = file
                for _ in 0..<Int.random(in: 1...4, using: &generator) {
                    damaged[Int.random(in: 0..<damaged.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
                }
                damaged = damaged.prefix(Int.random(in: 0...damaged.count, using: &generator))
                for format in [ImageFormat.jpeg, .png, .webP] {
                    let value = damaged.withUnsafeBytes { Orientation(of: format, ByteReader($0)) }.value
                    #expect((1...8).contains(value), "seed \(seed)")
                }
            }
        }

        @Test func whatLiesOutsideTheBytesIsNotRead() {
            [UInt8](1...5).withUnsafeBytes { bytes in
                let reader = ByteReader(bytes)
                #expect(reader.byte(at: 4) == 5)
                #expect(reader.byte(at: 5) == nil)
                #expect(reader.byte(at: -1) == nil)
                #expect(reader.uint16(at: 3) == 0x0405)
                #expect(reader.uint16(at: 3, isBigEndian: false) == 0x0504)
                #expect(reader.uint16(at: 4) == nil)
                #expect(reader.uint32(at: 1) == 0x0203_0405)
                #expect(reader.uint32(at: 1, isBigEndian: false) == 0x0504_0302)
                #expect(reader.uint32(at: 2) == nil)
                #expect(reader.uint32(at: .max) == nil)
                #expect(!reader.has([5, 6], at: 4))
            }
        }
    }
#endif
