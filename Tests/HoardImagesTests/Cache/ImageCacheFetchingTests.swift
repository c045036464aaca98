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

    @Suite struct ImageCacheFetchingTests {
        private let url = ImageOrigin.url("/photo")

        @Test func anImageIsFetchedAndDecodedOnce() async throws {
            let picture = Picture.gradient(40, 20)
            let origin = ImageOrigin(["/photo": .fresh(picture.png())])
            let first = try await origin.images.lookup(for: url)
            #expect(first.wasDecoded && !first.isFromCache)
            #expect(Picture(first.image) == picture)
            let second = try await origin.images.lookup(for: url)
            #expect(!second.wasDecoded && second.isFromCache)
            #expect(second.image == first.image)
            #expect(origin.requestCount == 1)
            #expect(origin.images.statistics.decodes == 1)
            #expect(origin.images.statistics.memoryHits == 1)
        }

        @Test func eachSizeIsDecodedOnceOfOneOriginal() async throws {
            let picture = Picture.gradient(40, 20)
            let origin = ImageOrigin(["/photo": .fresh(picture.png())])
            for _ in 0..<3 {
                for size in [nil, 20, 10] as [Int?] {
                    let image = try await origin.images.image(for: url, options: .init(maximumPixelSize: size))
                    #expect(image.width == size ?? 40)
                }
            }
            #expect(origin.requestCount == 1)
            #expect(origin.images.statistics.decodes == 3)
            #expect(origin.images.statistics.count == 3)
            #expect(origin.images.statistics.bytes == (40 * 20 + 20 * 10 + 10 * 5) * 4 + 3 * (256 + 4 * url.utf8.count))
        }

        @Test func aThousandCallersAtOnceMakeOneRequestAndOneDecode() async throws {
            let origin = ImageOrigin(["/photo": .fresh(Picture.gradient(40, 20).png())])
            let hold = origin.transport.hold()
            let images = try await withThrowingTaskGroup(of: Bitmap.self) { group in
                for _ in 0..<1_000 { group.addTask { try await origin.images.image(for: url) } }
                await hold.arrivals(1)
                hold.release()
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(images.count == 1_000)
            #expect(Set(images.map(\.pixels)).count == 1)
            #expect(origin.requestCount == 1)
            #expect(origin.images.statistics.decodes == 1)
        }

        @Test func aCallerThatIsCancelledLeavesTheOthersServed() async throws {
            let origin = ImageOrigin(["/photo": .fresh(Picture.gradient(40, 20).png())])
            let hold = origin.transport.hold()
            let patient = Task { try await origin.images.image(for: url) }
            await hold.arrivals(1)
            let impatient = Task { await #expect(throws: ImageError.self) { try await origin.images.image(for: url) }?.code }
            impatient.cancel()
            #expect(await impatient.value == .cancelled)
            hold.release()
            #expect(try await patient.value.width == 40)
            #expect(origin.requestCount == 1)
        }

        @Test func theTransferEndsWhenTheLastCallerHasLeft() async throws {
            let origin = ImageOrigin(["/photo": .fresh(Picture.gradient(40, 20).png())])
            let hold = origin.transport.hold()
            let only = Task { await #expect(throws: ImageError.self) { try await origin.images.image(for: url) }?.code }
            await hold.arrivals(1)
            only.cancel()
            #expect(await only.value == .cancelled)
            hold.release()
            #expect(origin.images.statistics.decodes == 0)
        }

        @Test func anOriginalThatWasNotModifiedIsNotDecodedAgain() async throws {
            let origin = ImageOrigin(["/photo": .revalidated(Picture.gradient(40, 20).png(), tag: "1")])
            _ = try await origin.images.image(for: url)
            let second = try await origin.images.lookup(for: url)
            #expect(!second.wasDecoded)
            #expect(origin.requestCount == 2)
            #expect(origin.images.statistics.decodes == 1)
        }

        @Test func anOriginalThatHasChangedIsDecodedAgain() async throws {
            let origin = ImageOrigin(["/photo": .revalidated(Picture.gradient(40, 20).png(), tag: "1")])
            #expect(try await origin.images.image(for: url).width == 40)
            origin.serve(.revalidated(Picture.gradient(30, 20).png(), tag: "2"), at: "/photo")
            #expect(try await origin.images.image(for: url).width == 30)
            #expect(origin.images.statistics.count == 1)
        }

        /// No field of the answer says that it is another picture, and its size is the same, too.
        @Test func onlyTheBytesDecideWhetherAnOriginalHasChanged() async throws {
            let (first, second) = (Picture.gradient(8, 8), Picture(width: 8, height: 8) { _, _ in [1, 2, 3, 255] })
            let origin = ImageOrigin(["/photo": .init(data: first.png(), fields: [.cacheControl: "no-cache"])])
            #expect(Picture(try await origin.images.image(for: url)) == first)
            origin.serve(.init(data: second.png(), fields: [.cacheControl: "no-cache"]), at: "/photo")
            #expect(Picture(try await origin.images.image(for: url)) == second)
        }

        /// The body of a large original is not even read if its strong validator says that it is the same.
        @Test func aLargeOriginalIsRecognizedByItsValidator() async throws {
            var generator = SeededGenerator(seed: 3)
            let picture = Picture.noise(400, 300, hasAlpha: true, using: &generator)
            let origin = ImageOrigin(["/photo": .fresh(picture.png(), [.eTag: "\"1\""])])
            #expect(Picture(try await origin.images.image(for: url)) == picture)
            let second = try await origin.images.lookup(for: url)
            #expect(!second.wasDecoded && second.isFromCache)
            #expect(Picture(second.image) == picture)
            #expect(origin.requestCount == 1)
        }

        @Test func anInvalidationOfTheHTTPCacheReachesTheBitmap() async throws {
            let origin = ImageOrigin(["/photo": .fresh(Picture.gradient(40, 20).png())])
            #expect(try await origin.images.image(for: url).width == 40)
            origin.serve(.fresh(Picture.gradient(30, 20).png()), at: "/photo")
            #expect(try await origin.images.image(for: url).width == 40)
            _ = await origin.cache.remove(url)
            #expect(try await origin.images.image(for: url).width == 30)
        }

        @Test func aResponseThatMustNotBeStoredLeavesNoBitmap() async throws {
            let origin = ImageOrigin(["/photo": .init(data: Picture.gradient(40, 20).png(), fields: [.cacheControl: "no-store"])])
            for _ in 0..<2 { #expect(try await origin.images.image(for: url).width == 40) }
            #expect(origin.images.statistics.count == 0)
            #expect(origin.requestCount == 2)
        }

        @Test func imagesThatVaryByAFieldAreKeptApart() async throws {
            let pictures = ["image/a": Picture.gradient(40, 20).png(), "image/b": Picture.gradient(30, 20).png()]
            let transport = FakeTransport { request in
                let data = pictures[request.head.headerFields[.accept] ?? ""] ?? Data()
                return .response(.init(status: .ok, headerFields: [.cacheControl: "max-age=60", .vary: "Accept"]), body: .init(.init(bytes: data)))
            }
            let images = ImageCache(client: CachingClient(transport: transport))
            for _ in 0..<2 {
                for (accept, width) in [("image/a", 40), ("image/b", 30)] {
                    var options = ImageOptions()
                    options.fields[.accept] = accept
                    #expect(try await images.image(for: url, options: options).width == width)
                }
            }
            #expect(transport.requests.count == 2)
            #expect(images.statistics.decodes == 2)
        }

        @Test func anOriginalThatStandsInForAnUnreachableOriginSaysSo() async throws {
            let time = ManualTicker()
            let data = Picture.gradient(40, 20).png()
            let network = FakeNetwork()
            let transport = FakeTransport { _ in
                if network.isAway { return .failure(TransportError(.cannotConnect, "The network is away.")) }
                return .response(.init(status: .ok, headerFields: [.cacheControl: "max-age=60"]), body: .init(.init(bytes: data)))
            }
            let images = ImageCache(
                client: CachingClient(transport: transport, cache: HTTPCache(clock: time, ticker: time)),
                clock: time,
                ticker: time
            )
            #expect(try await images.lookup(for: url).staleness == nil)
            time.advance(by: .seconds(600))
            network.goAway()
            let stale = try await images.lookup(for: url)
            #expect(stale.staleness?.isStandIn == true)
            #expect(!stale.wasDecoded)
        }

        @Test func failuresAreTypedAndLeaveNothing() async throws {
            let origin = ImageOrigin([
                "/text": .fresh(Data("<html>".utf8)), "/damaged": .fresh(Picture.gradient(9, 9).png().dropLast(20)),
                "/bomb": .fresh(Picture.gradient(1, 1).png().claimingSize(90_000, 90_000)), "/heif": .fresh(Data("\0\0\0\u{18}ftypheic".utf8)),
                "/empty": .fresh(Data()),
            ])
            let expected: [String: ImageError.Code] = [
                "/text": .notAnImage, "/damaged": .damaged, "/bomb": .tooLarge, "/heif": .unsupported, "/empty": .notAnImage,
                "/missing": .unacceptableStatus,
            ]
            for (path, code) in expected {
                let error = await #expect(throws: ImageError.self) { try await origin.images.image(for: ImageOrigin.url(path)) }
                #expect(error?.code == code, "\(path)")
                #expect(error?.message.contains(path) == false)
            }
            #expect(origin.images.statistics.count == 0)
            #expect(origin.images.statistics.failures == 5)
            #expect(origin.images.statistics.refusals == 1)
            let missing = await #expect(throws: ImageError.self) { try await origin.images.image(for: ImageOrigin.url("/missing")) }
            #expect(missing?.status == 404)
        }

        @Test func aBitmapOutlivesAFailureOfItsOrigin() async throws {
            let origin = ImageOrigin(["/photo": .revalidated(Picture.gradient(40, 20).png(), tag: "1")])
            _ = try await origin.images.image(for: url)
            origin.serve(.revalidated(Data("<html>".utf8), tag: "2"), at: "/photo")
            await #expect(throws: ImageError.self) { try await origin.images.image(for: url) }
            #expect(origin.images.statistics.count == 1)
        }

        @Test func whatTheNetworkReportsIsInTheError() async throws {
            let images = ImageCache(client: CachingClient(transport: FakeTransport(failingWith: TransportError(.cannotConnect, "Nothing listens."))))
            let error = await #expect(throws: ImageError.self) { try await images.image(for: url) }
            #expect(error?.code == .network)
            #expect(error?.clientError?.code == .unreachable)
            let invalid = await #expect(throws: ImageError.self) { try await images.image(for: "photo.png") }
            #expect(invalid?.clientError?.code == .invalidURL)
        }

        @Test func aTransferThatBreaksOffIsAnErrorOfTheNetwork() async throws {
            let transport = FakeTransport { _ in
                .parts(["\u{89}PNG"], length: 100, breakingOffWith: TransportError(.connectionClosed, "The connection was lost."))
            }
            let images = ImageCache(client: CachingClient(transport: transport))
            let error = await #expect(throws: ImageError.self) { try await images.image(for: url) }
            #expect(error?.code == .network)
            #expect(images.statistics.count == 0)
        }

        @Test func anOriginalWithMoreBytesThanAllowedIsRefusedWhileItArrives() async throws {
            let transport = FakeTransport { _ in .parts(Array(repeating: String(repeating: "x", count: 1_000), count: 100)) }
            var configuration = ImageCache.Configuration()
            configuration.limits.maximumEncodedBytes = 10_000
            let images = ImageCache(client: CachingClient(transport: transport), configuration: configuration)
            let error = await #expect(throws: ImageError.self) { try await images.image(for: url) }
            #expect(error?.code == .tooLarge)
            #expect(images.statistics.refusals == 1)
        }

        @Test func withoutAClientNothingIsFetched() async {
            let error = await #expect(throws: ImageError.self) { try await ImageCache().image(for: url) }
            #expect(error?.code == .clientNotConfigured)
        }

        @Test func aURLIsAsGoodAsItsText() async throws {
            let origin = ImageOrigin(["/photo": .fresh(Picture.gradient(40, 20).png())])
            #expect(try await origin.images.image(for: try #require(URL(string: url))).width == 40)
        }

        @Test func bitmapsStayWithinTheLimitOfMemory() async throws {
            let sizes = 1...20
            var configuration = ImageCache.Configuration()
            configuration.maximumMemoryBytes = 3 * (10 * 10 * 4 + 256 + 4 * 21)
            let origin = ImageOrigin(
                Dictionary(uniqueKeysWithValues: sizes.map { ("/\($0)", .fresh(Picture.gradient(10, 10).png())) }),
                configuration: configuration
            )
            for size in sizes {
                _ = try await origin.images.image(for: ImageOrigin.url("/\(size)"))
                #expect(origin.images.statistics.bytes <= configuration.maximumMemoryBytes)
            }
            #expect(origin.images.statistics.count == 3)
            origin.serve(.fresh(Picture.gradient(100, 100).png()), at: "/large")
            #expect(try await origin.images.image(for: ImageOrigin.url("/large")).width == 100)
            #expect(origin.images.statistics.count == 3)
        }

        @Test func trimmingEvictsBitmapsAndNoOriginals() async throws {
            let origin = ImageOrigin(Dictionary(uniqueKeysWithValues: (0..<8).map { ("/\($0)", .fresh(Picture.gradient(10, 10).png())) }))
            for number in 0..<8 { _ = try await origin.images.image(for: ImageOrigin.url("/\(number)")) }
            #expect(origin.images.trim(toFraction: 0.5) == 4)
            #expect(origin.images.statistics.count == 4)
            for number in 0..<8 { _ = try await origin.images.image(for: ImageOrigin.url("/\(number)")) }
            #expect(origin.requestCount == 8)
        }

        @Test func anExchangeThatTakesTooLongIsAnErrorOfTheNetwork() async throws {
            let time = ManualTicker()
            let transport = FakeTransport { _ in .text() }
            let hold = transport.hold()
            let images = ImageCache(client: CachingClient(transport: transport, cache: HTTPCache(ticker: time), ticker: time))
            var options = ImageOptions()
            options.timeout = .seconds(10)
            let photo = url
            let pending = Task { [options] in await #expect(throws: ImageError.self) { try await images.image(for: photo, options: options) } }
            await hold.arrivals(1)
            time.advance(by: .seconds(10))
            let error = await pending.value
            #expect(error?.code == .network)
            #expect(error?.clientError?.code == .deadlineExceeded)
            hold.release()
        }

        @Test(.timeLimit(.minutes(1))) func nothingIsLeftBehindWhenTheCacheIsGone() async throws {
            var origin: ImageOrigin? = ImageOrigin(["/photo": .fresh(Picture.gradient(40, 20).png())])
            weak let images = origin?.images
            weak let cache = origin?.cache
            _ = try await origin?.images.image(for: url)
            try await origin?.images.store(Picture.gradient(4, 4).png(), forKey: "avatar")
            _ = try await origin?.images.image(forKey: "avatar")
            await origin?.images.removePartition("anna")
            origin = nil
            // The task of a load holds both until it has ended, which is after its callers have got the image.
            try await waitUntil { images == nil && cache == nil }
        }

        /// An entity tag belongs to the URL that answered.
        @Test func aRedirectToAnotherImageWithTheSameEntityTagIsAnotherImage() async throws {
            var generator = SeededGenerator(seed: 4)
            let (first, second) = (
                Picture.noise(300, 300, hasAlpha: true, using: &generator), Picture.noise(300, 300, hasAlpha: true, using: &generator)
            )
            func redirect(to path: String) -> ImageOrigin.Answer {
                .init(data: Data(), fields: [.location: path, .cacheControl: "no-store"], status: .found)
            }
            let origin = ImageOrigin([
                "/photo": redirect(to: "/first"), "/first": .fresh(first.png(), [.eTag: "\"1\""]), "/second": .fresh(second.png(), [.eTag: "\"1\""]),
            ])
            _ = try await origin.images.image(for: ImageOrigin.url("/second"))
            #expect(Picture(try await origin.images.image(for: url)) == first)
            origin.serve(redirect(to: "/second"), at: "/photo")
            #expect(Picture(try await origin.images.image(for: url)) == second)
        }

        /// Small pictures with long names are not small.
        @Test func namesCountAsMemory() async throws {
            let answer = Picture.gradient(1, 1).png()
            let transport = FakeTransport { _ in
                .response(.init(status: .ok, headerFields: [.cacheControl: "max-age=60"]), body: .init(.init(bytes: answer)))
            }
            var configuration = ImageCache.Configuration()
            configuration.maximumMemoryBytes = 100_000
            let images = ImageCache(client: CachingClient(transport: transport), configuration: configuration)
            for number in 0..<50 { _ = try await images.image(for: ImageOrigin.url("/\(number)?" + String(repeating: "x", count: 5_000))) }
            #expect(images.statistics.count <= 5)
            #expect(images.statistics.count > 0)
        }

        @Test func entityTagsCountAsMemory() async throws {
            var configuration = ImageCache.Configuration()
            configuration.maximumMemoryBytes = 20_000
            let tag = "\"" + String(repeating: "x", count: 5_000) + "\""
            let origin = ImageOrigin(
                Dictionary(uniqueKeysWithValues: (0..<20).map { ("/\($0)", .fresh(Picture.gradient(1, 1).png(), [.eTag: tag])) }),
                configuration: configuration
            )
            for number in 0..<20 { _ = try await origin.images.image(for: ImageOrigin.url("/\(number)")) }
            #expect(origin.images.statistics.count <= 3)
            #expect(origin.images.statistics.count > 0)
        }

        @Test func whatIsUnderWayForOtherImagesIsKeptAndJoined() async throws {
            let origin = ImageOrigin(["/photo": .fresh(Picture.gradient(40, 20).png()), "/other": .fresh(Picture.gradient(30, 20).png())])
            let hold = origin.transport.hold()
            let photo = url
            let pending = Task { try await origin.images.image(for: photo) }
            await hold.arrivals(1)
            try await origin.images.store(Picture.gradient(4, 4).png(), forKey: "thumbnail")
            await origin.images.removeImage(for: ImageOrigin.url("/other"))
            await origin.images.removePartition("anna")
            let joining = Task { try await origin.images.image(for: photo) }
            hold.release()
            #expect(try await pending.value == joining.value)
            #expect(origin.images.statistics.decodes == 1)
            #expect(origin.images.statistics.count == 1)
        }
    }
#endif
