// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard

extension ImageCache {
    /// The placeholder of the image at a URL, from memory or a store, to show while the image loads. Counts as a use of the placeholder. Suspends only if
    /// memory does not have it. Never fetches.
    ///
    /// It is that of the original which was decoded last, and may be there though neither the original nor a bitmap is, or the original has changed since.
    ///
    /// - Parameter options: As the image is asked for. Images in all sizes have the same placeholder; with other processors, fields or of another partition they
    ///   have others, and with a processor that is a closure none.
    /// - Returns: `nil` if there is none: see ``Configuration/keepsPlaceholders``. A store that fails counts as one that has nothing; a damaged record is absent.
    /// - Complexity: O(1), and one read of each store until one has it.
    public func placeholder(for url: String, options: ImageOptions = ImageOptions()) async -> ThumbHash? {
        await placeholder(of: request(for: url, options))
    }

    /// The placeholder of the image whose original was stored under a key. Suspends only if memory does not have it. As ``placeholder(for:options:)``.
    public func placeholder(forKey key: String, options: ImageOptions = ImageOptions()) async -> ThumbHash? {
        await placeholder(of: request(forKey: key, options))
    }

    /// The placeholder of the image at a URL, if memory has it. Counts as a use of the placeholder. Never suspends. O(1).
    ///
    /// - Parameter options: As for ``placeholder(for:options:)``.
    public func memoryPlaceholder(for url: String, options: ImageOptions = ImageOptions()) -> ThumbHash? {
        memoryPlaceholder(of: request(for: url, options))
    }

    /// The placeholder of the image whose original was stored under a key, if memory has it. Never suspends. As ``memoryPlaceholder(for:options:)``.
    public func memoryPlaceholder(forKey key: String, options: ImageOptions = ImageOptions()) -> ThumbHash? {
        memoryPlaceholder(of: request(forKey: key, options))
    }

    private func placeholder(of request: ImageRequest) async -> ThumbHash? {
        guard let key = request.placeholderKey else { return nil }
        return await derived.value(forKey: key)?.placeholder
    }

    private func memoryPlaceholder(of request: ImageRequest) -> ThumbHash? {
        request.placeholderKey.flatMap { derived.memoryValue(forKey: $0)?.placeholder }
    }

    /// Computes and keeps the placeholder of an image that was decoded, unless the one that is kept was made of the same original.
    func keepPlaceholder(_ image: DecodedImage, of request: ImageRequest, _ terms: DerivedTerms, _ fence: FenceTable<ImageRequest>.Fence) async {
        guard configuration.keepsPlaceholders, let key = request.placeholderKey else { return }
        if let kept = await derived.value(forKey: key), kept.placeholder != nil, kept.identity == image.identity,
            terms.isInMemoryOnly || !kept.isInMemoryOnly
        {
            return
        }
        guard let hash = try? await slots.run({ () throws(ImageError) in ThumbHash(image.bitmap) }) else { return }
        let placeholder = DerivedImage(
            content: .placeholder(hash),
            identity: image.identity,
            validator: nil,
            isInMemoryOnly: terms.isInMemoryOnly
        )
        await publish(placeholder, forKey: key, terms, skipping: terms.isInMemoryOnly ? .storeWrites : [], fence)
    }
}

extension ImageRequest {
    fileprivate var placeholderKey: DerivedKey? { derivedKey("placeholder") }
}
