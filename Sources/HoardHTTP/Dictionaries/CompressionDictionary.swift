// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Crypto
internal import HTTPTypes
internal import Hoard
internal import NIOCore
internal import RawStructuredFieldValues

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Content of an earlier response that later content can be compressed with, at a client that has both: [RFC 9842](https://www.rfc-editor.org/rfc/rfc9842).
final class CompressionDictionary: Sendable {
    /// SHA-256 of the content.
    let digest: [UInt8]
    let content: [UInt8]
    /// Of which requests it may be used for.
    let use: DictionaryUse

    init(_ content: [UInt8], _ use: DictionaryUse) {
        self.content = content
        self.use = use
        digest = Array(SHA256.hash(data: content))
    }

    /// The header of content that is compressed with it by zstd: a frame that decoders skip, with the digest
    /// ([RFC 9842 §5](https://www.rfc-editor.org/rfc/rfc9842#section-5)).
    var header: [UInt8] { [0x5e, 0x2a, 0x4d, 0x18, 0x20, 0x00, 0x00, 0x00] + digest }

    /// The coding of content that is compressed with it.
    static let codingName: StaticString = "dcz"
}

/// The dictionaries that a cache knows. Those that were not used for longest go when there are too many bytes of them.
final class CompressionDictionaries: Sendable {
    /// No client's dictionary is another's: neither that of another site, nor of another partition.
    private struct Key: Hashable {
        let scope: String
        let origin: Substring
        let digest: [UInt8]
    }

    private let dictionaries: Cache<Key, CompressionDictionary>
    /// Longer content is no dictionary.
    let maximumLength: Int

    init(maximumBytes: Int) {
        maximumLength = maximumBytes / 4
        dictionaries = Cache(maximumWeight: max(1, maximumBytes)) { _, dictionary in dictionary.content.count + 512 }
    }

    /// Remembers content that its response lets be used as a dictionary.
    ///
    /// - Parameter content: Without content codings.
    func add(_ content: [UInt8], _ use: DictionaryUse, for key: HTTPCacheKey) {
        guard content.count <= maximumLength, !content.isEmpty else { return }
        let dictionary = CompressionDictionary(content, use)
        dictionaries.insert(dictionary, forKey: Key(scope: key.scope, origin: CacheGroups.origin(of: key.targetURI), digest: dictionary.digest))
    }

    /// The dictionary that a client has, if the cache knows it and it is meant for the request.
    func dictionary(for fields: HTTPFields, _ key: HTTPCacheKey) -> CompressionDictionary? {
        guard let digest = Self.digest(in: fields) else { return nil }
        let dictionaryKey = Key(scope: key.scope, origin: CacheGroups.origin(of: key.targetURI), digest: digest)
        guard let dictionary = dictionaries.value(forKey: dictionaryKey), dictionary.use.pattern.matches(key.targetURI) else { return nil }
        return dictionary
    }

    /// The digest in `Available-Dictionary`.
    private static func digest(in fields: HTTPFields) -> [UInt8]? {
        guard let line = fields.singleLine(of: .availableDictionary) else { return nil }
        var parser = StructuredFieldValueParser(Array(line.trimmed))
        guard let item = try? parser.parseItemFieldValue(), case .undecodedByteSequence(let text) = item.rfc9651BareItem,
            let digest = Data(base64Encoded: text), digest.count == SHA256.byteCount
        else { return nil }
        return Array(digest)
    }
}
