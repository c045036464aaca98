// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// An image made of an original and kept beside it: a thumbnail or a placeholder.
struct DerivedImage: Sendable {
    enum Content: Sendable {
        case thumbnail(Bitmap)
        case placeholder(ThumbHash)
    }

    let content: Content
    /// The original that it was made of.
    let identity: ContentIdentity
    /// See ``DecodedImage/validator``.
    let validator: ImageValidator?
    /// Whether the stores must not have it. Is not written.
    var isInMemoryOnly = false

    var bitmap: Bitmap? {
        if case .thumbnail(let bitmap) = content { bitmap } else { nil }
    }

    var placeholder: ThumbHash? {
        if case .placeholder(let placeholder) = content { placeholder } else { nil }
    }

    /// How many bytes of pixels, or of a hash, it takes up.
    var byteCount: Int {
        switch content {
        case .thumbnail(let bitmap): bitmap.byteCount
        case .placeholder(let placeholder): placeholder.bytes.count
        }
    }
}

/// Names a derived image in memory and in the stores.
struct DerivedKey: Hashable, Sendable {
    let source: ImageSource
    let partition: ExactText
    /// Tells apart the images that were made of one original, in ASCII.
    let form: String

    /// - Returns: `nil` if the names are too long for a record. Then nothing is kept.
    init?(_ source: ImageSource, partition: ExactText, form: String) {
        let byteCount = source.name.byteCount + partition.byteCount + form.utf8.count
        guard byteCount <= RecordKey.maximumByteCount - 128 else { return nil }
        self.source = source
        self.partition = partition
        self.form = form
    }

    /// The lengths of the names come first, so that no two keys have the same bytes.
    var recordKey: RecordKey { RecordKey(bytes: Self.bytes(of: source, partition: partition) + Array(form.utf8)) }

    var byteCount: Int { 2 * (source.name.byteCount + partition.byteCount) + form.utf8.count }

    /// The label by which all that was made of one original is removed. A hash, as names are long and stores keep the tags of each record: if two originals ever
    /// have the same one, the removal of one costs the other its thumbnails.
    static func tag(of source: ImageSource, partition: ExactText) -> String {
        bytes(of: source, partition: partition).withUnsafeBytes { hexadecimal(XXH64.hash($0)) }
    }

    static func hexadecimal(_ hash: UInt64) -> String { String(hash, radix: 16) }

    private static func bytes(of source: ImageSource, partition: ExactText) -> [UInt8] {
        let kind =
            switch source {
            case .url: "url"
            case .key: "key"
            }
        let name = source.name
        return Array("\(partition.byteCount):".utf8) + Array(partition.text.utf8) + Array("\(kind)\(name.byteCount):".utf8) + Array(name.text.utf8)
    }
}

// MARK: Records

/// A record in a store, its numbers with the highest byte first:
///
/// | Bytes | |
/// | --- | --- |
/// | 8 | XXH64 of all that follows |
/// | 1 | version: 1 |
/// | 1 | kind: 1 for a thumbnail, 2 for a placeholder |
/// | 8, 8 | length and digest of the original |
/// | 1 | 1 if a validator follows: entity tag and URL, each a length of 4 bytes and UTF-8 |
/// | 4, 4 | width and height, of a thumbnail |
/// | the rest | rows of red, green, blue and alpha, or the hash |
///
/// The bytes of a store may be anything. A record that is not exactly of this form is absent.
extension DerivedImage {
    private static var version: UInt8 { 1 }

    static func codec(maximumThumbnailBytes: Int) -> Codec<DerivedImage> {
        Codec(
            schema: "derived-image/1",
            contentType: "application/octet-stream",
            encode: { Data($0.encoded()) },
            decode: { data in
                guard let image = DerivedImage([UInt8](data), maximumThumbnailBytes: maximumThumbnailBytes) else { throw DamagedDerivedImage() }
                return image
            }
        )
    }

    func encoded() -> [UInt8] {
        var body: [UInt8] = []
        body.reserveCapacity(byteCount + 64)
        body.append(Self.version)
        body.append(bitmap == nil ? 2 : 1)
        body.append(bigEndian: UInt64(identity.byteCount))
        body.append(bigEndian: identity.digest)
        body.append(validator == nil ? 0 : 1)
        if let validator {
            body.append(validator.entityTag)
            body.append(validator.url)
        }
        switch content {
        case .thumbnail(let bitmap):
            body.append(bigEndian: UInt32(clamping: bitmap.width))
            body.append(bigEndian: UInt32(clamping: bitmap.height))
            body += bitmap.pixels
        case .placeholder(let placeholder):
            body += placeholder.bytes
        }
        var record: [UInt8] = []
        record.reserveCapacity(body.count + 8)
        record.append(bigEndian: body.withUnsafeBytes { XXH64.hash($0) })
        return record + body
    }

    /// - Returns: `nil` if the bytes are no record, or the bitmap has more bytes than allowed.
    init?(_ record: [UInt8], maximumThumbnailBytes: Int) {
        var reader = RecordReader(rest: record[...])
        guard let checksum = reader.number(as: UInt64.self), reader.rest.withUnsafeBytes({ XXH64.hash($0) }) == checksum,
            reader.number(as: UInt8.self) == Self.version,
            let kind = reader.number(as: UInt8.self),
            let byteCount = reader.number(as: UInt64.self).flatMap({ Int(exactly: $0) }),
            let digest = reader.number(as: UInt64.self),
            let hasValidator = reader.number(as: UInt8.self), hasValidator <= 1
        else { return nil }
        identity = ContentIdentity(byteCount: byteCount, digest: digest)
        if hasValidator == 1 {
            guard let entityTag = reader.text(), let url = reader.text() else { return nil }
            validator = ImageValidator(entityTag: entityTag, url: url)
        } else {
            validator = nil
        }
        switch kind {
        case 1:
            guard let width = reader.number(as: UInt32.self).flatMap({ Int(exactly: $0) }),
                let height = reader.number(as: UInt32.self).flatMap({ Int(exactly: $0) }),
                reader.rest.count <= maximumThumbnailBytes,
                let bitmap = Bitmap(width: width, height: height, pixels: Array(reader.rest))
            else { return nil }
            content = .thumbnail(bitmap)
        case 2:
            guard let placeholder = ThumbHash(bytes: Array(reader.rest)) else { return nil }
            content = .placeholder(placeholder)
        default:
            return nil
        }
    }
}

/// A record that does not have the form of one.
private struct DamagedDerivedImage: Error {}

/// Takes numbers and texts from the front of bytes that may be anything. An item that is not all there is `nil`.
private struct RecordReader {
    var rest: ArraySlice<UInt8>

    private mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
        guard count <= rest.count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    mutating func number<Number: FixedWidthInteger & UnsignedInteger>(as type: Number.Type) -> Number? {
        take(Number.bitWidth / 8)?.reduce(0) { $0 << 8 | Number($1) }
    }

    mutating func text() -> ExactText? {
        number(as: UInt32.self).flatMap { Int(exactly: $0) }
            .flatMap { take($0) }
            .flatMap { String(validating: $0, as: UTF8.self) }
            .map { ExactText($0) }
    }
}

extension [UInt8] {
    fileprivate mutating func append(bigEndian number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
    }

    fileprivate mutating func append(_ text: ExactText) {
        append(bigEndian: UInt32(clamping: text.byteCount))
        append(contentsOf: text.text.utf8)
    }
}
