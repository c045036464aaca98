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
    /// Returns the beginning of a request's keys.
    ///
    /// In a shared cache, a response to a request with `Authorization` is stored only if it says that it may be shared. A private
    /// cache stores others too, and must not answer a request with one user's credentials with a response to another's.
    func scope(for request: HTTPRequest, in space: Space) -> String {
        guard configuration.mode == .private, request.headerFields.contains(.authorization) else { return space.baseScope }
        // Bytes, since as text all bytes that are not UTF-8 would be alike. No value contains the line feed that ends it.
        let credentials = request.headerFields[fields: .authorization].flatMap { $0.valueBytes + [UInt8(ascii: "\n")] }
        let base = HTTPCacheKey(scope: space.baseScope, targetURI: "")
        let scope = "\(base.storedScope) \(Self.digest(credentials))"
        return base.isMemoryOnly ? HTTPCacheKey.memoryScope(scope) : scope
    }

    /// The keys under which a request's URI, or another one that concerns it, may be stored: for these credentials, and for requests without any; in stores,
    /// and in memory only.
    func keys(of uri: String, like key: HTTPCacheKey) -> [HTTPCacheKey] {
        let scopes = key.hasCredentials ? [key.storedBaseScope, key.storedScope] : [key.storedScope]
        return (scopes + scopes.map { HTTPCacheKey.memoryScope($0) }).map { HTTPCacheKey(scope: $0, targetURI: uri) }
    }

    /// The keys under which a URI may be stored, whether a policy has shaped them or not.
    func keys(of uri: String, like key: HTTPCacheKey, _ policy: CompiledHTTPCachePolicy?) -> [HTTPCacheKey] {
        let shaped = policy?.keyURI(uri) ?? uri
        return keys(of: shaped, like: key) + (shaped == uri ? [] : keys(of: uri, like: key))
    }

    /// The tag of the responses for a URI under keys of which there may be any number: those of credentials in a private cache, of the contents of QUERY, and
    /// of rules by which parts of the query do not matter, which are forgotten in time. A change of the URI reaches them by it.
    ///
    /// No response can have it, as a tag in `Cache-Tag` has no comma and one in `Surrogate-Key` no space.
    ///
    /// - Parameter scope: That of the keys without credentials, in stores.
    func uriTag(_ uri: String, baseScope scope: String) -> String { "uri, \(Self.digest("\(scope)\n\(uri)".utf8))" }

    static func isURITag(_ tag: String) -> Bool { tag.hasPrefix("uri, ") }

    /// The tags of an entry: those of the response and of its groups, and ``uriTag(_:baseScope:)`` if its key is one of many for the URI.
    func tags(of response: StoredResponse, forKey key: HTTPCacheKey) -> Set<String> {
        var tags = ownTags(of: response, forKey: key)
        if key.isOneOfMany { tags.insert(uriTag(key.targetURI, baseScope: key.storedBaseScope)) }
        return tags
    }

    /// The tags of a response and of its groups.
    func ownTags(of response: StoredResponse, forKey key: HTTPCacheKey) -> Set<String> {
        var tags = response.tags
        for mark in response.tags {
            guard let group = CacheGroups.name(ofMark: mark) else { continue }
            tags.remove(mark)
            tags.insert(CacheGroups.tag(group, of: key.targetURI, baseScope: key.storedBaseScope))
        }
        return tags
    }

    /// The variant that a request selects by the fields of these names.
    func variant(_ fieldNames: [String], _ selectingFields: HTTPFields) -> VariantIndex.Variant? {
        let names = fieldNames.compactMap { HTTPField.Name($0) }
        guard names.count == fieldNames.count, let selected = Vary(names).variantKey(for: selectingFields) else { return nil }
        return VariantIndex.Variant(fieldNames: fieldNames, digest: Self.digest(selected.bytes))
    }

    /// A short one-way name. Cookies and credentials select responses, but do not appear in keys.
    static func digest(_ bytes: some Sequence<UInt8>) -> String {
        Array(SHA256.hash(data: Data(bytes)).prefix(16)).hexadecimal
    }
}

extension HTTPCacheKey {
    /// The key of a variant of the response stored here.
    func variantKey(_ variant: VariantIndex.Variant, in index: VariantIndex) -> HTTPCacheKey {
        var key = self
        let text = "\(String(index.generation, radix: 16))\n\(variant.fieldNames.joined(separator: ", "))\n\(variant.digest)"
        key.variant = self.variant.map { "\($0)\n\(text)" } ?? text
        return key
    }

    /// The key that a fence is opened for which only removals break: writes of variants do not.
    var removalKey: HTTPCacheKey { HTTPCacheKey(scope: scope, targetURI: targetURI, variant: "removal") }

    /// The key that a fence is opened for which nothing breaks but the removal of everything; it tells of its partition by the label.
    var partitionRemovalKey: HTTPCacheKey { HTTPCacheKey(scope: scope, targetURI: "", variant: "partition removal") }

    // MARK: No-Vary-Search

    /// The key of the rules by which parts of the query do not matter for this path.
    var searchRulesKey: HTTPCacheKey { HTTPCacheKey(scope: scope, targetURI: pathURI, variant: "search") }

    /// The key that a fence is opened for which the removal of any URI with this path breaks.
    var searchRemovalKey: HTTPCacheKey { HTTPCacheKey(scope: scope, targetURI: pathURI, variant: "search removal") }

    /// Whether URIs share the key that differ only in parts that do not matter by some rules; or whether it is that of a variant of their response.
    var isCanonical: Bool { variant?.utf8.first == .questionMark }

    /// The key that this URI shares with those that differ from it only in parts that do not matter by the rules.
    func canonicalKey(_ rules: NoVarySearch) -> HTTPCacheKey {
        let query = targetURI.utf8.firstIndex(of: .questionMark).map { String(targetURI[targetURI.index(after: $0)...]) }
        let canonical = rules.canonicalQuery(query)
        return HTTPCacheKey(scope: scope, targetURI: pathURI, variant: "?\(rules.text)" + (canonical.map { "\n\($0)" } ?? ""))
    }

    /// The URI without the query.
    var pathURI: String {
        targetURI.utf8.firstIndex(of: .questionMark).map { String(targetURI[..<$0]) } ?? targetURI
    }
}
