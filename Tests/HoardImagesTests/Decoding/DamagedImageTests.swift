// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if Images && os(Linux)
    import CHoardImagesTestSupport
    import Foundation
    import HoardImages
    import HoardTesting
    import Testing

    @Suite struct DamagedImageTests {
        fileprivate static let kinds: [String: Data] = {
            var generator = SeededGenerator(seed: 7)
            let picture = Picture.noise(23, 19, hasAlpha: true, using: &generator)
            var kinds = [
                "png": picture.png(), "interlaced png": picture.png(isInterlaced: true),
                "jpeg": picture.jpeg(quality: 80, keepsColorDetail: false), "progressive jpeg": picture.jpeg(quality: 80, isProgressive: true),
                "gray png": encodedPNG(width: 16, height: 4, depth: 1, colorType: 0, rows: [1, 2, 3, 4, 5, 6, 7, 8]),
                "cmyk jpeg": encodedJPEG(width: 16, height: 16, components: 4, rows: (0..<16 * 16 * 4).map { UInt8(truncatingIfNeeded: $0) }),
            ]
            #if WebP
                kinds["webp"] = picture.webP()
                kinds["lossy webp"] = picture.webP(quality: 80)
                kinds["moving webp"] = encodedWebP(
                    width: 25,
                    height: 19,
                    frames: [.init(picture: picture), .init(x: 2, picture: picture, isDisposed: true)]
                )
            #endif
            #if GIF
                let indices = (0..<200).map { _ in UInt8.random(in: 0...255, using: &generator) }
                let palette = (0..<768).map { _ in UInt8.random(in: 0...255, using: &generator) }
                kinds["gif"] = encodedGIF(width: 20, height: 10, palette: palette, frames: [.init(width: 20, height: 10, indices: indices)])
                kinds["moving gif"] = encodedGIF(
                    width: 25,
                    height: 10,
                    palette: palette,
                    repeats: 2,
                    frames: (0..<4).map {
                        .init(x: $0, width: 20, height: 10, disposal: $0, transparent: 7, isInterlaced: $0 % 2 == 0, indices: indices)
                    }
                )
            #endif
            #if AVIF
                kinds["avif"] = encodedAVIF([picture])
                kinds["lossy avif"] = encodedAVIF([picture], depth: 10, isLossless: false)
                kinds["moving avif"] = encodedAVIF([picture, .gradient(23, 19)], hasAlpha: false)
            #endif
            return kinds
        }()

        @Test(arguments: kinds.keys.sorted()) func aFileThatEndsEarlyIsDamagedWhereverItEnds(kind: String) throws {
            let data = try #require(Self.kinds[kind])
            for length in 0..<data.count {
                for size in [nil, 5] {
                    let error = #expect(throws: ImageError.self) { try Bitmap(decoding: data.prefix(length), maximumPixelSize: size) }
                    #expect(error?.code == .damaged || (length < 12 && error?.code == .notAnImage), "\(length) bytes")
                }
            }
        }

        /// Any bytes give a bitmap of the announced size, or a typed error.
        @Test(arguments: kinds.keys.sorted()) func flippedAndMissingBytesNeverCrash(kind: String) throws {
            let seed = UInt64.random(in: .min ... .max)
            var generator = SeededGenerator(seed: seed)
            let data = try #require(Self.kinds[kind])
            var limits = ImageLimits()
            limits.maximumPixelCount = 1_000_000
            limits.maximumWorkingBytes = 16 << 20
            var decodedCount = 0
            // libavif's decoder takes ten times as long as the others to begin.
            let count = kind.contains("avif") ? 300 : 1_500
            for _ in 0..<count {
                var damaged = data
                for _ in 0..<Int.random(in: 1...6, using: &generator) {
                    let place = Int.random(in: 0..<damaged.count, using: &generator)
                    switch Int.random(in: 0..<4, using: &generator) {
                    case 0: damaged[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
                    case 1: damaged[place] = UInt8.random(in: 0...255, using: &generator)
                    case 2: damaged.insert(UInt8.random(in: 0...255, using: &generator), at: place)
                    default: damaged.remove(at: place)
                    }
                }
                let size = Bool.random(using: &generator) ? Int.random(in: 1...30, using: &generator) : nil
                guard let image = try? AnimatedImage(decoding: damaged, maximumPixelSize: size, limits: limits) else { continue }
                decodedCount += 1
                for index in 0..<image.frameCount {
                    guard let bitmap = try? image.frame(at: index).bitmap else { break }
                    #expect(bitmap.pixels.count == bitmap.width * bitmap.height * 4, "seed \(seed)")
                    if let size { #expect(max(bitmap.width, bitmap.height) <= size, "seed \(seed)") }
                }
            }
            #expect(decodedCount < count, "seed \(seed): nothing was ever found to be damaged")
        }

        /// Flips in which a checksum of PNG is made right again, so that they reach the decompressor and the filters.
        @Test func flippedPixelsWithRightChecksumsNeverCrash() throws {
            let seed = UInt64.random(in: .min ... .max)
            var generator = SeededGenerator(seed: seed)
            for kind in ["png", "interlaced png"] {
                let data = try #require(Self.kinds[kind])
                let start = try #require(data.firstRange(of: Data("IDAT".utf8))).upperBound
                let content = Data(data[start..<data.count - 16])
                for _ in 0..<1_000 {
                    var damaged = content
                    for _ in 0..<Int.random(in: 1...3, using: &generator) {
                        damaged[Int.random(in: 0..<damaged.count, using: &generator)] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
                    }
                    let file = Data(data.prefix(start - 8)) + Data.chunk("IDAT", damaged) + data.suffix(12)
                    if let bitmap = try? Bitmap(decoding: file, maximumPixelSize: 5) {
                        #expect(bitmap.pixels.count == bitmap.width * bitmap.height * 4, "seed \(seed)")
                    }
                }
            }
        }

        /// A file can be damaged so that nothing is missed, and yet parts of the picture are never written.
        @Test func whatAFileLeavesOutNeverShowsWhatLayInMemory() async {
            await #expect(processExitsWith: .success) {
                var generator = SeededGenerator(seed: 11)
                for (kind, data) in DamagedImageTests.kinds.sorted(by: { $0.key < $1.key }) {
                    for _ in 0..<(kind.contains("avif") ? 200 : 1_500) {
                        var damaged = data
                        for _ in 0..<Int.random(in: 1...3, using: &generator) {
                            damaged[Int.random(in: 2..<damaged.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
                        }
                        var limits = ImageLimits()
                        limits.maximumPixelCount = 100_000
                        let size = [nil, 3, 6, 12].randomElement(using: &generator) ?? nil
                        let results = [0x55, 0xAA].map { byte in
                            test_fill_new_memory(Int32(byte))
                            return try? Bitmap(decoding: damaged, maximumPixelSize: size, limits: limits).pixels
                        }
                        #expect(results[0] == results[1], "\(kind)")
                    }
                }
            }
        }

        @Test func bytesThatAreNoImageAreSaidToBeNone() {
            for data in [Data(), Data("<html>Not found</html>".utf8), Data(repeating: 0, count: 100), Data("\u{89}PNG".utf8)] {
                #expect(#expect(throws: ImageError.self) { try Bitmap(decoding: data) }?.code == .notAnImage)
            }
        }

        @Test func imagesOfOtherKindsAreUnsupportedByName() {
            let files = [
                "HEIF": Data("\0\0\0\u{18}ftypheic".utf8), "HEIF ": Data("\0\0\0\u{18}ftypmif1".utf8),
                "TIFF": Data([0x49, 0x49, 0x2A, 0x00]), "BMP": Data("BM".utf8) + Data(repeating: 0, count: 20),
            ]
            for (name, data) in files {
                let error = #expect(throws: ImageError.self) { try Bitmap(decoding: data) }
                #expect(error?.code == .unsupported)
                #expect(error?.message.contains(name.trimmingCharacters(in: .whitespaces)) == true)
            }
        }

        @Test func aMissingPictureIsDamage() {
            let png = Picture.gradient(4, 4).png()
            #expect(#expect(throws: ImageError.self) { try Bitmap(decoding: png.prefix(33) + Data.chunk("IEND", Data())) }?.code == .damaged)
            #expect(#expect(throws: ImageError.self) { try Bitmap(decoding: Data([0xFF, 0xD8, 0xFF, 0xD9])) }?.code == .damaged)
        }

        @Test func aCancelledTaskStopsDecoding() async {
            let data = Picture.gradient(64, 64).png()
            let gate = Gate()
            let task = Task {
                await gate.pass()
                return #expect(throws: ImageError.self) { try Bitmap(decoding: data) }?.code
            }
            task.cancel()
            gate.open()
            #expect(await task.value == .cancelled)
        }
    }
#endif
