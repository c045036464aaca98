// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if Images && os(Linux)
    import Foundation
    import Hoard
    import HoardDisk
    import HoardImages
    import HoardTesting
    import Testing

    @Suite struct ImageCacheStoringTests {
        private let data = Picture.gradient(40, 20).jpeg(quality: 70)

        @Test func theBytesThatWereStoredComeBackAsTheyWere() async throws {
            let images = ImageCache(stores: [MemoryStore()])
            try await images.store(data, forKey: "photo")
            #expect(await images.original(forKey: "photo") == data)
            #expect(try await images.image(forKey: "photo")?.width == 40)
            #expect(try await images.image(forKey: "photo", options: .init(maximumPixelSize: 10))?.width == 10)
            #expect(try await images.image(forKey: "other") == nil)
        }

        @Test func originalsSurviveARestart() async throws {
            let directory = FileManager.default.temporaryDirectory.appending(component: "images-\(UUID().uuidString)")
            defer { try? FileManager.default.removeItem(at: directory) }
            for isFirst in [true, false] {
                let disk = try DiskStore(configuration: .init(directory: directory.path))
                let images = ImageCache(stores: [disk])
                if isFirst { try await images.store(data, forKey: "photo") }
                #expect(await images.original(forKey: "photo") == data)
                #expect(try await images.image(forKey: "photo")?.height == 20)
                await disk.close()
            }
        }

        @Test func aBitmapIsStoredAsTheBytesItCameFrom() async throws {
            let images = ImageCache()
            try await images.store(try Bitmap(decoding: data), forKey: "photo")
            #expect(await images.original(forKey: "photo") == data)
            let drawn = try #require(Bitmap(width: 1, height: 1, pixels: [1, 2, 3, 4]))
            try await images.store(drawn, forKey: "dot")
            #expect(try await images.image(forKey: "dot") == drawn)
        }

        @Test func aSecondReadDecodesNothing() async throws {
            let images = ImageCache(stores: [MemoryStore()])
            try await images.store(data, forKey: "photo")
            for _ in 0..<3 { _ = try await images.image(forKey: "photo") }
            #expect(images.statistics.decodes == 1)
            #expect(images.statistics.memoryHits == 2)
            images.removeDecodedImages()
            #expect(images.statistics.count == 0)
            #expect(try await images.image(forKey: "photo") != nil)
            #expect(images.statistics.decodes == 2)
        }

        @Test func aNewOriginalReplacesTheBitmapsOfTheOldOne() async throws {
            let images = ImageCache()
            try await images.store(data, forKey: "photo")
            #expect(try await images.image(forKey: "photo")?.width == 40)
            try await images.store(Picture.gradient(30, 20).png(), forKey: "photo")
            #expect(images.statistics.count == 0)
            #expect(try await images.image(forKey: "photo")?.width == 30)
        }

        @Test func aRemovedImageIsGoneInAllSizesAndTiers() async throws {
            let store = MemoryStore()
            let images = ImageCache(stores: [store])
            try await images.store(data, forKey: "photo")
            try await images.store(data, forKey: "other")
            for size in [nil, 10, 20] as [Int?] { _ = try await images.image(forKey: "photo", options: .init(maximumPixelSize: size)) }
            _ = try await images.image(forKey: "other")
            await images.removeImage(forKey: "photo")
            #expect(images.statistics.count == 1)
            #expect(try await images.image(forKey: "photo") == nil)
            #expect(await ImageCache(stores: [store]).original(forKey: "photo") == nil)
            #expect(await images.original(forKey: "other") == data)
            await images.removeAll()
            #expect(images.statistics.count == 0)
            #expect(try await images.image(forKey: "other") == nil)
        }

        @Test func removingTheImageOfAURLLeavesOtherURLs() async throws {
            let origin = ImageOrigin(["/a": .fresh(data), "/b": .fresh(data)])
            for path in ["/a", "/b"] { _ = try await origin.images.image(for: ImageOrigin.url(path)) }
            await origin.images.removeImage(for: ImageOrigin.url("/a"))
            #expect(origin.images.statistics.count == 1)
            for path in ["/a", "/b"] { _ = try await origin.images.image(for: ImageOrigin.url(path)) }
            #expect(origin.requestCount == 3)
        }

        @Test func originalsExpireIfTheyAreToldTo() async throws {
            let time = ManualTicker()
            let images = ImageCache(stores: [MemoryStore(clock: time)], clock: time, ticker: time)
            try await images.store(data, forKey: "photo", expiresAfter: .seconds(60))
            #expect(try await images.image(forKey: "photo") != nil)
            time.advance(by: .seconds(61))
            #expect(try await images.image(forKey: "photo") == nil)
        }

        @Test func anyKeyIsSafeAndOneThatIsTooLongIsRefused() async throws {
            let images = ImageCache(stores: [MemoryStore()])
            for key in ["", "../../etc/passwd", "\0", "🦔", String(repeating: "k", count: 60_000)] {
                try await images.store(data, forKey: key)
                #expect(await images.original(forKey: key) == data)
            }
            let tooLong = String(repeating: "k", count: 70_000)
            #expect(await #expect(throws: ImageError.self) { try await images.store(data, forKey: tooLong) }?.code == .keyTooLong)
            #expect(try await images.image(forKey: tooLong) == nil)
        }

        @Test func anOriginalWithMoreBytesThanAllowedIsNotStored() async throws {
            var configuration = ImageCache.Configuration()
            configuration.limits.maximumEncodedBytes = data.count - 1
            let images = ImageCache(configuration: configuration)
            #expect(await #expect(throws: ImageError.self) { try await images.store(data, forKey: "photo") }?.code == .tooLarge)
            #expect(await images.original(forKey: "photo") == nil)
        }

        @Test func bytesThatAreNoImageAreKeptAndSaidToBeNoneWhenTheyAreWanted() async throws {
            let images = ImageCache()
            try await images.store(Data("text".utf8), forKey: "note")
            #expect(await images.original(forKey: "note") == Data("text".utf8))
            #expect(await #expect(throws: ImageError.self) { try await images.image(forKey: "note") }?.code == .notAnImage)
        }

        @Test func aStoreThatFailsDoesNotFailTheCaller() async throws {
            let store = FaultyStore(MemoryStore())
            for operation in FaultyStore.Operation.all { store.fail(operation) }
            let images = ImageCache(stores: [store])
            try await images.store(data, forKey: "photo")
            #expect(try await images.image(forKey: "photo")?.width == 40)
        }

        @Test func recordsOfOtherCachesInTheSameStoreStay() async throws {
            let store = MemoryStore()
            let names = TieredCache<String, String>(
                name: "names",
                configuration: .init(maximumCount: 10),
                stores: StoreStack([store]),
                codec: .string
            )
            await names.insert("Anna", forKey: "1")
            let images = ImageCache(stores: [store])
            try await images.store(data, forKey: "1")
            await images.removeAll()
            let others = TieredCache<String, String>(
                name: "names",
                configuration: .init(maximumCount: 10),
                stores: StoreStack([store]),
                codec: .string
            )
            #expect(await others.value(forKey: "1") == "Anna")
        }
    }
#endif
