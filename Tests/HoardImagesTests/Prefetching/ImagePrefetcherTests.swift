// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if Images && os(Linux)
    import HTTPTypes
    import Hoard
    import HoardTesting
    import Testing

    @testable import HoardImages

    @Suite(.timeLimit(.minutes(1))) struct ImagePrefetcherTests {
        private let origin = ImageOrigin(
            Dictionary(uniqueKeysWithValues: (0..<20).map { ("/\($0)", .fresh(Picture.gradient(8, 8).png())) })
        )

        private func urls(_ numbers: Range<Int>) -> [String] { numbers.map { ImageOrigin.url("/\($0)") } }

        private var paths: [String] { origin.transport.requests.compactMap(\.head.path) }

        private func prefetcher(_ change: (inout ImagePrefetcher.Configuration) -> Void = { _ in }) -> ImagePrefetcher {
            var configuration = ImagePrefetcher.Configuration()
            change(&configuration)
            return ImagePrefetcher(origin.images, configuration: configuration)
        }

        private func untilIdle(_ prefetcher: ImagePrefetcher) async throws {
            try await waitUntil { prefetcher.loadingCount + prefetcher.waitingCount == 0 }
        }

        @Test func aPrefetchedImageIsInMemory() async throws {
            let prefetcher = prefetcher()
            prefetcher.start(urls(0..<3))
            try await untilIdle(prefetcher)
            for url in urls(0..<3) { #expect(origin.images.memoryImage(for: url) != nil) }
            #expect(origin.images.memoryImage(for: urls(0..<1)[0], options: .init(maximumPixelSize: 4)) == nil, "Nobody has wanted that size.")
            #expect(origin.requestCount == 3 && origin.images.statistics.decodes == 3)
        }

        @Test func noMoreThanTheLimitAreUnderWay() async throws {
            let prefetcher = prefetcher { $0.maximumConcurrentLoads = 3 }
            let hold = origin.transport.hold()
            prefetcher.start(urls(0..<10))
            await hold.arrivals(3)
            for _ in 0..<100 { await Task.yield() }
            #expect(origin.requestCount == 3)
            #expect(prefetcher.loadingCount == 3 && prefetcher.waitingCount == 7)
            hold.release()
            try await untilIdle(prefetcher)
            #expect(origin.requestCount == 10)
        }

        @Test func higherPrioritiesComeFirstAndThenTheOrderOfTheCalls() async throws {
            let prefetcher = prefetcher { $0.maximumConcurrentLoads = 1 }
            prefetcher.isPaused = true
            prefetcher.start(urls(0..<2))
            prefetcher.start(urls(2..<4), priority: .high)
            prefetcher.start(urls(4..<5))
            prefetcher.start(urls(1..<2), priority: .high)
            #expect(prefetcher.waitingCount == 5 && prefetcher.loadingCount == 0)
            prefetcher.isPaused = false
            try await untilIdle(prefetcher)
            #expect(paths == ["/2", "/3", "/1", "/0", "/4"])
        }

        @Test func whatIsStoppedIsNotLoaded() async throws {
            let prefetcher = prefetcher { $0.maximumConcurrentLoads = 1 }
            let hold = origin.transport.hold()
            prefetcher.start(urls(0..<4))
            await hold.arrivals(1)
            prefetcher.stop(urls(0..<3))
            prefetcher.stop(urls(7..<9))
            // The one under way is cancelled, and the last one takes its place.
            await hold.arrivals(2)
            #expect(paths == ["/0", "/3"])
            hold.release()
            try await untilIdle(prefetcher)
            #expect(origin.images.memoryImage(for: urls(0..<1)[0]) == nil)
            #expect(origin.images.memoryImage(for: urls(3..<4)[0]) != nil)
        }

        @Test func whatWasStartedTwiceHasToBeStoppedTwice() async throws {
            let prefetcher = prefetcher()
            prefetcher.isPaused = true
            prefetcher.start(urls(0..<1))
            prefetcher.start(urls(0..<1))
            prefetcher.stop(urls(0..<1))
            #expect(prefetcher.waitingCount == 1)
            prefetcher.stop(urls(0..<1))
            #expect(prefetcher.waitingCount == 0)
            prefetcher.isPaused = false
            #expect(prefetcher.loadingCount == 0 && origin.requestCount == 0)
        }

        @Test func aLoadThatSomebodyElseWaitsForGoesOn() async throws {
            let prefetcher = prefetcher()
            let hold = origin.transport.hold()
            prefetcher.start(urls(0..<1))
            await hold.arrivals(1)
            async let image = origin.images.image(for: urls(0..<1)[0])
            let request = origin.images.request(for: urls(0..<1)[0], ImageOptions())
            try await waitUntil { origin.images.flights.waiterCount(for: request) == 2 }
            prefetcher.stopAll()
            try await untilIdle(prefetcher)
            hold.release()
            _ = try await image
            #expect(origin.requestCount == 1)
        }

        @Test func stoppingAllEndsWhatIsUnderWayAndWhatWaits() async throws {
            let prefetcher = prefetcher()
            let hold = origin.transport.hold()
            prefetcher.start(urls(0..<9))
            await hold.arrivals(2)
            prefetcher.stopAll()
            try await untilIdle(prefetcher)
            // The prefetches end at once. Their requests may come to their cancellation a moment later.
            try await waitUntil { hold.heldCount == 0 }
            #expect(origin.requestCount == 2)
            // It can be used again.
            hold.release()
            prefetcher.start(urls(3..<4))
            try await untilIdle(prefetcher)
            #expect(origin.images.memoryImage(for: urls(3..<4)[0]) != nil)
        }

        @Test func aPrefetcherThatIsReleasedLoadsNothingMore() async throws {
            var prefetcher: ImagePrefetcher? = prefetcher()
            let hold = origin.transport.hold()
            prefetcher?.start(urls(0..<9))
            await hold.arrivals(2)
            prefetcher = nil
            try await waitUntil { hold.heldCount == 0 }
            for _ in 0..<100 { await Task.yield() }
            #expect(origin.requestCount == 2)
        }

        @Test func originalsAreKeptAndNotDecoded() async throws {
            let prefetcher = prefetcher { $0.destination = .original }
            prefetcher.start(urls(0..<2))
            try await untilIdle(prefetcher)
            #expect(origin.images.statistics.decodes == 0 && origin.requestCount == 2)
            _ = try await origin.images.image(for: urls(0..<1)[0])
            #expect(origin.requestCount == 2)
        }

        @Test func nothingIsLoadedWhileDataIsSaved() async throws {
            let savesData = Shared(true)
            let prefetcher = prefetcher { $0.savesData = { savesData.value } }
            prefetcher.start(urls(0..<2))
            try await untilIdle(prefetcher)
            #expect(origin.requestCount == 0)
            savesData.update { $0 = false }
            prefetcher.start(urls(0..<2))
            try await untilIdle(prefetcher)
            #expect(origin.requestCount == 2)
        }

        @Test func ofTooManyTheOnesThatHaveWaitedLongestGo() async throws {
            let prefetcher = prefetcher { $0.maximumWaitingCount = 3 }
            prefetcher.isPaused = true
            prefetcher.start(urls(0..<6))
            prefetcher.start(urls(6..<7))
            #expect(prefetcher.waitingCount == 3)
            prefetcher.isPaused = false
            try await untilIdle(prefetcher)
            #expect(Set(paths) == ["/4", "/5", "/6"])
        }

        @Test func failuresAreNobodysConcern() async throws {
            let prefetcher = prefetcher()
            prefetcher.start(["http://example.com/none", "no URL", ImageOrigin.url("/1")])
            try await untilIdle(prefetcher)
            #expect(origin.images.memoryImage(for: ImageOrigin.url("/1")) != nil)
        }
    }
#endif
