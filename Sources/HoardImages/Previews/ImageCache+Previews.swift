// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard
internal import HoardHTTP
internal import NIOCore
internal import Synchronization

extension ImageCache {
    /// The image at a URL, and previews of it while it arrives. Nothing is fetched before the sequence is read.
    ///
    /// Only progressive JPEGs have previews, three at most, each of twice as many bytes as the one before. Decoding one takes about as long as decoding the
    /// image. There is none while all of ``Configuration/maximumConcurrentDecodes`` are under way, and none once the image
    /// has been removed while it arrives. As ``image(for:options:)-(String,_)`` in everything else.
    public func progressiveImage(for url: String, options: ImageOptions = ImageOptions()) -> ProgressiveImage {
        ProgressiveImage(cache: self, request: request(for: url, options))
    }

    /// Reads a body into memory, and shows previews of it to callers that want them.
    ///
    /// - Parameter fence: That of the load. Once the image has been removed, there are no previews of this body any more.
    func collect(_ body: HTTPBody, of request: ImageRequest, upTo limit: Int, _ fence: FenceTable<ImageRequest>.Fence) async throws -> ByteBuffer {
        if body.bytesAtHand != nil || body.length ?? 0 > limit { return try await body.collect(upTo: limit) }
        var collected = ByteBuffer()
        var scans = JPEGScans()
        // A beginning that cannot be decoded counts, too: else it would be tried again with every part that arrives.
        var (triedEnd, tryCount) = (0, 0)
        for try await part in body {
            guard collected.readableBytes + part.readableBytes <= limit else { throw HTTPBodyTooLargeError(maximumByteCount: limit) }
            collected.writeImmutableBuffer(part)
            guard !previews.isEmpty(of: request), state.withLock({ $0.fences.isIntact(fence) }) else { continue }
            collected.withUnsafeReadableBytes { scans.read(ByteReader($0)) }
            guard tryCount < Self.mostPreviews, !scans.isAtEnd, scans.completeEnd > triedEnd * 2 else { continue }
            // Without a free slot there is no preview: the transfer must not wait for other images.
            guard let result = preview(of: collected.getSlice(at: collected.readerIndex, length: scans.completeEnd), request) else { continue }
            (triedEnd, tryCount) = (scans.completeEnd, tryCount + 1)
            guard let preview = try? result.get() else { continue }
            for reader in readers(of: request, fence) { reader(preview) }
        }
        // Some streams end early instead of throwing when their reader is cancelled. What has come then may look like a whole image.
        if Task.isCancelled, body.length != collected.readableBytes { throw CancellationError() }
        return collected
    }

    /// The callers that want to see previews. None once the image has been removed: callers that ask after that must not see
    /// them.
    private func readers(of request: ImageRequest, _ fence: FenceTable<ImageRequest>.Fence) -> [PreviewReaders.Reader] {
        // Inside the lock, so that a removal comes before it, and breaks the fence, or after it, and all of these have asked before.
        state.withLock { $0.fences.isIntact(fence) ? previews.readers(of: request) : [] }
    }

    /// Each preview takes about as long to decode as the image.
    private static var mostPreviews: Int { 3 }

    /// - Returns: `nil` if all slots are taken. A beginning that cannot be decoded may be that of an image that can.
    private func preview(of beginning: ByteBuffer?, _ request: ImageRequest) -> Result<Bitmap, ImageError>? {
        guard let beginning else { return nil }
        let (options, limits) = (request.options, configuration.limits)
        let pixels = slots.runNow {
            beginning.withUnsafeReadableBytes { BitmapDecoder.decode($0, isBeginning: true, target: options.target, limits: limits) }
        }
        return pixels?.flatMap { pixels in
            Result { () throws(ImageError) in try Bitmap(pixels, original: nil).applying(options.processors) }
        }
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
