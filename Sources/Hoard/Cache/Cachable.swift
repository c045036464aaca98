// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A type that defines its own form for storage.
///
/// `Codable` types get JSON for nothing. A type that already is bytes, such as an image, returns the bytes it was made from.
///
/// ```swift
/// struct Photo: Cachable {
///     let original: Data
///     func encode() throws -> Data { original }
///     static func decode(_ data: Data) throws -> Photo { Photo(original: data) }
/// }
/// ```
public protocol Cachable: Sendable {
    /// The media type of the encoded form. Default: `nil`, or JSON's for `Codable` types.
    static var contentType: String? { get }

    /// Returns the bytes to store.
    func encode() throws -> Data

    /// Makes a value from the bytes that ``encode()`` returned.
    static func decode(_ data: Data) throws -> Self
}

extension Cachable {
    public static var contentType: String? { nil }
}

extension Cachable where Self: Codable {
    public static var contentType: String? { "application/json" }

    public func encode() throws -> Data {
        try JSONEncoder().encode(self)
    }

    public static func decode(_ data: Data) throws -> Self {
        try JSONDecoder().decode(Self.self, from: data)
    }
}
