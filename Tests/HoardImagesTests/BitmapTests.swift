// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if Images && os(Linux)
    import Foundation
    import Hoard
    import HoardDisk
    import HoardImages
    import HoardTesting
    import Testing

    @Suite struct BitmapTests {
        @Test func aBitmapHasTheBytesOfItsPixels() throws {
            let bitmap = try #require(Bitmap(width: 2, height: 1, pixels: [1, 2, 3, 4, 5, 6, 7, 8]))
            #expect(bitmap.bytesPerRow == 8)
            #expect(bitmap.byteCount == 8)
            #expect(bitmap[1, 0] == Bitmap.Pixel(red: 5, green: 6, blue: 7, alpha: 8))
            #expect(bitmap.original == nil)
        }

        @Test(arguments: [(0, 1, 0), (1, 0, 0), (-1, -1, 4), (2, 2, 15), (1, 1, 5), (Int.max, Int.max, 4), (Int.max, 2, 0)])
        func aBitmapOfOtherBytesIsNone(width: Int, height: Int, count: Int) {
            #expect(Bitmap(width: width, height: height, pixels: Array(repeating: 0, count: count)) == nil)
        }

        @Test func pixelsOutsideAreAProgrammersError() async {
            await #expect(processExitsWith: .failure) {
                _ = Bitmap(width: 1, height: 1, pixels: [0, 0, 0, 0])?[0, 1]
            }
        }

        @Test func theOriginalIsTheFormForStorage() throws {
            for data in [Picture.gradient(30, 20).jpeg(quality: 40), Picture.gradient(30, 20).png()] {
                let bitmap = try Bitmap.decode(data)
                #expect(try bitmap.encode() == data)
                #expect(bitmap.byteCount == 30 * 20 * 4 + data.count)
                #expect(try Bitmap(decoding: data, maximumPixelSize: 4).encode() == data)
            }
        }

        /// A loss at each storing would have added up to a large one.
        @Test func aJPEGThatIsStoredAHundredTimesLosesNothing() throws {
            let data = Picture.gradient(30, 20).jpeg(quality: 40)
            var stored = data
            for _ in 0..<100 { stored = try Bitmap.decode(stored).encode() }
            #expect(stored == data)
        }

        @Test func aBitmapWithoutAnOriginalIsWrittenWithEveryPixel() throws {
            var generator = SeededGenerator(seed: 5)
            let picture = Picture.noise(31, 17, hasAlpha: true, using: &generator)
            let bitmap = try #require(Bitmap(width: 31, height: 17, pixels: picture.pixels))
            let decoded = try Bitmap.decode(try bitmap.encode())
            #expect(Picture(decoded) == picture)
            let scaled = try Bitmap(decoding: picture.png(), maximumPixelSize: 10, keepsOriginal: false)
            #expect(Picture(try Bitmap.decode(try scaled.encode())) == Picture(scaled))
        }

        @Test func bitmapsSurviveARestartOnDiskAsTheBytesTheyCameFrom() async throws {
            let directory = FileManager.default.temporaryDirectory.appending(component: "bitmaps-\(UUID().uuidString)")
            defer { try? FileManager.default.removeItem(at: directory) }
            let data = Picture.gradient(40, 30).jpeg(quality: 60)
            for isFirst in [true, false] {
                let disk = try DiskStore(configuration: .init(directory: directory.path))
                let bitmaps = TieredCache<String, Bitmap>(configuration: .init(maximumCount: 10), stores: [disk], codec: .cachable)
                if isFirst { await bitmaps.insert(try Bitmap.decode(data), forKey: "photo") }
                #expect(await bitmaps.value(forKey: "photo")?.original == data)
                await bitmaps.close()
            }
        }

        @Test func damageInAStoreIsAMiss() async throws {
            let store = MemoryStore()
            let bitmaps = TieredCache<String, Bitmap>(configuration: .init(maximumCount: 10), stores: [store], codec: .cachable)
            await bitmaps.insert(try Bitmap.decode(Picture.gradient(4, 4).png()), forKey: "photo")
            var record = try #require(try await store.record(forKey: "photo"))
            record.payload = record.payload.dropLast(20)
            try await store.insert(record, forKey: "photo")
            let others = TieredCache<String, Bitmap>(configuration: .init(maximumCount: 10), stores: [store], codec: .cachable)
            #expect(await others.value(forKey: "photo") == nil)
        }
    }
#endif
