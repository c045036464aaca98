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

    @Suite struct ImageCacheThumbnailTests {
        private let url = ImageOrigin.url("/photo")
        private let data = Picture.gradient(40, 20).png()

        // MARK: Reading

        @Test func aLaterProcessReadsTheThumbnailAndDecodesNothing() async throws {
            let store = MemoryStore()
            let first = ImageOrigin(["/photo": .fresh(data)], stores: [store])
            let image = try await first.images.image(for: url, options: .thumbnail())
            await first.flush()
            let second = ImageOrigin(["/photo": .fresh(data)], stores: [store])
            let lookup = try await second.images.lookup(for: url, options: .thumbnail())
            #expect(lookup.image == image)
            #expect(!lookup.wasDecoded && lookup.isFromCache)
            #expect(second.requestCount == 0)
            #expect(second.images.statistics.decodes == 0)
            #expect(second.images.statistics.thumbnailHits == 1)
            // Then it is in memory.
            #expect(try await second.images.lookup(for: url, options: .thumbnail()).image == image)
            #expect(second.images.statistics.thumbnailHits == 1)
            #expect(second.images.statistics.memoryHits == 1)
        }

        @Test func thumbnailsOfImagesByKeyAreReadToo() async throws {
            let store = MemoryStore()
            let first = ImageCache(stores: [store])
            try await first.store(data, forKey: "photo")
            let image = try await first.image(forKey: "photo", options: .thumbnail())
            await first.flush()
            let second = ImageCache(stores: [store])
            #expect(try await second.image(forKey: "photo", options: .thumbnail()) == image)
            #expect(second.statistics.decodes == 0)
            #expect(second.statistics.thumbnailHits == 1)
        }

        @Test func aBitmapThatLeftMemoryIsReadBack() async throws {
            let images = ImageCache(stores: [MemoryStore()])
            try await images.store(data, forKey: "photo")
            let image = try await images.image(forKey: "photo", options: .thumbnail())
            await images.flush()
            images.removeDecodedImages()
            #expect(try await images.image(forKey: "photo", options: .thumbnail()) == image)
            #expect(images.statistics.decodes == 1)
            #expect(images.statistics.thumbnailHits == 1)
        }

        @Test func eachListOfProcessorsHasAThumbnailOfItsOwn() async throws {
            let store = MemoryStore()
            let lists: [[ImageProcessor]] = [[], [.circle], [.filled(width: 8, height: 8)], [.filled(width: 8, height: 8), .circle]]
            let first = ImageCache(stores: [store])
            try await first.store(data, forKey: "photo")
            var images: [Bitmap?] = []
            for processors in lists {
                var options = ImageOptions.thumbnail()
                options.processors = processors
                images.append(try await first.image(forKey: "photo", options: options))
            }
            await first.flush()
            let second = ImageCache(stores: [store])
            for (processors, image) in zip(lists, images) {
                var options = ImageOptions.thumbnail()
                options.processors = processors
                #expect(try await second.image(forKey: "photo", options: options) == image)
            }
            #expect(second.statistics.decodes == 0 && second.statistics.thumbnailHits == lists.count)
        }

        /// A store outlives the program, and its next version may have another closure under the same name.
        @Test func imagesChangedByAClosureHaveNoThumbnails() async throws {
            let store = MemoryStore()
            let images = ImageCache(stores: [store])
            try await images.store(data, forKey: "photo")
            var options = ImageOptions.thumbnail()
            options.processors = [.custom(name: "same", version: 1) { $0 }]
            _ = try await images.image(forKey: "photo", options: options)
            await images.flush()
            #expect(try await store.derivedRecords().isEmpty)
            #expect(await images.placeholder(forKey: "photo", options: options) == nil)
        }

        @Test func thumbnailsAreKeptOnlyIfTheyAreWanted() async throws {
            let store = MemoryStore()
            let images = ImageCache(stores: [store])
            try await images.store(data, forKey: "photo")
            _ = try await images.image(forKey: "photo", options: .init(maximumPixelSize: 10))
            await images.flush()
            #expect(try await store.derivedRecords().isEmpty)
        }

        @Test func withoutStoresNothingIsKept() async throws {
            let images = ImageCache()
            try await images.store(data, forKey: "photo")
            _ = try await images.image(forKey: "photo", options: .thumbnail())
            await images.flush()
            images.removeDecodedImages()
            _ = try await images.image(forKey: "photo", options: .thumbnail())
            #expect(images.statistics.decodes == 2)
        }

        @Test func eachSizeAndEachSetOfFieldsHasAThumbnailOfItsOwn() async throws {
            let store = MemoryStore()
            var german = ImageOptions.thumbnail()
            german.fields[.acceptLanguage] = "de"
            let wanted = [ImageOptions.thumbnail(), .thumbnail(20), .thumbnail(nil), german]
            let first = ImageOrigin(["/photo": .fresh(data)], stores: [store])
            for options in wanted { _ = try await first.images.image(for: url, options: options) }
            await first.flush()
            #expect(try await store.derivedRecords().count == 4)
            let second = ImageOrigin(["/photo": .fresh(data)], stores: [store])
            #expect(try await second.images.image(for: url, options: .thumbnail(20)).width == 20)
            #expect(try await second.images.image(for: url, options: german).width == 10)
            #expect(second.images.statistics.decodes == 0)
            // There is no thumbnail of a size that was not asked for.
            #expect(try await second.images.image(for: url, options: .thumbnail(15)).width == 15)
            #expect(second.images.statistics.decodes == 1)
        }

        /// Other processes may read a store, and a field may be a secret.
        @Test func recordsDoNotNameRequestFields() async throws {
            let store = MemoryStore()
            let images = ImageCache(stores: [store])
            try await images.store(data, forKey: "photo")
            var options = ImageOptions.thumbnail()
            options.fields[.authorization] = "Bearer swordfish"
            _ = try await images.image(forKey: "photo", options: options)
            await images.flush()
            let records = try await store.derivedRecords()
            #expect(records.count == 1)
            for key in records.keys { #expect(!key.description.contains("swordfish")) }
        }

        // MARK: The original decides

        @Test func aThumbnailOfAnOriginalThatHasChangedIsNotShown() async throws {
            let store = MemoryStore()
            let first = ImageOrigin(["/photo": .revalidated(data, tag: "1")], stores: [store])
            #expect(try await first.images.image(for: url, options: .thumbnail()).height == 5)
            await first.flush()
            let second = ImageOrigin(["/photo": .revalidated(Picture.gradient(40, 40).png(), tag: "2")], stores: [store])
            #expect(try await second.images.image(for: url, options: .thumbnail()).height == 10)
            #expect(second.images.statistics.decodes == 1)
            #expect(second.images.statistics.thumbnailHits == 0)
            await second.flush()
            // The new one has taken its place.
            let third = ImageOrigin(["/photo": .revalidated(Picture.gradient(40, 40).png(), tag: "2")], stores: [store])
            #expect(try await third.images.image(for: url, options: .thumbnail()).height == 10)
            #expect(third.images.statistics.decodes == 0)
        }

        /// No field of the answer says that it is another picture, and its size is the same, too.
        @Test func withoutAValidatorTheBytesDecide() async throws {
            let store = MemoryStore()
            let (first, second) = (Picture.gradient(8, 8), Picture(width: 8, height: 8) { _, _ in [1, 2, 3, 255] })
            for (picture, decodes) in [(first, 1), (first, 0), (second, 1), (second, 0), (first, 1)] {
                let origin = ImageOrigin(["/photo": .init(data: picture.png(), fields: [.cacheControl: "no-cache"])], stores: [store])
                #expect(Picture(try await origin.images.image(for: url, options: .thumbnail())) == picture)
                #expect(origin.images.statistics.decodes == decodes)
                await origin.flush()
            }
        }

        @Test func aReplacedOriginalByKeyIsDecoded() async throws {
            let store = MemoryStore()
            let images = ImageCache(stores: [store])
            for height in [20, 40] {
                try await images.store(Picture.gradient(40, height).png(), forKey: "photo")
                #expect(try await images.image(forKey: "photo", options: .thumbnail())?.height == height / 4)
                await images.flush()
            }
            #expect(images.statistics.decodes == 2)
            #expect(try await ImageCache(stores: [store]).image(forKey: "photo", options: .thumbnail())?.height == 10)
        }

        @Test func anImageThatIsGoneIsNotShownFromItsThumbnail() async throws {
            let store = MemoryStore()
            let first = ImageOrigin(["/photo": .revalidated(data, tag: "1")], stores: [store])
            _ = try await first.images.image(for: url, options: .thumbnail())
            await first.flush()
            let second = ImageOrigin(stores: [store])
            let error = await #expect(throws: ImageError.self) { try await second.images.image(for: url, options: .thumbnail()) }
            #expect(error?.code == .unacceptableStatus)
        }

        /// The content of the original is in segments of its own. All but the first, which the HTTP cache reads before it answers, have been taken away.
        @Test func anOriginalThatIsRecognizedByItsValidatorIsNotRead() async throws {
            var generator = SeededGenerator(seed: 5)
            let large = Picture.noise(500, 400, hasAlpha: true, using: &generator).png()
            let store = MemoryStore()
            let first = ImageOrigin(["/photo": .fresh(large, [.eTag: "\"1\""])], stores: [store])
            let image = try await first.images.image(for: url, options: .thumbnail(40))
            await first.flush()
            let others = try await store.records { $0.key.description.hasPrefix("http-body") && !$0.key.description.hasSuffix("/0") }
            #expect(!others.isEmpty)
            try await store.removeRecords(forKeys: others.map(\.key))
            let second = ImageOrigin(["/photo": .fresh(large, [.eTag: "\"1\""])], stores: [store])
            let lookup = try await second.images.lookup(for: url, options: .thumbnail(40))
            #expect(lookup.image == image)
            #expect(!lookup.wasDecoded && lookup.isFromCache)
            #expect(second.requestCount == 0)
            #expect(second.images.statistics.thumbnailHits == 1)
            // There is nothing to decode.
            await #expect(throws: ImageError.self) { try await second.images.image(for: url) }
        }

        @Test func theSameBytesWithAnotherEntityTagNeedNoDecoding() async throws {
            let store = MemoryStore()
            for (tag, decodes) in [("1", 1), ("2", 0), ("2", 0)] {
                let origin = ImageOrigin(["/photo": .revalidated(data, tag: tag)], stores: [store])
                _ = try await origin.images.image(for: url, options: .thumbnail())
                #expect(origin.images.statistics.decodes == decodes)
                await origin.flush()
            }
        }

        // MARK: What is not kept

        @Test func anOriginalThatMustNotBeStoredLeavesNoThumbnail() async throws {
            let store = MemoryStore()
            let origin = ImageOrigin(
                ["/photo": .init(data: data, fields: [.cacheControl: "no-store"]), "/other": .fresh(data)],
                stores: [store]
            )
            _ = try await origin.images.image(for: url, options: .thumbnail())
            var options = ImageOptions.thumbnail()
            options.cacheMode = .noStore
            _ = try await origin.images.image(for: ImageOrigin.url("/other"), options: options)
            await origin.flush()
            #expect(try await store.derivedRecords().isEmpty)
        }

        @Test func anOriginalThatIsKeptInMemoryOnlyLeavesNoThumbnail() async throws {
            let store = MemoryStore()
            let origin = ImageOrigin(["/photo": .fresh(data)], stores: [store])
            _ = try await origin.images.image(for: url, options: .thumbnail(keepsInMemoryOnly: true))
            // The caller that asks for the image does not know how it was stored.
            try await origin.images.store(data, forKey: "passport", keepsInMemoryOnly: true)
            _ = try await origin.images.image(forKey: "passport", options: .thumbnail())
            await origin.flush()
            #expect(origin.images.statistics.decodes == 2)
            #expect(try await store.statistics().count == 0)
        }

        @Test func whatIsStoredInMemoryOnlyTakesAnOlderThumbnailAway() async throws {
            let store = MemoryStore()
            let images = ImageCache(stores: [store])
            try await images.store(data, forKey: "passport")
            _ = try await images.image(forKey: "passport", options: .thumbnail())
            await images.flush()
            #expect(try await store.derivedRecords().count == 1)
            try await images.store(data, forKey: "passport", keepsInMemoryOnly: true)
            #expect(try await store.derivedRecords().isEmpty)
        }

        @Test func anImageThatIsFetchedForMemoryOnlyTakesItsOlderThumbnailsAway() async throws {
            let store = MemoryStore()
            let origin = ImageOrigin(["/photo": .fresh(data), "/other": .fresh(data)], stores: [store])
            for size in [10, 20] { _ = try await origin.images.image(for: url, options: .thumbnail(size)) }
            _ = try await origin.images.image(for: ImageOrigin.url("/other"), options: .thumbnail())
            _ = try await origin.images.image(for: url, options: .thumbnail(partition: "alice"))
            await origin.flush()
            #expect(try await store.derivedRecords().count == 4)
            _ = try await origin.images.image(for: url, options: .init(keepsInMemoryOnly: true))
            await origin.flush()
            #expect(try await store.derivedRecords().count == 2, "those of the other image and of the other partition")
        }

        @Test func aBitmapWithMoreBytesThanAllowedIsNotKept() async throws {
            for (excess, count) in [(1, 0), (0, 1)] {
                let store = MemoryStore()
                var configuration = ImageCache.Configuration()
                configuration.maximumThumbnailBytes = 10 * 5 * 4 - excess
                let images = ImageCache(stores: [store], configuration: configuration)
                try await images.store(data, forKey: "photo")
                _ = try await images.image(forKey: "photo", options: .thumbnail())
                await images.flush()
                #expect(try await store.derivedRecords().count == count)
                // A cache that allows less does not read it.
                configuration.maximumThumbnailBytes = -1
                let other = ImageCache(stores: [store], configuration: configuration)
                #expect(try await other.image(forKey: "photo", options: .thumbnail())?.width == 10)
                #expect(other.statistics.thumbnailHits == 0)
            }
        }

        @Test func anImageWithATooLongNameIsShownAndNotKept() async throws {
            let store = MemoryStore()
            let images = ImageCache(stores: [store])
            let key = String(repeating: "k", count: RecordKey.maximumByteCount - 100)
            try await images.store(data, forKey: key)
            #expect(try await images.image(forKey: key, options: .thumbnail())?.width == 10)
            await images.flush()
            #expect(try await store.derivedRecords().isEmpty)
        }

        @Test func aThumbnailLivesForThirtyDaysAndNoLongerThanItsOriginal() async throws {
            let time = ManualTicker()
            let store = MemoryStore(clock: time)
            let images = ImageCache(stores: [store], clock: time, ticker: time)
            try await images.store(data, forKey: "photo")
            try await images.store(data, forKey: "brief", expiresAfter: .seconds(60))
            for key in ["photo", "brief"] { _ = try await images.image(forKey: key, options: .thumbnail()) }
            await images.flush()
            #expect(try await store.derivedRecords().count == 2)
            time.advance(by: .seconds(60))
            #expect(try await store.derivedRecords().count == 1)
            time.advance(by: .seconds(30 * 86_400 - 61))
            images.removeDecodedImages()
            _ = try await images.image(forKey: "photo", options: .thumbnail())
            #expect(images.statistics.thumbnailHits == 1)
            time.advance(by: .seconds(1))
            images.removeDecodedImages()
            _ = try await images.image(forKey: "photo", options: .thumbnail())
            #expect(images.statistics.thumbnailHits == 1)
            #expect(images.statistics.decodes == 3)
        }

        @Test func aStoreThatFailsDoesNotFailTheCaller() async throws {
            let store = FaultyStore(MemoryStore())
            for operation in FaultyStore.Operation.all { store.fail(operation) }
            let images = ImageCache(stores: [store])
            try await images.store(data, forKey: "photo")
            for _ in 0..<2 { #expect(try await images.image(forKey: "photo", options: .thumbnail())?.width == 10) }
            await images.removeImage(forKey: "photo")
            #expect(try await images.image(forKey: "photo", options: .thumbnail()) == nil)
        }

        // MARK: Removing

        @Test(arguments: ["image", "partition", "everything"]) func aRemovalTakesThumbnailsOfAllSizesAndLeavesOthers(scope: String) async throws {
            let store = MemoryStore()
            let origin = ImageOrigin(["/photo": .fresh(data)], stores: [store])
            for partition in ["anna", "ben"] {
                for size in [10, 20] { _ = try await origin.images.image(for: url, options: .thumbnail(size, partition: partition)) }
            }
            try await origin.images.store(data, forKey: "avatar", partition: "ben")
            _ = try await origin.images.image(forKey: "avatar", options: .thumbnail(partition: "ben"))
            await origin.flush()
            #expect(try await store.derivedRecords().count == 5)
            switch scope {
            case "image": await origin.images.removeImage(for: url, partition: "anna")
            case "partition": await origin.images.removePartition("anna")
            default: await origin.images.removeAll()
            }
            #expect(try await store.derivedRecords().count == (scope == "everything" ? 0 : 3))
            await origin.images.removeImage(forKey: "avatar", partition: "ben")
            #expect(try await store.derivedRecords().count == (scope == "everything" ? 0 : 2))
        }

        @Test(arguments: ["image", "partition", "everything"])
        func aThumbnailThatWasBeingMadeWhenItsImageWasRemovedIsNotKept(scope: String) async throws {
            let store = MemoryStore()
            let origin = ImageOrigin(["/photo": .fresh(data)], stores: [store])
            let hold = origin.transport.hold()
            let photo = url
            let early = Task { try await origin.images.image(for: photo, options: .thumbnail(partition: "anna")) }
            await hold.arrivals(1)
            switch scope {
            case "image": await origin.images.removeImage(for: url, partition: "anna")
            case "partition": await origin.images.removePartition("anna")
            default: await origin.images.removeAll()
            }
            hold.release()
            #expect(try await early.value.width == 10)
            await origin.flush()
            #expect(origin.images.statistics.decodes == 1)
            #expect(try await store.derivedRecords().isEmpty)
        }

        /// The store has the thumbnail before the removal begins, or gets it afterwards.
        @Test(arguments: [false, true], ["image", "partition", "everything"])
        func aThumbnailThatIsBeingWrittenWhenItsImageIsRemovedIsGoneAfterwards(isWritten: Bool, scope: String) async throws {
            let time = ManualTicker()
            let base = MemoryStore(clock: time)
            let store = FaultyStore(base)
            let images = ImageCache(stores: [store], clock: time, ticker: time)
            try await images.store(data, forKey: "avatar", partition: "anna")
            let gate = store.hold(.insert, .insertMany, afterwards: isWritten)
            // The caller does not wait for the store.
            #expect(try await images.image(forKey: "avatar", options: .thumbnail(partition: "anna"))?.width == 10)
            await gate.arrivals(1)
            #expect(try await base.derivedRecords().count == (isWritten ? 1 : 0))
            let removal = Task {
                switch scope {
                case "image": await images.removeImage(forKey: "avatar", partition: "anna")
                case "partition": await images.removePartition("anna")
                default: await images.removeAll()
                }
            }
            while images.statistics.count > 0 { await Task.yield() }
            gate.open()
            await removal.value
            await images.flush()
            #expect(try await base.derivedRecords().isEmpty)
        }

        /// An image that is loaded and removed at the same time leaves nothing, in any order of the steps.
        @Test(arguments: ["image", "partition", "everything"]) func aRemovalWinsInEveryOrder(scope: String) async throws {
            let data = data
            for seed in UInt64(0)..<300 {
                let time = ManualTicker()
                let (kept, decodes) = try await SeededExecutor(seed: seed, time: time).run {
                    let store = MemoryStore(clock: time)
                    var configuration = ImageCache.Configuration()
                    configuration.keepsPlaceholders = true
                    let images = ImageCache(stores: [store], configuration: configuration, clock: time, ticker: time)
                    try await images.store(data, forKey: "avatar", partition: "anna")
                    await withTaskGroup(of: Void.self) { group in
                        for size in [10, 20] {
                            group.addTask { _ = try? await images.image(forKey: "avatar", options: .thumbnail(size, partition: "anna")) }
                        }
                        group.addTask {
                            switch scope {
                            case "image": await images.removeImage(forKey: "avatar", partition: "anna")
                            case "partition": await images.removePartition("anna")
                            default: await images.removeAll()
                            }
                        }
                    }
                    await images.flush()
                    let records = try await store.derivedRecords().count
                    let placeholder = images.memoryPlaceholder(forKey: "avatar", options: .init(partition: "anna"))
                    return (records + (placeholder == nil ? 0 : 1), images.statistics.decodes)
                }
                #expect(kept == 0, "seed \(seed), \(decodes) decoded")
            }
        }

        // MARK: Damage

        @Test func aDamagedThumbnailIsAbsent() async throws {
            let store = MemoryStore()
            let first = ImageCache(stores: [store])
            try await first.store(data, forKey: "photo")
            let image = try await first.image(forKey: "photo", options: .thumbnail())
            await first.flush()
            let damages: [(Data) -> Data] = [
                { $0.dropLast() }, { Data($0.prefix(20)) }, { _ in Data() }, { $0 + [0] }, { Data($0.map { ~$0 }) }, { Data($0.reversed()) },
            ]
            for damage in damages {
                try await store.damageDerivedRecords(damage)
                let images = ImageCache(stores: [store])
                #expect(try await images.image(forKey: "photo", options: .thumbnail()) == image)
                #expect(images.statistics.decodes == 1)
                #expect(images.statistics.thumbnailHits == 0)
                await images.flush()
                // It has been replaced by a sound one.
                let later = ImageCache(stores: [store])
                #expect(try await later.image(forKey: "photo", options: .thumbnail()) == image)
                #expect(later.statistics.thumbnailHits == 1)
            }
        }
    }
#endif
