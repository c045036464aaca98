// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if Images && os(Linux)
    import Hoard
    import HoardTesting
    import Testing

    @testable import HoardImages
    @testable import HoardUI

    @MainActor @Suite(.timeLimit(.minutes(1))) struct ObservedImageTests {
        private let server = PictureServer()

        private func until(_ condition: () -> Bool) async {
            while !condition(), !Task.isCancelled { await Task.yield() }
        }

        @Test func anImageInMemoryIsThereAtOnce() async throws {
            server.wire.open()
            _ = try await server.images.image(for: PictureServer.url(1))
            let model = ObservedImage(server.images, url: PictureServer.url(1))
            #expect(model.image?.number == 1)
            model.start()
            #expect(!model.isLoading)
            #expect(server.requestCount == 1)
        }

        @Test func nothingIsLoadedForAModelThatNobodyShows() async {
            let model = ObservedImage(server.images, url: PictureServer.url(1))
            for _ in 0..<100 { await Task.yield() }
            #expect(!model.isLoading && server.requestCount == 0)
            model.start()
            await until { server.wire.numbers == [1] }
            #expect(model.isLoading)
            server.wire.open()
            await until { model.image?.number == 1 }
            #expect(!model.isLoading)
        }

        @Test func anotherURLTakesTheImageAwayAndCancelsItsLoad() async {
            let model = ObservedImage(server.images, url: PictureServer.url(1))
            model.start()
            await until { server.wire.numbers == [1] }
            server.wire.release(1)
            await until { model.image?.number == 1 }
            model.url = PictureServer.url(2)
            #expect(model.image == nil)
            await until { server.wire.numbers == [2] }
            model.url = PictureServer.url(3)
            await until { server.wire.numbers == [3] }
            server.wire.release(3)
            await until { model.image != nil }
            #expect(model.image?.number == 3)
        }

        @Test func leavingCancelsALoadUnlessSomebodyElseWaits() async {
            let (first, second) = (ObservedImage(server.images, url: PictureServer.url(1)), ObservedImage(server.images, url: PictureServer.url(1)))
            first.start()
            second.start()
            await until { server.wire.numbers == [1] }
            let request = server.images.request(for: PictureServer.url(1), ImageOptions())
            await until { server.images.flights.waiterCount(for: request) == 2 }
            first.stop()
            await until { server.images.flights.waiterCount(for: request) == 1 }
            #expect(server.wire.numbers == [1])
            second.stop()
            await until { server.wire.numbers.isEmpty }
            #expect(first.image == nil && first.error == nil && !first.isLoading)
            #expect(server.requestCount == 1)
        }

        // MARK: Previews

        @Test func aPlaceholderInMemoryIsThereAtOnceAndGivesWayToTheImage() async throws {
            let server = PictureServer(keepsPlaceholders: true)
            server.wire.open()
            _ = try await server.images.image(for: PictureServer.url(1))
            server.images.removeDecodedImages()
            server.time.advance(by: .seconds(61))
            server.wire.close()
            let model = ObservedImage(server.images, url: PictureServer.url(1))
            #expect(model.preview == nil)
            model.start()
            #expect(model.isLoading && model.image == nil)
            #expect(model.preview == server.images.memoryPlaceholder(for: PictureServer.url(1))?.bitmap())
            #expect(model.preview != nil)
            server.wire.open()
            await until { model.image?.number == 1 }
            #expect(model.preview == nil)
        }

        @Test func aPlaceholderInAStoreIsShownWhileTheImageIsLoaded() async throws {
            // The servers' time stands still at the same date.
            let store = MemoryStore(clock: ManualTicker())
            let first = PictureServer(stores: [store], keepsPlaceholders: true)
            first.wire.open()
            _ = try await first.images.image(for: PictureServer.url(1))
            await first.images.flush()
            let second = PictureServer(stores: [store], keepsPlaceholders: true)
            let model = ObservedImage(second.images, url: PictureServer.url(1))
            var changes = 0
            model.onChange = { changes += 1 }
            model.start()
            await until { model.preview != nil }
            #expect(model.image == nil && model.isLoading)
            await until { changes >= 2 }
            second.wire.open()
            await until { model.image?.number == 1 }
            #expect(model.preview == nil)
        }

        @Test func anotherURLTakesThePreviewAway() async throws {
            let server = PictureServer(keepsPlaceholders: true)
            server.wire.open()
            _ = try await server.images.image(for: PictureServer.url(1))
            server.images.removeDecodedImages()
            server.time.advance(by: .seconds(61))
            server.wire.close()
            let model = ObservedImage(server.images, url: PictureServer.url(1))
            model.start()
            #expect(model.preview != nil)
            model.url = PictureServer.url(2)
            #expect(model.preview == nil && model.isLoading)
            model.stop()
            #expect(model.preview == nil && !model.isLoading)
        }

        @Test func aModelWithPreviewsLoadsWhatHasNone() async {
            let model = ObservedImage(server.images, url: PictureServer.url(1), showsPreviews: true)
            model.start()
            await until { server.wire.numbers == [1] }
            server.wire.open()
            await until { model.image?.number == 1 }
            #expect(!model.isLoading && model.error == nil && model.preview == nil)
            server.broken.update { $0 = [2] }
            model.url = PictureServer.url(2)
            await until { model.error != nil }
            #expect(model.error?.code == .unacceptableStatus)
            #expect(!model.isLoading)
        }

        @Test func leavingCancelsALoadWithPreviews() async {
            let model = ObservedImage(server.images, url: PictureServer.url(1), showsPreviews: true)
            model.start()
            await until { server.wire.numbers == [1] }
            model.stop()
            await until { server.wire.numbers.isEmpty }
            #expect(model.image == nil && model.error == nil && !model.isLoading)
        }

        @Test func aModelThatIsReleasedCancelsItsLoad() async {
            var model: ObservedImage? = ObservedImage(server.images, url: PictureServer.url(1))
            model?.start()
            await until { server.wire.numbers == [1] }
            model = nil
            await until { server.wire.numbers.isEmpty }
        }

        @Test func aFailureCanBeTriedAgain() async {
            server.wire.open()
            server.broken.update { $0 = [1] }
            let model = ObservedImage(server.images, url: PictureServer.url(1))
            model.start()
            await until { model.error != nil }
            #expect(model.error?.status == 500)
            #expect(model.image == nil && !model.isLoading)
            server.broken.update { $0 = [] }
            model.retry()
            #expect(model.error == nil && model.isLoading)
            await until { model.image?.number == 1 }
            server.broken.update { $0 = [2] }
            model.url = PictureServer.url(2)
            await until { model.error != nil }
            model.stop()
            model.retry()
            #expect(model.error != nil && !model.isLoading, "Nobody shows it.")
        }

        @Test func anImageThatHasExpiredIsLoadedAgainWhenItIsShownAgain() async {
            server.wire.open()
            let model = ObservedImage(server.images, url: PictureServer.url(1))
            model.start()
            await until { model.image != nil }
            model.stop()
            #expect(model.image == nil, "It is given back.")
            model.start()
            #expect(!model.isLoading && model.image?.number == 1 && server.requestCount == 1)
            model.stop()
            server.time.advance(by: .seconds(61))
            model.start()
            #expect(model.isLoading)
            await until { !model.isLoading }
            #expect(model.image?.number == 1 && server.requestCount == 2)
        }

        @Test func modelsThatNobodyShowsHoldNoPixels() async {
            server.wire.open()
            let models = (0..<50).map { ObservedImage(server.images, url: PictureServer.url($0)) }
            for model in models {
                model.start()
                await until { model.image != nil }
                model.stop()
            }
            #expect(models.allSatisfy { $0.image == nil })
        }

        @Test func sizesThatChangeDoNotBreakOffALoad() async {
            server.side.update { $0 = 400 }
            let model = ObservedImage(server.images, url: PictureServer.url(1), sizing: .fit)
            model.start()
            model.layOut(width: 100, height: 100, scale: 1)
            await until { server.wire.numbers == [1] }
            for side in 101...300 { model.layOut(width: Double(side), height: 50, scale: 1) }
            server.wire.open()
            await until { model.image?.width == 320 }
            #expect(server.requestCount == 1)
        }

        @Test func aFailureIsNotTriedAgainBecauseThePlaceHasAnotherSize() async {
            server.wire.open()
            server.broken.update { $0 = [1] }
            let model = ObservedImage(server.images, url: PictureServer.url(1), sizing: .fit)
            model.start()
            model.layOut(width: 100, height: 100, scale: 1)
            await until { model.error != nil }
            model.layOut(width: 20, height: 20, scale: 1)
            model.layOut(width: 500, height: 500, scale: 1)
            #expect(!model.isLoading && model.error != nil && server.requestCount == 1)
        }

        @Test(arguments: [ImageSizing.fit, .fill]) func aViewFindsWhatWasPrefetchedWithItsOptions(sizing: ImageSizing) async {
            server.wire.open()
            server.side.update { $0 = 400 }
            let options = sizing.options(width: 90, height: 60, scale: 2)
            let prefetcher = ImagePrefetcher(server.images)
            prefetcher.start([PictureServer.url(1)], options: options)
            await until { server.images.memoryImage(for: PictureServer.url(1), options: options) != nil }
            let model = ObservedImage(server.images, url: PictureServer.url(1), sizing: sizing)
            model.start()
            model.layOut(width: 90, height: 60, scale: 2)
            #expect(model.image != nil && server.requestCount == 1)
        }

        @Test func theNextImageInAPlaceNeedsNoNewLayout() async {
            server.wire.open()
            let holder = ImageHolder()
            let first = holder.model(server.images, PictureServer.url(1), ImageOptions(), .fill)
            first.start()
            holder.layOut(ImagePlace(width: 100, height: 50, scale: 2))
            await until { first.image?.number == 1 }
            let second = holder.model(server.images, PictureServer.url(2), ImageOptions(), .fill)
            #expect(second !== first && holder.model(server.images, PictureServer.url(2), ImageOptions(), .fill) === second)
            second.start()
            await until { second.image?.number == 2 }
        }

        @Test func onlyAnImageThatWasLoadedTakesThePlaceOfSomething() async {
            server.wire.open()
            let first = ObservedImage(server.images, url: PictureServer.url(1))
            first.start()
            await until { first.image != nil }
            let second = ObservedImage(server.images, url: PictureServer.url(1))
            #expect(first.wasLoaded && second.image != nil && !second.wasLoaded)
        }

        @Test func nothingIsLoadedBeforeTheSizeOfThePlaceIsKnown() async {
            server.wire.open()
            server.side.update { $0 = 400 }
            let model = ObservedImage(server.images, url: PictureServer.url(1), sizing: .fit)
            model.start()
            for _ in 0..<100 { await Task.yield() }
            #expect(!model.isLoading && server.requestCount == 0)
            model.layOut(width: 0, height: 0, scale: 2)
            model.layOut(width: .infinity, height: 10, scale: 2)
            model.layOut(width: .nan, height: .nan, scale: 2)
            #expect(!model.isLoading)
            model.layOut(width: 50, height: 30, scale: 2)
            await until { model.image != nil }
            #expect(model.image?.width == 112)
        }

        @Test func onlyALargerPlaceTakesALargerImage() async {
            server.wire.open()
            server.side.update { $0 = 200 }
            let model = ObservedImage(server.images, url: PictureServer.url(1), sizing: .fit)
            model.start()
            model.layOut(width: 100, height: 100, scale: 1)
            await until { model.image != nil }
            model.layOut(width: 60, height: 60, scale: 1)
            #expect(!model.isLoading && model.image?.width == 112)
            model.layOut(width: 150, height: 150, scale: 1)
            #expect(model.isLoading && model.image?.width == 112, "The small one stays meanwhile.")
            await until { model.image?.width == 160 }
            model.layOut(width: 500, height: 500, scale: 1)
            await until { model.image?.width == 200 }
            // There are no more pixels.
            model.layOut(width: 900, height: 900, scale: 1)
            #expect(!model.isLoading)
        }

        @Test func aLargerPlaceTakesALargerImageAlsoOfOneThatAProcessorHasMadeSmaller() async {
            server.wire.open()
            server.side.update { $0 = 200 }
            let half = ImageProcessor.custom(name: "half", version: 1) { bitmap in
                let (width, height) = (bitmap.width / 2, bitmap.height / 2)
                return Bitmap(width: width, height: height, pixels: Array(bitmap.pixels.prefix(width * height * 4))) ?? bitmap
            }
            let model = ObservedImage(server.images, url: PictureServer.url(1), options: ImageOptions(processors: [half]), sizing: .fit)
            model.start()
            model.layOut(width: 100, height: 100, scale: 1)
            await until { model.image != nil }
            #expect(model.image?.width == 56)
            model.layOut(width: 150, height: 150, scale: 1)
            #expect(model.isLoading)
            await until { !model.isLoading }
            #expect(model.image?.width == 80)
        }

        @Test func withoutAURLNothingIsShown() async {
            let model = ObservedImage(server.images)
            model.start()
            model.retry()
            #expect(model.url == nil && model.image == nil && !model.isLoading && model.error == nil)
            model.stop()
            model.stop()
        }
    }
#endif
