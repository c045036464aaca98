// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import Hoard
internal import NIOCore

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension Codec where Value == HTTPCacheEntry {
    /// The stored form of an entry: a version byte, then fields of fixed width and strings with their lengths, all big-endian.
    ///
    /// The decoder takes time in proportion to the bytes, and never allocates more than they could fill. Any bytes whatever give an entry or an error,
    /// never a crash.
    ///
    /// - Parameter rules: Of the cache that reads the entries. Facts that follow from a response's fields are derived
    ///   by these rules, and are not stored.
    package static func httpCacheEntry(rules: HTTPCacheRules) -> Codec {
        var codec = Codec(
            // A response that a cache with forms has stored for all clients is not for a cache without.
            schema: rules.codings == nil ? "hoard-http/2" : "hoard-http/2+forms",
            contentType: "application/x-hoard-http",
            encode: { entry in
                var buffer = ByteBuffer()
                buffer.reserveCapacity(entry.weight)
                try entry.write(into: &buffer)
                return Data(buffer.readableBytesView)
            },
            decode: { data in
                var buffer = ByteBuffer(bytes: data)
                let entry = try HTTPCacheEntry(readingFrom: &buffer, rules: rules)
                guard buffer.readableBytes == 0 else { throw MalformedEntry() }
                return entry
            }
        )
        codec.validator = { entry in
            guard case .response(let response) = entry else { return nil }
            let validators = response.validators
            return (validators.eTag ?? validators.lastModified).map { String(decoding: $0, as: UTF8.self) }
        }
        return codec
    }
}

/// The bytes are not a stored entry, or the entry cannot be written in the stored form.
struct MalformedEntry: Error {}

extension HTTPCacheEntry {
    /// Version 1 had whole bodies only. It is not read any more.
    private static let version: UInt8 = 2

    private enum Kind: UInt8 {
        case response, variants, segment, searchRules
    }

    fileprivate func write(into buffer: inout ByteBuffer) throws {
        buffer.writeInteger(Self.version)
        switch self {
        case .response(let response):
            buffer.writeInteger(Kind.response.rawValue)
            try response.write(into: &buffer)
        case .variants(let index):
            buffer.writeInteger(Kind.variants.rawValue)
            try index.write(into: &buffer)
        case .segment(let bytes):
            buffer.writeInteger(Kind.segment.rawValue)
            try buffer.writeLengthPrefixed(bytes.readableBytesView)
        case .searchRules(let rules):
            buffer.writeInteger(Kind.searchRules.rawValue)
            buffer.writeInteger(UInt8(clamping: min(rules.count, Self.maximumSearchRules)))
            for rule in rules.prefix(Self.maximumSearchRules) { try buffer.writeLengthPrefixed(rule.text.utf8) }
        }
    }

    fileprivate init(readingFrom buffer: inout ByteBuffer, rules: HTTPCacheRules) throws {
        guard try buffer.read(UInt8.self) == Self.version, let kind = Kind(rawValue: try buffer.read(UInt8.self)) else { throw MalformedEntry() }
        switch kind {
        case .response:
            self = .response(try StoredResponse(readingFrom: &buffer, rules: rules))
        case .variants:
            self = .variants(try VariantIndex(readingFrom: &buffer))
        case .segment:
            self = .segment(try buffer.readLengthPrefixed())
        case .searchRules:
            let count = try buffer.read(UInt8.self)
            guard count <= Self.maximumSearchRules else { throw MalformedEntry() }
            self = .searchRules(
                try (0..<count).map { _ in
                    guard let rule = NoVarySearch(text: try buffer.readText()) else { throw MalformedEntry() }
                    return rule
                }
            )
        }
    }
}

extension VariantIndex {
    /// Of a digest, in the stored form.
    private static let digestLength = 16

    fileprivate func write(into buffer: inout ByteBuffer) throws {
        guard let count = UInt16(exactly: variants.count) else { throw MalformedEntry() }
        buffer.writeInteger(generation)
        buffer.writeInteger(UInt8(clamping: fieldNameSets.count))
        for names in fieldNameSets {
            guard let count = UInt16(exactly: names.count) else { throw MalformedEntry() }
            buffer.writeInteger(count)
            for name in names { try buffer.writeLengthPrefixed(name.utf8) }
        }
        buffer.writeInteger(count)
        for variant in variants {
            guard let set = fieldNameSets.firstIndex(of: variant.fieldNames), let digest = [UInt8](hexadecimal: variant.digest),
                digest.count == Self.digestLength
            else { throw MalformedEntry() }
            buffer.writeInteger(UInt8(clamping: set))
            buffer.writeBytes(digest)
        }
    }

    fileprivate init(readingFrom buffer: inout ByteBuffer) throws {
        let generation = try buffer.read(UInt64.self)
        let setCount = try buffer.read(UInt8.self)
        guard setCount <= Self.maximumFieldNameSets else { throw MalformedEntry() }
        let sets = try (0..<setCount).map { _ in
            try (0..<buffer.read(UInt16.self)).map { _ in try buffer.readText() }
        }
        let variants = try (0..<buffer.read(UInt16.self)).map { _ in
            let set = Int(try buffer.read(UInt8.self))
            guard set < sets.count, let digest = buffer.readBytes(length: Self.digestLength) else { throw MalformedEntry() }
            return Variant(fieldNames: sets[set], digest: digest.hexadecimal)
        }
        self.init(generation: generation, fieldNameSets: sets, variants: variants)
    }
}

extension [UInt8] {
    /// Two small hexadecimal digits for each byte.
    var hexadecimal: String {
        String(unsafeUninitializedCapacity: count * 2) { text in
            for (index, byte) in enumerated() {
                for (offset, digit) in [byte >> 4, byte & 0x0F].enumerated() {
                    text[index * 2 + offset] = digit < 10 ? 0x30 + digit : 0x61 + digit - 10
                }
            }
            return count * 2
        }
    }

    init?(hexadecimal text: String) {
        let digits = text.utf8.compactMap(\.hexDigitValue)
        guard digits.count == text.utf8.count, digits.count.isMultiple(of: 2) else { return nil }
        self = stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}
