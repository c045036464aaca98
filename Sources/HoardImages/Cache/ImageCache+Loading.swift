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
        /// The bitmap in memory was made of it.
        case sameAsInMemory
        case buffer(ByteBuffer)
        case bytes(OriginalBytes)
    }

    var content: Content
    var validator: ImageValidator?
    var isFromCache = true
    var staleness: HTTPCacheResponse.Staleness?
    var mayBeKept = true
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
        return ImageLookup(image: known.bitmap, wasDecoded: false, isFromCache: isFromCache, staleness: staleness)
    }

    /// What a flight does: has the original judged by whoever keeps it, and decodes it unless that has been done.
    func load(_ request: ImageRequest) async throws(ImageError) -> ImageLookup? {
        let key = request.decodedKey
        let fence = state.withLock { $0.fences.open(request) }
        defer { state.withLock { $0.fences.close(fence) } }
        let known = memory.peek(key)
        guard let original = try await original(of: request, known: known) else { return nil }
        let identity: ContentIdentity? =
            switch original.content {
            case .sameAsInMemory: known?.identity
            case .buffer(let buffer): buffer.withUnsafeReadableBytes { ContentIdentity($0) }
            case .bytes(let bytes): bytes.identity
            }
        if let known, let identity, known.identity == identity {
            return hit(known, forKey: key, isFromCache: original.isFromCache, staleness: original.staleness)
        }
        guard let identity else { throw ImageError.damaged }
        let bitmap = Bitmap(try await decode(original.content, request.options), original: nil)
        if original.mayBeKept { keep(DecodedImage(bitmap: bitmap, identity: identity, validator: original.validator), forKey: key, fence) }
        return ImageLookup(image: bitmap, wasDecoded: true, isFromCache: original.isFromCache, staleness: original.staleness)
    }

    /// Has the original of an image fetched and kept, and decodes nothing. As much of it is read as would be for a bitmap.
    func fetchOriginal(of request: ImageRequest) async throws(ImageError) {
        if case .url(let url) = request.source { _ = try await fetch(url.text, request, known: nil) }
    }

    private func original(of request: ImageRequest, known: DecodedImage?) async throws(ImageError) -> FoundOriginal? {
        switch request.source {
        case .key(let key):
            return await originals.value(forKey: OriginalKey(key: key, partition: request.partition)).map {
                FoundOriginal(content: .bytes($0))
            }
        case .url(let url):
            return try await fetch(url.text, request, known: known)
        }
    }

    private func fetch(_ url: String, _ request: ImageRequest, known: DecodedImage?) async throws(ImageError) -> FoundOriginal? {
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
        original.mayBeKept = request.options.cacheMode != .noStore && !CacheControl(response: response.head.headerFields).noStore
        // What the validator says to be the same need not be read from the cache.
        if let validator, known?.validator == validator, response.isFromCache, response.body.bytesAtHand == nil { return original }
        original.content = .buffer(try await bytes(of: response.body))
        return original
    }

    private func bytes(of body: HTTPBody) async throws(ImageError) -> ByteBuffer {
        let limit = max(0, configuration.limits.maximumEncodedBytes)
        do {
            return try await body.collect(upTo: limit)
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

    private func decode(_ content: FoundOriginal.Content, _ options: ImageOptions) async throws(ImageError) -> DecodedPixels {
        let limits = configuration.limits
        do {
            let decoded = try await slots.run { () throws(ImageError) in
                switch content {
                case .buffer(let buffer):
                    try buffer.withUnsafeReadableBytes {
                        BitmapDecoder.decode($0, maximumPixelSize: options.maximumPixelSize, limits: limits)
                    }.get()
                case .bytes(let bytes):
                    try bytes.data.withUnsafeBytes {
                        BitmapDecoder.decode($0, maximumPixelSize: options.maximumPixelSize, limits: limits)
                    }.get()
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
    /// Whether its content is what was asked for.
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
