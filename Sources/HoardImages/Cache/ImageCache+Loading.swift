// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import Hoard
internal import HoardHTTP
internal import NIOCore
internal import Synchronization

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// An original as a flight finds it.
private struct FoundOriginal {
    enum Content {
        /// The bitmap in memory, or the thumbnail, was made of it.
        case sameAsInMemory
        case buffer(ByteBuffer)
        case bytes(OriginalBytes)
    }

    var content: Content
    var validator: ImageValidator?
    var isFromCache = true
    var staleness: HTTPCacheResponse.Staleness?
    var mayBeKept = true
    var derivedTerms = DerivedTerms()
}

/// An image made of an original.
private struct Decoded: Sendable {
    var bitmap: Bitmap
    var animation: AnimatedImage?

    init(_ pixels: DecodedPixels, _ options: ImageOptions) throws(ImageError) {
        bitmap = try Bitmap(pixels, original: nil).applying(options.processors)
    }

    /// With all its frames.
    init(_ data: Data, _ options: ImageOptions, _ limits: ImageLimits) throws(ImageError) {
        let animation = try AnimatedImage(decoding: data, maximumPixelSize: options.maximumPixelSize, processors: options.processors, limits: limits)
        self.animation = animation
        bitmap = animation.firstFrame.bitmap
    }
}

extension ImageCache {
    /// The bitmap in memory, if its original is in memory too, fresh, and still the same. Never suspends.
    func lookupInMemory(_ request: ImageRequest) -> ImageLookup? {
        let key = request.decodedKey
        guard let known = memory.peek(key) else { return nil }
        let isFromCache: Bool
        switch request.source {
        case .key(let name):
            guard originals.memoryValue(forKey: OriginalKey(key: name, partition: request.partition))?.identity == known.identity else { return nil }
            isFromCache = true
        case .url(let url):
            guard let target = TargetURI(URIReference(url.text)),
                let response = client?.responseFromMemory(
                    to: request.head,
                    target: target,
                    options: request.requestOptions,
                    ifAccepted: { $0.hasImage && known.isMade(ofContent: $1, head: $0, url: target.description) }
                )
            else { return nil }
            isFromCache = response.isFromCache
        }
        return hit(known, forKey: key, isFromCache: isFromCache)
    }

    /// A bitmap in memory that may be shown. Counts as a use.
    private func hit(
        _ known: DecodedImage,
        forKey key: DecodedKey,
        isFromCache: Bool,
        staleness: HTTPCacheResponse.Staleness? = nil
    ) -> ImageLookup {
        _ = memory.value(forKey: key)
        state.withLock { $0.statistics.memoryHits += 1 }
        return ImageLookup(known, wasDecoded: false, isFromCache: isFromCache, staleness: staleness)
    }

    /// The load of a flight: the cache or store that keeps the original judges it, and the load decodes it unless that has been done.
    func load(_ request: ImageRequest) async throws(ImageError) -> ImageLookup? {
        let key = request.decodedKey
        let fence = state.withLock { $0.fences.open(request) }
        defer { state.withLock { $0.fences.close(fence) } }
        let known = memory.peek(key)
        let thumbnail = known == nil ? await thumbnail(of: request) : nil
        guard let original = try await original(of: request, known: known ?? thumbnail, fence) else { return nil }
        let identity: ContentIdentity? =
            switch original.content {
            case .sameAsInMemory: (known ?? thumbnail)?.identity
            case .buffer(let buffer): buffer.withUnsafeReadableBytes { ContentIdentity($0) }
            case .bytes(let bytes): bytes.identity
            }
        if let known, let identity, known.identity == identity {
            if original.mayBeKept, original.derivedTerms.isInMemoryOnly, !original.isFromCache {
                // It has left with those that the stores had.
                await keepPlaceholder(known, of: request, original.derivedTerms, fence)
            }
            return hit(known, forKey: key, isFromCache: original.isFromCache, staleness: original.staleness)
        }
        if let thumbnail, let identity, thumbnail.identity == identity { return await show(thumbnail, of: request, original, fence) }
        guard let identity else { throw ImageError.damaged }
        let decoded = try await decode(original.content, request)
        let image = DecodedImage(bitmap: decoded.bitmap, animation: decoded.animation, identity: identity, validator: original.validator)
        if original.mayBeKept {
            keep(image, forKey: key, fence)
            await keepDerived(image, of: request, original.derivedTerms, fence)
        }
        return ImageLookup(image, wasDecoded: true, isFromCache: original.isFromCache, staleness: original.staleness)
    }

    /// A thumbnail that may be shown, as its original is the one that it was made of.
    private func show(
        _ thumbnail: DecodedImage,
        of request: ImageRequest,
        _ original: FoundOriginal,
        _ fence: FenceTable<ImageRequest>.Fence
    ) async -> ImageLookup {
        noteThumbnailHit()
        let image = DecodedImage(bitmap: thumbnail.bitmap, animation: nil, identity: thumbnail.identity, validator: original.validator)
        if original.mayBeKept {
            keep(image, forKey: request.decodedKey, fence)
            // The same bytes under a new entity tag: next time that one tells it.
            if image.validator != thumbnail.validator { await keepThumbnail(image, of: request, original.derivedTerms, fence) }
        }
        return ImageLookup(image, wasDecoded: false, isFromCache: original.isFromCache, staleness: original.staleness)
    }

    /// Has the original of an image fetched and kept, and decodes nothing. As much of it is read as would be for a bitmap.
    func fetchOriginal(of request: ImageRequest) async throws(ImageError) {
        guard case .url(let url) = request.source else { return }
        let fence = state.withLock { $0.fences.open(request) }
        defer { state.withLock { $0.fences.close(fence) } }
        _ = try await fetch(url.text, request, known: nil, fence)
    }

    private func original(
        of request: ImageRequest,
        known: DecodedImage?,
        _ fence: FenceTable<ImageRequest>.Fence
    ) async throws(ImageError) -> FoundOriginal? {
        switch request.source {
        case .key(let key):
            let found = await originals.lookup(forKey: OriginalKey(key: key, partition: request.partition))
            guard let found, found.isFresh else { return nil }
            var original = FoundOriginal(content: .bytes(found.value))
            original.derivedTerms.isInMemoryOnly = found.value.isInMemoryOnly || request.options.keepsInMemoryOnly
            original.derivedTerms.expires = found.freshUntil
            return original
        case .url(let url):
            return try await fetch(url.text, request, known: known, fence)
        }
    }

    private func fetch(
        _ url: String,
        _ request: ImageRequest,
        known: DecodedImage?,
        _ fence: FenceTable<ImageRequest>.Fence
    ) async throws(ImageError) -> FoundOriginal? {
        guard let client else { return nil }
        let response: ClientResponse
        do {
            response = try await client.get(url, fields: request.options.fields, options: request.requestOptions)
        } catch {
            throw ImageError(client: error)
        }
        guard response.head.hasImage else {
            throw ImageError(
                .unacceptableStatus,
                "The server answered with the status \(response.head.status.code).",
                status: response.head.status.code
            )
        }
        let validator = ImageValidator(response.head, url: response.url)
        var original = FoundOriginal(content: .sameAsInMemory, validator: validator, isFromCache: response.isFromCache, staleness: response.staleness)
        // A bitmap in memory is a copy like any other.
        let isUnstorable = CacheControl(response: response.head.headerFields).noStore
        original.mayBeKept =
            request.options.cacheMode != .noStore && !isUnstorable && !CacheControl(request: request.options.fields).noStore
        // Earlier responses could be stored.
        if isUnstorable, configuration.keepsPlaceholders || request.options.keepsThumbnail {
            await removeDerived(.image(request.source, partition: request.partition))
        }
        original.derivedTerms.isInMemoryOnly = request.options.keepsInMemoryOnly
        // The HTTP cache has removed the copies that stores had of the original.
        if request.options.keepsInMemoryOnly, hasStores, !response.isFromCache { await withdrawDerived(of: request) }
        // Bytes that are the same by the validator need not be read from the cache.
        if let validator, known?.validator == validator, response.isFromCache, response.body.bytesAtHand == nil { return original }
        original.content = .buffer(try await bytes(of: response.body, request, fence))
        return original
    }

    private func bytes(
        of body: HTTPBody,
        _ request: ImageRequest,
        _ fence: FenceTable<ImageRequest>.Fence
    ) async throws(ImageError) -> ByteBuffer {
        let limit = max(0, configuration.limits.maximumEncodedBytes)
        do {
            return try await collect(body, of: request, upTo: limit, fence)
        } catch is HTTPBodyTooLargeError {
            noteFailure(isRefusal: true)
            throw ImageError.tooManyBytes(limit: limit)
        } catch let error as ClientError {
            throw ImageError(client: error)
        } catch is CancellationError {
            throw ImageError.cancelled
        } catch {
            if Task.isCancelled { throw ImageError.cancelled }
            throw ImageError(.network, "The transfer of the image broke off.", underlyingError: error)
        }
    }

    private func decode(_ content: FoundOriginal.Content, _ request: ImageRequest) async throws(ImageError) -> Decoded {
        let limits = configuration.limits
        do {
            let decoded = try await slots.run { () throws(ImageError) in
                switch content {
                case .buffer(let buffer):
                    if request.wantsFrames { return try Decoded(Data(buffer.readableBytesView), request.options, limits) }
                    return try Decoded(
                        buffer.withUnsafeReadableBytes { BitmapDecoder.decode($0, target: request.options.target, limits: limits) }.get(),
                        request.options
                    )
                case .bytes(let bytes):
                    if request.wantsFrames { return try Decoded(bytes.data, request.options, limits) }
                    return try Decoded(
                        bytes.data.withUnsafeBytes { BitmapDecoder.decode($0, target: request.options.target, limits: limits) }.get(),
                        request.options
                    )
                case .sameAsInMemory:
                    throw ImageError.damaged
                }
            }
            state.withLock { $0.statistics.decodes += 1 }
            return decoded
        } catch {
            if error.code != .cancelled { noteFailure(isRefusal: error.code == .tooLarge) }
            throw error
        }
    }

    private func noteFailure(isRefusal: Bool) {
        state.withLock { state in
            state.statistics.failures += 1
            if isRefusal { state.statistics.refusals += 1 }
        }
    }

    /// Keeps a bitmap in memory, unless it was removed while it was made.
    private func keep(_ image: DecodedImage, forKey key: DecodedKey, _ fence: FenceTable<ImageRequest>.Fence) {
        let tags = key.tags
        // Inside the lock, so that a removal comes before it, and breaks the fence, or after it, and finds it.
        state.withLock { state in
            guard state.fences.isIntact(fence) else { return }
            memory.insert(image, forKey: key, tags: tags)
        }
    }
}

extension HTTPResponse {
    /// Whether its content is the image of the URL.
    fileprivate var hasImage: Bool { status == .ok || status == .nonAuthoritativeInformation }
}

extension DecodedImage {
    /// Whether a response has the content that the bitmap was made of. A strong entity tag is believed, as it is for content that is not at hand.
    fileprivate func isMade(ofContent content: ByteBuffer, head: HTTPResponse, url: String) -> Bool {
        if let validator, validator == ImageValidator(head, url: url) { return true }
        return content.withUnsafeReadableBytes { ContentIdentity($0) } == identity
    }
}

extension ImageRequest {
    fileprivate var head: HTTPRequest {
        HTTPRequest(method: .get, scheme: nil, authority: nil, path: nil, headerFields: options.fields)
    }

    fileprivate var requestOptions: RequestOptions {
        var requestOptions = RequestOptions(cacheMode: options.cacheMode, timeout: options.timeout)
        requestOptions.partition = partition.text
        requestOptions.keepsInMemoryOnly = options.keepsInMemoryOnly
        return requestOptions
    }
}

extension ImageError {
    init(client error: ClientError) {
        if error.code == .cancelled {
            self = .cancelled
        } else {
            self.init(.network, error.message, clientError: error)
        }
    }
}
