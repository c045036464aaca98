// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import Hoard
internal import HoardHTTP

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Where an original is.
enum ImageSource: Hashable, Sendable {
    case url(ExactText)
    case key(ExactText)

    var name: ExactText {
        switch self {
        case .url(let name), .key(let name): name
        }
    }
}

/// Everything that can change a caller's result. Callers with equal requests share one flight.
struct ImageRequest: Hashable, Sendable {
    let source: ImageSource
    let options: ImageOptions
    /// The one that counts in the end; empty for none.
    let partition: ExactText
    /// Whether all frames of an animation are asked for.
    let wantsFrames: Bool

    init(_ source: ImageSource, _ options: ImageOptions, partition: ExactText, wantsFrames: Bool = false) {
        var options = options
        options.partition = nil
        options.maximumPixelSize = options.maximumPixelSize.map { max(1, $0) }
        self.source = source
        self.options = options
        self.partition = partition
        self.wantsFrames = wantsFrames
    }

    var decodedKey: DecodedKey {
        DecodedKey(
            source: source,
            partition: partition,
            maximumPixelSize: options.maximumPixelSize,
            processors: options.processors,
            wantsFrames: wantsFrames,
            keepsInMemoryOnly: options.keepsInMemoryOnly,
            fields: options.fields
        )
    }
}

/// Names a bitmap in memory. The request's fields are in it because the original may vary by them; the original's digest decides.
struct DecodedKey: Hashable, Sendable {
    let source: ImageSource
    let partition: ExactText
    let maximumPixelSize: Int?
    let processors: [ImageProcessor]
    let wantsFrames: Bool
    let keepsInMemoryOnly: Bool
    let fields: HTTPFields

    /// The labels by which the bitmap is removed: all sizes of one original, and all originals of one partition.
    var tags: Set<String> {
        var tags: Set = [Self.tag(of: source, partition: partition)]
        if !partition.isEmpty { tags.insert(Self.tag(ofPartition: partition)) }
        return tags
    }

    static func tag(of source: ImageSource, partition: ExactText) -> String {
        switch source {
        case .url(let url): "url\0\(partition.label)\0\(url.label)"
        case .key(let key): "key\0\(partition.label)\0\(key.label)"
        }
    }

    static func tag(ofPartition partition: ExactText) -> String { "partition\0\(partition.label)" }

    /// The number of bytes that the key and its tags take up. A name in Unicode is up to three times as long in a tag.
    var byteCount: Int {
        let names = source.name.byteCount + partition.byteCount
        let changes = processors.reduce(0) { $0 + $1.byteCount }
        return 4 * names + changes + fields.reduce(0) { $0 + $1.name.rawName.utf8.count + $1.value.utf8.count }
    }
}

/// Names an original in the stores.
struct OriginalKey: Hashable, Sendable {
    let key: ExactText
    /// Empty for none.
    let partition: ExactText

    /// The length of the partition's name comes first, so that no two pairs have the same bytes.
    var recordKey: RecordKey {
        let partition = Array(self.partition.text.utf8)
        return RecordKey(bytes: Array("\(partition.count):".utf8) + partition + Array(key.text.utf8))
    }

    var byteCount: Int { 2 * (key.byteCount + partition.byteCount) }
}

/// An original as it came, with its identity.
struct OriginalBytes: Sendable {
    let data: Data
    let identity: ContentIdentity
    /// Whether no store may have it, or images that are made of it.
    let isInMemoryOnly: Bool

    init(_ data: Data, isInMemoryOnly: Bool = false) {
        self.data = data
        self.isInMemoryOnly = isInMemoryOnly
        identity = data.withUnsafeBytes { ContentIdentity($0) }
    }

    static let codec = Codec<OriginalBytes>(
        schema: "image",
        contentType: "image/*",
        encode: { $0.data },
        decode: { OriginalBytes($0) }
    )
}

/// Tells whether two originals of one source are the same bytes. Only that source could make two that are mistaken for each other.
struct ContentIdentity: Hashable, Sendable {
    let byteCount: Int
    let digest: UInt64

    init(_ bytes: UnsafeRawBufferPointer) {
        byteCount = bytes.count
        digest = XXH64.hash(bytes)
    }

    init(byteCount: Int, digest: UInt64) {
        self.byteCount = byteCount
        self.digest = digest
    }
}

/// A bitmap in memory.
struct DecodedImage: Sendable {
    let bitmap: Bitmap
    /// All frames, if they were asked for.
    let animation: AnimatedImage?
    let identity: ContentIdentity
    /// The strong entity tag of the response it came with, and the URL that it is one of.
    let validator: ImageValidator?

    /// The server chooses how long the validator is, so it counts as well.
    var byteCount: Int { (animation?.byteCount ?? bitmap.byteCount) + (validator.map { $0.entityTag.byteCount + $0.url.byteCount } ?? 0) }
}

/// The part of a response that tells whether another one has the same bytes: [RFC 9110 §8.8.1](https://www.rfc-editor.org/rfc/rfc9110#section-8.8.1).
/// An entity tag belongs to the URL that answered, which after redirects is another than the one that was asked for.
struct ImageValidator: Hashable, Sendable {
    let entityTag: ExactText
    let url: ExactText

    init?(_ head: HTTPResponse, url: String) {
        guard let tag = head.headerFields[.eTag], tag.hasPrefix("\"") else { return nil }
        entityTag = ExactText(tag)
        self.url = ExactText(url)
    }

    init(entityTag: ExactText, url: ExactText) {
        self.entityTag = entityTag
        self.url = url
    }
}
