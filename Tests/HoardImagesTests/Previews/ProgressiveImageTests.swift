// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if Images && os(Linux)
    import Foundation
    import HTTPTypes
    import Hoard
    import HoardHTTP
    import HoardTesting
    import NIOCore
    import Synchronization
    import Testing

    @testable import HoardImages

    @Suite struct ProgressiveImageTests {
        private let url = "http://example.com/photo"

        /// An origin whose content comes when the test says so.
        private final class SlowOrigin: Sendable {
            let images: ImageCache
            let transport: FakeTransport
            private let parts: AsyncStream<ByteBuffer>.Continuation

            init(configuration: ImageCache.Configuration = .init()) {
                let (stream, parts) = AsyncStream.makeStream(of: ByteBuffer.self)
                self.parts = parts
                transport = FakeTransport { _ in
                    .response(
                        HTTPResponse(status: .ok, headerFields: [.cacheControl: "max-age=3600"]),
                        body: HTTPBody(stream, length: nil)
                    )
                }
                images = ImageCache(client: CachingClient(transport: transport, cache: HTTPCache()), configuration: configuration)
            }

            func send(_ data: Data) { parts.yield(ByteBuffer(bytes: data)) }
            func end() { parts.finish() }
        }

        /// A picture, its progressive form, and where that form's scans end.
        private static let (picture, data, ends): (Picture, Data, [Int]) = {
            let picture = Picture.gradient(96, 64)
            let data = picture.jpeg(quality: 90, isProgressive: true)
            var scans = JPEGScans()
            var ends: [Int] = []
            for length in 0...data.count {
                data.prefix(length).withUnsafeBytes { scans.read(ByteReader($0)) }
                if scans.completeEnd > ends.last ?? 0 { ends.append(scans.completeEnd) }
            }
            return (picture, data, ends)
        }()

        @Test func aPreviewComesBehindTheFirstScanAndTheImageAtTheEnd() async throws {
            let origin = SlowOrigin()
            var progress = origin.images.progressiveImage(for: url, options: .init(maximumPixelSize: 48)).makeAsyncIterator()
            origin.send(Self.data.prefix(Self.ends[0] + 2))
            let preview = try #require(try await progress.next())
            #expect(!preview.isComplete)
            #expect((preview.image.width, preview.image.height) == (48, 32))
            #expect(Picture(preview.image).greatestDifference(from: Self.picture.scaled(to: 48, 32)) < 40)
            origin.send(Data(Self.data.dropFirst(Self.ends[0] + 2)))
            origin.end()
            var last = try await progress.next()
            // There may be other previews before it.
            while last?.isComplete == false { last = try await progress.next() }
            let image = try #require(last)
            #expect(image.isComplete)
            #expect(image.image == (try Bitmap(decoding: Self.data, maximumPixelSize: 48, keepsOriginal: false)))
            #expect(try await progress.next() == nil)
            #expect(origin.transport.requests.count == 1)
            // It is in memory now, and previews are not.
            #expect(origin.images.memoryImage(for: url, options: .init(maximumPixelSize: 48)) == image.image)
            #expect(origin.images.statistics.count == 1 && origin.images.statistics.decodes == 1)
        }

        @Test func aReaderThatComesLaterSeesPreviewsOfTheSameTransfer() async throws {
            let origin = SlowOrigin()
            let plain = Task { try await origin.images.image(for: url) }
            while origin.transport.requests.isEmpty { await Task.yield() }
            origin.send(Self.data.prefix(20))
            var progress = origin.images.progressiveImage(for: url).makeAsyncIterator()
            origin.send(Self.data[20..<Self.ends[0] + 2])
            #expect(try await progress.next()?.isComplete == false)
            origin.send(Data(Self.data.dropFirst(Self.ends[0] + 2)))
            origin.end()
            #expect(try await plain.value.width == 96)
            #expect(origin.transport.requests.count == 1)
        }

        @Test func processorsAreAppliedToPreviews() async throws {
            let origin = SlowOrigin()
            let options = ImageOptions(processors: [.filled(width: 20, height: 20)])
            var progress = origin.images.progressiveImage(for: url, options: options).makeAsyncIterator()
            origin.send(Self.data.prefix(Self.ends[0] + 2))
            let preview = try #require(try await progress.next())
            #expect((preview.image.width, preview.image.height) == (20, 20))
            origin.end()
        }

        /// Only those that have twice as many bytes as the one before: all previews together cost no more than the image.
        @Test func previewsAreFewHoweverManyScansThereAre() async throws {
            let origin = SlowOrigin()
            let seen = Counter()
            let request = origin.images.request(for: url, .init())
            _ = origin.images.previews.add(of: request) { _ in seen.increment() }
            let image = Task { try await origin.images.image(for: url) }
            for index in Self.data.indices { origin.send(Self.data[index..<index + 1]) }
            origin.end()
            #expect(try await image.value.width == 96)
            var (expected, last) = (0, 0)
            for end in Self.ends.dropLast() where end > last * 2 { (expected, last) = (expected + 1, end) }
            #expect(seen.value == expected && expected >= 2)
        }

        @Test func aBeginningThatCannotBeShownIsNotTriedAgainWithEveryPart() async throws {
            let origin = SlowOrigin()
            let tries = Counter()
            let options = ImageOptions(
                processors: [
                    .custom(name: "refusing", version: 1) { _ in
                        tries.increment()
                        throw ImageError.damaged
                    }
                ]
            )
            let request = origin.images.request(for: url, options)
            _ = origin.images.previews.add(of: request) { _ in Issue.record("There is no preview to show.") }
            let image = Task { try await origin.images.image(for: url, options: options) }
            for index in Self.data.indices { origin.send(Self.data[index..<index + 1]) }
            origin.end()
            await #expect(throws: ImageError.self) { try await image.value }
            // The image itself comes last.
            #expect((2...4).contains(tries.value))
        }

        @Test func aReaderThatComesAfterARemovalSeesNoPreviewsOfWhatWasUnderWay() async throws {
            let origin = SlowOrigin()
            let (before, after) = (Counter(), Counter())
            let request = origin.images.request(for: url, .init())
            _ = origin.images.previews.add(of: request) { _ in before.increment() }
            let image = Task { try await origin.images.image(for: url) }
            origin.send(Self.data.prefix(Self.ends[0] + 2))
            while before.value == 0, !Task.isCancelled { await Task.yield() }
            await origin.images.removeImage(for: url)
            _ = origin.images.previews.add(of: request) { _ in after.increment() }
            for index in Self.ends[0] + 2..<Self.data.count { origin.send(Self.data[index..<index + 1]) }
            origin.end()
            #expect(try await image.value.width == 96)
            #expect(after.value == 0 && before.value == 1)
        }

        @Test func anImageInMemoryIsTheOnlyElement() async throws {
            let origin = ImageOrigin(["/photo": .fresh(Self.data)])
            _ = try await origin.images.image(for: url)
            var elements: [Bool] = []
            for try await progress in origin.images.progressiveImage(for: url) { elements.append(progress.isComplete) }
            #expect(elements == [true])
        }

        @Test func anErrorEndsTheSequence() async throws {
            let origin = ImageOrigin()
            await #expect(throws: ImageError.self) {
                for try await _ in origin.images.progressiveImage(for: url) {}
            }
        }

        @Test func aTransferThatEndsEarlyIsAnErrorBehindItsPreviews() async throws {
            let origin = SlowOrigin()
            var progress = origin.images.progressiveImage(for: url).makeAsyncIterator()
            origin.send(Self.data.prefix(Self.ends[0] + 2))
            #expect(try await progress.next()?.isComplete == false)
            origin.end()
            let error = await #expect(throws: ImageError.self) { try await progress.next() }
            #expect(error?.code == .damaged)
        }

        /// The stream of this test ends when its reader is cancelled, as that of a transport may.
        @Test func aBodyThatEndsSinceItsTaskIsCancelledIsNoWholeBody() async throws {
            let images = SlowOrigin().images
            let request = images.request(for: url, .init())
            let (stream, parts) = AsyncStream.makeStream(of: ByteBuffer.self)
            parts.yield(ByteBuffer(bytes: Self.data))
            let reader = Task {
                let fence = images.state.withLock { $0.fences.open(request) }
                defer { images.state.withLock { $0.fences.close(fence) } }
                return try await images.collect(HTTPBody(stream, length: nil), of: request, upTo: 1 << 20, fence)
            }
            reader.cancel()
            await #expect(throws: CancellationError.self) { try await reader.value }
            parts.finish()
        }

        @Test func aReaderThatLeavesEndsTheTransferAndLeavesNothingBehind() async throws {
            let origin = SlowOrigin()
            let request = origin.images.request(for: url, .init())
            let reader = Task {
                for try await _ in origin.images.progressiveImage(for: url) {}
            }
            while origin.transport.requests.isEmpty { await Task.yield() }
            reader.cancel()
            _ = await reader.result
            while !origin.images.previews.isEmpty(of: request) { await Task.yield() }
            #expect(origin.images.statistics.count == 0)
        }
    }
#endif
