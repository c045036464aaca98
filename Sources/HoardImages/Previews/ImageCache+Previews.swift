// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HoardHTTP
internal import NIOCore

extension ImageCache {
    /// The image at a URL, and previews of it while it arrives. Nothing is fetched before the sequence is read.
    ///
    /// Only progressive JPEGs have previews, three at most, each of twice as many bytes as the one before. Decoding one takes about as long as decoding the
    /// image. There is none while all of ``Configuration/maximumConcurrentDecodes`` are under way. As ``image(for:options:)-(String,_)`` in everything else.
    public func progressiveImage(for url: String, options: ImageOptions = ImageOptions()) -> ProgressiveImage {
        ProgressiveImage(cache: self, request: request(for: url, options))
    }

    /// Reads a body into memory, and shows previews of it to callers that want them.
    func collect(_ body: HTTPBody, of request: ImageRequest, upTo limit: Int) async throws -> ByteBuffer {
        if body.bytesAtHand != nil || body.length ?? 0 > limit { return try await body.collect(upTo: limit) }
        var collected = ByteBuffer()
        var scans = JPEGScans()
        var (previewEnd, previewCount) = (0, 0)
        for try await part in body {
            guard collected.readableBytes + part.readableBytes <= limit else { throw HTTPBodyTooLargeError(maximumByteCount: limit) }
            collected.writeImmutableBuffer(part)
            if previews.isEmpty(of: request) { continue }
            collected.withUnsafeReadableBytes { scans.read(ByteReader($0)) }
            guard previewCount < Self.mostPreviews, !scans.isAtEnd, scans.completeEnd > previewEnd * 2 else { continue }
            // Without a free slot there is no preview: the transfer must not wait for other images.
            guard let preview = preview(of: collected.getSlice(at: collected.readerIndex, length: scans.completeEnd), request) else { continue }
            (previewEnd, previewCount) = (scans.completeEnd, previewCount + 1)
            previews.show(preview, of: request)
        }
        return collected
    }

    /// Each preview takes about as long to decode as the image.
    private static var mostPreviews: Int { 3 }

    /// - Returns: `nil` if all slots are taken, or the beginning cannot be decoded; the image itself may be whole.
    private func preview(of beginning: ByteBuffer?, _ request: ImageRequest) -> Bitmap? {
        guard let beginning else { return nil }
        let (options, limits) = (request.options, configuration.limits)
        let pixels = slots.runNow {
            beginning.withUnsafeReadableBytes { BitmapDecoder.decode($0, isBeginning: true, target: options.target, limits: limits) }
        }
        guard let pixels = try? pixels?.get() else { return nil }
        return try? Bitmap(pixels, original: nil).applying(options.processors)
    }
}

/// An image that becomes sharper while it arrives. See ``ImageCache/progressiveImage(for:options:)``.
///
/// ```swift
/// for try await progress in images.progressiveImage(for: url) {
///     show(progress.image)
/// }
/// ```
///
/// The last element is the image itself. A reader that is slow gets the newest element, not all of them. An iterator ends with an ``ImageError`` if there
/// is no image. When the reader's task is cancelled, the sequence ends, and the transfer, too, unless others wait for the image.
public struct ProgressiveImage: AsyncSequence, Sendable {
    /// The image, or a preview of it.
    public struct Progress: Sendable {
        /// The image as far as it has arrived.
        public let image: Bitmap
        /// Whether it is the image itself, behind which nothing follows.
        public let isComplete: Bool
    }

    let cache: ImageCache
    let request: ImageRequest

    public func makeAsyncIterator() -> Iterator {
        Iterator(base: AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1)) { [cache, request] in cache.load(request, $0) }.makeAsyncIterator())
    }

    /// Yields the states of the image, the last one complete.
    public struct Iterator: AsyncIteratorProtocol {
        var base: AsyncThrowingStream<Progress, any Error>.Iterator

        /// The next preview, or the image. Suspends.
        public mutating func next() async throws -> Progress? { try await base.next() }
    }
}

extension ImageCache {
    fileprivate func load(_ request: ImageRequest, _ reader: AsyncThrowingStream<ProgressiveImage.Progress, any Error>.Continuation) {
        let id = previews.add(of: request) { reader.yield(ProgressiveImage.Progress(image: $0, isComplete: false)) }
        let task = Task {
            do {
                reader.yield(ProgressiveImage.Progress(image: try await lookup(request).image, isComplete: true))
                reader.finish()
            } catch {
                reader.finish(throwing: error)
            }
        }
        reader.onTermination = { [previews] _ in
            previews.remove(id, of: request)
            task.cancel()
        }
    }
}
