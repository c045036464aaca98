// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Crypto
internal import HTTPTypes
internal import NIOCore

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

// The keys of answers to QUERY: [RFC 10008 §2.7](https://www.rfc-editor.org/rfc/rfc10008#section-2.7).
//
// They are told apart by the question, that is by the content and its type and coding. The URI, the scope and the
// variants are those of GET.
extension HTTPCacheKey {
    private static let queryMark = "query\n"

    /// Whether this is the key of answers to QUERY, or of a variant of them.
    var isQuery: Bool { variant?.hasPrefix(Self.queryMark) ?? false }

    /// Whether there may be any number of such keys for the URI, which are reached by a tag.
    var isOneOfMany: Bool { hasCredentials || isQuery || isCanonical }

    /// The digest of the question; `nil` if it is not the key of answers to QUERY.
    var queryDigest: Substring? { isQuery ? variant?.dropFirst(Self.queryMark.count).prefix { $0 != "\n" } : nil }

    /// The key of the URI itself.
    var withoutVariant: HTTPCacheKey { HTTPCacheKey(scope: scope, targetURI: targetURI) }

    /// The key of the answers to a request, whose content is at hand.
    func queryKey(_ request: HTTPRequest, content: ByteBuffer) -> HTTPCacheKey {
        queryKey(content.withUnsafeReadableBytes { QueryContent(request, $0) })
    }

    func queryKey(_ content: QueryContent) -> HTTPCacheKey {
        HTTPCacheKey(scope: scope, targetURI: targetURI, variant: Self.queryMark + content.digest)
    }
}

/// The content of a QUERY request, and the fields that say how to read it.
struct QueryContent {
    /// Hashed at once: a hash that is fed in a dozen small pieces takes twice as long.
    private var bytes: [UInt8] = []

    /// - Complexity: O(*n*) in the bytes of the content.
    init(_ request: HTTPRequest, _ content: UnsafeRawBufferPointer) {
        let fields = request.headerFields
        func value(_ name: HTTPField.Name) -> [UInt8] { Array(fields.lines(of: name).map(\.trimmed).joined(separator: [.comma])) }
        // The meaning does not depend on blanks. A client that wants them to count says so.
        let mayNormalize = !fields.contains(.contentEncoding) && !CacheControl(request: fields).noTransform
        let fieldValues = [.contentEncoding, .contentLanguage, .contentLocation].map(value)
        self.init(MediaType(value(.contentType)), fieldValues, content, mayNormalize: mayNormalize)
    }

    /// For a request that has no other field about its content than its type.
    ///
    /// - Parameter type: The value of the only line of `Content-Type`, without white space around it; empty if there is none.
    init(type: UnsafeRawBufferPointer, _ content: UnsafeRawBufferPointer) {
        self.init(MediaType(Array(type)), [[], [], []], content, mayNormalize: true)
    }

    private init(_ type: MediaType, _ fields: [[UInt8]], _ content: UnsafeRawBufferPointer, mayNormalize: Bool) {
        bytes.reserveCapacity(type.bytes.count + fields.reduce(0) { $0 + $1.count } + content.count + 8 * (fields.count + 2))
        add(type.bytes)
        for field in fields { add(field) }
        let normalized = mayNormalize && type.isJSON ? JSONBlanks.removed(from: content) : nil
        // So that content which is taken as it is equals none that is not.
        add([normalized == nil ? 0 : 1])
        if let normalized { bytes += normalized } else { bytes += content }
    }

    /// Adds a text and its length, so that the end of one cannot be the beginning of the next.
    private mutating func add(_ text: [UInt8]) {
        withUnsafeBytes(of: UInt64(text.count).littleEndian) { bytes += $0 }
        bytes += text
    }

    /// All 32 bytes of the digest, so that an attacker cannot find two contents that have the same.
    var digest: String { Array(SHA256.hash(data: bytes)).hexadecimal }
}

/// The value of `Content-Type`.
private struct MediaType {
    /// In small letters, unless there are parameters, whose values may be read as they are.
    let bytes: [UInt8]
    /// Whether it is JSON, of which nothing says that it is not in UTF-8 (RFC 8259 §8.1).
    let isJSON: Bool

    init(_ value: [UInt8]) {
        let lowercased = value.map(\.lowercased)
        bytes = value.contains(UInt8(ascii: ";")) ? value : lowercased
        let type = lowercased.prefix { $0 != UInt8(ascii: ";") && $0 != .comma && !$0.isOptionalWhitespace }
        let parameters = lowercased.dropFirst(type.count).filter { !$0.isOptionalWhitespace && $0 != UInt8(ascii: "\"") }
        let isPlain = parameters.isEmpty || parameters.elementsEqual(";charset=utf-8".utf8)
        isJSON = isPlain && (type.elementsEqual("application/json".utf8) || type.suffix(5).elementsEqual("+json".utf8))
    }
}
