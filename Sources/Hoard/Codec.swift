// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Turns values into the bytes that a store keeps, and back.
///
/// A codec runs outside all locks and may throw; a value that cannot be encoded is not stored, a record that cannot
/// be decoded is a miss.
///
/// Built in: ``json`` and ``propertyList`` for `Codable` types, ``bytes`` for `Data` (kept as it came, so an image is never
/// re-encoded), ``string`` for `String`, ``cachable`` for types that adopt ``Cachable``. Anything else is two closures.
public struct Codec<Value>: Sendable {
    /// The media type of the encoded form, for tools that look into a store.
    public let contentType: String?

    /// The fingerprint of the encoded form. Records with another fingerprint are misses.
    public let schemaFingerprint: UInt64

    /// Reads the validator out of a value that contains it, for its record. Memory then needs no copy of it: neither
    /// entries in memory nor values that are read from a store have one.
    @usableFromInline package var validator: (@Sendable (Value) -> String?)?

    @usableFromInline let encodeValue: @Sendable (Value) throws -> Data
    @usableFromInline let decodeData: @Sendable (Data) throws -> Value

    /// Creates a codec from two functions.
    ///
    /// - Parameter schema: A name of the encoded form, such as `"user/2"`. Change it when old records must no longer be read.
    public init(
        schema: String,
        contentType: String? = nil,
        encode: @escaping @Sendable (Value) throws -> Data,
        decode: @escaping @Sendable (Data) throws -> Value
    ) {
        self.contentType = contentType
        self.schemaFingerprint = Self.fingerprint(of: schema)
        self.encodeValue = encode
        self.decodeData = decode
    }

    /// - Throws: ``CacheError/Code/codingFailed``.
    @inlinable public func encode(_ value: Value) throws(CacheError) -> Data {
        do {
            return try encodeValue(value)
        } catch {
            throw CacheError(.codingFailed, "A value of type \(Value.self) could not be encoded.", underlyingError: error)
        }
    }

    /// - Throws: ``CacheError/Code/codingFailed``.
    @inlinable public func decode(_ data: Data) throws(CacheError) -> Value {
        do {
            return try decodeData(data)
        } catch {
            throw CacheError(.codingFailed, "A record could not be decoded as \(Value.self).", underlyingError: error)
        }
    }

    /// The 64-bit FNV-1a hash of the schema's name: the same in every process and on every platform.
    private static func fingerprint(of schema: String) -> UInt64 {
        schema.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3 }
    }
}

extension Codec where Value: Codable & SendableMetatype {
    /// JSON, with the type's name as schema. Private types of one name have the same schema; give those that share a store names of your own
    /// (``json(schema:)``).
    public static var json: Codec { json(schema: stableName(of: Value.self)) }

    /// JSON with a schema that you name, so that you can rename the type or refuse old records.
    public static func json(schema: String) -> Codec {
        Codec(
            schema: "json:" + schema,
            contentType: "application/json",
            encode: { try JSONEncoder().encode($0) },
            decode: { try JSONDecoder().decode(Value.self, from: $0) }
        )
    }

    /// A binary property list, with the type's name as schema.
    public static var propertyList: Codec { propertyList(schema: stableName(of: Value.self)) }

    /// A binary property list, with a schema that you name.
    public static func propertyList(schema: String) -> Codec {
        Codec(
            schema: "plist:" + schema,
            contentType: "application/x-plist",
            encode: { value in
                let encoder = PropertyListEncoder()
                encoder.outputFormat = .binary
                return try encoder.encode(value)
            },
            decode: { try PropertyListDecoder().decode(Value.self, from: $0) }
        )
    }
}

extension Codec where Value == Data {
    /// The bytes themselves.
    public static var bytes: Codec {
        Codec(schema: "bytes", contentType: "application/octet-stream", encode: { $0 }, decode: { $0 })
    }
}

extension Codec where Value == String {
    /// UTF-8. Bytes that are not UTF-8 do not decode.
    public static var string: Codec {
        Codec(
            schema: "string",
            contentType: "text/plain; charset=utf-8",
            encode: { Data($0.utf8) },
            decode: { data in
                guard let string = String(validating: data, as: UTF8.self) else { throw InvalidUTF8() }
                return string
            }
        )
    }
}

extension Codec where Value: Cachable {
    /// The type's own form, by its ``Cachable`` conformance, with the type's name as schema.
    public static var cachable: Codec {
        Codec(
            schema: "cachable:" + stableName(of: Value.self),
            contentType: Value.contentType,
            encode: { try $0.encode() },
            decode: { try Value.decode($0) }
        )
    }
}

/// Bytes that should have been UTF-8 are not.
private struct InvalidUTF8: Error {}
