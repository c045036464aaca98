// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if Images && os(Linux)
    import Foundation
    import HTTPTypes
    import Hoard
    import HoardHTTP
    import HoardImages
    import HoardTesting
    import Testing

    @Suite struct ImageCachePlaceholderTests {
        private let url = ImageOrigin.url("/photo")
        private let data = Picture.gradient(40, 20).png()
        private let other = Picture(width: 20, height: 40) { x, _ in x < 10 ? [255, 0, 0, 255] : [0, 0, 255, 255] }.png()

        private var configuration: ImageCache.Configuration {
            var configuration = ImageCache.Configuration()
            configuration.keepsPlaceholders = true
            return configuration
        }

        private func hash(of data: Data, maximumPixelSize: Int? = nil) throws -> ThumbHash {
            ThumbHash(try Bitmap(decoding: data, maximumPixelSize: maximumPixelSize))
        }

        @Test func anImageThatWasDecodedHasAPlaceholder() async throws {
            let origin = ImageOrigin(["/photo": .fresh(data)], configuration: configuration)
            #expect(await origin.images.placeholder(for: url) == nil)
            _ = try await origin.images.image(for: url)
            #expect(origin.images.memoryPlaceholder(for: url) == (try hash(of: data)))
            #expect(await origin.images.placeholder(for: url) == (try hash(of: data)))
            try await origin.images.store(other, forKey: "avatar")
            _ = try await origin.images.image(forKey: "avatar")
            #expect(origin.images.memoryPlaceholder(forKey: "avatar") == (try hash(of: other)))
            #expect(await origin.images.placeholder(forKey: "avatar") == (try hash(of: other)))
            #expect(origin.images.memoryPlaceholder(for: "avatar") == nil)
        }

        @Test func withoutTheOptionThereIsNone() async throws {
            let store = MemoryStore()
            let origin = ImageOrigin(["/photo": .fresh(data)], stores: [store])
            _ = try await origin.images.image(for: url)
            await origin.flush()
            #expect(await origin.images.placeholder(for: url) == nil)
            #expect(try await store.derivedRecords().isEmpty)
        }

        @Test func aPlaceholderOutlivesTheProcessAndTheOriginal() async throws {
            let store = MemoryStore()
            let first = ImageOrigin(["/photo": .fresh(data)], stores: [store], configuration: configuration)
            _ = try await first.images.image(for: url)
            await first.flush()
            _ = await first.cache.remove(url)
            let second = ImageOrigin(stores: [store], configuration: configuration)
            #expect(second.images.memoryPlaceholder(for: url) == nil)
            #expect(await second.images.placeholder(for: url) == (try hash(of: data)))
            #expect(second.images.memoryPlaceholder(for: url) == (try hash(of: data)))
            #expect(second.requestCount == 0)
        }

        @Test func itIsMadeOnceForEachOriginal() async throws {
            let store = FaultyStore(MemoryStore())
            let images = ImageCache(stores: [store], configuration: configuration)
            try await images.store(data, forKey: "photo")
            _ = try await images.image(forKey: "photo", options: .init(maximumPixelSize: 4))
            await images.flush()
            func writes() -> Int { store.callCount(.insert) + store.callCount(.insertMany) }
            let before = writes()
            _ = try await images.image(forKey: "photo")
            await images.flush()
            let later = ImageCache(stores: [store], configuration: configuration)
            _ = try await later.image(forKey: "photo")
            await later.flush()
            #expect(later.statistics.decodes == 1)
            #expect(writes() == before)
            #expect(later.memoryPlaceholder(forKey: "photo") == (try hash(of: data, maximumPixelSize: 4)))
        }

        @Test func aNewOriginalReplacesThePlaceholder() async throws {
            let store = MemoryStore()
            let origin = ImageOrigin(["/photo": .revalidated(data, tag: "1")], stores: [store], configuration: configuration)
            _ = try await origin.images.image(for: url)
            origin.serve(.revalidated(other, tag: "2"), at: "/photo")
            #expect(origin.images.memoryPlaceholder(for: url) == (try hash(of: data)))
            _ = try await origin.images.image(for: url)
            #expect(origin.images.memoryPlaceholder(for: url) == (try hash(of: other)))
            await origin.flush()
            #expect(await ImageCache(stores: [store]).placeholder(for: url) == (try hash(of: other)))
            #expect(try await store.derivedRecords().count == 1)
        }

        @Test func anOriginalThatMustNotBeStoredHasNone() async throws {
            let store = MemoryStore()
            let origin = ImageOrigin(
                ["/photo": .init(data: data, fields: [.cacheControl: "no-store"])],
                stores: [store],
                configuration: configuration
            )
            _ = try await origin.images.image(for: url)
            await origin.flush()
            #expect(await origin.images.placeholder(for: url) == nil)
            #expect(try await store.derivedRecords().isEmpty)
        }

        @Test func thatOfAnOriginalInMemoryOnlyIsInMemoryOnly() async throws {
            let store = MemoryStore()
            let origin = ImageOrigin(["/photo": .fresh(data)], stores: [store], configuration: configuration)
            _ = try await origin.images.image(for: url, options: .init(keepsInMemoryOnly: true))
            try await origin.images.store(other, forKey: "passport", keepsInMemoryOnly: true)
            _ = try await origin.images.image(forKey: "passport")
            await origin.flush()
            #expect(origin.images.memoryPlaceholder(for: url) == (try hash(of: data)))
            #expect(origin.images.memoryPlaceholder(forKey: "passport") == (try hash(of: other)))
            #expect(try await store.derivedRecords().isEmpty)
            // Another caller lets the stores have it.
            _ = try await origin.images.image(for: url)
            await origin.flush()
            #expect(try await store.derivedRecords().count == 1)
        }

        @Test func anImageThatIsFetchedForMemoryOnlyTakesItsOlderPlaceholderFromTheStores() async throws {
            let store = MemoryStore()
            let origin = ImageOrigin(["/photo": .fresh(data)], stores: [store], configuration: configuration)
            _ = try await origin.images.image(for: url)
            await origin.flush()
            #expect(try await store.derivedRecords().count == 1)
            _ = try await origin.images.image(for: url, options: .init(keepsInMemoryOnly: true))
            await origin.flush()
            #expect(try await store.derivedRecords().isEmpty)
            #expect(origin.images.memoryPlaceholder(for: url) == (try hash(of: data)))
            // It stays in memory when the same bytes come again, and are not decoded.
            var again = ImageOptions(keepsInMemoryOnly: true)
            again.cacheMode = .reload
            _ = try await origin.images.image(for: url, options: again)
            #expect(origin.requestCount == 3 && origin.images.statistics.decodes == 2)
            #expect(origin.images.memoryPlaceholder(for: url) == (try hash(of: data)))
        }

        @Test func whatIsStoredInMemoryOnlyTakesAnOlderPlaceholderAway() async throws {
            let store = MemoryStore()
            let images = ImageCache(stores: [store], configuration: configuration)
            try await images.store(data, forKey: "passport")
            _ = try await images.image(forKey: "passport")
            await images.flush()
            try await images.store(other, forKey: "passport", keepsInMemoryOnly: true)
            #expect(images.memoryPlaceholder(forKey: "passport") == nil)
            #expect(try await store.derivedRecords().isEmpty)
        }

        @Test func anOriginalThatMustLeaveTakesThePlaceholderOfTheOneBeforeWithIt() async throws {
            let time = ManualTicker()
            let images = ImageCache(stores: [MemoryStore(clock: time)], configuration: configuration, clock: time, ticker: time)
            try await images.store(data, forKey: "photo")
            _ = try await images.image(forKey: "photo")
            try await images.store(data, forKey: "photo", expiresAfter: .seconds(60))
            #expect(await images.placeholder(forKey: "photo") == nil)
            _ = try await images.image(forKey: "photo")
            #expect(await images.placeholder(forKey: "photo") != nil)
            time.advance(by: .seconds(61))
            #expect(await images.placeholder(forKey: "photo") == nil)
        }

        @Test func anImageThatMustNotBeStoredAnyMoreLosesItsPlaceholder() async throws {
            let store = MemoryStore()
            let origin = ImageOrigin(["/photo": .fresh(data)], stores: [store], configuration: configuration)
            _ = try await origin.images.image(for: url)
            #expect(origin.images.memoryPlaceholder(for: url) != nil)
            origin.serve(.init(data: data, fields: [.cacheControl: "no-store"]), at: "/photo")
            _ = try await origin.images.image(
                for: url,
                options: {
                    var options = ImageOptions(); options.cacheMode = .reload; return options
                }()
            )
            #expect(await origin.images.placeholder(for: url) == nil)
            await origin.flush()
            #expect(try await store.derivedRecords().isEmpty)
        }

        @Test func aRequestThatForbidsStoringLeavesNoPlaceholder() async throws {
            let origin = ImageOrigin(["/photo": .fresh(data)], configuration: configuration)
            var options = ImageOptions()
            options.fields[.cacheControl] = "no-store"
            _ = try await origin.images.image(for: url, options: options)
            #expect(await origin.images.placeholder(for: url, options: options) == nil)
            #expect(await origin.images.placeholder(for: url) == nil)
            #expect(origin.images.statistics.count == 0)
        }

        @Test func usersHavePlaceholdersOfTheirOwn() async throws {
            let origin = ImageOrigin(["/photo": .fresh(data)], configuration: configuration)
            _ = try await origin.images.image(for: url, options: .init(partition: "anna"))
            #expect(origin.images.memoryPlaceholder(for: url, options: .init(partition: "anna")) != nil)
            for partition in [nil, "", "ben"] as [String?] {
                #expect(await origin.images.placeholder(for: url, options: .init(partition: partition)) == nil)
            }
        }

        @Test(arguments: ["image", "partition", "everything"]) func aRemovalTakesThePlaceholderAndLeavesOthers(scope: String) async throws {
            let store = MemoryStore()
            let origin = ImageOrigin(["/photo": .fresh(data)], stores: [store], configuration: configuration)
            for partition in ["anna", "ben"] { _ = try await origin.images.image(for: url, options: .init(partition: partition)) }
            await origin.flush()
            switch scope {
            case "image": await origin.images.removeImage(for: url, partition: "anna")
            case "partition": await origin.images.removePartition("anna")
            default: await origin.images.removeAll()
            }
            #expect(origin.images.memoryPlaceholder(for: url, options: .init(partition: "anna")) == nil)
            #expect(await origin.images.placeholder(for: url, options: .init(partition: "anna")) == nil)
            #expect((origin.images.memoryPlaceholder(for: url, options: .init(partition: "ben")) == nil) == (scope == "everything"))
            #expect(try await store.derivedRecords().count == (scope == "everything" ? 0 : 1))
        }

        @Test func bitmapsThatLeaveMemoryLeavePlaceholders() async throws {
            let origin = ImageOrigin(["/photo": .fresh(data)], configuration: configuration)
            _ = try await origin.images.image(for: url)
            origin.images.removeDecodedImages()
            #expect(origin.images.memoryPlaceholder(for: url) != nil)
        }

        @Test(arguments: ["image", "partition", "everything"]) func thatOfAnImageThatWasRemovedMeanwhileIsNotKept(scope: String) async throws {
            let store = MemoryStore()
            let origin = ImageOrigin(["/photo": .fresh(data)], stores: [store], configuration: configuration)
            let hold = origin.transport.hold()
            let photo = url
            let early = Task { try await origin.images.image(for: photo, options: .init(partition: "anna")) }
            await hold.arrivals(1)
            switch scope {
            case "image": await origin.images.removeImage(for: url, partition: "anna")
            case "partition": await origin.images.removePartition("anna")
            default: await origin.images.removeAll()
            }
            hold.release()
            #expect(try await early.value.width == 40)
            await origin.flush()
            #expect(await origin.images.placeholder(for: url, options: .init(partition: "anna")) == nil)
            #expect(try await store.derivedRecords().isEmpty)
        }

        @Test(arguments: [false, true]) func onePlaceholderThatIsBeingWrittenIsGoneAfterTheRemoval(isWritten: Bool) async throws {
            let time = ManualTicker()
            let base = MemoryStore(clock: time)
            let store = FaultyStore(base)
            let images = ImageCache(stores: [store], configuration: configuration, clock: time, ticker: time)
            try await images.store(data, forKey: "avatar")
            let gate = store.hold(.insert, .insertMany, afterwards: isWritten)
            _ = try await images.image(forKey: "avatar")
            await gate.arrivals(1)
            let removal = Task { await images.removeImage(forKey: "avatar") }
            while images.statistics.count > 0 { await Task.yield() }
            gate.open()
            await removal.value
            #expect(images.memoryPlaceholder(forKey: "avatar") == nil)
            await images.flush()
            #expect(await images.placeholder(forKey: "avatar") == nil)
            #expect(try await base.derivedRecords().isEmpty)
        }

        @Test func aDamagedPlaceholderIsAbsentAndMadeAgain() async throws {
            let store = MemoryStore()
            let first = ImageCache(stores: [store], configuration: configuration)
            try await first.store(data, forKey: "photo")
            _ = try await first.image(forKey: "photo")
            await first.flush()
            try await store.damageDerivedRecords { Data($0.dropLast()) }
            let second = ImageCache(stores: [store], configuration: configuration)
            #expect(await second.placeholder(forKey: "photo") == nil)
            _ = try await second.image(forKey: "photo")
            #expect(second.memoryPlaceholder(forKey: "photo") == (try hash(of: data)))
        }

        @Test func aPlaceholderExpires() async throws {
            let time = ManualTicker()
            let images = ImageCache(configuration: configuration, clock: time, ticker: time)
            try await images.store(data, forKey: "photo")
            try await images.store(data, forKey: "brief", expiresAfter: .seconds(60))
            for key in ["photo", "brief"] { _ = try await images.image(forKey: key) }
            #expect(images.memoryPlaceholder(forKey: "brief") != nil)
            time.advance(by: .seconds(60))
            #expect(images.memoryPlaceholder(forKey: "brief") == nil)
            #expect(images.memoryPlaceholder(forKey: "photo") != nil)
            time.advance(by: .seconds(30 * 86_400))
            #expect(images.memoryPlaceholder(forKey: "photo") == nil)
        }

        @Test func anImageWithATooLongNameHasNone() async throws {
            let images = ImageCache(stores: [MemoryStore()], configuration: configuration)
            let key = String(repeating: "k", count: RecordKey.maximumByteCount - 100)
            try await images.store(data, forKey: key)
            #expect(try await images.image(forKey: key)?.width == 40)
            #expect(await images.placeholder(forKey: key) == nil)
            #expect(images.memoryPlaceholder(forKey: key) == nil)
        }

        @Test func thumbnailsAndPlaceholdersAreKeptSideBySide() async throws {
            let store = MemoryStore()
            let first = ImageCache(stores: [store], configuration: configuration)
            try await first.store(data, forKey: "photo")
            _ = try await first.image(forKey: "photo", options: .thumbnail())
            await first.flush()
            #expect(try await store.derivedRecords().count == 2)
            let second = ImageCache(stores: [store], configuration: configuration)
            #expect(try await second.image(forKey: "photo", options: .thumbnail())?.width == 10)
            #expect(second.statistics.decodes == 0)
            #expect(await second.placeholder(forKey: "photo") == (try hash(of: data, maximumPixelSize: 10)))
        }
    }
#endif
