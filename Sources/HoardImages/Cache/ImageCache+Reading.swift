// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard
internal import HoardHTTP

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension ImageCache {
    /// The image at a URL. Suspends.
    ///
    /// The HTTP cache answers for the original, by the rules of RFC 9111: from memory or a store while it is fresh, after a revalidation, or from the network.
    ///
    /// - Parameter url: An absolute `http` or `https` URL.
    /// - Throws: ``ImageError``. Images in memory or in a store stay as they are.
    public func image(for url: String, options: ImageOptions = ImageOptions()) async throws(ImageError) -> Bitmap {
        try await lookup(for: url, options: options).image
    }

    /// The image at a URL. Suspends. As ``image(for:options:)-(String,_)``.
    public func image(for url: URL, options: ImageOptions = ImageOptions()) async throws(ImageError) -> Bitmap {
        try await image(for: url.absoluteString, options: options)
    }

    /// The image at a URL, and where it came from. Suspends. As ``image(for:options:)-(String,_)``.
    public func lookup(for url: String, options: ImageOptions = ImageOptions()) async throws(ImageError) -> ImageLookup {
        try await lookup(request(for: url, options))
    }

    func lookup(_ request: ImageRequest) async throws(ImageError) -> ImageLookup {
        guard client != nil else { throw ImageError(.clientNotConfigured, "This image cache was created without a client, and cannot fetch.") }
        guard let found = try await fly(request) else { throw ImageError.notAnImage }
        return found
    }

    /// The image at a URL, if showing it takes neither the network nor a store nor a decoder: its bitmap and its original are in memory, and the original is
    /// fresh. Counts as a use. Never suspends.
    public func memoryImage(for url: String, options: ImageOptions = ImageOptions()) -> Bitmap? {
        lookupInMemory(request(for: url, options))?.image
    }

    /// The image at a URL with all its frames, if it moves. Suspends. As ``image(for:options:)-(String,_)``.
    ///
    /// Frames and the image that does not move are kept apart. Frames count in memory with the bytes that they take up when all have been shown.
    public func animatedImage(for url: String, options: ImageOptions = ImageOptions()) async throws(ImageError) -> AnimatedImage {
        let lookup = try await lookup(request(for: url, options, wantsFrames: true))
        guard let animation = lookup.animation else { throw ImageError.damaged }
        return animation
    }

    /// The image at a URL with all its frames, if that takes neither the network nor a store nor a decoder. Counts as a use. Never suspends.
    package func memoryAnimatedImage(for url: String, options: ImageOptions = ImageOptions()) -> AnimatedImage? {
        lookupInMemory(request(for: url, options, wantsFrames: true))?.animation
    }

    /// The image whose original was stored under a key, with all its frames. Suspends. As ``image(forKey:options:)``.
    public func animatedImage(forKey key: String, options: ImageOptions = ImageOptions()) async throws(ImageError) -> AnimatedImage? {
        try await fly(request(forKey: key, options, wantsFrames: true))?.animation
    }

    /// The image whose original was stored under a key. Counts as a use of the original. Suspends.
    ///
    /// - Returns: `nil` if there is none.
    /// - Throws: ``ImageError`` if the original cannot be decoded. A store that fails counts as one that has nothing.
    public func image(forKey key: String, options: ImageOptions = ImageOptions()) async throws(ImageError) -> Bitmap? {
        try await fly(request(forKey: key, options))?.image
    }

    /// The bytes stored under a key, exactly as they were given. Counts as a use. Suspends.
    ///
    /// - Returns: `nil` if there are none.
    public func original(forKey key: String, partition: String? = nil) async -> Data? {
        await originals.value(forKey: originalKey(key, partition))?.data
    }

    /// Joins the flight of the request, or starts it.
    private func fly(_ request: ImageRequest) async throws(ImageError) -> ImageLookup? {
        if let lookup = lookupInMemory(request) { return lookup }
        do {
            return try await flights.run(request) { [self] in try await load(request) }.output
        } catch let error as ImageError {
            throw error
        } catch is CancellationError {
            throw ImageError.cancelled
        } catch {
            throw ImageError(.failed, "The image could not be loaded.", underlyingError: error)
        }
    }

    func request(for url: String, _ options: ImageOptions, wantsFrames: Bool = false) -> ImageRequest {
        ImageRequest(.url(ExactText(url)), options, partition: partitionOfURL(options.partition), wantsFrames: wantsFrames)
    }

    func request(forKey key: String, _ options: ImageOptions, wantsFrames: Bool = false) -> ImageRequest {
        ImageRequest(.key(ExactText(key)), options, partition: partitionOfKey(options.partition), wantsFrames: wantsFrames)
    }

    func originalKey(_ key: String, _ partition: String?) -> OriginalKey {
        OriginalKey(key: ExactText(key), partition: partitionOfKey(partition))
    }

    /// The partition that counts where a caller names this one, or none.
    func partitionOfKey(_ partition: String?) -> ExactText {
        ExactText(partition ?? configuration.partition ?? "")
    }

    /// As ``partitionOfKey(_:)``; the HTTP cache may have a default of its own.
    func partitionOfURL(_ partition: String?) -> ExactText {
        ExactText(partition ?? configuration.partition ?? client?.cache.configuration.partition ?? "")
    }
}
