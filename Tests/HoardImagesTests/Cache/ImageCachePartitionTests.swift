// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if Images && os(Linux)
    import Foundation
    import HTTPTypes
    import Hoard
    import HoardHTTP
    import HoardImages
    import HoardTesting
    import NIOCore
    import Testing

    @Suite struct ImageCachePartitionTests {
        private let url = ImageOrigin.url("/photo")
        private let data = Picture.gradient(40, 20).png()

        @Test func usersNeverShareAnImage() async throws {
            let origin = ImageOrigin(["/photo": .fresh(data)])
            for user in ["anna", "ben", "anna", "ben"] { _ = try await origin.images.image(for: url, options: .init(partition: user)) }
            #expect(origin.requestCount == 2)
            #expect(origin.images.statistics.count == 2)
        }

        @Test func aRemovedPartitionLeavesNothingAndTheOthersStay() async throws {
            let store = MemoryStore()
            let origin = ImageOrigin(["/photo": .fresh(data)], stores: [store])
            for user in ["anna", "ben"] {
                _ = try await origin.images.image(for: url, options: .init(partition: user))
                try await origin.images.store(data, forKey: "avatar", partition: user)
                _ = try await origin.images.image(forKey: "avatar", options: .init(partition: user))
            }
            #expect(origin.images.statistics.count == 4)
            await origin.images.removePartition("anna")
            #expect(origin.images.statistics.count == 2)
            #expect(try await origin.images.image(forKey: "avatar", options: .init(partition: "anna")) == nil)
            #expect(await origin.images.original(forKey: "avatar", partition: "anna") == nil)
            #expect(try await origin.images.image(forKey: "avatar", options: .init(partition: "ben")) != nil)
            let before = origin.requestCount
            _ = try await origin.images.image(for: url, options: .init(partition: "ben"))
            #expect(origin.requestCount == before)
            _ = try await origin.images.image(for: url, options: .init(partition: "anna"))
            #expect(origin.requestCount == before + 1)
        }

        @Test func whatIsUnderWayWhenAPartitionIsRemovedIsNotKept() async throws {
            let origin = ImageOrigin(["/photo": .fresh(data)])
            let hold = origin.transport.hold()
            let photo = url
            let early = Task { try await origin.images.image(for: photo, options: .init(partition: "anna")) }
            await hold.arrivals(1)
            await origin.images.removePartition("anna")
            #expect(origin.images.statistics.count == 0)
            let late = Task { try await origin.images.image(for: photo, options: .init(partition: "anna")) }
            await hold.arrivals(2)
            hold.release()
            #expect(try await early.value.width == 40)
            #expect(try await late.value.width == 40)
            #expect(origin.requestCount == 2)
            #expect(origin.images.statistics.count == 1)
            await origin.images.removePartition("anna")
            #expect(origin.images.statistics.count == 0)
        }

        @Test(arguments: ["image", "partition", "everything", "bitmaps"]) func aBitmapThatWasBeingMadeWhenItWasRemovedIsNotKept(scope: String)
            async throws
        {
            let origin = ImageOrigin(["/photo": .fresh(data)])
            let hold = origin.transport.hold()
            let photo = url
            let early = Task { try await origin.images.image(for: photo, options: .init(partition: "anna")) }
            await hold.arrivals(1)
            switch scope {
            case "image": await origin.images.removeImage(for: url, partition: "anna")
            case "partition": await origin.images.removePartition("anna")
            case "everything": await origin.images.removeAll()
            default: origin.images.removeDecodedImages()
            }
            hold.release()
            #expect(try await early.value.width == 40)
            #expect(origin.images.statistics.decodes == 1)
            #expect(origin.images.statistics.count == 0)
        }

        @Test func thePartitionOfTheConfigurationIsTheDefault() async throws {
            var configuration = ImageCache.Configuration()
            configuration.partition = "anna"
            let images = ImageCache(configuration: configuration)
            try await images.store(data, forKey: "avatar")
            #expect(await images.original(forKey: "avatar", partition: "anna") == data)
            #expect(await images.original(forKey: "avatar", partition: "") == nil)
            await images.removePartition("anna")
            #expect(try await images.image(forKey: "avatar") == nil)
        }

        @Test func thePartitionOfTheHTTPCacheIsTheDefaultOfURLs() async throws {
            let answer = data
            let transport = FakeTransport { _ in
                .response(.init(status: .ok, headerFields: [.cacheControl: "max-age=60"]), body: .init(.init(bytes: answer)))
            }
            var configuration = HTTPCache.Configuration()
            configuration.partition = "anna"
            let images = ImageCache(client: CachingClient(transport: transport, cache: HTTPCache(configuration: configuration)))
            _ = try await images.image(for: url)
            _ = try await images.image(for: url, options: .init(partition: "anna"))
            #expect(transport.requests.count == 1)
            _ = try await images.image(for: url, options: .init(partition: ""))
            #expect(transport.requests.count == 2)
            await images.removePartition("anna")
            #expect(images.statistics.count == 1)
            _ = try await images.image(for: url, options: .init(partition: ""))
            #expect(transport.requests.count == 2)
            await images.removeImage(for: url, partition: "")
            #expect(images.statistics.count == 0)
        }

        @Test func keysAndPartitionsAreNeverMistakenForEachOther() async throws {
            let store = MemoryStore()
            let images = ImageCache(stores: [store])
            try await images.store(data, forKey: "b", partition: "a")
            for (key, partition) in [("ab", ""), ("b", ""), ("", "ab"), ("a", "b"), ("1:ab", ""), ("\0b", "a")] {
                #expect(await images.original(forKey: key, partition: partition) == nil)
            }
        }

        @Test func whatIsKeptInMemoryOnlyNeverReachesAStore() async throws {
            let store = MemoryStore()
            let images = ImageCache(stores: [store])
            try await images.store(data, forKey: "passport")
            #expect(try await store.statistics().count == 1)
            let secret = Picture.gradient(10, 10).png()
            try await images.store(secret, forKey: "passport", keepsInMemoryOnly: true)
            #expect(await images.original(forKey: "passport") == secret)
            // Another cache over the same store sees neither this one nor the older one.
            #expect(await ImageCache(stores: [store]).original(forKey: "passport") == nil)
        }

        /// Swift holds both spellings to be equal.
        @Test func namesWithOtherBytesAreOtherNames() async throws {
            let (composed, decomposed) = ("Zo\u{EB}", "Zoe\u{308}")
            let store = MemoryStore()
            let origin = ImageOrigin(["/photo": .fresh(data)], stores: [store])
            try await origin.images.store(data, forKey: "avatar", partition: composed)
            #expect(try await origin.images.image(forKey: "avatar", options: .init(partition: composed)) != nil)
            #expect(try await origin.images.image(forKey: "avatar", options: .init(partition: decomposed)) == nil)
            #expect(await origin.images.original(forKey: "avatar", partition: decomposed) == nil)
            for partition in [composed, decomposed] { _ = try await origin.images.image(for: url, options: .init(partition: partition)) }
            #expect(origin.requestCount == 2)

            try await origin.images.store(data, forKey: composed)
            #expect(try await origin.images.image(forKey: decomposed) == nil)
            await origin.images.removeImage(forKey: decomposed)
            #expect(await origin.images.original(forKey: composed) == data)
            await origin.images.removeImage(forKey: composed)
            #expect(await ImageCache(stores: [store]).original(forKey: composed) == nil)
        }
    }
#endif
