// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Hoard
import HoardDisk
import HoardHTTP
import HoardImages
import NIOCore
import Testing

/// The examples of `docs/guides/from-image-libraries.md`, run.
@Suite(.timeLimit(.minutes(1))) struct FromImageLibrariesGuideExamples {
    /// A server with one image at every URL, which counts its requests.
    actor Gallery: Transport {
        private(set) var requestCount = 0
        private let cacheControl: String
        private let image: Data

        init(cacheControl: String = "max-age=60") throws {
            self.cacheControl = cacheControl
            image = try #require(Bitmap(width: 40, height: 20, pixels: .init(repeating: 255, count: 40 * 20 * 4))).encode()
        }

        nonisolated func send(
            _ request: HTTPRequest,
            body: HTTPBody,
            onInterimResponse: InterimResponseHandler?
        ) async throws(TransportError) -> TransportResponse {
            await response()
        }

        private func response() -> TransportResponse {
            requestCount += 1
            return TransportResponse(
                head: HTTPResponse(status: .ok, headerFields: [.cacheControl: cacheControl]),
                body: HTTPBody(ByteBuffer(bytes: image))
            )
        }
    }

    /// Gives images a lifetime, whatever the server says.
    struct ImagesForAWeek: Transport {
        let transport: any Transport

        func send(
            _ request: HTTPRequest,
            body: HTTPBody,
            onInterimResponse: InterimResponseHandler?
        ) async throws(TransportError) -> TransportResponse {
            var response = try await transport.send(request, body: body, onInterimResponse: onInterimResponse)
            if response.head.status == .ok { response.head.headerFields[.cacheControl] = "max-age=604800" }
            return response
        }
    }

    private let directory = FileManager.default.temporaryDirectory.appendingPathComponent("hoard-guide-\(UUID().uuidString)").path

    @Test func anImageIsFetchedOnceAndKept() async throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let gallery = try Gallery()
        let (transport, url) = (gallery, "https://example.com/photo.png")

        let disk = try DiskStore(configuration: .init(directory: directory, maximumBytes: 150 << 20))
        let client = CachingClient(transport: transport, cache: HTTPCache(stores: [disk]))
        let images = ImageCache(client: client, stores: [disk])

        let options = ImageOptions(processors: [.filled(width: 10, height: 10), .circle])
        let picture = try await images.image(for: url, options: options)
        let shown = images.memoryImage(for: url, options: options)  // at once, without waiting: nil if it is not decoded
        let lookup = try await images.lookup(for: url, options: options)
        print(lookup.isFromCache, lookup.wasDecoded)

        #expect(picture.width == 10 && picture.height == 10)
        #expect(shown == picture)
        #expect(lookup.isFromCache && !lookup.wasDecoded)
        #expect(await gallery.requestCount == 1)

        await images.removeImage(for: url)
        await images.removePartition("alice")
        images.removeDecodedImages()
        images.trim(toFraction: 0.5)
        await images.removeAll()

        #expect(images.memoryImage(for: url, options: options) == nil)
        #expect(images.statistics.count == 0)
        await client.cache.close()
    }

    @Test func imagesAreKeptByKey() async throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let data = try #require(Bitmap(width: 4, height: 4, pixels: .init(repeating: 255, count: 64))).encode()
        let disk = try DiskStore(configuration: .init(directory: directory))

        let images = ImageCache(stores: [disk])
        try await images.store(data, forKey: "avatar", expiresAfter: .seconds(7 * 86_400))
        let avatar = try await images.image(forKey: "avatar")

        #expect(avatar?.width == 4)
        await images.removeImage(forKey: "avatar")
        #expect(try await images.image(forKey: "avatar") == nil)
        await disk.close()
    }

    @Test func imagesAreFetchedAhead() async throws {
        let gallery = try Gallery()
        let images = ImageCache(client: CachingClient(transport: gallery))
        let (options, urls) = (ImageOptions(maximumPixelSize: 10), (0..<3).map { "https://example.com/\($0).png" })

        let prefetcher = ImagePrefetcher(images)
        prefetcher.start(urls, options: options)
        // Those that come later may be decoded earlier.
        while !urls.allSatisfy({ images.memoryImage(for: $0, options: options) != nil }) { await Task.yield() }
        prefetcher.stop(urls, options: options)

        #expect(await gallery.requestCount == 3)
    }

    @Test func theServerDecidesUnlessATransportSaysOtherwise() async throws {
        let (transport, url) = (try Gallery(cacheControl: "no-store"), "https://example.com/photo.png")
        let obedient = ImageCache(client: CachingClient(transport: transport))
        for _ in 0..<2 { _ = try await obedient.image(for: url) }
        #expect(await transport.requestCount == 2)

        let client = CachingClient(transport: ImagesForAWeek(transport: transport))
        let images = ImageCache(client: client)
        for _ in 0..<2 { _ = try await images.image(for: url) }
        #expect(await transport.requestCount == 3)
    }
}
