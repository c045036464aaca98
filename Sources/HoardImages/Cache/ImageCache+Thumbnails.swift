// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import Hoard
internal import Synchronization

/// Thumbnails: decoded bitmaps in the stores. One is shown if its original is the one that it was made of, as a bitmap in memory is.
extension ImageCache {
    /// The thumbnail that the stores have for a request, to be shown if the original is still the same.
    func thumbnail(of request: ImageRequest) async -> DecodedImage? {
        guard hasStores, let key = request.thumbnailKey else { return nil }
        let found = await derived.value(forKey: key, policy: derived.policy.with { $0.skipping = .memory })
        guard let found, let bitmap = found.bitmap, request.allows(bitmap) else { return nil }
        return DecodedImage(bitmap: bitmap, animation: nil, identity: found.identity, validator: found.validator)
    }

    /// Keeps a bitmap in the stores if the request wants that and the bitmap is not too large. The memory of `derived` does not get it: it is in `memory`.
    func keepThumbnail(_ image: DecodedImage, of request: ImageRequest, _ terms: DerivedTerms, _ fence: FenceTable<ImageRequest>.Fence) async {
        guard hasStores, !terms.isInMemoryOnly, image.bitmap.pixels.count <= max(0, configuration.maximumThumbnailBytes),
            let key = request.thumbnailKey
        else { return }
        let thumbnail = DerivedImage(content: .thumbnail(image.bitmap), identity: image.identity, validator: image.validator)
        await publish(thumbnail, forKey: key, terms, skipping: .memoryWrites, fence)
    }

    func noteThumbnailHit() {
        state.withLock { $0.statistics.thumbnailHits += 1 }
    }
}

extension ImageRequest {
    /// The name of the request's thumbnail; `nil`: the stores have none and get none.
    ///
    var thumbnailKey: DerivedKey? {
        guard options.keepsThumbnail, !options.keepsInMemoryOnly, !wantsFrames else { return nil }
        return derivedKey("thumbnail:" + (options.maximumPixelSize.map { "\($0)" } ?? "full"))
    }

    /// A name for an image made with the request's processors and fields; `nil` if a closure has changed it: another program that shares the store may
    /// have another closure of the same name.
    ///
    /// The fields are in it as a hash, since they may be secrets. Should two have the same hash, one thumbnail replaces the other; the original
    /// decides whether it may be shown.
    func derivedKey(_ form: String) -> DerivedKey? {
        if options.processors.contains(where: \.isCustom) { return nil }
        let changes = options.processors.map { "-\($0)" }.joined()
        let fields = options.fields.isEmpty ? "" : "-fields:\(DerivedKey.hexadecimal(options.fields.digest))"
        return DerivedKey(source, partition: partition, form: form + changes + fields)
    }

    /// Whether a bitmap from a store is no larger than the size that is asked for.
    fileprivate func allows(_ bitmap: Bitmap) -> Bool {
        options.maximumPixelSize.map { max(bitmap.width, bitmap.height) <= $0 } ?? true
    }
}

extension HTTPFields {
    /// The same for equal fields: the order of different names does not count.
    fileprivate var digest: UInt64 {
        var bytes: [UInt8] = []
        func append(_ text: String) { bytes += Array("\(text.utf8.count):".utf8) + Array(text.utf8) }
        for name in Set(map(\.name)).sorted(by: { $0.canonicalName < $1.canonicalName }) {
            append(name.canonicalName)
            for value in self[values: name] { append(value) }
            bytes.append(UInt8(ascii: ";"))
        }
        return bytes.withUnsafeBytes { XXH64.hash($0) }
    }
}
