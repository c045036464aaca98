// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Crypto
internal import HTTPTypes

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension HTTPCache {
    /// What this cache's keys begin with.
    var baseScope: String {
        let mode = configuration.mode == .shared ? "http-shared" : "http-private"
        return configuration.partition.isEmpty ? mode : "\(mode) \(digest(configuration.partition.utf8))"
    }

    /// What the keys of a request begin with.
    ///
    /// In a shared cache, a response to a request with `Authorization` is stored only if it says that it may be shared. A private
    /// cache stores others too, and must not give what one user's credentials got to a request with another's.
    func scope(for request: HTTPRequest) -> String {
        guard configuration.mode == .private, request.headerFields.contains(.authorization) else { return baseScope }
        // Bytes, since as text all that is not UTF-8 would be alike. No value contains the line feed that ends it.
        let credentials = request.headerFields[fields: .authorization].flatMap { $0.valueBytes + [UInt8(ascii: "\n")] }
        return "\(baseScope) \(digest(credentials))"
    }

    /// The key of the variant that a request selects by the fields of these names.
    func variantKey(of key: HTTPCacheKey, _ fieldNames: [String], _ selectingFields: HTTPFields, in index: VariantIndex) -> HTTPCacheKey? {
        let names = fieldNames.compactMap { HTTPField.Name($0) }
        guard names.count == fieldNames.count, let selected = Vary(names).variantKey(for: selectingFields) else { return nil }
        var variant = key
        variant.variant = "\(String(index.generation, radix: 16))\n\(fieldNames.joined(separator: ", "))\n\(digest(selected.bytes))"
        return variant
    }

    /// A short one-way name. Cookies and credentials select responses, but do not appear in keys.
    private func digest(_ bytes: some Sequence<UInt8>) -> String {
        let hash = SHA256.hash(data: Data(bytes))
        return hash.prefix(16).reduce(into: "") { $0 += ($1 < 16 ? "0" : "") + String($1, radix: 16) }
    }
}
