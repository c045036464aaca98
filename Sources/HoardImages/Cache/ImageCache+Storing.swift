// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension ImageCache {
    /// Stores the bytes of an image under a key, replacing others of that key. They are kept as they are, and not looked at. Suspends.
    ///
    /// A store that fails is made good later; the bytes are in memory until then. Returns when later reads see them.
    ///
    /// - Parameters:
    ///   - partition: Whose image it is. `nil`: the configuration's.
    ///   - expiresAfter: How long the bytes are kept. `nil`: until they are evicted.
    ///   - keepsInMemoryOnly: Whether they never reach a store.
    /// - Throws: ``ImageError`` with the code `tooLarge` or `keyTooLong`; then nothing is stored.
    public func store(
        _ original: Data,
        forKey key: String,
        partition: String? = nil,
        expiresAfter: Duration? = nil,
        keepsInMemoryOnly: Bool = false
    ) async throws(ImageError) {
        let limit = max(0, configuration.limits.maximumEncodedBytes)
        guard original.count <= limit else { throw .tooManyBytes(limit: limit) }
        let originalKey = originalKey(key, partition)
        guard originalKey.recordKey.bytes.count <= Self.maximumKeyBytes else {
            throw ImageError(.keyTooLong, "The key has more than the \(Self.maximumKeyBytes) bytes allowed.")
        }
        var policy = CachePolicy(freshFor: expiresAfter)
        if keepsInMemoryOnly {
            policy.skipping = .storeWrites
            // A copy that a store has under the key must not outlive this.
            await originals.removeValue(forKey: originalKey)
        }
        await originals.insert(
            OriginalBytes(original, isInMemoryOnly: keepsInMemoryOnly),
            forKey: originalKey,
            policy: policy,
            partition: originalKey.partition.isEmpty ? nil : originalKey.partition.text
        )
        let scope = ImageScope.image(.key(originalKey.key), partition: originalKey.partition)
        forget(scope)
        // Of an original that is replaced by another in the stores, thumbnails are not shown any more. Of one that must leave, nothing may stay.
        if keepsInMemoryOnly || expiresAfter != nil { await removeDerived(scope) }
    }

    /// The longest key, with the name of its partition: the limit of stores, less the text that is put in front of it.
    private static var maximumKeyBytes: Int { RecordKey.maximumByteCount - 64 }

    /// Stores the form of a bitmap for storage: the bytes it came from, if it has them.
    ///
    /// - Throws: ``ImageError``, as ``store(_:forKey:partition:expiresAfter:keepsInMemoryOnly:)`` does, or if the bitmap cannot be encoded.
    public func store(
        _ bitmap: Bitmap,
        forKey key: String,
        partition: String? = nil,
        expiresAfter: Duration? = nil,
        keepsInMemoryOnly: Bool = false
    ) async throws(ImageError) {
        let original = if let original = bitmap.original { original } else { try BitmapDecoder.encode(bitmap) }
        try await store(original, forKey: key, partition: partition, expiresAfter: expiresAfter, keepsInMemoryOnly: keepsInMemoryOnly)
    }
}
